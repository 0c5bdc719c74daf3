"""The MCP server: memories and workflow sessions for Claude Code, over standard input and output."""
