"""Facts kept, handed over and lost at compactions, and hand-overs since.

`traces.py` reads around each boundary of a transcript, `candidates.py` quotes the lines that may be lost,
`verdicts.py` tells whether a summary has one, `worth.py` orders them, `compare.py` makes the list
and `notes.py` the note of them, and `unfounded.py` finds statements of the summary without a record.
"""
