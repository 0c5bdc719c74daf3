"""The formats, tolerant in and exact out, and the documents that facts become in them.

Each parser raises `FormatError` for a text that is not of its format. The same facts give the same bytes.
Documents quote: every statement ends with its source line, and closing messages that still hold and the
user's words follow the seeds' sections verbatim (`quotes.py`). A failure is an event with its age
(`events.py`); open work and decisions need a record (`work.py`). The plan follows the four priorities of seed
000 and is kept word for word (`recovery.py`).

`compactor.py` holds the rules of seed 003 for every drafter: `merge` takes any draft, `next_state` drafts
from facts. Done tasks stay, the oldest as one line that counts them; decisions are only added, and related
ones share an entry beyond twenty; beyond 5,000 tokens all but decisions is shortened.

A format is parsed, drafted and rendered in one module; `capture.py`, `commands.py` and `pins.py` need the
standard library alone, as the first screen or a hook reads them.
"""
