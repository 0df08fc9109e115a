"""The columns that tell the rows of a join part apart: primary keys, and what makes rows of derived tables different.

users u                                                      u.username
(SELECT DISTINCT town FROM …) d                              d.town
(SELECT owner, COUNT(*) AS n FROM … GROUP BY owner) d        d.owner
(SELECT id, title FROM story ORDER BY id LIMIT 10) d         d.id
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from piql.compiler.binding.outputs import output_columns
from piql.compiler.logical.expressions import ColumnRef, Expression
from piql.compiler.logical.operators import (
    Cases,
    DataStop,
    Derived,
    Distinct,
    GroupBy,
    Join,
    LogicalNode,
    Output,
    Projection,
    RecursiveUnion,
    Relation,
    Selection,
    SemiJoin,
    Sort,
    Stop,
    Union,
    WorkTable,
)
from piql.compiler.optimizer.analysis.one_row import gives_one_row
from piql.compiler.optimizer.analysis.region import is_region, read_region


def keys_of_region(part: LogicalNode) -> tuple[Expression, ...] | None:
    """Return columns of which no two rows of a join part have the same values; None where there are none."""
    keys: list[Expression] = []
    for leg in read_region(part).legs:
        if leg.relation is not None:
            keys += leg.relation.columns(leg.relation.table.primary_key)
        elif not gives_one_row(leg.input):
            of_derived = _keys_of_derived(leg.input) if isinstance(leg.input, Derived) else None
            if of_derived is None:
                return None
            keys += of_derived
    return tuple(keys)


def _keys_of_derived(derived: Derived) -> tuple[ColumnRef, ...] | None:
    names = _key_names(derived.input)
    if names is None:
        return None
    columns = {column.name: column for column in output_columns(derived.input)}
    return tuple(
        ColumnRef(relation=derived.alias, name=name, type=columns[name].type, nullable=columns[name].nullable)
        for name in names
    )


def _key_names(query: LogicalNode) -> tuple[str, ...] | None:
    """Return the outputs of a query that tell its rows apart; None where nothing does."""
    match query:
        case Stop() | Sort():
            return _key_names(query.input)
        case Distinct() | Union(all=False) | RecursiveUnion(all=False):
            return tuple(column.name for column in output_columns(query))
        case Projection(outputs=outputs, input=below):
            while isinstance(below, Sort | Stop) or (isinstance(below, Selection) and not is_region(below)):
                below = below.input
            if isinstance(below, GroupBy):
                return _names_of(below.keys, outputs)
            keys = keys_of_region(below) if is_region(below) else None
            return None if keys is None else _names_of(keys, outputs)
        case (
            Relation()
            | Derived()
            | Selection()
            | Join()
            | SemiJoin()
            | GroupBy()
            | Union()
            | Cases()
            | RecursiveUnion()
            | WorkTable()
            | DataStop()
        ):
            return None
        case _:
            assert_never(query)


def _names_of(keys: Iterable[Expression], outputs: Iterable[Output]) -> tuple[str, ...] | None:
    """Return the outputs that are these keys; None where one is not among them."""
    names = {output.expression: output.name for output in outputs}
    return tuple(names[key] for key in keys) if all(key in names for key in keys) else None
