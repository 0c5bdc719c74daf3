"""The contents of the detail and the screens, as documents."""
