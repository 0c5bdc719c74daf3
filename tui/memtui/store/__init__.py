"""What lies on the disk, read and changed: captures, active commands, memories, session states, transcripts.

Every problem is a `memtui.files.FileProblem` of some kind: one plain sentence about one file.
"""
