"""A build that fills views on a store without transactions, taken over by a test; and what is left once it ended."""

from __future__ import annotations

from piql.client.database import Database
from piql.runtime.writing.stepped.intents import intents_of, processes
from piql.store.base import Store
from piql.versions.change.build import BackfillRate, Build
from piql.versions.change.progress import read_progress
from piql.versions.deploy import open_build

from .world import outcome

SLOW = BackfillRate(step_rows=2, first_rows=0, busy_share=1.0)


def taken_over(store: Store) -> Build:
    """Return the build that is on its way, as if the lease of whoever drives it had ended."""
    build, progress = open_build(store, SLOW), read_progress(store)
    assert build is not None
    assert progress is not None
    build._driver = progress.driver or build._driver
    return build


def write_or_count(db: Database, table: str, script: str) -> str:
    """Make a write, or count a row of a table as the walk does (`count 1`), and say what came of it."""
    word, _, row = script.partition(" ")
    if word != "count":
        return outcome(db, script)
    db._prepared.stepped(table).count((int(row),))
    return "counted"


def intents_left(db: Database) -> list[object]:
    """Return the intents of all processes that nobody has settled."""
    row_writes = db.store.row_writes
    assert row_writes is not None
    return [intent for name in processes(row_writes) for intent in intents_of(row_writes, name)]
