"""Reading and changing stored files: captures, active commands, memories, session states, transcripts.

Every problem is a `FileProblem`: one plain sentence about one file. Shared files are changed
under the lock that their other writers use, only in the span concerned, and checked again afterwards. A
review writes the memory file first and then the capture, so that a kill in between leaves at most an unused
memory file.
"""
