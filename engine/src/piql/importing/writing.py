"""Tables → PIQL: what `piql fmt` would write, with the input's comments."""

from __future__ import annotations

import re

from piql.compiler.syntax.cursor import RESERVED
from piql.importing.schema import ImportedColumn, ImportedTable

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def quoted(name: str) -> str:
    """Write a name, in quotes where it is a word of the language or not a word at all."""
    is_plain = _PLAIN.match(name) is not None and name.upper() not in RESERVED
    return name if is_plain else in_quotes(name)


def in_quotes(name: str) -> str:
    """Write a name in quotes."""
    return '"' + name.replace('"', '""') + '"'


def comment(words: str) -> str:
    """Write a text as a comment on one line."""
    return f"-- {_CONTROL.sub(' ', words).strip()}".rstrip()


def table_text(table: ImportedTable) -> str:
    """Write a table with its constraints, and its indexes behind it."""
    elements = [_column(column, table) for column in table.columns]
    comments = [column.comment for column in table.columns]
    constraints = _constraints(table)
    names = max(len(quoted(column.name)) for column in table.columns)
    lines = [f"  {name:<{names}} {rest}" for name, rest in elements] + [f"  {constraint}" for constraint in constraints]
    lines = [line + "," for line in lines[:-1]] + lines[-1:]
    for at, words in enumerate(comments):
        if words:
            lines[at] += f" {comment(words)}"
    head = [comment(words) for words in table.comments]
    text = "\n".join([*head, f"CREATE TABLE {quoted(table.name)} (", *lines, ");"])
    return "\n".join([text, *_indexes(table)]) + "\n"


def _columns(names: tuple[str, ...]) -> str:
    return "(" + ", ".join(map(quoted, names)) + ")"


def _column(column: ImportedColumn, table: ImportedTable) -> tuple[str, str]:
    words = [column.type]
    is_key = column.name in table.primary_key
    in_reference = any(column.name in reference.columns for reference in table.references)
    if column.may_be_null is False and not is_key and not in_reference:
        words.append("NOT NULL")
    elif in_reference and not is_key and column.may_be_null is not False:
        words.append("NULL")
    if table.primary_key == (column.name,):
        words.append("PRIMARY KEY")
    if any(key.columns == (column.name,) and not key.name for key in table.unique_keys):
        words.append("UNIQUE")
    for reference in table.references:
        if reference.columns == (column.name,) and not reference.name:
            words.append(f"REFERENCES {quoted(reference.table)} {_columns(reference.referenced)}")
    return quoted(column.name), " ".join(words)


def _constraints(table: ImportedTable) -> list[str]:
    taken: set[str] = set()

    def named(name: str, text: str) -> str:
        is_free = bool(name) and name.lower() not in taken
        taken.add(name.lower())
        return f"CONSTRAINT {quoted(name)} {text}" if is_free else text

    lines = [f"PRIMARY KEY {_columns(table.primary_key)}"] if len(table.primary_key) > 1 else []
    for key in table.unique_keys:
        if key.name or len(key.columns) > 1:
            lines.append(named(key.name, f"UNIQUE {_columns(key.columns)}"))
    for reference in table.references:
        if reference.name or len(reference.columns) > 1:
            target = f"REFERENCES {quoted(reference.table)} {_columns(reference.referenced)}"
            lines.append(named(reference.name, f"FOREIGN KEY {_columns(reference.columns)} {target}"))
    return lines


def _indexes(table: ImportedTable) -> list[str]:
    return [
        f"CREATE INDEX {quoted(index.name)} ON {quoted(table.name)} ("
        + ", ".join(quoted(name) + (" DESC" if is_descending else "") for name, is_descending in index.columns)
        + ");"
        for index in table.indexes
    ]
