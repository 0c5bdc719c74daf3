"""The four panes of the browser: what their rows say and what the detail shows."""
