"""Phase II: maps each section of the logical plan to a bounded operator over an index."""
