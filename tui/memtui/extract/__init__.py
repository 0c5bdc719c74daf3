"""Transcript to facts to drafts, without a model."""
