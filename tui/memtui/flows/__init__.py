"""Operations shared by the command line, the app and the MCP server: compact, review, follow, restore."""
