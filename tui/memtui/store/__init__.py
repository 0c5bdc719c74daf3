"""What lies on the disk, read and changed: captures, active commands, memories, session states, transcripts.

Every problem is a `memtui.files.FileProblem` of some kind: one plain sentence about one file. A change of a
shared file takes the lock that its other writers know, edits only its own span of the text, and checks the
file again afterwards. A review writes the memory file first and then the capture, so that a kill in between
leaves at most a memory file that no capture names. What is written is recorded (`changes.py`), and taken back
from the record (`history.py`).
"""
