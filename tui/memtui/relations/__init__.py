"""Entities that memories share, and their graph."""
