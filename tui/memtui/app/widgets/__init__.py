"""Widgets that know nothing about memories: lists, documents, bars."""
