"""Clients of a bucket are killed before and after each change: what was acknowledged is there, and nothing is torn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from piql.errors import StoreUnavailable
from store.s3_clients import BY_N, PRIMARY, TABLE, Killed, client, make_tables, put, rows_of, silent

OLD = [(k, k) for k in range(12)]
NEW = [(2, 102), (50, 50)]
ALL = sorted({**dict(OLD), **dict(NEW)}.items())
IMPATIENT = "page_bytes=100&lease=0.02"


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
def test_a_kill_at_any_change_leaves_all_of_a_transaction_or_nothing(
    bucket_url: Callable[..., str], is_after: bool
) -> None:
    url, dies_at, was_killed = bucket_url(IMPATIENT), 0, True
    with client(url) as store:
        make_tables(store)
        entries = store.prepare_entries(TABLE, BY_N)
        while was_killed:
            dies_at += 1
            with store.transaction() as transaction:
                transaction.delete(entries, [(102, 2), (50, 50)])
                transaction.delete(store.prepare_entries(TABLE, PRIMARY), [(50,)])
                put(store, transaction, OLD)
            was_killed = not lives(url, dies_at, is_after)
            rows = rows_of(store)
            assert rows in (OLD, ALL)
            assert rows == ALL or was_killed
    assert dies_at > 8


def lives(url: str, dies_at: int, is_after: bool) -> bool:
    """Change a row and add one as a client that is killed at one of its changes; return whether there were fewer."""

    def around(number: int, _: str, change: Callable[[], object]) -> object:
        if number < dies_at:
            return change()
        if number == dies_at and is_after:
            change()
        raise Killed

    with client(url, around) as killed, suppress(Killed):
        with killed.transaction() as transaction:
            transaction.delete(killed.prepare_entries(TABLE, BY_N), [(2, 2)])
            put(killed, transaction, NEW)
        return True
    return False


def test_a_commit_whose_answer_is_lost_is_found_in_the_root(bucket_url: Callable[..., str]) -> None:
    url = bucket_url()
    with client(url) as store:
        make_tables(store)

    def around(number: int, name: str, change: Callable[[], object]) -> object:
        answer = change()
        return silent() if name == "root" and number > 1 else answer

    with client(url, around) as store:
        with store.transaction() as transaction:
            put(store, transaction, [(1, 1)])
        assert rows_of(store) == [(1, 1)]


def test_a_commit_that_arrives_after_it_was_given_up_changes_nothing(bucket_url: Callable[..., str]) -> None:
    url, late = bucket_url(), []
    with client(url) as store:
        make_tables(store)

    def around(number: int, name: str, change: Callable[[], object]) -> object:
        if name == "root" and number > 1 and not late:
            late.append(change)
            silent()
        return change()

    with client(url, around) as store:
        with pytest.raises(StoreUnavailable, match="nothing was written"), store.transaction() as transaction:
            put(store, transaction, [(1, 1)])
        assert late[0]() is None
        assert rows_of(store) == []


CHILD = """
import sys
from store.s3_clients import client, put
with client(sys.argv[1]) as store:
    for number in range(1000):
        with store.transaction() as transaction:
            put(store, transaction, [(number, -number), (1000 + number, number)])
        print(number, flush=True)
"""


def test_a_process_that_is_killed_has_kept_all_that_it_acknowledged(bucket_url: Callable[..., str]) -> None:
    url = bucket_url(IMPATIENT)
    with client(url) as store:
        make_tables(store)
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        process = subprocess.Popen([sys.executable, "-c", CHILD, url], env=environment, stdout=subprocess.PIPE)
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(5)][-1]
        process.kill()
        rest = process.communicate()[0].split()
        acknowledged = int(rest[-1]) if rest else acknowledged
        rows = rows_of(store)
        whole = len(rows) // 2
        assert whole - 1 in (acknowledged, acknowledged + 1)
        assert rows == [(k, -k) for k in range(whole)] + [(1000 + k, k) for k in range(whole)]
        with store.transaction() as transaction:
            put(store, transaction, [(5000, 0)])
