"""Where the data is kept: one interface, its adapters, and `open_store(url)` that chooses one.

base            the interface: reads of one index range, and transactions
row_writes      the interface of a store without transactions: single rows, changed one at a time
rows            what both are about: rows in stored form, states of records and entries
open, schemes   the one list of adapters and what each can do
embedded/       one SQLite file, with transactions
stepwise/       one SQLite file without transactions, which behaves like a cluster, for tests
cql/            a cluster of Cassandra or ScyllaDB
s3/             a bucket of an object store
testing/        stores in front of a store, for tests; `wrapper` is their base class
scan            walks a whole table, on any store
single_reads    the answer to one request, as a batch of one
values          how values are stored in SQLite, and codecs that CQL uses, too
"""
