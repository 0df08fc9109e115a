"""Remedy: the equality of a foreign key between two relations that are multiplied.

SELECT * FROM users u, thoughts t   →   SELECT * FROM users u, thoughts t WHERE t.owner = u.name
"""

from __future__ import annotations

from collections.abc import Iterator

from piql.compiler.fixes.remedy import Change, NewTest, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import Occurrence, occurrence_of
from piql.compiler.physical.planner.unbounded import Gap
from piql.schema.catalog import ForeignKey


def join_by_key(query: RefusedQuery) -> list[Remedy]:
    """Return, for each relation that no equality joins, the equalities of foreign keys to or from earlier ones."""
    remedies: dict[NewTest, Remedy] = {}
    for gap in query.gaps:
        occurrence = occurrence_of(query.body, gap.relation) if gap.kind == "product" else None
        if occurrence is None or occurrence.is_optional:
            continue
        for test in _equalities(query, gap, occurrence):
            consequence = f"changes the answer: only rows with {test.text} are joined"
            remedies.setdefault(test, Remedy(f"Add {test.text}", consequence, Change.OTHER_ROWS, test=test))
    return list(remedies.values())


def _equalities(query: RefusedQuery, gap: Gap, occurrence: Occurrence) -> Iterator[NewTest]:
    for partner in gap.earlier:
        partner_occurrence = occurrence_of(query.body, partner)
        if partner_occurrence is None or partner_occurrence.select is not occurrence.select:
            continue
        for key in gap.table.foreign_keys:
            if key.table == partner.table.name:
                yield _follow(key, occurrence, partner_occurrence)
        for key in partner.table.foreign_keys:
            if key.table == gap.table.name:
                yield _follow(key, partner_occurrence, occurrence)


def _follow(key: ForeignKey, referring: Occurrence, referenced: Occurrence) -> NewTest:
    """Return the test that joins two relations along a foreign key."""
    pairs = zip(key.columns, key.referenced_columns, strict=True)
    return NewTest(
        referring.select,
        " AND ".join(
            f"{referring.column(column)} = {referenced.column(referenced_column)}"
            for column, referenced_column in pairs
        ),
    )
