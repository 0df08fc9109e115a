"""The store on Cassandra and ScyllaDB.

address.py        cql://host,host/keyspace?…           reads.py      the shape of a read → SELECTs
stored_values.py  values ↔ CQL's types                 entries.py    a row → INSERT, UPDATE, DELETE
layout.py         an index → a table                   steps.py      conditional changes, entries by timestamp
tables.py         what is in the keyspace              store.py      the store itself
connection.py     the driver, and requests in flight   failures.py   what the driver raises → StoreUnavailable
grouping.py       reads of many keys → few statements  direct.py     reads on the driver's own connections
frames.py         the frames of those reads            replicas.py   which nodes keep a partition
link.py           what the store needs of a driver     opening.py    from an address to the driver it names
listing.py        a batch of one read → few statements undecided.py     nobody says what came of a change
rust.py           the same from the Rust driver        rust_values.py   bytes ↔ its values
rust_failures.py  its texts → StoreUnavailable         forked.py     what a forked process has of it: nothing
"""

from piql.store.cql.store import CqlStore, open_cql

__all__ = ["CqlStore", "open_cql"]
