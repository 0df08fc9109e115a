"""Runs two writers in all orders of their requests that can have different results.

Orders that differ only in the sequence of independent requests count as one. After each run, wherever a request of one
writer came behind one of the other that touches the same thing, the order with the two exchanged is to be tried, too. A
writer whose next request has been tried already sleeps until a request touches the same thing (dynamic partial-order
reduction with sleep sets: Flanagan and Godefroid 2005). A writer that waits for the other goes on when that one has
ended, or waits, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from piql.schema.catalog import Index, Table
from piql.store.base import Answers, Batch, Consistency, ReadShape, Store
from piql.store.row_writes import Cell, EntryChange, SingleRowWrites, StoredRecord
from piql.store.rows import PreparedEntries, PreparedRead, Row, State
from piql.store.stepwise.one_by_one import OneByOne
from piql.store.wrapper import StoreWrapper

How = Literal["reads", "writes", "merges"]


class Touch(NamedTuple):
    """What a request has to do with one thing: `key` None stands for all of a space.

    Two that merge commute: of two changes of an entry the later stamp holds, in whatever order they come.
    """

    space: str
    key: object
    how: How

    def meets(self, other: Touch) -> bool:
        if self.space != other.space or (self.how == other.how and self.how != "writes"):
            return False
        return self.key is None or other.key is None or self.key == other.key


Touches = tuple[Touch, ...]


def meet(first: Touches, second: Touches) -> bool:
    return any(touch.meets(touched) for touch in first for touched in second)


Pass = Callable[[Touches, Callable[[], Any]], Any]
"""Called for each request with what it touches and what makes it."""


class TouchingStore(StoreWrapper):
    """Says of each request of reads and writes what it touches."""

    def __init__(self, behind: Store, let_pass: Pass) -> None:
        super().__init__(behind)
        assert behind.row_writes is not None
        self._pass = let_pass
        self._spaces: dict[int, str] = {}
        self._kept: list[object] = []  # so that no other object gets one's id
        self._touching = TouchingRowWrites(behind.row_writes, let_pass, self._spaces)

    @property
    def row_writes(self) -> SingleRowWrites:
        return self._touching

    def prepare(self, shape: ReadShape) -> PreparedRead:
        return self._named(self.behind.prepare(shape), shape.table, shape.index)

    def prepare_entries(self, table: Table, index: Index) -> PreparedEntries:
        return self._named(self.behind.prepare_entries(table, index), table, index)

    def _named(self, prepared: Any, table: Table, index: Index) -> Any:
        self._kept.append(prepared)
        self._spaces[id(prepared)] = f"{table.name}, {index.name}"
        return prepared

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        touches = tuple(Touch(self._spaces[id(batch.read)], None, "reads") for batch in batches)
        answers: Answers = self._pass(touches, lambda: self.behind.read_many(batches, consistency))
        return answers


class TouchingRowWrites(OneByOne):
    def __init__(self, behind: SingleRowWrites, let_pass: Pass, spaces: dict[int, str]) -> None:
        self._behind = behind
        self._pass = let_pass
        self._spaces = spaces

    @property
    def writers(self) -> int:
        return self._behind.writers

    def find(self, records: PreparedEntries, key: Row, is_serial: bool = False) -> StoredRecord | None:
        touches = (Touch(self._spaces[id(records)], key, "reads"),)
        record: StoredRecord | None = self._pass(touches, lambda: self._behind.find(records, key, is_serial))
        return record

    def change(
        self, records: PreparedEntries, row: Row, state: State, write: str, known: str | None
    ) -> tuple[bool, StoredRecord | None]:
        touches = (Touch(self._spaces[id(records)], row[: records.key_length], "writes"),)
        result: tuple[bool, StoredRecord | None] = self._pass(
            touches, lambda: self._behind.change(records, row, state, write, known)
        )
        return result

    def change_entries(self, changes: Sequence[EntryChange]) -> None:
        for change in changes:
            key = change.row[: change.entries.key_length]
            touches = (Touch(self._spaces[id(change.entries)], key, "merges"),)
            self._pass(touches, lambda change=change: self._behind.change_entries([change]))

    def cells(self, group: str, limit: int, after: str = "") -> list[Cell]:
        cells: list[Cell] = self._pass((Touch(group, None, "reads"),), lambda: self._behind.cells(group, limit, after))
        return cells

    def cell(self, group: str, key: str) -> str | None:
        value: str | None = self._pass((Touch(group, key, "reads"),), lambda: self._behind.cell(group, key))
        return value

    def groups(self, limit: int, after: str | None = None) -> list[str]:
        return self._behind.groups(limit, after)

    def swap(self, group: str, key: str, known: str | None, value: str | None) -> tuple[bool, str | None]:
        result: tuple[bool, str | None] = self._pass(
            (Touch(group, key, "writes"),), lambda: self._behind.swap(group, key, known, value)
        )
        return result

    def note(self, group: str, key: str, value: str | None) -> None:
        touches = (Touch(group, key, "writes"),)
        self._pass(touches, lambda: self._behind.note(group, key, value))


class GivenUp(BaseException):
    """This run shows nothing that another has not shown."""


class Stage:
    """Lets one of several writers go on at a time; whoever arrives last at a request says who does."""

    def __init__(self, count: int, choose: Callable[[dict[int, Touches]], int | None]) -> None:
        self._changed = threading.Condition()
        self._choose = choose
        self._left = count  # those that are not done
        self._turn: int | None = None
        self._next: dict[int, Touches] = {}  # what those that wait are about to touch
        self._polite: set[int] = set()
        self.is_given_up = False

    def wait(self, actor: int, touches: Touches, is_polite: bool = False) -> None:
        with self._changed:
            self._next[actor] = touches
            if is_polite:
                self._polite.add(actor)
            self._give_turn()
            while self._turn != actor and not self.is_given_up:
                self._changed.wait()
            self._turn = None
            self._polite.discard(actor)
            del self._next[actor]
            if self.is_given_up:
                raise GivenUp

    def finish(self) -> None:
        with self._changed:
            self._left -= 1
            self._give_turn()

    def _give_turn(self) -> None:
        if self.is_given_up or not self._left or len(self._next) < self._left:
            return
        try:
            able = {actor: self._next[actor] for actor in sorted(self._next) if actor not in self._polite}
            self._turn = self._choose(able or dict(sorted(self._next.items())))
        finally:
            self.is_given_up = self._turn is None
            self._changed.notify_all()


@dataclass(slots=True)
class _Point:
    """Where a turn is given: who could go on, what each would touch, who was tried, who sleeps."""

    next: dict[int, Touches]
    chosen: int
    asleep: frozenset[int]
    tried: set[int] = field(default_factory=set)
    wanted: set[int] = field(default_factory=set)


class Exploration:
    """Chooses turns run after run until all orders that can differ were tried."""

    def __init__(self) -> None:
        self._points: list[_Point] = []
        self._depth = 0

    def begin(self) -> None:
        self._depth = 0

    def choose(self, next: dict[int, Touches]) -> int | None:
        """Say who goes on; None where whatever may follow has been tried."""
        if self._depth == len(self._points):
            asleep = self._asleep()
            awake = [actor for actor in next if actor not in asleep]
            if not awake:
                return None
            last = self._points[-1].chosen if self._points else -1
            self._points.append(_Point(next, last if last in awake else min(awake), asleep))
        point = self._points[self._depth]
        assert point.next == next, f"a run went another way than before: {point.next}, now {next}"
        self._depth += 1
        return point.chosen

    def _asleep(self) -> frozenset[int]:
        """Those stay asleep, or fall asleep where they were tried, whom the step just made does not concern."""
        if not self._points:
            return frozenset()
        point = self._points[-1]
        touches = point.next[point.chosen]
        return frozenset(
            actor
            for actor in point.asleep | point.tried
            if actor != point.chosen and not meet(point.next.get(actor, ()), touches)
        )

    def go_on(self) -> bool:
        """Learn from the run that has ended what else is to be tried; False when that is nothing."""
        self._find_races()
        while self._points:
            point = self._points[-1]
            point.tried.add(point.chosen)
            left = point.wanted - point.tried - point.asleep
            if left:
                point.chosen = min(left)
                return True
            self._points.pop()
        return False

    def _find_races(self) -> None:
        steps_of: dict[int, list[int]] = {}  # of each writer, at which points it made its steps
        known: dict[int, dict[int, int]] = {}  # of each step, the last of each writer before it in any case
        last: dict[int, int] = {}
        for at, point in enumerate(self._points):
            actor = point.chosen
            before = dict(known[last[actor]]) if actor in last else {}
            for other, points in steps_of.items():
                if other == actor:
                    continue
                for earlier in reversed(points):
                    if earlier <= before.get(other, -1):
                        break
                    if meet(self._points[earlier].next[other], point.next[actor]):
                        self._points[earlier].wanted |= {actor} & set(self._points[earlier].next)
                        for actor_before, until in known[earlier].items():
                            before[actor_before] = max(before.get(actor_before, -1), until)
                        before[other] = earlier
                        break
            before[actor] = at
            known[at], last[actor] = before, at
            steps_of.setdefault(actor, []).append(at)
