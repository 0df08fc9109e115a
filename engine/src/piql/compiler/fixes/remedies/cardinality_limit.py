"""Remedy: a CARDINALITY LIMIT on the columns that a query fixes.

… FROM thoughts WHERE owner = [me]   →   CREATE TABLE thoughts (…, CARDINALITY LIMIT 100 (owner))
"""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, LimitLine, RefusedQuery, Remedy
from piql.schema.catalog import Table
from piql.schema.types import IDS

DEFAULT_LIMIT = 100  # rows; the user is expected to change it


def add_cardinality_limit(query: RefusedQuery) -> list[Remedy]:
    """Return for each gap the limits that would bound it: on the columns that its help names."""
    remedies: dict[LimitLine, Remedy] = {}
    for gap in query.gaps:
        if gap.words:
            limits = [_limit_on_words(gap.table, columns) for columns in gap.words]
        else:
            limit = limit_on(gap.table, gap.limit_columns) if gap.limit_columns else None
            limits = [] if limit is None else [limit]
        for remedy in limits:
            if remedy.line is not None:
                remedies.setdefault(remedy.line, remedy)
    return list(remedies.values())


def limit_on(table: Table, columns: tuple[str, ...]) -> Remedy | None:
    """Return the limit on columns of a table; None where these have a limit or key already."""
    if _is_limited(table, columns):
        return None
    change = Change.WRITES_OF_AN_OWNER if names_an_owner(table, columns) else Change.WRITES
    return _limit(table, ", ".join(columns), f"the same {' and '.join(columns)}", change)


def _limit_on_words(table: Table, columns: tuple[str, ...]) -> Remedy:
    return _limit(table, f"TOKEN({', '.join(columns)})", f"one word in {' or '.join(columns)}", Change.WRITES)


def _limit(table: Table, columns_text: str, shared: str, change: Change) -> Remedy:
    line = LimitLine(table.name, f"CARDINALITY LIMIT {DEFAULT_LIMIT} ({columns_text})")
    consequence = f"writes beyond {DEFAULT_LIMIT} rows with {shared} are refused; the answer stays the same"
    return Remedy(f"Add {line.text} to {table.name}", consequence, change, line)


def _is_limited(table: Table, columns: tuple[str, ...]) -> bool:
    """Return whether a key or a limit on these columns exists: another number would contradict it."""
    facts = (table.primary_key, *(key.columns for key in table.unique_keys))
    limits = (limit.columns for limit in table.limits if not limit.is_token)
    return any(bool(constrained) and set(constrained) <= set(columns) for constrained in (*facts, *limits))


def names_an_owner(table: Table, columns: tuple[str, ...]) -> bool:
    """Return whether columns seem to identify the owner of the rows.

    They do if they hold a foreign key, are the beginning of the primary key, or are called or typed like an id. A limit
    on the rows of one owner is likelier to suit the data than one on any other value, so it is offered first.
    """
    length = len(columns)
    if any(set(columns) < set(key.columns) for key in table.foreign_keys):
        return False  # a part of a reference names all that share this part
    is_reference = any(set(key.columns) <= set(columns) for key in table.foreign_keys)
    is_beginning = set(table.primary_key[:length]) == set(columns)
    is_named_so = any(
        name.lower().endswith(("_id", "id")) or (column is not None and column.type.kind in IDS)
        for name in columns
        for column in (table.column(name),)
    )
    return is_reference or is_beginning or is_named_so
