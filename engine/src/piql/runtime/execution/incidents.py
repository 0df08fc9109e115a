"""What an execution finds in the store that must not be there, although its bound and its answers rely on it.

    limit-passed      a group has more rows than its CARDINALITY LIMIT allows: the rows beyond it are left out
    dangling-entry    an index entry leads to no record: its row is left out

A read whose rows are limited by a CARDINALITY LIMIT asks for one row more than the limit: only that tells. So does the
record behind an entry on a store with transactions, which is read at the moment of its entry. On other stores an entry
without its record is a write that goes on or was interrupted: `settling.py` settles it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from piql.compiler.physical import operators as physical
from piql.schema.catalog import CardinalityLimit
from piql.store.base import Answers, Batch, Consistency
from piql.store.rows import Row

IncidentKind: TypeAlias = Literal["limit-passed", "dangling-entry"]
INCIDENT_KINDS: tuple[IncidentKind, ...] = ("limit-passed", "dangling-entry")


@dataclass(frozen=True, slots=True)
class Incident:
    """One thing that an execution found: in which table, and for a passed limit the limit as it is declared."""

    kind: IncidentKind
    table: str
    limit: str | None = None

    def __str__(self) -> str:
        if self.kind == "limit-passed":
            return f"a group of {self.table} has more rows than its {self.limit} allows"
        return f"an index entry of {self.table} leads to no record"


class Reader(Protocol):
    """What answers the requests of an execution."""

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Return the answers to batches, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Watch:
    """What to look for in the answers to an operator's requests: more than `most_rows` rows, or no row at all."""

    incident: Incident
    most_rows: int | None = None

    def checked(self, answers: list[list[Row]], incidents: list[Incident]) -> list[list[Row]]:
        """Return the answers without rows beyond the limit; add what is wrong with them to `incidents`."""
        most = self.most_rows
        if most is None:
            if not all(answers):
                incidents.append(self.incident)
        elif max(map(len, answers), default=0) > most:
            incidents.append(self.incident)
            return [rows[:most] for rows in answers]
        return answers


def is_held_by_limit(limit: physical.RowLimit) -> bool:
    """Return whether only a CARDINALITY LIMIT says how many rows a read returns at most."""
    return limit.count is None and isinstance(limit.because, CardinalityLimit)


def watch_of(node: physical.PhysicalNode, has_moments: bool) -> Watch | None:
    """Return what to look for in the answers to a node's requests; `has_moments`: all are of one moment."""
    if isinstance(node, physical.IndexScan | physical.SortedIndexJoin) and is_held_by_limit(node.limit):
        assert isinstance(node.limit.because, CardinalityLimit)
        return Watch(Incident("limit-passed", node.table.name, node.limit.because.declaration), node.limit.max)
    if isinstance(node, physical.Dereference) and has_moments:
        return Watch(Incident("dangling-entry", node.table.name))
    return None


class WatchedStore:
    """A store whose answers are checked for one execution; what is found is added to `incidents`."""

    __slots__ = ("_behind", "_incidents", "_watches")

    def __init__(self, behind: Reader, watches: dict[object, Watch], incidents: list[Incident]) -> None:
        self._behind = behind
        self._watches = watches
        self._incidents = incidents

    def read_many(self, batches: Sequence[Batch], consistency: Consistency | None = None) -> Answers:
        """Answer batches, those of watched operators checked."""
        answers = self._behind.read_many(batches, consistency)
        watches = self._watches
        if len(batches) == 1:  # as nearly always
            only = watches.get(batches[0].operator)
            return answers if only is None else [only.checked(answers[0], self._incidents)]
        return [
            watch.checked(batch_answers, self._incidents) if (watch := watches.get(batch.operator)) else batch_answers
            for batch, batch_answers in zip(batches, answers, strict=True)
        ]


def distinct(incidents: Sequence[Incident]) -> tuple[Incident, ...]:
    """What was found, each thing once."""
    return tuple(dict.fromkeys(incidents)) if incidents else ()
