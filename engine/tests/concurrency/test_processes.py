"""Eight processes write to one file at the same time: no limit is passed, no key doubled, no place wasted."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import inf
from pathlib import Path

import piql
import pytest
from kept_results import kept_row
from processes.nursery import Life, Nursery
from promises import broken_promises, records_of

from .conftest import ROWS
from .history import Seen, is_linearisable, misread_own_writes, went_back
from .jobs import COLUMNS

PROCESSES = 8


def run(nurse: Nursery, job: str, url: str, **more: object) -> list[Life]:
    lives = nurse.run({"job": f"concurrency.jobs:{job}", "url": url, "processes": PROCESSES, **more})
    assert [life.status for life in lives] == [0] * PROCESSES, [life.other[-1:] for life in lives]
    return lives


@pytest.mark.parametrize(("limit", "tables", "turns"), [(1, 20, 12), (3, 9, 12), (100, 1, 16)])
def test_a_limit_is_reached_and_never_passed(nurse: Nursery, url: str, limit: int, tables: int, turns: int) -> None:
    with kept_row(url, f"eight processes under a limit of {limit}") as cells:
        lives = run(nurse, "sit", url, limit=limit, tables=tables, turns=turns)
        accepted = sum(done.outcome == "ok" for life in lives for done in life.done)
        with piql.connect(url) as db:
            assert broken_promises(db) == []
            seats = records_of(db.store, db.deployment.tables["seats"])
            sitting = Counter(record[COLUMNS[limit]] for record in seats)
        assert sitting == dict.fromkeys(range(tables), limit)
        assert accepted == limit * tables
        cells += [f"{tables} groups, {turns} tries each", "the limit reached, never passed"]


def test_rows_that_move_between_groups_and_leave_them_pass_no_limit(nurse: Nursery, url: str) -> None:
    with kept_row(url, "eight processes that move rows between groups") as cells, piql.connect(url) as db:
        run(nurse, "move_about", url, tables=4, turns=40)
        assert broken_promises(db) == []
        for table in range(4):  # every place that was left can be taken again
            for number in range(3 - db.execute("inThree", {"three": table}).rows[0]["seats"]):
                seat = 5_000_000 + table * 10 + number
                db.execute("sit", {"id": f"last {seat}", "one": seat, "three": table, "hundred": seat})
            with pytest.raises(piql.CardinalityViolation):
                db.execute("sit", {"id": "more", "one": 5_100_000, "three": table, "hundred": 5_100_000})
        cells += ["40 moves each, limit 3", "never more than 3 seen, every place left can be taken"]


@pytest.mark.parametrize("unique", ["email", "primary key"])
def test_a_key_that_all_want_is_got_by_exactly_one(nurse: Nursery, url: str, unique: str) -> None:
    with kept_row(url, f"eight processes that want the same keys ({unique})") as cells:
        lives = run(nurse, "open_accounts", url, emails=25, unique=unique)
        winners = {(number, int(line.split()[1])) for number, life in enumerate(lives) for line in life.other}
        assert sorted(email for _, email in winners) == list(range(25))
        with piql.connect(url) as db:
            assert broken_promises(db) == []
            column, apart = ("id", "email") if unique == "email" else ("email", "id")
            rows = list(records_of(db.store, db.deployment.tables["accounts"]))
        assert {tuple(map(int, row[column].removesuffix("@x").split("."))) for row in rows} == winners
        assert {row[apart].removesuffix("@x") for row in rows} == {str(email) for email in range(25)}
        cells += ["25 keys", "each got by exactly one"]


def histories(nurse: Nursery, url: str, kinds: list[str], seed: int, turns: int) -> list[list[Seen]]:
    """Return what eight processes saw of some rows, each row's history by itself."""
    lives = run(nurse, "use_one_row", url, rows=ROWS, kinds=kinds, seed=seed, turns=turns)
    histories_of_rows: list[list[Seen]] = [[] for _ in range(ROWS)]
    for session, life in enumerate(lives):
        for line in life.other:
            row, called, returned, kind, value, expected, answer = line.split()[1:]
            is_told = answer != "-"
            until = float(returned) if is_told else inf
            result = int(answer) if is_told else None
            histories_of_rows[int(row)].append(
                Seen(session, kind, float(called), until, int(value), int(expected), result)
            )  # type: ignore[arg-type]
    return histories_of_rows


def unanswered(histories: list[list[Seen]], url: str) -> int:
    """Count the changes of which nobody could say what came: few on a cluster, none elsewhere."""
    count = sum(operation.answer is None for history in histories for operation in history)
    assert count * 20 <= sum(map(len, histories)) * url.startswith("cql:"), count
    return count


def overlaps(history: list[Seen]) -> int:
    ordered = sorted(history, key=lambda operation: operation.called)
    return sum(later.called < earlier.returned for earlier, later in pairwise(ordered))


@pytest.mark.parametrize("seed", range(2))
def test_reads_writes_and_swaps_of_one_row_are_linearisable(nurse: Nursery, url: str, seed: int) -> None:
    with kept_row(url, f"histories of reads, writes and swaps, seed {seed}") as cells:
        histories_of_rows = histories(nurse, url, ["read", "read", "write", "swap"], seed, 6)
        assert all(is_linearisable(history, 0) for history in histories_of_rows)
        assert sum(map(overlaps, histories_of_rows)) > ROWS
        much = f"8 processes, {ROWS} rows, {sum(map(len, histories_of_rows))} operations"
        cells += [
            much,
            f"linearisable; {unanswered(histories_of_rows, url)} changes of which the cluster could not say what came",
        ]


def test_a_counter_that_all_count_up_loses_no_step_and_sessions_see_it_grow(nurse: Nursery, url: str) -> None:
    with kept_row(url, "a counter that eight processes count up") as cells, piql.connect(url) as db:
        histories_of_rows = histories(nurse, url, ["read", "add"], 3, 10)
        for row, history in enumerate(histories_of_rows):
            steps = sum(operation.kind == "swap" and operation.answer == 1 for operation in history)
            unsure = sum(operation.answer is None for operation in history)
            assert steps <= db.execute("value", {"id": row}).rows[0]["value"] <= steps + unsure
            assert is_linearisable(history, 0)
            assert misread_own_writes(history) == went_back(history) == []
        unanswered(histories_of_rows, url)
        cells += [f"10 turns on each of {ROWS} rows", "linearisable, no step lost, no session goes back"]


@pytest.mark.parametrize("scheme", ["embedded", "stepwise"])
def test_processes_that_open_a_new_file_at_the_same_moment_all_get_in(
    nurse: Nursery, tmp_path: Path, scheme: str
) -> None:
    for attempt in range(2):
        url = f"{scheme}:{tmp_path / f'{attempt}.db'}"
        run(nurse, "first_open", url)
        with piql.connect(url) as db:
            assert broken_promises(db) == []
            assert [db.execute("value", {"id": row}).rows for row in range(8)] == [[{"value": n}] for n in range(8)]
            assert "value" in db.deployment.compilation.queries


def test_tasks_of_asyncio_in_many_processes_keep_the_promises_together(nurse: Nursery, url: str) -> None:
    lives = run(nurse, "in_tasks", url, tables=5, rows=3, turns=10)
    outcomes = Counter(done.outcome for life in lives for done in life.done)
    assert outcomes == {"ok": 15, "CardinalityViolation": PROCESSES * 10 - 15}
    steps = Counter(line for life in lives for line in life.other)
    assert steps["step ok"] + steps["step ConditionFailed"] == PROCESSES * 10
    with piql.connect(url) as db:
        assert broken_promises(db) == []
        counted = sum(db.execute("value", {"id": row}).rows[0]["value"] for row in range(3))
        assert counted == steps["step ok"] >= 3
