"""A model that may word a draft: `ask` asks ``claude -p``, `drafts` checks what it said and puts it in."""
