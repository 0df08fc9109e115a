"""The tables of an environment: their rows by pages, single rows written, and all rows as a file."""
