"""What the store needs of a driver, as protocols: to prepare, read many, change on a condition, and know the nodes.

session/ implements them over `scylla-driver`, rust/ over `scylladb-rs-driver`; the rest of the package knows neither.
Values are passed as CQL's bytes, and rows come back as PIQL's stored values, whatever the driver itself works with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from piql.errors import StoreUnavailable
from piql.store.base import Consistency, Node, Reader
from piql.store.cql.address import Address
from piql.store.cql.reads.grouping import Sent, Values
from piql.store.cql.reads.listing import Lister, Listing
from piql.store.cql.reads.reads import CqlRead
from piql.store.rows import Row

Reach: TypeAlias = Literal[Consistency, "all"]
"""How many copies a request reaches before it is answered: one, a majority, or all of them."""

Done: TypeAlias = Callable[["list[list[Row]] | StoreUnavailable"], None]
"""Called once with the rows of all requests, or the failure."""


class Reads(Protocol):
    """Reads, which may be repeated. Each method returns the rows of all statements or raises StoreUnavailable."""

    def reader(self, read: CqlRead, consistency: Consistency | None, more: Reader) -> Reader:
        """Return the function that answers single requests of a read that is one statement.

        It calls `more` for a request in which hidden rows took places under the LIMIT.
        """
        ...

    def answer(self, sent: Sent, consistency: Consistency | None) -> list[Row]:
        """Send one statement and wait for its rows."""
        ...

    def answer_many(self, sent: Sequence[Sent], consistency: Consistency | None) -> list[list[Row]]:
        """Send statements at the same time and wait for the rows of each."""
        ...

    def spread(self, partitions: list[bytes]) -> list[tuple[Any, list[int]]]:
        """Return a few nodes that together hold all partitions, each with the positions of those it answers."""
        ...

    def lister(self, read: CqlRead, listing: Listing, consistency: Consistency | None) -> Lister:
        """Return the function that answers batches whose requests differ in one column (see `reads/listing.py`)."""
        ...


class Link(Protocol):
    """A session with a cluster; may be used from any number of threads. What fails raises StoreUnavailable."""

    address: Address
    selected_as: Mapping[str, str]
    """The functions by which reads select columns of some CQL types, such as `toUnixTimestamp({})`."""

    def reads(self) -> Reads:
        """Return the reads of this session."""
        ...

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
        self, cql: str, values: Values, consistency: Reach | None = None, *, is_serial: bool = False
    ) -> list[Row]:
        """Send one prepared request and wait for its rows."""
        ...

    def change_if(self, cql: str, values: Values, reach: Reach | None = None) -> tuple[bool, bool]:
        """Send a conditional change; return whether it was made, and whether that is certain.

        One that was made has reached as many copies as `reach` says; None is as the address says.
        It is not if the request was sent twice: the second may have been refused because the first had been made.
        Raises Undecided if the cluster did not say.
        """
        ...

    def answer_many(self, requests: Sequence[tuple[str, Values]], consistency: Reach | None = None) -> list[list[Row]]:
        """Send prepared requests at the same time and wait for the rows of all."""
        ...

    def answer_serially(
        self, requests: Sequence[tuple[str, Values]], most: int, *, is_change: bool
    ) -> list[list[Row] | None]:
        """Send conditional changes or serial reads of different partitions, at most `most` at once.

        Return the rows of each, None where its outcome is unknown.
        """
        ...

    def start(self, requests: Sequence[tuple[str, Values]], done: Done, consistency: Reach | None = None) -> None:
        """Send prepared requests; `done` gets all rows or a failure, from any thread."""
        ...

    @property
    def driver(self) -> str:
        """Return the name and version of the driver."""
        ...

    def nodes(self) -> tuple[Node, ...]:
        """Return the nodes of the cluster as the driver knows them."""
        ...

    def close(self) -> None:
        """Close the connections; the session is not used after this."""
        ...
