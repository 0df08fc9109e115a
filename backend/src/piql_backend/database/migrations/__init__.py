"""The tables of the DuckDB file, in the order in which they came to be."""
