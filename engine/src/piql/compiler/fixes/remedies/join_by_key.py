"""Remedy: the equality of a foreign key between two relations that are multiplied."""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.fixes.remedy import Change, NewTest, Patient, Remedy
from piql.compiler.fixes.select_text import Place, place_of
from piql.compiler.physical.planner.unbounded import Gap
from piql.schema.catalog import ForeignKey


def join_by_key(patient: Patient) -> list[Remedy]:
    """Return for each relation that no equality joins those of the foreign keys that lead to it or away from it."""
    found: dict[NewTest, Remedy] = {}
    for gap in patient.gaps:
        place = place_of(patient.body, gap.relation) if gap.kind == "product" else None
        if place is None or place.is_optional:
            continue
        for test in _equalities(patient, gap, place):
            what = f"changes the answer: only rows with {test.text} are joined"
            found.setdefault(test, Remedy(f"Add {test.text}", what, Change.OTHER_ROWS, test=test))
    return list(found.values())


def _equalities(patient: Patient, gap: Gap, place: Place) -> Iterator[NewTest]:
    for other in gap.others:
        there = place_of(patient.body, other)
        if there is None or there.select is not place.select:
            continue
        for key in gap.table.foreign_keys:
            if key.table == other.table.name:
                yield _follow(key, place, there)
        for key in other.table.foreign_keys:
            if key.table == gap.table.name:
                yield _follow(key, there, place)


def _follow(key: ForeignKey, here: Place, there: Place) -> NewTest:
    pairs = zip(key.columns, key.referenced_columns, strict=True)
    return NewTest(here.select, " AND ".join(f"{here.column(ours)} = {there.column(theirs)}" for ours, theirs in pairs))
