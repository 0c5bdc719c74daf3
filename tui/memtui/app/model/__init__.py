"""The model under the panes: what a project holds, listed and compared in the background, without widgets."""
