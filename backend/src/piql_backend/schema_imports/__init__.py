"""A schema of another database, and its queries, as PIQL."""
