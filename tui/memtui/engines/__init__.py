"""The engines of drafts: facts alone, or a model that improves the draft.

`claude -p` runs in an empty folder, in its own process group, without tools, servers and hooks, limited to
three minutes and 256 KB. Rules restrict its answer (`rules.py`, `state_rules.py`): it cannot change facts
that are on record, and open work stays open unless a record shows it done. Two items are the same only if the
words of one occur in the other in order and neither negates the other (`wording.py`). Unknown paths are
marked (`known.py`), and so are statements whose cited line lacks their words (`citations.py`). After any
`EngineError` the draft stays unchanged.
"""
