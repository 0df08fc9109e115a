"""Writes: one record with its index entries, after its constraints have been checked.

write            a compiled INSERT, UPDATE or DELETE, which runs through `paths`
unit             a compiled unit: several writes in one transaction;  unit_by_steps   and without one
let              a value that a unit reads for the statements behind it
decisions        what it decides: from the record as it is to the record as it shall be
paths            the two kinds of stores under one name: change a record, look up a UNIQUE value
transactional    on a store with transactions: checks, entries and the record in one transaction
stepped/         on a store without: the steps of docs/decisions/0011, and what settles interrupted writes
table_rules/     constraints, records and entries of a table, the same on every store
bulk             many rows of one table;  resumed_load   remembers how far such a load has come
section          the rows of a write that changes several    kept_view      a view that follows the writes to its table
joined_rows      the rows of a view of several tables that a record is in
meter            counts and limits the requests of a write
"""
