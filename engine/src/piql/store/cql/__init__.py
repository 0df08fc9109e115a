"""The store on Cassandra and ScyllaDB.

address.py        cql://host,host/keyspace?…             layout.py       an index → a table
stored_values.py  values ↔ CQL's types                   link.py         what the store needs of a driver
store.py          the store itself                       opening.py      from an address to the driver it names
undecided.py      nobody says what came of a change      forked.py       what a forked process has of it: nothing
reads/            the shape of a read → SELECTs          writes/         rows and entries → conditional changes
schema/           what is in the keyspace                session/        requests over the Python driver
rust/             requests over the Rust driver
"""

from piql.store.cql.store import CqlStore, open_cql

__all__ = ["CqlStore", "open_cql"]
