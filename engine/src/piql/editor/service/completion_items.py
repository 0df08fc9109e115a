"""What is offered while somebody types, an item each: words, columns, the condition that a foreign key gives.

follows.owner REFERENCES users    →    u.username = f.owner
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from piql.editor.service.renaming import written
from piql.schema.catalog import Column, Table

CompletionKind = Literal["keyword", "table", "column", "alias", "function", "type", "parameter", "condition"]


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """One thing that may be typed; `insert_text` replaces the word begun."""

    label: str
    kind: CompletionKind
    detail: str
    insert_text: str


def key_conditions(child: tuple[str, Table], parent: tuple[str, Table]) -> Iterator[CompletionItem]:
    """Yield `parent.key = child.column` for each foreign key; both are an alias with its table."""
    child_alias, child_table = child
    parent_alias, parent_table = parent
    for key in child_table.foreign_keys:
        if key.table == parent_table.name:
            pairs = zip(key.columns, key.referenced_columns, strict=True)
            equalities = [f"{parent_alias}.{referenced} = {child_alias}.{column}" for column, referenced in pairs]
            yield plain_item(" AND ".join(equalities), "condition", "foreign key")


def plain_item(label: str, kind: CompletionKind, detail: str) -> CompletionItem:
    """Return an item that is inserted as it is shown."""
    return CompletionItem(label, kind, detail, label)


def keywords(*words: str) -> Iterator[CompletionItem]:
    return (plain_item(word, "keyword", "") for word in words)


def column_items(table: Table) -> Iterable[CompletionItem]:
    return (
        CompletionItem(column.name, "column", column_detail(table, column), written(column.name))
        for column in table.columns
    )


def column_detail(table: Table | None, column: Column) -> str:
    if table is None:
        return str(column.type)
    key = ", primary key" if column.name in table.primary_key else ""
    return f"{column.type} of {table.name}{key}"
