"""Changes of a schema as the API receives them → as the language service takes them."""

from __future__ import annotations

from typing import assert_never

from piql.editor.service.schema_edits.changes import (
    AddColumn,
    AddIndex,
    AddReference,
    AddTable,
    DropColumn,
    NewColumn,
    RenameColumn,
    SchemaChange,
    SetLimit,
    SetStripes,
)

from piql_backend.language.schemas import (
    AddColumnWrite,
    AddIndexWrite,
    AddReferenceWrite,
    AddTableWrite,
    DropColumnWrite,
    NewColumnWrite,
    RenameColumnWrite,
    SchemaEditCreate,
    SetLimitWrite,
    SetStripesWrite,
)


def schema_change(request: SchemaEditCreate) -> SchemaChange:
    """The change that a request asks for."""
    match request.change:
        case AddTableWrite() as change:
            return AddTable(change.name, tuple(map(_column, change.columns)), tuple(change.primary_key))
        case AddColumnWrite() as change:
            return AddColumn(change.table, _column(change.column))
        case RenameColumnWrite() as change:
            return RenameColumn(change.table, change.column, change.new_name)
        case DropColumnWrite() as change:
            return DropColumn(change.table, change.column)
        case AddReferenceWrite() as change:
            return AddReference(change.table, tuple(change.columns), change.referenced_table, change.limit)
        case SetLimitWrite() as change:
            return SetLimit(change.table, tuple(change.columns), change.limit, change.is_token)
        case AddIndexWrite() as change:
            return AddIndex(change.name, change.table, tuple(change.columns), tuple(change.descending))
        case SetStripesWrite() as change:
            return SetStripes(change.view, change.stripes, change.new_name)
        case _:
            assert_never(request.change)


def _column(column: NewColumnWrite) -> NewColumn:
    return NewColumn(column.name, column.type, column.is_required)
