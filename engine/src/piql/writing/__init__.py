"""Writes: one record with its index entries and constraints, in one transaction of the store."""
