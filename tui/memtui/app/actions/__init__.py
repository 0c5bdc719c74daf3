"""The actions of the browser's keys: plain classes that receive the panes and stores they act on."""
