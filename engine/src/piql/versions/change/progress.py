"""How far a change has come: what a store keeps of it beside its schema, written with every step.

The values of a place are JSON as they are stored: int, float, str, bytes and None.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from piql.store.base import Row, Store

SETTING = "change"

Outcome = Literal["in force", "refused", "cancelled"]
TaskKind = Literal["fill", "groups", "rows", "places"]


@dataclass(frozen=True, slots=True)
class Offence:
    """How many break one constraint, and a few of them."""

    count: int = 0
    sample: tuple[str, ...] = ()

    def and_one(self, shown: str, most_shown: int = 5) -> Offence:
        return Offence(self.count + 1, (*self.sample, shown) if len(self.sample) < most_shown else self.sample)


@dataclass(frozen=True, slots=True)
class Task:
    """A walk through a table or an index: `place` is where it stands, `run` the group it stands in and its rows so far.

    fill    copies the rows of a table into the new indexes on it
    groups  counts the rows that share a value of `columns`, or a word in them, along an index
    rows    holds each row of a table against new references, NOT NULL and narrower types
    places  gives each row its places under new limits and UNIQUE keys, on stores without transactions
    """

    kind: TaskKind
    table: str
    columns: tuple[str, ...] = ()
    is_token: bool = False
    estimate: int = 0
    place: Row | None = None
    rows: int = 0
    is_done: bool = False
    run: tuple[Row, int] | None = None
    offences: Mapping[str, Offence] = field(default_factory=dict)

    def against(self, rule: str, shown: str) -> Task:
        """Note one more that breaks a constraint."""
        offence = self.offences.get(rule, Offence()).and_one(shown)
        return replace(self, offences={**self.offences, rule: offence})


@dataclass(frozen=True, slots=True)
class Ended:
    """How an earlier change ended, for those who were following it."""

    id: str
    version: int
    started_at: str
    outcome: Outcome
    reason: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """`id` tells changes apart, also those that make a version of the same number; `beat` is when `driver` last was."""

    id: str
    version: int
    started_at: str
    is_background: bool
    tasks: tuple[Task, ...] = ()
    is_paused: bool = False
    driver: str | None = None
    beat: float = 0.0
    since: float = 0.0  # when the phase began
    outcome: Outcome | None = None
    reason: str | None = None
    earlier: tuple[Ended, ...] = ()  # the last few changes, the newest first

    @property
    def rows_done(self) -> int:
        return sum(task.rows for task in self.tasks)

    @property
    def rows_estimate(self) -> int:
        """Return about how many rows the whole change walks through; never fewer than it has."""
        return sum(task.rows if task.is_done else max(task.rows, task.estimate) for task in self.tasks)

    def ended(self, most: int = 10) -> tuple[Ended, ...]:
        """Return what the next change remembers of this one and those before it."""
        if self.outcome is None:
            return self.earlier
        latest = Ended(self.id, self.version, self.started_at, self.outcome, self.reason)
        return (latest, *self.earlier)[:most]

    def of(self, id: str) -> Progress | None:
        """Return the progress of a change: of this one, or of one that ended earlier."""
        if id == self.id:
            return self
        ended = next((run for run in self.earlier if run.id == id), None)
        if ended is None:
            return None
        return Progress(id, ended.version, ended.started_at, True, outcome=ended.outcome, reason=ended.reason)

    def with_task(self, at: int, task: Task) -> Progress:
        return replace(self, tasks=(*self.tasks[:at], task, *self.tasks[at + 1 :]))

    def as_text(self) -> str:
        return json.dumps(asdict(self), default=_tagged)


def read_progress(store: Store) -> Progress | None:
    """Read how far the change in progress, or the last one, has come; None when there was none yet."""
    return progress_in(store.settings())


def progress_in(settings: Mapping[str, str]) -> Progress | None:
    """Return the progress that settings hold."""
    text = settings.get(SETTING)
    if text is None:
        return None
    document: dict[str, Any] = json.loads(text, object_hook=_untagged)
    earlier = tuple(Ended(**run) for run in document["earlier"])
    return Progress(**{**document, "tasks": tuple(_task(task) for task in document["tasks"]), "earlier": earlier})


def _task(document: dict[str, Any]) -> Task:
    run, place = document["run"], document["place"]
    return Task(
        **{
            **document,
            "columns": tuple(document["columns"]),
            "place": None if place is None else tuple(place),
            "run": None if run is None else (tuple(run[0]), run[1]),
            "offences": {
                rule: Offence(offence["count"], tuple(offence["sample"]))
                for rule, offence in document["offences"].items()
            },
        }
    )


def _tagged(value: object) -> dict[str, str]:
    assert isinstance(value, bytes)
    return {"bytes": base64.b64encode(value).decode()}


def _untagged(value: dict[str, Any]) -> Any:
    return base64.b64decode(value["bytes"]) if value.keys() == {"bytes"} else value
