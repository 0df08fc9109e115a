"""The store on Cassandra and ScyllaDB.

store.py            the store itself;  transaction.py   changes of the schema
address.py          the URL cql://host,host/keyspace?…;  credentials.py   what it names and does not hold
levels.py           which consistency each kind of request has
layout.py           an index → a CQL table
stored_values.py    values ↔ CQL's types
reads/              the shape of a read → SELECTs, and several requests → one statement
writes/             records → conditional changes, entries → changes with timestamps
schema/             the tables of the keyspace
link.py             what the store needs of a driver; two packages implement it:
session/ rust/      requests over the Python driver, and over the Rust driver
opening.py          from an address to the driver that it names
undecided.py        the error of a change whose outcome is unknown
forked.py           refuses the cluster in a forked process
"""

from piql.store.cql.store import CqlStore, open_cql

__all__ = ["CqlStore", "open_cql"]
