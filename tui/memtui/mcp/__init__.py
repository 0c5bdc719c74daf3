"""The MCP server: memories and workflow sessions for Claude Code, over standard input and output.

The library's transport keeps everything but the protocol off stdout. `stdio.py` adds to it: a line that is no
message is answered, under its id if that can be made out, and the last answers are waited for. Blocking calls
run in threads, and every call ends at one edge (`calls.py`), which turns a problem into one sentence and logs
unexpected errors. Results hold at most 45,000 bytes; longer texts come in pages.
"""
