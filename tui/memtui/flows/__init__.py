"""What the command line, the app and the MCP server do alike: compact, review, follow a session, restore."""
