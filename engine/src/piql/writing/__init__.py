"""Writes: one record with its index entries and constraints.

A store with transactions   `write` → `table_writer`: checks, entries and the record in one transaction
a store without             `write` → `stepped_writer`: the steps of docs/decisions/0011; `sweep` collects what is left
"""
