"""Which consistency of the cluster each kind of request has, by the one that the address says.

    address          reads without a wish    eventual     quorum          writes          serial
    LOCAL_QUORUM     LOCAL_QUORUM            LOCAL_ONE    LOCAL_QUORUM    LOCAL_QUORUM    LOCAL_SERIAL
    LOCAL_ONE        LOCAL_ONE               LOCAL_ONE    LOCAL_QUORUM    LOCAL_QUORUM    LOCAL_SERIAL
    ONE              ONE                     ONE          QUORUM          QUORUM          SERIAL
    all others       as the address          ONE          QUORUM          as the address  SERIAL

No write is acknowledged by less than a majority: one copy may be lost with its node, and a `quorum` read may miss it.
So a write waits for a majority where the address says ONE, and so do the reads that a write itself makes. TWO and THREE
are majorities of at most three and five copies; whoever gives them has counted.
"""

from __future__ import annotations

from typing import NamedTuple

from piql.store.base import Consistency
from piql.store.cql.address import Address

_ONE_COPY = ("ONE", "LOCAL_ONE")


class Levels(NamedTuple):
    """The names of CQL's consistencies: of the two kinds of reads, of writes, and of serial requests.

    `usual` is the kind of reads without a wish; with None they are at the level of writes.
    """

    eventual: str
    quorum: str
    write: str
    serial: str
    usual: Consistency | None


def levels_of(address: Address) -> Levels:
    """Return the levels of an address."""
    local = "LOCAL_" if address.consistency.startswith("LOCAL_") else ""
    is_one = address.consistency in _ONE_COPY
    quorum = f"{local}QUORUM"
    return Levels(
        f"{local}ONE",
        quorum,
        quorum if is_one else address.consistency,
        f"{local}SERIAL",
        "eventual" if is_one else None,
    )
