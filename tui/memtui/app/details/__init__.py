"""The contents of the detail pane and the screens, as documents."""
