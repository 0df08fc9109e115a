"""Who may ask, and how much: tokens are kept as hashes, budgets count the requests of bounds."""
