"""A transcript to facts: structure only, no model."""
