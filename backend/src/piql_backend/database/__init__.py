"""The DuckDB file, opened by the backend alone."""
