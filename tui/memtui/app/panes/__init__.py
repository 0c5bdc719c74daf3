"""The four panes of the browser: their rows, and the details of these."""
