"""Writes on a store without transactions: single steps, each of which any process can finish or take back.

writer             the steps of one write, in their order (docs/decisions/0011)
grouped_load       the same steps for many new rows at a time
records            the record itself: found, changed on a condition, fenced against late writers
touched_entries    the index entries that a write touches, and what becomes of them
slots              the seats of a group under a CARDINALITY LIMIT or UNIQUE key; users read "places"
reference_checks   what a write checks of rows that it names, and of rows that name it
references         foreign keys, from both sides
children           the rows that name one row, found while others write them
named_rows         what a view of several tables takes of rows that are named;  held_rows   why that cannot change
upkeep             when the groups of views are changed;  folding  how each counts a write once
contributions      names of what a write adds to views
intents            the log that says which writes are in progress
stamps             names of writes, in order of time
unit_try           the steps of one try of a unit (docs/decisions/0083);  unit_record   what decides it
open_units         who meets a unit under way waits for it, then closes it
held_records       records that units hold, as readers see them
agreement          makes entries and slots agree with a record
sweep              settles interrupted writes of all client processes
leftovers          retries a read or write that met too many interrupted writes
work               what a write knows of itself
writer_identity    who writes;  backoff   how long it waits;  notation   values as text
"""
