"""The browser's actions: plain classes that receive the panes and stores they act on."""
