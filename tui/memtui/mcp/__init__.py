"""The MCP server for Claude Code: memories, workflow sessions, search and losses.

Every call ends at one boundary (`server.Server.call_tool`), which turns a problem into one sentence and logs
unexpected errors. Results have at most 45,000 bytes; longer texts come in pages.
"""
