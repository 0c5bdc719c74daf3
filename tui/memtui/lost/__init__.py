"""Facts kept, handed over and lost at compactions, and hand-overs since.

`naming.py` decides whether a text names a fact; `traces.py` reads around each boundary of a transcript,
`rows.py` lists the facts of the replaced range, `compare.py` compares them with the summary, and
`unfounded.py` finds statements of the summary without a record.
"""
