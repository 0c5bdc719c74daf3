"""The model behind the panes: a project's data, listed and compared in the background, without widgets."""
