"""Tables → PIQL, laid out as `piql fmt` does, with the comments of the input."""

from __future__ import annotations

import re
from collections.abc import Iterable

from piql.compiler.syntax.cursor import RESERVED
from piql.importing.schema import ImportedColumn, ImportedTable

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def quoted(name: str) -> str:
    """Return a name as PIQL writes it: in quotes where it is a word of the language, or holds more than letters."""
    is_plain = _PLAIN.match(name) is not None and name.upper() not in RESERVED
    return name if is_plain else in_quotes(name)


def in_quotes(name: str) -> str:
    """Return a name in quotes, those within it doubled."""
    return '"' + name.replace('"', '""') + '"'


def comment(words: str) -> str:
    """Return a text as a comment on one line."""
    return f"-- {_CONTROL.sub(' ', words).strip()}".rstrip()


def table_text(table: ImportedTable) -> str:
    """Return a table with its constraints, and its indexes behind it."""
    width = max(len(quoted(column.name)) for column in table.columns)
    lines = [f"  {quoted(column.name):<{width}} {_definition(column, table)}" for column in table.columns]
    lines += [f"  {constraint}" for constraint in _constraints(table)]
    lines = [line + "," for line in lines[:-1]] + lines[-1:]
    for number, column in enumerate(table.columns):
        if column.comment:
            lines[number] += f" {comment(column.comment)}"
    head = [comment(words) for words in table.comments]
    text = "\n".join([*head, f"CREATE TABLE {quoted(table.name)} (", *lines, ");"])
    return "\n".join([text, *_indexes(table)]) + "\n"


def _columns(names: Iterable[str]) -> str:
    """Return names of columns in brackets."""
    return "(" + ", ".join(map(quoted, names)) + ")"


def _definition(column: ImportedColumn, table: ImportedTable) -> str:
    """Return the type of a column and the constraints that stand beside it: those of it alone, without a name.

    The columns of a primary key are NOT NULL anyway; those of a foreign key are, too, unless they say NULL.
    """
    words = [column.type]
    is_key = column.name in table.primary_key
    in_reference = any(column.name in reference.columns for reference in table.references)
    if column.may_be_null is False and not is_key and not in_reference:
        words.append("NOT NULL")
    elif in_reference and not is_key and column.may_be_null is not False:
        words.append("NULL")
    if column.default:
        words.append(f"DEFAULT {column.default}")
    if table.primary_key == (column.name,):
        words.append("PRIMARY KEY")
    if any(key.columns == (column.name,) and not key.name for key in table.unique_keys):
        words.append("UNIQUE")
    for reference in table.references:
        if reference.columns == (column.name,) and not reference.name:
            words.append(f"REFERENCES {quoted(reference.table)} {_columns(reference.referenced)}")
    return " ".join(words)


def _constraints(table: ImportedTable) -> list[str]:
    """Return the constraints of several columns, and those with a name. The first of one name keeps it."""
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
    lines += [named(check.name, f"CHECK ({check.text})") for check in table.checks]
    return lines


def _indexes(table: ImportedTable) -> list[str]:
    """Return a CREATE INDEX for each index."""
    statements: list[str] = []
    for index in table.indexes:
        columns = [quoted(column.name) + (" DESC" if column.is_descending else "") for column in index.columns]
        statements.append(f"CREATE INDEX {quoted(index.name)} ON {quoted(table.name)} ({', '.join(columns)});")
    return statements
