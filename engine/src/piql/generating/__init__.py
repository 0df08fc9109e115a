"""Rows that nobody has typed: realistic, skewed, and up to every limit of a schema. No I/O.

    tables, wish ──row_counts──▶ rows of each table ──generator──▶ rows, table by table in the order of foreign keys

wish             what is asked for: how many rows, which seed         row_counts      how many rows each table gets
table_rows       the rows of one table: full groups, then the rest    constraints     what a row may not break
choices          values that rows share: parents, and pools           words           words under limits on words
column_values    values of a column, by its type and name             vocabulary      names, towns, words

The same tables, wish and version of PIQL give the same rows.
"""
