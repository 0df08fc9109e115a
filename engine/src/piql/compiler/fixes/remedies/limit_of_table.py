"""Remedy: a CARDINALITY LIMIT on a whole table, where the table seems to be a short list that others refer to.

SELECT name FROM tags WHERE active = TRUE ORDER BY name   →   CREATE TABLE tags (…, CARDINALITY LIMIT 1000)
"""

from __future__ import annotations

import re

from piql.compiler.fixes.remedy import Change, LimitLine, RefusedQuery, Remedy
from piql.compiler.physical.few_values import FEW
from piql.schema.catalog import Kind, Table

DEFAULT_SIZE = 1_000  # rows; the user is expected to change it
MOST_COLUMNS = 8
_TIMES = frozenset((Kind.TIMESTAMP, Kind.DATE))
# The last word of the name of such a table, in the singular; `FEW` has those that also name a column of few values.
_LISTS = FEW | frozenset("tag topic genre brand plan setting option permission unit department feature".split())
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def limit_table(query: RefusedQuery) -> list[Remedy]:
    """Return a limit for each table that grows, fixes no columns for a smaller limit, and seems to be a short list."""
    remedies: dict[LimitLine, Remedy] = {}
    for gap in query.gaps:
        if not gap.words and not gap.limit_columns and is_short_list(gap.table):
            line = LimitLine(gap.table.name, f"CARDINALITY LIMIT {DEFAULT_SIZE}")
            consequence = (
                f"writes beyond {DEFAULT_SIZE} rows of {gap.table.name} are refused; the answer stays the same"
            )
            remedies.setdefault(line, Remedy(f"Add {line.text} to {gap.table.name}", consequence, Change.WRITES, line))
    return list(remedies.values())


def is_short_list(table: Table) -> bool:
    """Whether a table seems to hold a list that people keep, as of tags, regions or categories.

    Such a table is named so, has a key of one column and few others, refers to no other table and notes no time. The
    guess only decides whether a fix is offered; no bound relies on it.
    """
    words = _WORDS.findall(table.name)
    return (
        bool(words)
        and not _LISTS.isdisjoint(_singulars(words[-1].lower()))
        and len(table.primary_key) == 1
        and len(table.columns) <= MOST_COLUMNS
        and not table.foreign_keys
        and not table.limits
        and all(column.type.kind not in _TIMES for column in table.columns)
    )


def _singulars(word: str) -> set[str]:
    """Return what a word may be the plural of, and the word itself: categories → categorie, categori, category."""
    return {word, word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"}
