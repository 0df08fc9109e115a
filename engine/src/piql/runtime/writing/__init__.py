"""Writes: one record with its index entries and constraints.

A store with transactions   `write` → `transactional`: checks, entries and the record in one transaction
a store without             `write` → `stepped.writer`: the steps of docs/decisions/0011; `sweep` collects what is left
"""
