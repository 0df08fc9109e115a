"""One file an operator: which reads it makes, and what becomes of their rows."""
