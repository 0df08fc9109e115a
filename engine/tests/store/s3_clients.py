"""Clients of one store in a bucket: each has a connection of its own, as if it were another machine's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from piql.errors import StoreUnavailable
from piql.schema.catalog import Column, Index, IndexColumn, Kind, SqlType, Table
from piql.store.base import Batch, ReadShape, Transaction
from piql.store.rows import Row
from piql.store.s3.address import parse_address
from piql.store.s3.objects import BucketObjects, Fetched, Objects, Requests
from piql.store.s3.store import S3Store

INT = SqlType(Kind.INT)
TABLE = Table("t", (Column("k", INT, False), Column("n", INT, True)), ("k",))
PRIMARY = TABLE.primary_index()
BY_N = Index("by_n", "t", (IndexColumn("n"), IndexColumn("k")), partition_columns=0)
T = TypeVar("T")


class Killed(BaseException):
    """The process of a client has ended: no request of it leaves any more."""


class Steps:
    """`Objects` that carry out what `around` says of each change: `around(number, change)` returns its result."""

    def __init__(self, behind: Objects, around: Callable[[int, str, Callable[[], object]], object]) -> None:
        self._behind = behind
        self._around = around
        self.changes = 0

    def _step(self, name: str, change: Callable[[], T]) -> T:
        self.changes += 1
        return self._around(self.changes, name, change)  # type: ignore[return-value]

    def get(self, name: str) -> bytes | None:
        return self._behind.get(name)

    def get_if_changed(self, name: str, tag: str | None) -> Fetched | str | None:
        return self._behind.get_if_changed(name, tag)

    def put(self, name: str, data: bytes) -> None:
        self._step(name, lambda: self._behind.put(name, data))

    def put_if(self, name: str, data: bytes, tag: str | None) -> str | None:
        return self._step(name, lambda: self._behind.put_if(name, data, tag))

    def delete(self, names: Sequence[str]) -> None:
        self._step(",".join(names), lambda: self._behind.delete(names))

    def requests(self) -> Requests:
        return self._behind.requests()


@contextmanager
def client(
    url: str,
    around: Callable[[int, str, Callable[[], object]], object] | None = None,
    wall_clock: Callable[[], float] | None = None,
) -> Iterator[S3Store]:
    """Open a store as a client of its own."""
    address = parse_address(url)
    objects: Objects = BucketObjects(address)
    steps = objects if around is None else Steps(objects, around)
    store = S3Store(address, steps) if wall_clock is None else S3Store(address, steps, wall_clock=wall_clock)
    yield store
    store.close()


def make_tables(store: S3Store) -> None:
    with store.transaction() as transaction:
        transaction.create_table(TABLE)
        transaction.create_index(TABLE, BY_N)


def put(store: S3Store, transaction: Transaction, rows: Sequence[Row]) -> None:
    """Put rows and their index entries."""
    transaction.put(store.prepare_entries(TABLE, PRIMARY), rows)
    transaction.put(store.prepare_entries(TABLE, BY_N), [(n, k) for k, n in rows])


def rows_of(store: S3Store) -> list[Row]:
    """Return all rows, from the table; they are checked to be those of the index."""
    shapes = (ReadShape(TABLE, PRIMARY, ("k", "n"), 0), ReadShape(TABLE, BY_N, ("k", "n"), 0))
    (rows,), (entries,) = store.read_many([Batch(store.prepare(shape), [(100_000,)]) for shape in shapes])
    assert sorted(entries) == rows
    return rows


def silent(*_: object) -> None:
    raise StoreUnavailable("the answer is lost")


def requests_of(store: S3Store, batch: Batch) -> int:
    """Return how many requests a read makes, by two counts that must agree."""
    before, all_before = store.statements_sent(), store.requests()
    store.read_many([batch])
    made = store.requests()
    assert made.gets - all_before.gets == store.statements_sent() - before
    assert made[1:] == all_before[1:]
    return store.statements_sent() - before
