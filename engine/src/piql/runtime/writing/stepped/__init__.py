"""Writes on a store without transactions: single steps, each of which any process can finish or take back.

writer         the steps of one write, in their order (docs/decisions/0011)
intents        the log that says which write is under way          stamps       names of writes, in order of time
records, slots, references      the record, its places under limits, its foreign keys
sweep, leftovers                settle what interrupted writes left, for everybody or for one read
grouped_load                    the same steps for many new rows at a time
writer_identity, backoff, notation    who writes, how long it waits, values as text
"""
