"""Views: what may be one, and that each is what DuckDB computes from the rows of its table, whatever is written."""
