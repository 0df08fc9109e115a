"""How far a change has come: what a store keeps of it beside its schema, written with every step.

It is one JSON document. A key of a row in it holds the values as they are stored: int, float, str, bytes and None.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from piql.store.base import Store, Transaction
from piql.store.rows import Row

SETTING = "change"  # the name of the setting that holds the document
_SAMPLE = 5  # rows that break one constraint and are named in the message
_REMEMBERED = 10  # changes that ended, for processes that still follow them

Outcome = Literal["in force", "refused", "cancelled"]
TaskKind = Literal["fill", "empty", "view", "groups", "rows", "places"]


@dataclass(frozen=True, slots=True)
class Offence:
    """How many rows or groups break one constraint, and the first of them in words."""

    count: int = 0
    sample: tuple[str, ...] = ()

    def and_one(self, shown: str) -> Offence:
        """Return the offence with one more; `shown` is the row or group in words."""
        return Offence(self.count + 1, (*self.sample, shown)[:_SAMPLE])


@dataclass(frozen=True, slots=True)
class Task:
    """A walk through a table or an index. It is continued behind the key `place`, None for its beginning.

    `rows` were walked over, of about `estimate`. `run` is the group in which a walk of the kind `groups` stands, with
    the number of its rows so far. `offences` are counted by the constraint, in words.

    fill    copies the rows of a table into the new indexes on it
    empty   deletes what an earlier version has left of a view
    view    counts and sums the rows of the table of a new view, in the order of their primary keys
    groups  counts the rows that share a value of `columns`, or a word in them, along an index
    rows    checks each row of a table against new references, NOT NULL and narrower types
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
        """Return the task with one more row or group that breaks a constraint; both are given in words."""
        offence = self.offences.get(rule, Offence()).and_one(shown)
        return replace(self, offences={**self.offences, rule: offence})

    def with_sum_too_large(self, violation: str) -> Task:
        """Return a task of the kind `view` that is over, because the view cannot hold a row; why is given in words."""
        rule = f"{self.table}: each write must change a bounded number of rows, and each sum must fit its column"
        return replace(self.against(rule, violation), is_done=True)


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
    """How far a change has come, or how it ended.

    `id` tells changes apart, also two that make a version of the same number. `driver` is the process that does its
    steps, None where none does; `beat` is when it did the last one, in seconds since 1970, as is `since`.
    """

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

    def ended(self) -> tuple[Ended, ...]:
        """Return what the next change remembers of this one and those before it."""
        if self.outcome is None:
            return self.earlier
        latest = Ended(self.id, self.version, self.started_at, self.outcome, self.reason)
        return (latest, *self.earlier)[:_REMEMBERED]

    def of(self, id: str) -> Progress | None:
        """Return the progress of the change with an id: this one, or one that ended earlier; None for any other."""
        if id == self.id:
            return self
        ended = next((run for run in self.earlier if run.id == id), None)
        if ended is None:
            return None
        return Progress(id, ended.version, ended.started_at, True, outcome=ended.outcome, reason=ended.reason)

    def with_task(self, number: int, task: Task) -> Progress:
        """Return the progress with another state of one task, the one at this index."""
        return replace(self, tasks=(*self.tasks[:number], task, *self.tasks[number + 1 :]))

    def as_text(self) -> str:
        """Return the document that a store keeps."""
        return json.dumps(asdict(self), default=_tagged)


def read_progress(store: Store) -> Progress | None:
    """Read how far the change in progress, or the last one, has come; None when there was none yet."""
    return progress_in(store.settings())


def filled_part(store: Store, view: str) -> Callable[[Row], bool]:
    """Return what tells whether the row of a primary key is counted in a view that is being filled.

    Called inside a transaction, so that the walk stays where it is until the end of it. Python orders the stored values
    of one column as a store does: numbers by size, texts and bytes by their codes. After an offence nothing is counted.
    """
    progress = read_progress(store)
    tasks = progress.tasks if progress is not None else ()
    task = next((task for task in tasks if (task.kind, task.table) == ("view", view)), None)
    if task is None or task.offences:
        return lambda key: False
    place, is_done = task.place, task.is_done
    return lambda key: is_done or (place is not None and key <= place)


def refuse_view(store: Store, view: str, transaction: Transaction, violation: str) -> None:
    """Have the change in progress refused: a write, which its own version allows, makes a sum that does not fit."""
    progress = read_progress(store)
    if progress is None or progress.outcome is not None:
        return
    for number, task in enumerate(progress.tasks):
        if (task.kind, task.table) == ("view", view):
            progress = progress.with_task(number, task.with_sum_too_large(violation))
            break
    else:  # the version before had the view, so that nothing had to be filled
        progress = replace(progress, tasks=(*progress.tasks, Task("view", view).with_sum_too_large(violation)))
    transaction.set_setting(SETTING, progress.as_text())


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
    """Return bytes as JSON can hold them; `_untagged` returns them back."""
    assert isinstance(value, bytes)
    return {"bytes": base64.b64encode(value).decode()}


def _untagged(value: dict[str, Any]) -> Any:
    return base64.b64decode(value["bytes"]) if value.keys() == {"bytes"} else value
