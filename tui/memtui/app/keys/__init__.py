"""Keys: the tables of commands, the user's own keys, and the palette."""
