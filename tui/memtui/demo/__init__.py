"""The demo: a temporary project with realistic data and a running session."""
