"""The Textual app: screens, panes, widgets. It shows and asks; what it does to files is done by the store."""
