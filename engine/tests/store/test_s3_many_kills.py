"""Clients of a bucket that count together are killed, lose answers and have requests arrive late, again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random

import pytest
from piql.errors import StoreUnavailable
from piql.store.base import Batch, ReadShape
from piql.store.s3.store import S3Store
from store.s3_clients import PRIMARY, TABLE, Killed, client, make_tables, silent

TOTAL = 0  # the key of the row that all count in; every count has a row of its own beside it


@dataclass
class Faults:
    """Now and then ends the client, loses the answer of a change, or the change itself until later."""

    random: Random
    kills: int = 0
    lost: int = 0
    late: list[Callable[[], object]] = field(default_factory=list)

    def around(self, _: int, name: str, change: Callable[[], object]) -> object:
        chance = self.random.random()
        if chance < 0.06:
            self.kills += 1
            if chance < 0.03:
                change()
            raise Killed
        if chance < 0.09:
            self.lost += 1
            change()
            return silent()
        if chance < 0.12:
            self.lost += 1
            self.late.append(change)
            return silent()
        return change()


def count(store: S3Store, step: int) -> None:
    """Add one to the total, and a row for this step."""
    entries = store.prepare_entries(TABLE, PRIMARY)
    read = store.prepare(ReadShape(TABLE, PRIMARY, ("n",), 1))
    with store.transaction() as transaction:
        ((total,),) = transaction.read(read, (TOTAL,))
        assert transaction.read(read, (step,)) == []
        transaction.put(entries, [(TOTAL, total + 1), (step, total + 1)])


@pytest.mark.parametrize("kills", [5, pytest.param(200, marks=pytest.mark.long)])
def test_no_count_is_lost_or_made_twice_whatever_happens_to_clients(bucket_url: Callable[..., str], kills: int) -> None:
    url = bucket_url("page_bytes=200&lease=0.05&wait=60")
    with client(url) as store:
        make_tables(store)
        with store.transaction() as transaction:
            transaction.put(store.prepare_entries(TABLE, PRIMARY), [(TOTAL, 0)])
    acknowledged: list[int] = []
    refused: list[int] = []
    unknown: list[int] = []
    all_faults = [Faults(Random(seed)) for seed in range(3)]
    is_over = threading.Event()

    def work(number: int) -> None:
        faults, step = all_faults[number], 1000 * 1000 * (number + 1)
        while not is_over.is_set():
            with client(url, faults.around) as store:
                try:
                    while not is_over.is_set():
                        step += 1
                        try:
                            count(store, step)
                            acknowledged.append(step)
                        except StoreUnavailable as failure:
                            (refused if "nothing was written" in str(failure) else unknown).append(step)
                        while faults.late:
                            faults.late.pop()()
                        if sum(faults.kills for faults in all_faults) >= kills:
                            is_over.set()
                except Killed:
                    unknown.append(step)

    with ThreadPoolExecutor() as threads:
        for done in [threads.submit(work, number) for number in range(3)]:
            done.result()
    with client(url) as store:
        read = store.prepare(ReadShape(TABLE, PRIMARY, ("k", "n"), 0))
        [[[total_row, *rows]]] = store.read_many([Batch(read, [(1_000_000,)])])
    steps = [k for k, _ in rows]
    assert set(acknowledged) <= set(steps) <= {*acknowledged, *unknown}
    assert not set(refused) & set(steps)
    assert total_row == (TOTAL, len(rows))
    assert sorted(n for _, n in rows) == list(range(1, len(rows) + 1))
    assert sum(faults.kills for faults in all_faults) >= kills
    print(len(acknowledged), len(refused), len(unknown), sum(faults.lost for faults in all_faults))
