"""What the store needs of a driver: to prepare, execute many, change under a condition, define, and know the nodes.

session/ has it from `scylla-driver`, rust/ from `scylladb-rs-driver`; the rest of the package knows neither.
Values go as CQL's bytes and rows come as PIQL's stored values, whatever the driver itself takes and gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from piql.errors import StoreUnavailable
from piql.store.base import Consistency, Node, Reader, Row
from piql.store.cql.address import Address
from piql.store.cql.reads.grouping import Sent, Values
from piql.store.cql.reads.listing import Lister, Listing
from piql.store.cql.reads.reads import CqlRead

Done: TypeAlias = Callable[["list[list[Row]] | StoreUnavailable"], None]


class Reads(Protocol):
    """Reads that may be repeated: the rows of all statements, or StoreUnavailable."""

    def reader(self, read: CqlRead, consistency: Consistency | None, more: Reader) -> Reader:
        """Return what answers single requests of a read that is one statement.

        Where hidden rows took the place of others, `more` answers the request.
        """
        ...

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]: ...

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]: ...

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        """Return a few nodes that together hold all partitions, each with the positions of those it answers."""
        ...

    def lister(self, read: CqlRead, listing: Listing, consistency: Consistency | None) -> Lister:
        """Return what answers batches of a read that go together by a listing."""
        ...


class Link(Protocol):
    """A session with a cluster; may be used from any number of threads. What fails raises StoreUnavailable."""

    address: Address
    selected_as: Mapping[str, str]
    """What reads select columns of these types as, where it is not as they are: `toUnixTimestamp({})`."""

    def reads(self) -> Reads: ...

    def know_keyspace(self) -> None:
        """Learn on which nodes the keyspace has its rows."""
        ...

    def execute(self, cql: str) -> list[Row]:
        """Send one read that is not worth preparing and wait for its rows."""
        ...

    def change_schema(self, statements: Sequence[str]) -> None:
        """Execute definitions one after another, and return when every node knows them."""
        ...

    def answer(
        self, cql: str, values: Values, consistency: Consistency | None = None, *, is_serial: bool = False
    ) -> list[Row]:
        """Send one prepared request and wait for its rows."""
        ...

    def change_if(self, cql: str, values: Values) -> tuple[bool, bool]:
        """Send a conditional change; say whether it was made, and whether that is certain.

        Of one that was sent twice, the second may have been refused because the first had been made.
        """
        ...

    def answer_many(
        self, requests: Sequence[tuple[str, Values]], consistency: Consistency | None = None
    ) -> list[list[Row]]:
        """Send prepared requests at the same time and wait for the rows of all."""
        ...

    def each_serially(
        self, requests: Sequence[tuple[str, Values]], most: int, *, is_change: bool
    ) -> list[list[Row] | None]:
        """Send conditional changes or serial reads of different partitions, `most` at once; None where undecided."""
        ...

    def start(self, requests: Sequence[tuple[str, Values]], done: Done, consistency: Consistency | None = None) -> None:
        """Send prepared requests; `done` gets all rows or a failure, from any thread."""
        ...

    @property
    def driver(self) -> str:
        """Return the name and version of the driver."""
        ...

    def nodes(self) -> tuple[Node, ...]: ...

    def close(self) -> None: ...
