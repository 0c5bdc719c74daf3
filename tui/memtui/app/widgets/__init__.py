"""Widgets that know nothing of memory: lists, documents, bars."""
