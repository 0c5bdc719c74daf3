"""Paths, project, clock, files, clean text and problems: imports no other room."""
