"""The hook process, started by Claude Code at its events; it never harms its host.

Each event imports only the modules it needs: a prompt, and a session that starts or is resumed, the standard
library alone, as a person waits for them. A run always exits with 0, writes the capture first, gives up
on a lock after a second, stops before Claude Code's limit (10 seconds) and writes one line to `hooks.jsonl`.
A compaction is captured once, however often the hook runs: until the transcript has a boundary that is later
than a session's pending capture, it is the same compaction.
"""

CAPTURE, RULES, CLEARING = "capture", "rules", "clearing"
"""Jobs that the plugin leaves to entries of Claude Code's settings: the capture, rules of active commands,
and clearing these."""
