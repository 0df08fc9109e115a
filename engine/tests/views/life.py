"""The life of a world of random views: tables, views over what is there, writes, a rollback, and the views again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Generic, Protocol, TypeVar

import piql
from piql.versions.change.build import BackfillRate
from piql.versions.deploy import begin_deploy
from promises import broken_promises

SLOW = BackfillRate(step_rows=2, first_rows=0, busy_share=1.0)


class WorldOfViews(Protocol):
    """Tables and views of chance, and the writes to them."""

    source: str
    views_source: str
    chance: Random


W = TypeVar("W", bound=WorldOfViews)


@dataclass(frozen=True)
class Life(Generic[W]):
    """How a kind of world is lived in: `world` makes one of a seed, and the others act on a database and a world.

    `first` are the writes before there is a view, `write_some` makes as many as it is told, each within its bound, and
    `hold` fails where a table, or with `with_views` a view, is not what it should be. `refused_by` stands in the reason
    why a build may fail, and `writes` are made while the views are in force. The query `renamed` gets another name, so
    that there is a version with the same tables.
    """

    world: Callable[[int], W]
    first: Callable[[piql.Database, W], None]
    write_some: Callable[[piql.Database, W, int], None]
    hold: Callable[[piql.Database, W, bool], None]
    refused_by: str
    writes: int
    renamed: str

    def live_some(self, first: int, number: int, folder: Path, kind: str = "embedded") -> None:
        """Live in some worlds, the seeds of which follow each other, on a kind of store."""
        for seed in range(first, first + number):
            self.live(self.world(seed), f"{kind}:{folder / f'{seed}.db'}?synchronous=NORMAL")
            for file in folder.glob(f"{seed}.db*"):
                file.unlink()

    def live(self, world: W, url: str) -> None:
        """Live in one world."""
        with piql.connect(url) as db:
            db.deploy(piql.compile(world.source))
            self.first(db, world)
            self._hold(db, world, with_views=False)
            if not self._build_slowly(db, world):
                return
            self._hold(db, world, with_views=True)
            self.write_some(db, world, self.writes)
            self._hold(db, world, with_views=True)
            if world.chance.random() < 0.3:
                self._go_back(db, world)

    def _go_back(self, db: piql.Database, world: W) -> None:
        db.rollback()
        self.write_some(db, world, self.writes // 3)
        if world.chance.random() < 0.5:  # nobody keeps the views of the version before the one before
            db.deploy(piql.compile(world.source.replace(f"QUERY {self.renamed}", f"QUERY {self.renamed}_again")))
            self.write_some(db, world, 4)
        self._hold(db, world, with_views=False)
        self._hold(db, world, with_views=self._build_slowly(db, world))

    def _build_slowly(self, db: piql.Database, world: W) -> bool:
        """Deploy the views in small steps, with writes between them; return whether they are in force."""
        build = begin_deploy(db.store, piql.compile(world.source + world.views_source), pace=SLOW)
        while build.step():
            version = db.deployment.version  # it looks: it has not deployed itself, and gets no time of grace
            assert version <= build.progress.version
            self.write_some(db, world, world.chance.randrange(3))
        progress = build.progress
        assert progress.phase == "in force" or self.refused_by in str(progress.reason), progress
        return progress.phase == "in force"

    def _hold(self, db: piql.Database, world: W, *, with_views: bool) -> None:
        self.hold(db, world, with_views)
        assert broken_promises(db) == []
