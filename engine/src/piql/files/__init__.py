"""Rows of tables from and to files: CSV, JSON lines and Parquet, exact to the last digit.

    file ──source──▶ rows with lines ──mapping──▶ rows by column ──row_check──▶ problems, or ──loading──▶ table
    pages of a table ──dumping──▶ file
    rows of `piql.generating` ──generated──▶ tables, or files

formats    which format a file has               values     how each column type is written and read
source     opens `csv_file`, `json_lines`        problems   what is wrong with a file, by line and column
           or `parquet`, all alike               duck       DuckDB, for CSV and Parquet
seen_keys  the primary keys that a load has met
"""
