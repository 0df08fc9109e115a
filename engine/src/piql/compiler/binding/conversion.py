"""The ENTITY/FETCH dialect → SQL: each entity as its table, each FETCH as its SELECT; comments and SQL stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from piql.compiler.binding.binder import bind
from piql.compiler.binding.entities import Entities
from piql.compiler.binding.expressions import QueryContext
from piql.compiler.binding.fetch import as_select
from piql.compiler.binding.queries import bind_nested
from piql.compiler.binding.scope import TableNames
from piql.compiler.syntax import ast


def as_sql(files: Sequence[ast.ParsedFile]) -> tuple[ast.ParsedFile, ...]:
    """Return the files with all statements in SQL; statements with errors stay in their dialect."""
    program = bind(files)
    names = TableNames(program.catalog.tables)
    entities = Entities((statement for file in files for statement in file.statements), {})

    def converted(statement: ast.Statement) -> ast.Statement:
        if isinstance(statement, ast.CreateEntity):
            table = entities.as_table(statement)
            return statement if table.is_broken else table
        if isinstance(statement, ast.CreateQuery) and isinstance(statement.body, ast.Fetch):
            select = as_select(QueryContext(names, bind_nested), statement.body)
            return replace(statement, body=select) if select is not None else statement
        return statement

    return tuple(
        replace(
            file,
            statements=tuple(map(converted, file.statements)),
            comments=tuple(replace(comment, text=_sql_comment(comment.text)) for comment in file.comments),
        )
        for file in files
    )


def _sql_comment(text: str) -> str:
    return f"--{text[2:]}" if text.startswith("//") else text
