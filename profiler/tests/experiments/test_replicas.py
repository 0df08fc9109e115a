"""Three copies that lag: who waits for whom, what each read may see, and what a copy that is away lets through."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import piql
import pytest
from piql_profiler.experiments.law import Law
from piql_profiler.experiments.replicas import LAG_SECONDS, ReplicatedStore
from piql_profiler.measure.clock import VirtualClock

EVEN = Law(median_ms=1.0, spread=0.0, row_us=0.0)
SOURCE = """
CREATE TABLE counters (id INT PRIMARY KEY, value INT);
CREATE QUERY any_copy WITH READ EVENTUAL AS SELECT value FROM counters WHERE id = [1: id];
CREATE QUERY most WITH READ QUORUM AS SELECT value FROM counters WHERE id = [1: id];
CREATE QUERY put_most WITH WRITE QUORUM AS INSERT INTO counters (id, value) VALUES ([1: id], [2: value])
  ON CONFLICT (id) DO UPDATE SET value = [2: value];
CREATE QUERY put_all WITH WRITE ALL AS INSERT INTO counters (id, value) VALUES ([1: id], [2: value])
  ON CONFLICT (id) DO UPDATE SET value = [2: value];
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplicatedStore]:
    path = tmp_path / "a.db"
    with piql.connect(f"stepwise:{path}") as db:
        db.deploy(piql.compile({"counters.piql": SOURCE}))
        db.execute("put_most", {"id": 1, "value": 0})
    replicated = ReplicatedStore(path, EVEN, VirtualClock(), 1)
    yield replicated
    replicated.close()


def values(db: piql.Database, query: str) -> set[int]:
    return {db.execute(query, {"id": 1}).rows[0]["value"] for _ in range(20)}


def test_a_read_waits_for_one_copy_or_for_two_and_takes_as_long_as_the_law_says(store: ReplicatedStore) -> None:
    db = piql.Database(store)
    db.execute("most", {"id": 1})  # the first read looks at what is deployed, too
    for query, copies in (("any_copy", 1), ("most", 2)):
        asked, began = store.asked, store.clock.now()
        assert db.execute(query, {"id": 1}).operations == 1
        assert (store.asked - asked, store.clock.now() - began) == (copies, pytest.approx(0.001))


def test_one_copy_may_be_late_after_a_write_to_a_majority_and_never_after_one_to_all(store: ReplicatedStore) -> None:
    db = piql.Database(store)
    db.execute("put_most", {"id": 1, "value": 1})
    late = [copy for copy in store.copies if copy.late]
    assert len(late) == 1
    late[0].late = [(due + 10.0, change) for due, change in late[0].late]  # very late
    assert (values(db, "any_copy"), values(db, "most")) == ({0, 1}, {1})
    db.execute("put_all", {"id": 1, "value": 2})
    assert (values(db, "any_copy"), values(db, "most")) == ({2}, {2})
    store.clock.spend(10.0 + LAG_SECONDS)
    assert values(db, "any_copy") == {2}  # what comes late brings nothing back


def test_with_a_copy_away_a_majority_goes_on_and_a_write_to_all_is_refused(store: ReplicatedStore) -> None:
    db = piql.Database(store)
    store.copies[1].is_away = True
    db.execute("put_most", {"id": 1, "value": 3})
    assert values(db, "most") == {3}
    with pytest.raises(piql.StoreUnavailable):
        db.execute("put_all", {"id": 1, "value": 4})
