"""What keys do: the tables of commands, a person's own keys, and the palette."""
