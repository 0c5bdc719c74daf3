"""A model that may word a draft: `ask` asks ``claude -p``, `check` checks what it said, `claude` puts it in.

After any `EngineError` the draft stays unchanged.
"""
