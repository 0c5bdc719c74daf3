"""Facts to documents: recovery text, memory draft, session state, and the checklist."""
