"""Servers of a fleet that all deploy when they start, or that deploy one thing each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import piql
import pytest
from patience import PATIENCE
from promises import broken_promises, unused_indexes

from .shop import ADD, BY_KIND, BY_WORD, FIRST, GET, ITEMS, PRICE, filled

SERVERS = 6


def all_at_once(work: Callable[[int], None]) -> None:
    """Do work in several processes that begin together."""
    gate_out, gate_in = os.pipe()
    children = []
    for number in range(SERVERS):
        child = os.fork()
        if child == 0:
            os.close(gate_in)
            os.read(gate_out, 1)
            try:
                work(number)
            except BaseException as failure:
                print("the server failed:", repr(failure), flush=True)
                os._exit(1)
            os._exit(0)
        children.append(child)
    os.close(gate_out)
    os.close(gate_in)  # opens the gate
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * SERVERS


@pytest.mark.parametrize("rows", [0, 500, 25_000])
def test_the_same_set_deployed_by_all_is_deployed_once(tmp_path: Path, rows: int) -> None:
    url = f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000"
    first = 0
    if rows:
        with filled(url, rows) as db:
            first = db.deployment.version

    def work(number: int) -> None:
        with piql.connect(url) as db:
            assert db.deploy(piql.compile(FIRST + BY_KIND + BY_WORD)).version == first + 1
            db.execute("byKind", {"kind": "k1"})

    all_at_once(work)
    with piql.connect(url) as db:
        assert db.deployment.version == first + 1
        assert broken_promises(db) == []
        assert unused_indexes(db) == []


def test_what_each_deploys_is_there_in_the_end(tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000"
    schema = ITEMS.format(more="")
    filled(url, 2000).close()
    sets = [GET, ADD, PRICE, BY_KIND, BY_WORD, "CREATE QUERY titled AS SELECT id FROM items WHERE title = [t] LIMIT 3;"]

    def work(number: int) -> None:
        with piql.connect(url) as db:
            db.deploy(piql.compile(schema + sets[number].replace("CREATE QUERY ", f"CREATE QUERY own{number}")))

    all_at_once(work)
    with piql.connect(url) as db:
        names = {name for name in db.deployment.compilation.queries if name.startswith("own")}
        assert len(names) == SERVERS
        assert db.deployment.version == 1 + SERVERS
        assert broken_promises(db) == []


def test_the_same_texts_again_make_no_version(tmp_path: Path) -> None:
    with filled("embedded:?synchronous=NORMAL&wait_ms=120000", 5) as db:
        db.deploy(piql.compile(FIRST + BY_KIND))
        assert db.deploy(piql.compile(FIRST + BY_KIND)).version == 2
        assert db.deploy(piql.compile(FIRST + BY_KIND), background=True).wait(PATIENCE).version == 2
        assert db.rollback().version == 3
        assert "byKind" not in db.deployment.compilation.queries


def test_how_a_version_ended_is_known_after_the_next_ones(tmp_path: Path) -> None:
    url = f"embedded:{tmp_path / 'a.db'}?synchronous=NORMAL&wait_ms=120000"
    with filled(url, 600) as db, piql.connect(url) as second:
        build = db.deploy(piql.compile(FIRST + BY_KIND), background=True, rows_per_second=1)
        seen = second.build
        assert seen is not None
        build.cancel()
        db.deploy(piql.compile(FIRST + BY_WORD))
        db.rollback()
        assert seen.progress.phase == "cancelled"
        with pytest.raises(piql.DeploymentInProgress, match="was cancelled"):
            seen.wait()
