"""Processes that write are killed at any moment: what they acknowledged is there, and nothing is half done."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import islice
from pathlib import Path

import piql
import pytest
from kept_results import kept_row
from processes.nursery import Killed, Life, Nursery

from .holding import hold, hold_places, hold_reads, hold_reads_of_now, players_in, possible
from .workload import PATIENT, Players, after_all, new_database, operations


def kill_writers(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.008) -> Killed:
    """Kill one writer after the other, all on one store, and check what each leaves.

    A store without transactions loads row by row, so it is not asked to; what is left there half done is found by every
    reader and settled by a sweep.
    """
    loads = loads_of(url)
    chance = random.Random(first_seed)
    players: Players = {}
    killed = Killed()
    with afterwards(url) as connected:
        for seed in range(first_seed, first_seed + kills):
            job = {"job": "crash.jobs:write", "url": url, "seeds": [seed], "loads": loads}
            (life,) = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(15))
            assert life.was_killed, life.other
            states = possible(players, life, operations(seed, "a", loads=loads))
            with connected() as db:
                hold_reads_of_now(db)
                db.sweep(older_than=0)
                players = hold(db, states)
                hold_reads(db, players)
            killed.count(len(life.done), players != states[0])
        with connected() as db:
            hold_places(db, players)
    return killed


@contextmanager
def afterwards(url: str) -> Iterator[Callable[[], AbstractContextManager[piql.Database]]]:
    """Return how to look at what is there after each kill: a file is opened anew, on a cluster one connection stays."""
    if not url.startswith("cql:"):
        yield lambda: piql.connect(url)
        return
    with piql.connect(url) as db:
        yield lambda: nullcontext(db)


def loads_of(url: str) -> int:
    """Say how often writers load: never where a load is no transaction."""
    return 2 if url.startswith("embedded") else 0


def kill_writers_together(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.01) -> Killed:
    """Kill three writers at a time, who share teams, words and limits but no rows."""
    loads = loads_of(url)
    chance = random.Random(first_seed)
    owned: dict[str, Players] = {"a": {}, "b": {}, "c": {}}
    killed = Killed()
    with afterwards(url) as connected:
        while killed.kills < kills:
            seeds = [first_seed + killed.kills + number for number in range(3)]
            job = {"job": "crash.jobs:write", "url": url, "seeds": seeds, "processes": 3, "loads": loads}
            lives = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(30))
            with connected() as db:
                db.sweep(older_than=0)
                players = players_in(db)
                for writer, seed, life in zip(owned, seeds, lives, strict=True):
                    assert life.was_killed, life.other
                    states = possible(owned[writer], life, operations(seed, writer, loads=loads), is_alone=False)
                    players_of_writer = {key: row for key, row in players.items() if key.startswith(writer)}
                    assert players_of_writer in states, (writer, seed)
                    owned[writer] = players_of_writer
                    killed.count(len(life.done), players_of_writer != states[0])
                hold(db, [players])
                hold_reads(db, players)
    return killed


def kill_one_of_four(nurse: Nursery, url: str, kills: int, first_seed: int, within: float = 0.01) -> Killed:
    """Kill one of four writers while the others go on, who meet what it left half done and settle it.

    What was under way at the kill may be there or not, a DELETE, too: a row that it removed is no row that was lost.
    """
    loads = loads_of(url)
    chance = random.Random(first_seed)
    owned: dict[str, Players] = {writer: {} for writer in "abcd"}
    killed = Killed()
    with afterwards(url) as connected:
        while killed.kills < kills:
            seeds = [first_seed + 4 * killed.kills + number for number in range(4)]
            job = {"job": "crash.jobs:write", "url": url, "seeds": seeds, "processes": 4, "loads": loads, "count": 20}
            lives = nurse.run(job, kill_after=chance.random() * within, after=chance.randrange(40), victims=1)
            assert [life.status for life in lives[1:]] == [0, 0, 0], [life.other[-1:] for life in lives]
            with connected() as db:
                before, _ = players_in(db), db.sweep(older_than=0)
                players = players_in(db)
                assert players == before
                for writer, seed, life in zip(owned, seeds, lives, strict=True):
                    states = possible(owned[writer], life, operations(seed, writer, loads=loads), is_alone=False)
                    own_players = {key: row for key, row in players.items() if key.startswith(writer)}
                    assert own_players in (states if life.was_killed else states[:1]), (writer, seed)
                    owned[writer] = own_players
                    if life is lives[0]:
                        killed.count(sum(len(life.done) for life in lives), own_players != states[0])
                hold(db, [players])
                hold_reads(db, players)
    return killed


def test_a_killed_writer_loses_nothing_that_it_acknowledged_and_leaves_nothing_half_done(
    nurse: Nursery, url: str
) -> None:
    assert kill_writers(nurse, url, 40, 1000).acknowledged > 40


def test_nor_do_three_that_are_killed_together(nurse: Nursery, url: str) -> None:
    assert kill_writers_together(nurse, url + PATIENT, 12, 5000).acknowledged > 12


def test_nor_does_one_that_does_not_wait_for_the_disk(nurse: Nursery, url: str) -> None:
    assert kill_writers(nurse, f"{url}?synchronous=NORMAL", 15, 9000).acknowledged > 15


def test_nor_does_one_on_a_store_without_transactions(nurse: Nursery, tmp_path: Path) -> None:
    assert kill_writers(nurse, new_database(f"stepwise:{tmp_path / 's.db'}"), 25, 11_000).acknowledged > 25


def test_nor_do_three_on_a_store_without_transactions(nurse: Nursery, tmp_path: Path) -> None:
    url = new_database(f"stepwise:{tmp_path / 't.db'}")
    assert kill_writers_together(nurse, url + PATIENT, 12, 13_000).acknowledged > 12


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_nor_does_one_of_four_whose_leftovers_the_others_meet(nurse: Nursery, tmp_path: Path, scheme: str) -> None:
    url = new_database(f"{scheme}:{tmp_path / 'f.db'}")
    assert kill_one_of_four(nurse, url + PATIENT, 8, 15_000).acknowledged > 8 * 3 * 20


@pytest.mark.cluster
@pytest.mark.long
def test_nor_do_a_hundred_writers_on_a_cluster(nurse: Nursery, cluster_url: Callable[[], str]) -> None:
    kills = acknowledged = 0
    for title, way, count, seed in (
        ("one writer killed at a time (`SIGKILL`)", kill_writers, 55, 700_000),
        ("three writers killed together", kill_writers_together, 54, 800_000),
    ):
        url = cluster_url()
        with kept_row(url, title) as cells:
            killed = way(nurse, new_database(url), count, seed, within=0.3)
            cells += [
                f"{killed.kills} kills, {killed.acknowledged} writes acknowledged or refused",
                f"nothing lost or half done; {killed.found_done} done though nobody had said so",
            ]
        kills, acknowledged = kills + killed.kills, acknowledged + killed.acknowledged
    assert kills >= 100
    assert acknowledged > 100


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(n, marks=pytest.mark.long) for n in range(6, 12))])
def test_a_write_that_dies_at_any_of_its_steps_is_whole_or_undone(nurse: Nursery, url: str, seed: int) -> None:
    """The last of some operations dies before its first call of the store, then before its second, and so on."""
    path = Path(url.removeprefix("embedded:"))
    count = 8 + seed
    *before, last = islice(operations(seed, "a"), count)
    players = after_all({}, before)
    for calls in range(200):
        copy = path.with_name(f"{calls}.db")
        shutil.copy(path, copy)
        job = {
            "job": "crash.jobs:write_and_die",
            "url": f"embedded:{copy}",
            "seeds": [seed],
            "count": count,
            "calls": calls,
        }
        (life,) = nurse.run(job)
        with piql.connect(f"embedded:{copy}") as db:
            hold(db, possible(players, life, [last, last]))
        if not life.was_killed:
            assert life.done, life.other
            return
    raise AssertionError("the write has no end")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 7))])
def test_a_log_cut_off_by_a_power_failure_holds_all_writes_up_to_some_moment(
    nurse: Nursery, url: str, tmp_path: Path, seed: int
) -> None:
    """FULL has each write in the log's synchronised part when it acknowledges it; NORMAL may lose the last ones.

    Never is a later write there without an earlier one.
    """
    count, path = 60, Path(url.removeprefix("embedded:"))
    job = {"job": "crash.jobs:write_and_leave_the_log", "url": url, "seeds": [seed], "count": count}
    (life,) = nurse.run(job)
    assert len(life.done) == count, life.other
    log = Path(f"{path}-wal").read_bytes()
    done = list(islice(operations(seed, "a"), count))
    ends = [0, *(call.wal_bytes for call in life.done)]
    chance = random.Random(seed)
    for number in range(10):
        length = chance.choice((chance.randrange(len(log)), chance.choice(ends)))
        copy = tmp_path / f"cut{number}.db"
        shutil.copy(path, copy)
        Path(f"{copy}-wal").write_bytes(log[:length])
        whole = max(at for at, end in enumerate(ends) if end <= length)
        with piql.connect(f"embedded:{copy}") as db:
            players = after_all({}, done[:whole])
            hold(db, possible(players, Life(), done[whole:] or [done[-1]]))
