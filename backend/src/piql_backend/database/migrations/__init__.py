"""The tables of the DuckDB file: `0001_….sql` and so on, applied once each in the order of their numbers.

A file that has been released is never changed; another change is another file.
"""
