"""What the keys of the browser do: plain classes that are given the panes and stores they act on."""
