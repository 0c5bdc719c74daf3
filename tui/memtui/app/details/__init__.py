"""What the detail and the screens show, as documents."""
