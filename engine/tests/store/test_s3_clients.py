"""Several clients of one store in a bucket: they take turns to write, and read what is there now."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from piql.errors import SnapshotUnavailable, StoreUnavailable
from piql.store.base import Batch, ReadShape
from piql.store.s3.store import KEPT_SECONDS, S3Store
from store.s3_clients import BY_N, PRIMARY, TABLE, client, make_tables, put, requests_of, rows_of

IMPATIENT = "page_bytes=100&lease=0.02"
ROOT_AND_CATALOG = 2  # what a read asks for before its pages; the catalog only where the schema has changed


def test_two_clients_that_count_together_lose_no_step(bucket_url: Callable[..., str]) -> None:
    url = bucket_url()
    get = ReadShape(TABLE, PRIMARY, ("n",), 1)
    with client(url) as store:
        make_tables(store)
        with store.transaction() as transaction:
            put(store, transaction, [(1, 0)])

    def count(steps: int) -> None:
        with client(url) as store:
            read, entries = store.prepare(get), store.prepare_entries(TABLE, BY_N)
            for _ in range(steps):
                with store.transaction() as transaction:
                    ((n,),) = transaction.read(read, (1,))
                    transaction.delete(entries, [(n, 1)])
                    put(store, transaction, [(1, n + 1)])

    with ThreadPoolExecutor() as threads:
        list(threads.map(count, [8, 8]))
    with client(url) as store:
        assert rows_of(store) == [(1, 16)]


def test_a_client_reads_what_another_has_written_and_not_what_it_is_writing(bucket_url: Callable[..., str]) -> None:
    url = bucket_url()
    with client(url) as writer, client(url) as reader:
        make_tables(writer)
        for number in range(3):
            with writer.transaction() as transaction:
                put(writer, transaction, [(number, number)])
                assert rows_of(writer) == [(k, k) for k in range(number + 1)]
                assert rows_of(reader) == [(k, k) for k in range(number)]
            assert rows_of(reader) == [(k, k) for k in range(number + 1)]


def test_a_writer_that_gives_no_sign_of_life_loses_its_turn_and_writes_nothing(bucket_url: Callable[..., str]) -> None:
    url = bucket_url()
    with client(url) as slow, client(f"{url}&lease=0.02") as quick:
        make_tables(slow)
        begun = slow.transaction()
        put(slow, begun.__enter__(), [(1, 1)])
        with quick.transaction() as of_another:
            put(quick, of_another, [(2, 2)])
        with pytest.raises(StoreUnavailable, match="nothing was written: the turn to write was over"):
            begun.__exit__(None, None, None)
        assert rows_of(slow) == rows_of(quick) == [(2, 2)]


def test_a_writer_waits_no_longer_than_it_was_told_to(bucket_url: Callable[..., str]) -> None:
    url = bucket_url()
    with (
        client(f"{url}&lease=0.6") as first,
        client(f"{url}&lease=0.6&wait=0.7") as second,
        ThreadPoolExecutor() as threads,
    ):
        make_tables(first)
        with first.transaction() as transaction:
            put(first, transaction, [(1, 1)])
            waiting = threads.submit(begin, second)
            get = first.prepare(ReadShape(TABLE, PRIMARY, ("n",), 1))
            while not waiting.done():
                assert transaction.read(get, (1,)) == [(1,)]  # each read is a sign of life
            with pytest.raises(StoreUnavailable, match="another writer has had its turn"):
                waiting.result()
        assert rows_of(second) == [(1, 1)]


def begin(store: S3Store) -> None:
    with store.transaction():
        pass


def test_a_transaction_that_fails_gives_its_turn_back(bucket_url: Callable[..., str]) -> None:
    url = bucket_url()
    with client(url) as first, client(f"{url}&wait=10.1") as second:
        make_tables(first)
        with pytest.raises(KeyError), first.transaction():
            raise KeyError
        with second.transaction() as transaction:
            put(second, transaction, [(1, 1)])
        assert rows_of(first) == [(1, 1)]


def test_replaced_pages_go_after_their_time_and_readers_go_on_with_newer_ones(bucket_url: Callable[..., str]) -> None:
    now, deleted = [1000.0], []

    def around(_: int, name: str, change: Callable[[], object]) -> object:
        deleted.extend(name.split(",") if name.startswith("pages/") and "," in name else [])
        return change()

    url = bucket_url("page_bytes=100")
    with client(url, around, wall_clock=lambda: now[0]) as writer, client(url) as reader:
        make_tables(writer)
        with writer.transaction() as transaction:
            put(writer, transaction, [(k, k) for k in range(30)])
        assert len(rows_of(reader)) == 30
        reader.flush()
        with reader.snapshot():
            for _ in range(2):
                now[0] += KEPT_SECONDS + 1
                with writer.transaction() as transaction:
                    transaction.delete(writer.prepare_entries(TABLE, PRIMARY), [(k,) for k in range(20)])
                    transaction.delete(writer.prepare_entries(TABLE, BY_N), [(k, k) for k in range(20)])
                    put(writer, transaction, [(int(now[0]), 0)])
            assert deleted
            with pytest.raises(SnapshotUnavailable, match="begin again"):
                rows_of(reader)
        assert [k for k, _ in rows_of(reader)] == [*range(20, 30), 1061, 1122]


def test_reads_make_no_more_requests_than_their_bound_and_one_where_pages_are_kept(
    bucket_url: Callable[..., str],
) -> None:
    url = bucket_url("page_bytes=100")
    with client(url) as writer:
        make_tables(writer)
        with writer.transaction() as transaction:
            put(writer, transaction, [(k, k // 3) for k in range(200)])
    with client(url) as store:
        height = store.levels()
        assert height > 3
        get = Batch(store.prepare(ReadShape(TABLE, PRIMARY, ("n",), 1)), [(77,)])
        ranges = store.prepare(ReadShape(TABLE, PRIMARY, ("k",), 0, is_ascending=False, after_length=1))
        for batch, pages in [
            (get, height),
            # The way to each leaf may be another; each has a row of the range, but for the first, which may have none.
            *((Batch(ranges, [(150, n)]), height * (n + 1)) for n in (1, 2, 50)),
        ]:
            store.flush()
            assert requests_of(store, batch) <= ROOT_AND_CATALOG + pages
            assert requests_of(store, batch) == 1
        several = Batch(get.read, [(k,) for k in range(0, 200, 7)])
        store.flush()
        assert requests_of(store, several) <= ROOT_AND_CATALOG + len(several.arguments) * height


def test_threads_of_one_client_write_one_after_another(bucket_url: Callable[..., str]) -> None:
    with client(bucket_url()) as store:
        make_tables(store)
        begun = threading.Barrier(3)

        def write(k: int) -> None:
            begun.wait()
            with store.transaction() as transaction:
                put(store, transaction, [(k, k)])

        with ThreadPoolExecutor() as threads:
            list(threads.map(write, range(3)))
        assert rows_of(store) == [(0, 0), (1, 1), (2, 2)]
