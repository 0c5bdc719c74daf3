"""From facts to documents: recovery text, memory draft, session state, notes, and the checklist.

The same facts give the same bytes. Documents quote: every statement ends with its source line
(`sources.py`), and closing messages and the user's words follow the seeds' sections verbatim (`quotes.py`).
A failure is an event with its age (`events.py`), open work needs a record (`open_work.py`), and only answers
and decided plans are decisions (`settled.py`). The plan follows the four priorities of seed 000 and is kept
word for word (`plan.py`); all modified files are named, ordered by edits, recency and kind (`ranking.py`).

`compactor.py` holds the rules of seed 003 for every drafter: `merge` takes any draft, `next_state` drafts
from facts. Done tasks stay, the oldest as one line that counts them; decisions are only added, and related
ones share an entry beyond twenty; `compactor_size.py` lists what is shortened beyond 5,000 tokens, never
decisions. `handover.py` makes the notes for a compacted session.
"""
