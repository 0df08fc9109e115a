"""Secondary indexes: how one is made, and the fewest that serve a whole set."""
