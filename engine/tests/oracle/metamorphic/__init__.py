"""Answers held against each other: what must be so of several queries whatever the right rows are.

    relations: a query → Relations (TLP, NoREC, aggregates of parts)     spellings: a query → the same, said otherwise
    declaring: a schema with and without each limit, key and index → what is dearer; `__main__` walks so
    campaign: worlds of the oracle, one after the other → what held, what was refused, what failed

A fault that PIQL and DuckDB share, or one in the oracle's translation of a query, shows here.
"""
