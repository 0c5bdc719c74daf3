"""Facts kept, handed over and lost at compactions, and hand-overs since.

`naming.py` is the one rule by which a text names a fact; `traces.py` reads around each boundary of a
transcript, `rows.py` lists the facts of the range that was replaced, `compare.py` puts them against the
summary, and `unfounded.py` finds what the summary says and no record does.
"""
