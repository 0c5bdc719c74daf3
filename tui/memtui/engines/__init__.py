"""The engines of a draft: facts alone, or a model that is asked to improve on them.

`claude -p` runs in an empty folder, in its own process group, without tools, servers and hooks, limited to
three minutes and 256 KB. Its answer is limited too (`rules.py`, `state_rules.py`): what the facts know for
certain cannot be changed, and open work stays open unless a record shows it done. Two items are the same only
if the words of one occur in the other in order and neither negates the other (`wording.py`). A path that was
never shown is marked (`known.py`), as is a statement whose cited line does not hold its words
(`citations.py`). After any `EngineError` the draft stays as it was.
"""
