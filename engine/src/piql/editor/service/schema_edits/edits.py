"""One change of a schema → the edits that make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from piql.editor.service.schema_edits.changes import (
    AddColumn,
    AddIndex,
    AddReference,
    AddTable,
    DropColumn,
    RenameColumn,
    SchemaChange,
    SetLimit,
    SetStripes,
)
from piql.editor.service.schema_edits.columns import add_column, add_reference, drop_column, rename_column
from piql.editor.service.schema_edits.declarations import add_index, add_table
from piql.editor.service.schema_edits.limits import set_limit
from piql.editor.service.schema_edits.stripes import set_stripes
from piql.text.diagnostics.diagnostic import Edit


def schema_edits(texts: Mapping[str, str], change: SchemaChange) -> tuple[Edit, ...]:
    """Return the edits in the order of the text, no two overlapping; raise SchemaEditRefused where there are none."""
    match change:
        case AddTable():
            return add_table(texts, change)
        case AddColumn():
            return add_column(texts, change)
        case RenameColumn():
            return rename_column(texts, change)
        case DropColumn():
            return drop_column(texts, change)
        case AddReference():
            return add_reference(texts, change)
        case SetLimit():
            return set_limit(texts, change)
        case AddIndex():
            return add_index(texts, change)
        case SetStripes():
            return set_stripes(texts, change)
        case _:
            assert_never(change)
