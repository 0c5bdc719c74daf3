"""Who makes a draft: the facts alone, or a model that is asked to improve on them."""
