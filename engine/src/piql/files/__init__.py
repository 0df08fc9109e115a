"""Rows of tables from and to files: CSV, JSON lines and Parquet, exact to the last digit."""
