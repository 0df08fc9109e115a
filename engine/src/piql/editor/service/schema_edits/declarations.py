"""New tables and indexes, each as a statement of its own below the tables."""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse_once
from piql.editor.service.renaming import written
from piql.editor.service.schema_edits.changes import AddIndex, AddTable, SchemaEditRefused
from piql.editor.service.schema_edits.statements import behind_statement, line_break, table_of, tables_of
from piql.editor.service.schema_edits.words import column_text, name_of
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Source


def add_table(texts: Mapping[str, str], change: AddTable) -> tuple[Edit, ...]:
    """Declare a table below the last one; in texts without tables at the end of the first file."""
    name = name_of(change.name, "the table")
    tables = tables_of(texts)
    for table_text in tables:
        if table_text.statement.name.text.lower() == change.name.strip().lower():
            raise SchemaEditRefused(f"there is a table {table_text.statement.name.text} already")
    if not texts:
        raise SchemaEditRefused("there is no file for the table: create one first")
    names = [column.name.strip() for column in change.columns]
    twice = next((name for index, name in enumerate(names) if name in names[:index]), None)
    if twice is not None:
        raise SchemaEditRefused(f"two columns are called {twice}")
    key = [name.strip() for name in change.primary_key]
    if not key:
        raise SchemaEditRefused("choose the columns of the primary key")
    unknown = next((name for name in key if name not in names), None)
    if unknown is not None:
        raise SchemaEditRefused(f"the name {unknown} is in the primary key, but no column of the table")
    break_ = line_break(tables[-1].text if tables else next(iter(texts.values())))
    lines = [*map(column_text, change.columns), f"PRIMARY KEY ({', '.join(map(written, key))})"]
    body = f",{break_}".join(f"  {line}" for line in lines)
    statement = f"CREATE TABLE {name} ({break_}{body}{break_});"
    if tables:
        return (behind_statement(tables[-1], statement),)
    file, text = next(iter(texts.items()))
    gap = "" if not text.strip() else break_ if text.endswith("\n") else break_ * 2
    return (Edit(file, len(text), len(text), f"{gap}{statement}{break_}"),)


def add_index(texts: Mapping[str, str], change: AddIndex) -> tuple[Edit, ...]:
    """Declare an index below its table."""
    table_text = table_of(texts, change.table)
    name = name_of(change.name, "the index")
    for file, text in texts.items():
        for statement in parse_once(Source(text, file)).statements:
            if isinstance(statement, ast.CreateIndex) and statement.name.text.lower() == change.name.strip().lower():
                raise SchemaEditRefused(f"there is an index {statement.name.text} already")
    if not change.columns:
        raise SchemaEditRefused("choose the columns of the index")
    parts = ", ".join(f"{written(column)}{' DESC' if column in change.descending else ''}" for column in change.columns)
    return (behind_statement(table_text, f"CREATE INDEX {name} ON {written(change.table)} ({parts});"),)
