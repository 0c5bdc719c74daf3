"""The MCP server: memories and workflow sessions for Claude Code, over standard input and output.

The library's transport keeps everything but the protocol off stdout. `stdio.py` adds to it: invalid lines are
answered, under their id if it can be read, and the last answers are awaited. Blocking calls run in threads,
and every call ends at one boundary (`calls.py`), which turns a problem into one sentence and logs unexpected
errors. Results have at most 45,000 bytes; longer texts come in pages.
"""
