"""What memories have in common: entities and the graph of them."""
