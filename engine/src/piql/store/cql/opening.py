"""From an address to a session of the driver that it names."""

from __future__ import annotations

from piql.store.cql.address import Address
from piql.store.cql.credentials import with_credentials
from piql.store.cql.link import Link


def open_link(address: Address) -> Link:
    """Connect to a cluster; only the driver that is asked for is imported."""
    address = with_credentials(address)
    if address.driver == "rust":
        from piql.store.cql.rust.connection import RustConnection

        return RustConnection(address)
    from piql.store.cql.session.connection import Connection

    return Connection(address)
