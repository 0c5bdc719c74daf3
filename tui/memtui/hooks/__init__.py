"""The hook process, started by Claude Code at its events. Standard library only; no harm to its host.

Each event imports only what it needs. A run always exits with 0, writes the capture first, gives up on a lock
after a second, stops itself before Claude Code would (10 seconds are granted), and leaves one line in
`hooks.jsonl`. A compaction is captured once, however often the hook runs: the size of the transcript is
noted, and until a boundary appears in what was added since, it is the same compaction.
"""
