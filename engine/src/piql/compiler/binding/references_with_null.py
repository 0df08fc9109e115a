"""A foreign key whose column may not be NULL only because nobody wrote NULL: what to say, and the fix.

CREATE TABLE stories (…, merged_into INT REFERENCES stories)   →   … merged_into INT NULL REFERENCES stories
"""

from __future__ import annotations

import re

from piql.schema.catalog import Column, Table
from piql.text.diagnostics.diagnostic import Edit, Fix

HELP = "the columns of a foreign key are NOT NULL unless they say NULL"

_REFERENCES = re.compile(r"\bREFERENCES\b", re.IGNORECASE)
_NOT_NULL = re.compile(r"\bNOT\s+NULL\b", re.IGNORECASE)


def is_not_null_by_reference(table: Table, column: Column) -> bool:
    """Whether a foreign key alone makes a column NOT NULL: no primary key has it, and it does not say NOT NULL."""
    return (
        not column.nullable
        and column.name not in table.primary_key
        and any(column.name in key.columns for key in table.foreign_keys)
        and column.span is not None
        and _NOT_NULL.search(column.span.text) is None
    )


def declare_null(table: Table, column: Column) -> tuple[Fix, ...]:
    """Return the fix that lets a column of a foreign key be NULL; none where something else makes it NOT NULL."""
    if not is_not_null_by_reference(table, column) or column.span is None:
        return ()
    span = column.span
    reference = _REFERENCES.search(span.text)
    at, text = (span.end, " NULL") if reference is None else (span.start + reference.start(), "NULL ")
    consequence = f"rows of {table.name} may have no {column.name}; a join along it leaves these rows out"
    return (
        Fix(f"Declare {table.name}.{column.name} as NULL", (Edit(span.file, at, at, text),), consequence=consequence),
    )
