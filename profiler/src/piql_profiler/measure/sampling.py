"""Draws parameters from the data, by the column that a parameter is compared with or stored in.

WHERE s.owner = [1: me]                  a value of subscriptions.owner; it references users, so a username
WHERE owner = [1: o] AND target = [2: t] two values of one row of subscriptions
LIMIT [2: count] MAX 50                  50, so that an execution does all that its prediction is about
VALUES ([2: posted], …)                  a new key: the time now, a new name, a new UUID
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import uuid1, uuid4

import piql
from piql.compiler.logical.expressions import ColumnRef, Comparison, InList, Parameter, TokenMatch
from piql.compiler.logical.operators import Assignment, Count, Delete, Insert, QueryParameter, Relation, Update
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import PiqlError
from piql.generating.column_values import values_of
from piql.schema.catalog import Kind, RowType, SqlType, Table
from piql.schema.types import TEXTS
from piql.trees.node import Node

ROWS_READ = 1000  # of a table at most
FORM_LIMIT = 10  # rows that a form asks for


class Origin(NamedTuple):
    """The column that values of a parameter are taken from."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class _Pool:
    """Rows from which the values of some parameters are drawn together."""

    parameters: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(slots=True)
class ParameterSampler:
    """Draws values for all parameters of one query; `sources` says of each, in words, where its values come from.

    `_pools` has the rows to draw from, `_new` the parameters that need a new key each time, `_words` those that
    search for a word in a text. `_made_up_count` counts the values that were made up.
    """

    _declared: Sequence[QueryParameter]
    _pools: list[_Pool] = field(default_factory=list)
    _new: set[str] = field(default_factory=set)
    _words: set[str] = field(default_factory=set)
    sources: dict[str, str] = field(default_factory=dict)
    _random: random.Random = field(default_factory=random.Random)
    _made_up_count: int = 0

    @classmethod
    def of(
        cls, query: CompiledQuery, compilation: Compilation, database: piql.Database, seed: int | None = None
    ) -> ParameterSampler:
        """Read rows of the tables that parameters come from; where a table cannot be read, values are made up."""
        sampler = cls(query.parameters, _random=random.Random(seed))
        origins = _origins(query)
        sampler._words = _search_words(query)
        sampler._new = _new_keys(query, compilation.tables, origins)
        for name in sampler._new:
            sampler.sources[name] = "a new key each time"
        for columns in _groups(query, compilation.tables, origins, sampler._new):
            sampler._add_pool(columns, database)
        for parameter in query.parameters:
            if parameter.max_value is not None:
                sampler.sources[parameter.name] = f"its MAX, {parameter.max_value}"
            elif isinstance(parameter.type, RowType):
                sampler.sources[parameter.name] = "rows with new keys, and with values from the data"
            elif parameter.name not in sampler.sources:
                sampler.sources[parameter.name] = "made up: nothing in the data says what it may be"
        return sampler

    def draw(self, is_for_form: bool = False) -> dict[str, object]:
        """A value for each parameter, by its name; a form shows fewer rows than a burst asks for."""
        drawn: dict[str, object] = {}
        for pool in self._pools:
            drawn |= dict(zip(pool.parameters, self._random.choice(pool.rows), strict=True))
        for parameter in self._declared:
            if parameter.max_value is not None:
                drawn[parameter.name] = min(FORM_LIMIT, parameter.max_value) if is_for_form else parameter.max_value
            elif isinstance(parameter.type, RowType):
                most = parameter.max_items or 1
                rows = range(min(FORM_LIMIT, most) if is_for_form else most)
                drawn[parameter.name] = [self._row(parameter.name, parameter.type) for _ in rows]
            elif parameter.max_items is not None:
                drawn[parameter.name] = self._items(parameter)
            elif parameter.name not in drawn:
                drawn[parameter.name] = self._make_up(parameter.name, parameter.type)
            elif parameter.name in self._words:
                drawn[parameter.name] = _first_word(drawn[parameter.name])
        return {parameter.name: drawn[parameter.name] for parameter in self._declared}

    def _add_pool(self, columns: Mapping[str, Origin], database: piql.Database) -> None:
        """Read rows to draw some parameters from, given the columns of one table that they come from."""
        table = next(iter(columns.values())).table
        names = list(dict.fromkeys(origin.column for origin in columns.values()))
        try:
            sampled = database.some_rows(table, names, ROWS_READ)
        except PiqlError:
            return
        positions = [names.index(origin.column) for origin in columns.values()]
        rows = tuple(values for row in sampled if None not in (values := tuple(row[at] for at in positions)))
        if not rows:
            return
        self._pools.append(_Pool(tuple(columns), rows))
        together = " of one row" if len(columns) > 1 else ""
        for name, origin in columns.items():
            self.sources[name] = f"{table}.{origin.column}{together}, one of the first {len(rows)} rows in the store"

    def _items(self, parameter: QueryParameter) -> list[object]:
        """The items of a list parameter: as many different values as it may have, or as there are."""
        for pool in self._pools:
            if parameter.name in pool.parameters:
                at = pool.parameters.index(parameter.name)
                values = list(dict.fromkeys(row[at] for row in pool.rows))
                return self._random.sample(values, min(len(values), parameter.max_items or 1))
        return [self._make_up(parameter.name, parameter.type)]

    def _row(self, name: str, type: RowType) -> list[object]:
        """A row of the list `name`, in the order of its columns; `name.column` is what a column is called here."""
        drawn: dict[str, object] = {}
        for pool in self._pools:
            drawn |= dict(zip(pool.parameters, self._random.choice(pool.rows), strict=True))
        return [
            drawn[column] if (column := f"{name}.{of_column}") in drawn else self._make_up(column, column_type)
            for of_column, column_type in type.columns
        ]

    def _make_up(self, name: str, type: object) -> object:
        self._made_up_count += 1
        if not isinstance(type, SqlType):
            return None
        return _made_up(type, name in self._new, self._made_up_count, self._random)


def _made_up(type: SqlType, is_new: bool, number: int, chance: random.Random) -> object:
    """Return a value of a type: a new one each time where `is_new`, else one that may be anywhere."""
    if is_new and type.kind in TEXTS:
        text = f"new-{secrets.token_hex(6)}"
        return text if type.length is None else text[-type.length :]
    if is_new and type.kind in _NEW:
        return _NEW[type.kind](number, chance)
    return _NOW[type.kind]() if type.kind in _NOW else values_of("", "", type, type.length, seed=0).nth(0)


_NEW: Mapping[Kind, Callable[[int, random.Random], object]] = {
    Kind.INT: lambda number, chance: chance.randrange(2**31),
    Kind.BIGINT: lambda number, chance: chance.randrange(2**53),
    Kind.TIMESTAMP: lambda number, chance: datetime.now(UTC) + timedelta(milliseconds=number),
    Kind.UUID: lambda number, chance: uuid4(),
    Kind.TIMEUUID: lambda number, chance: uuid1(),
}
_NOW: Mapping[Kind, Callable[[], object]] = {
    Kind.TIMESTAMP: lambda: datetime.now(UTC),
    Kind.DATE: lambda: datetime.now(UTC).date(),
}


def _origins(query: CompiledQuery) -> dict[str, Origin]:
    """Find the column that each parameter is compared with, searched in, or stored in."""
    origins: dict[str, Origin] = {}
    if query.logical is None:
        return origins
    if isinstance(query.logical, Insert | Update | Delete):
        table = query.logical.table.name
        for assignment in query.logical.find(Assignment):
            if isinstance(assignment.value, Parameter) and assignment.value.supplied is None:
                origins.setdefault(assignment.value.name, Origin(table, assignment.column))
        for column, value in _pairs(query.logical):
            if isinstance(value, Parameter) and value.supplied is None:
                origins.setdefault(value.name, Origin(table, column.name))
        return origins
    tables = {node.alias: node.table.name for node in query.logical.find(Relation)}
    for column, value in _pairs(query.logical):
        if isinstance(value, Parameter) and value.supplied is None and column.relation in tables:
            origins.setdefault(value.name, Origin(tables[column.relation], column.name))
    return origins


def _pairs(plan: Node) -> list[tuple[ColumnRef, object]]:
    """Each column of the plan's predicates with what it is compared with."""
    pairs: list[tuple[ColumnRef, object]] = []
    for node in plan.walk():
        match node:
            case (
                Comparison(left=ColumnRef() as column, right=value)
                | Comparison(left=value, right=ColumnRef() as column)
            ):
                pairs.append((column, value))
            case InList(operand=ColumnRef() as column, items=items):
                pairs += [(column, item) for item in items]
            case TokenMatch(columns=(column, *_), word=word):
                pairs.append((column, word))
    return pairs


def _search_words(query: CompiledQuery) -> set[str]:
    plan = query.logical
    matches = plan.find(TokenMatch) if plan is not None else ()
    return {match.word.name for match in matches if isinstance(match.word, Parameter)}


def _new_keys(query: CompiledQuery, tables: Mapping[str, Table], origins: Mapping[str, Origin]) -> set[str]:
    """Find the parameters that make a row of an INSERT a new one: its key columns that reference nothing."""
    if not isinstance(query.logical, Insert):
        return set()
    table = query.logical.table
    referencing = {column for key in table.foreign_keys for column in key.columns}
    return {
        name
        for name, origin in origins.items()
        if origin.column in table.primary_key and origin.column not in referencing
    }


def _groups(
    query: CompiledQuery, tables: Mapping[str, Table], origins: Mapping[str, Origin], new: set[str]
) -> list[dict[str, Origin]]:
    """Groups of parameters whose values have to come from one row, with the column of each.

    Limits and new keys are not drawn from rows, and are left out.
    """
    drawn_origins = {name: origin for name, origin in origins.items() if name not in new}
    limits = {node.parameter for node in query.logical.find(Count)} if query.logical is not None else set()
    drawn_origins = {name: origin for name, origin in drawn_origins.items() if name not in limits}
    if isinstance(query.logical, Insert):
        return [{name: _referenced(origin, tables)} for name, origin in drawn_origins.items()]
    by_table: dict[str, dict[str, Origin]] = {}
    for name, origin in drawn_origins.items():
        by_table.setdefault(origin.table, {})[name] = origin
    return [
        {name: _referenced(origin, tables) for name, origin in group.items()} if len(group) == 1 else group
        for group in by_table.values()
    ]


def _referenced(origin: Origin, tables: Mapping[str, Table]) -> Origin:
    """Follow a foreign key of one column to the key that it references: there each value stands once."""
    visited = {origin}
    while True:
        table = tables.get(origin.table)
        keys = table.foreign_keys if table is not None else ()
        key = next((key for key in keys if key.columns == (origin.column,)), None)
        if key is None:
            return origin
        origin = Origin(key.table, key.referenced_columns[0])
        if origin in visited:
            return origin
        visited.add(origin)


def _first_word(value: object) -> object:
    words = str(value).split()
    return words[0] if words else value
