"""The types of rows that a client declares: one for each table, and one for each query whose rows are no table's.

The types of their columns are found by `of_json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from piql.schema.catalog import SqlType
from piql.schema.types import COLUMN_TYPES

from piql_service.clients.names import Names, is_plain
from piql_service.contract.deployed_set import ServedColumn, ServedQuery, ServedSet

T = TypeVar("T")


def of_json(type: SqlType, rows: Mapping[str, T]) -> T:
    """Return the row for a column type in a language's table, by the `format` of its JSON, else by the JSON type."""
    schema = COLUMN_TYPES[type.kind].json
    schema = schema.get("oneOf", [schema])[0]
    return rows[schema["format"] if schema.get("format") in rows else schema["type"]]


@dataclass(frozen=True, slots=True)
class RowType:
    """The type of a row, with a sentence about it."""

    name: str
    about: str
    columns: tuple[ServedColumn, ...]


@dataclass(frozen=True, slots=True)
class RowTypes:
    """All types in their order, and the one of each query that has rows."""

    all: tuple[RowType, ...]
    of_query: Mapping[str, RowType]


def row_types(served: ServedSet, names: Names) -> RowTypes:
    """Return the types of a set's rows; `names` gives them theirs."""
    of_entity = {
        entity.name: RowType(names.type(entity.name), _about("A row of the table", entity.name), entity.columns)
        for entity in served.entities
    }
    of_query = dict(_of_queries(served, of_entity, names))
    query_rows = [row for name, row in of_query.items() if served.queries[name].entity is None]
    return RowTypes((*of_entity.values(), *query_rows), of_query)


def _of_queries(served: ServedSet, of_entity: Mapping[str, RowType], names: Names) -> Iterator[tuple[str, RowType]]:
    for query in served.queries.values():
        if query.entity is not None:
            yield query.name, of_entity[query.entity]
        elif query.columns:
            about = _about("A row of the query", query.name)
            yield query.name, RowType(names.type(f"{query.name}Row"), about, query.columns)


def bound_of(query: ServedQuery) -> str:
    """Return the bound of a query as a sentence for its documentation."""
    requests = f"{query.operations:,} request{'s' if query.operations != 1 else ''}"
    if query.is_write:
        return f"At most {requests}."
    per_page = " a page" if query.is_paged else ""
    return f"At most {requests} and {query.rows:,} row{'s' if query.rows != 1 else ''}{per_page}."


def _about(kind: str, name: str) -> str:
    """Return a sentence; a name that could end a comment is left out."""
    return f"{kind} {name}." if is_plain(name) else f"{kind} of this name."
