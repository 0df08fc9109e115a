"""Tree → text: the formatter (`print_file`). Formatting twice changes nothing more.

    create table t(a int primary   →   CREATE TABLE t (
    key) -- all we know                  a INT PRIMARY KEY
                                       ); -- all we know

A tree becomes lines that know where in the source they began; the comments are then put between and behind them, each
beside what it stood beside. This file prints statements; `print_queries` prints queries and expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from piql.compiler.syntax import ast
from piql.compiler.syntax.lexer import Comment
from piql.compiler.syntax.precedence import COMPARISON
from piql.compiler.syntax.print_queries import (
    INDENT,
    WIDTH,
    Line,
    clause_lines,
    condition_lines,
    name_text,
    offset_line,
    order_items,
    print_expression,
    print_select_item,
    print_table,
    print_type,
    query_lines,
    stop_line,
)


def print_file(file: ast.ParsedFile) -> str:
    """Return the text of a file, formatted; a text with syntax errors is left as it is."""
    if file.diagnostics:
        return file.source.text
    lines: list[Line] = []
    for statement in file.statements:
        first, *following = _statement(statement)
        first.begins_statement = True
        lines.extend((first, *following))
        if not _ends_by_itself(statement):
            lines[-1].text += ";"
    return _with_comments(file.source.text, lines, file.comments)


def _with_comments(source: str, lines: list[Line], comments: tuple[Comment, ...]) -> str:
    """Return the lines as text, each comment behind its line or on lines of its own before the line after it."""
    before: dict[int, list[Comment]] = {}
    at = 0
    for comment in comments:
        while at < len(lines) and lines[at].start < comment.start:
            at += 1
        line_start = source.rfind("\n", 0, comment.start) + 1
        is_alone = not source[line_start : comment.start].strip()
        if not is_alone and at > 0 and not lines[at - 1].comment and "\n" not in comment.text:
            lines[at - 1].comment = comment.text.rstrip()
        else:
            before.setdefault(at, []).append(comment)
    out: list[str] = []
    for number, line in enumerate(lines):
        if line.begins_statement and out:
            out.append("")
        out.extend(_comments_alone(source, before.get(number, []), line.indent, has_after=True))
        out.append(f"{line.text} {line.comment}" if line.comment else line.text)
    last = before.get(len(lines), [])
    if last and out:
        out.append("")
    out.extend(_comments_alone(source, last, "", has_after=False))
    return "\n".join(out) + "\n" if out else ""


def _comments_alone(source: str, comments: list[Comment], indent: str, *, has_after: bool) -> Iterator[str]:
    """Return comments on lines of their own; one empty line between them and what follows is kept."""
    for number, comment in enumerate(comments):
        if number > 0 and _is_apart(source, comments[number - 1].end, comment.start):
            yield ""
        text = comment.text.rstrip()
        yield from (indent + text if at == 0 else text for at, text in enumerate(text.split("\n")))
    if comments and has_after:
        following = len(source) - len(source[comments[-1].end :].lstrip())
        if _is_apart(source, comments[-1].end, following) and not indent:
            yield ""


def _is_apart(source: str, end: int, start: int) -> bool:
    """Return whether an empty line stands between two offsets of the source."""
    return source.count("\n", end, start) > 1


# Statements


def _statement(statement: ast.Statement) -> list[Line]:
    match statement:
        case ast.CreateTable():
            return _table(statement)
        case ast.CreateEntity():
            return _entity(statement)
        case ast.CreateIndex():
            return [Line(_index(statement), statement.span.start)]
        case ast.CreateView():
            first = Line(f"CREATE VIEW {name_text(statement.name)} AS", statement.span.start)
            return [first, *query_lines(statement.query), *_clauses_of_view(statement)]
        case ast.SetSetting():
            return [Line(f"SET {name_text(statement.name)} = {statement.value}", statement.span.start)]
        case ast.CreateQuery():
            name = name_text(statement.name)
            policy = _policy(statement)
            is_fetch = isinstance(statement.body, ast.Fetch)
            text = f"QUERY {name}{policy}" if is_fetch else f"CREATE QUERY {name}{policy} AS"
            first = Line(text, statement.span.start)
            return [first, *(_body(statement.body) if statement.body is not None else ())]
        case ast.CreateUnit():
            return _unit(statement)
        case ast.Select() | ast.UnionQuery() | ast.Fetch() | ast.Insert() | ast.Update() | ast.Delete():
            return _body(statement)
        case _:
            assert_never(statement)


def _policy(statement: ast.CreateQuery) -> str:
    """Return how fresh a query reads, or who acknowledges a write, with a space before; nothing where none is given."""
    if statement.read is not None:
        return f" WITH READ {statement.read.level.upper()}"
    return f" WITH WRITE {statement.write.level.upper()}" if statement.write is not None else ""


def _body(body: ast.BareStatement) -> list[Line]:
    match body:
        case ast.Insert():
            return _insert(body)
        case ast.Update():
            return _update(body)
        case ast.Delete():
            return [Line(f"DELETE FROM {print_table(body.source)}", body.span.start), *_tests(body)]
        case ast.Fetch():
            return _fetch(body)
        case ast.Select() | ast.UnionQuery():
            return query_lines(body)
        case _:
            assert_never(body)


def _unit(unit: ast.CreateUnit) -> list[Line]:
    """Return CREATE UNIT, its statements indented."""
    lines = [Line(f"CREATE UNIT {name_text(unit.name)} AS BEGIN", unit.span.start)]
    for statement in unit.statements:
        for line in _let(statement) if isinstance(statement, ast.Let) else _body(statement):
            line.text = INDENT + line.text
            lines.append(line)
        lines[-1].text += ";"
    return [*lines, Line("END", unit.span.end - len("END"))]


def _let(let: ast.Let) -> list[Line]:
    """Return LET on one line, or a long subquery with a clause on each line."""
    names = ", ".join(name.text for name in let.names)
    called = f"({names})" if let.more else names
    start = Line(f"LET {called} = {print_expression(let.value)}", let.span.start)
    if len(start.text) <= WIDTH or not isinstance(let.value, ast.ScalarQuery):
        return [start]
    inside = [replace(line, text=INDENT + line.text) for line in query_lines(let.value.query)]
    return [Line(f"LET {called} = (", let.span.start), *inside, Line(")", let.value.span.end - 1)]


def _table(table: ast.CreateTable) -> list[Line]:
    """Return CREATE TABLE, an element a line, with the types of all columns aligned."""
    names = [
        name_text(definition.name) for definition in table.elements if isinstance(definition, ast.ColumnDefinition)
    ]
    width = max(map(len, names), default=0)
    lines = [Line(f"CREATE TABLE {name_text(table.name)} (", table.span.start)]
    for number, element in enumerate(table.elements):
        comma = "," if number < len(table.elements) - 1 else ""
        if isinstance(element, ast.ColumnDefinition):
            text = f"{name_text(element.name):<{width}} {_column(element)}"
        else:
            text = _constraint(element)
        lines.append(Line(f"{INDENT}{text}{comma}", element.span.start))
    lines.append(Line(")", table.span.end - 1))
    return lines


def _ends_by_itself(statement: ast.Statement) -> bool:
    """Return whether a statement is written without a semicolon: those of the ENTITY/FETCH dialect."""
    return isinstance(statement, ast.CreateEntity) or (
        isinstance(statement, ast.CreateQuery) and isinstance(statement.body, ast.Fetch)
    )


def _entity(entity: ast.CreateEntity) -> list[Line]:
    lines = [Line(f"ENTITY {name_text(entity.name)} {{", entity.span.start)]
    for number, element in enumerate(entity.elements):
        comma = "," if number < len(entity.elements) - 1 else ""
        lines.append(Line(f"{INDENT}{_entity_element(element)}{comma}", element.span.start))
    lines.append(Line("}", entity.span.end - 1))
    return lines


def _entity_element(element: ast.ColumnDefinition | ast.EntityReference | ast.TableConstraint) -> str:
    match element:
        case ast.ColumnDefinition():
            null = f" {element.nullability}" if element.nullability is not None else ""
            return f"{print_type(element.type).lower()} {name_text(element.name)}{null}"
        case ast.EntityReference():
            maximum = f" MAX {element.max}" if element.max is not None else ""
            return f"FOREIGN KEY {name_text(element.name)} REF {name_text(element.table)}{maximum}"
        case ast.PrimaryKeyClause():
            return f"PRIMARY{_names(element.columns)}"
        case ast.UniqueClause() | ast.ForeignKeyClause() | ast.LimitClause() | ast.CheckClause():
            return _constraint(element)
        case _:
            assert_never(element)


def _fetch(fetch: ast.Fetch) -> list[Line]:
    lines = []
    for number, step in enumerate(fetch.steps):
        alias = f" {name_text(step.alias)}" if step.alias is not None else ""
        by = f" BY {name_text(step.by)}" if step.by is not None else ""
        word = "FETCH" if number == 0 else f"{INDENT}OF"
        lines.append(Line(f"{word} {name_text(step.entity)}{alias}{by}", step.span.start))
    if fetch.where is not None:
        lines.extend(condition_lines("WHERE", fetch.where))
    if fetch.order is not None:
        lines.extend(clause_lines("ORDER BY", fetch.order.span.start, order_items(fetch.order), ","))
    if fetch.stop is not None:
        lines.append(stop_line(fetch.stop))
    if fetch.offset is not None:
        lines.append(offset_line(fetch.offset))
    return lines


def _column(column: ast.ColumnDefinition) -> str:
    parts = [print_type(column.type)]
    if column.nullability is not None:
        parts.append(column.nullability)
    if column.default is not None:
        parts.append(f"DEFAULT {print_expression(column.default, COMPARISON)}")
    parts.extend(_constraint(constraint, is_inline=True) for constraint in column.constraints)
    return " ".join(parts)


def _names(names: tuple[ast.Name, ...]) -> str:
    return f"({', '.join(map(name_text, names))})"


def _constraint(clause: ast.TableConstraint, is_inline: bool = False) -> str:
    """Return a constraint; `is_inline` if it stands beside its column, which it then does not name."""
    name = f"CONSTRAINT {name_text(clause.name)} " if clause.name is not None else ""
    if isinstance(clause, ast.CheckClause):
        return f"{name}CHECK ({print_expression(clause.test)})"
    columns = "" if is_inline else f" {_names(clause.columns)}"
    match clause:
        case ast.PrimaryKeyClause():
            return f"{name}PRIMARY KEY{columns}"
        case ast.UniqueClause():
            return f"{name}UNIQUE{columns}"
        case ast.LimitClause():
            counted = f"(TOKEN{_names(clause.columns)})" if clause.is_token else _names(clause.columns)
            return f"{name}CARDINALITY LIMIT {clause.limit}{f' {counted}' if clause.columns else ''}"
        case ast.ForeignKeyClause():
            referenced = f" {_names(clause.referenced)}" if clause.referenced else ""
            maximum = f" MAX {clause.max}" if clause.max is not None else ""
            start = "" if is_inline else f"FOREIGN KEY{columns} "
            return f"{name}{start}REFERENCES {name_text(clause.table)}{referenced}{maximum}"
        case _:
            assert_never(clause)


def _clauses_of_view(view: ast.CreateView) -> Iterator[Line]:
    """Yield what stands behind the query of a view, each clause on a line."""
    if view.window is not None:
        step = f" BY {_duration(view.window.step)}" if view.window.step is not None else ""
        yield Line(f"WINDOW {_duration(view.window.length)}{step}", view.window.span.start)
    if view.stripes is not None and view.stripes_span is not None:
        yield Line(f"STRIPES {view.stripes}", view.stripes_span.start)


def _duration(duration: ast.Duration) -> str:
    return f"{duration.count} {duration.unit}{'S' if duration.count > 1 else ''}"


def _index(index: ast.CreateIndex) -> str:
    parts = []
    for part in index.parts:
        text = f"TOKEN{_names(part.columns)}" if part.is_token else name_text(part.columns[0])
        parts.append(text if part.is_ascending else f"{text} DESC")
    covering = f" COVERING {_names(index.covering)}" if index.covering else ""
    buckets = f" BUCKETS {index.buckets}" if index.buckets is not None else ""
    return f"CREATE INDEX {name_text(index.name)} ON {name_text(index.table)} ({', '.join(parts)}){covering}{buckets}"


# Writes


def _insert(insert: ast.Insert) -> list[Line]:
    columns = f" {_names(insert.columns)}" if insert.columns else ""
    rows = [insert.values, *(row.items for row in insert.more)]
    starts = [insert.values_span.start, *(row.span.start for row in insert.more)]
    lines = [Line(f"INSERT INTO {name_text(insert.table)}{columns}", insert.span.start)]
    if insert.rows is not None:
        lines.append(Line(f"VALUES {print_expression(insert.rows)}", insert.values_span.start))
        rows, starts = [], []
    for number, (row, start) in enumerate(zip(rows, starts, strict=True)):
        before, after = "VALUES " if number == 0 else INDENT, "," if number + 1 < len(rows) else ""
        lines.append(Line(f"{before}({', '.join(map(print_expression, row))}){after}", start))
    if insert.condition is not None:
        lines.append(Line("IF NOT EXISTS", insert.condition.start))
    if insert.conflict is not None:
        lines += _on_conflict(insert.conflict)
    return lines + _returning(insert.returning)


def _returning(items: tuple[ast.SelectItem | ast.Star, ...]) -> list[Line]:
    return [Line(f"RETURNING {', '.join(map(print_select_item, items))}", items[0].span.start)] if items else []


def _on_conflict(conflict: ast.OnConflict) -> list[Line]:
    target = f" {_names(conflict.target)}" if conflict.target else ""
    if not conflict.changes:
        return [Line(f"ON CONFLICT{target} DO NOTHING", conflict.span.start)]
    changes = Line(f"SET {_set_items(conflict.changes)}", conflict.changes[0].span.start)
    return [Line(f"ON CONFLICT{target} DO UPDATE", conflict.span.start), changes]


def _set_items(items: tuple[ast.SetItem, ...]) -> str:
    return ", ".join(f"{_set_column(item)} = {print_expression(item.value)}" for item in items)


def _set_column(item: ast.SetItem) -> str:
    column = name_text(item.column)
    return column if item.table is None else f"{name_text(item.table)}.{column}"


def _update(update: ast.Update) -> list[Line]:
    lines = [
        Line(f"UPDATE {print_table(update.source)}", update.span.start),
        Line(f"SET {_set_items(update.changes)}", update.changes[0].span.start),
    ]
    return [*lines, *_tests(update)]


def _tests(write: ast.Update | ast.Delete) -> list[Line]:
    """Return the lines of WHERE, ORDER BY, LIMIT, IF and RETURNING."""
    lines = condition_lines("WHERE", write.where) if write.where is not None else []
    if write.order is not None:
        lines += clause_lines("ORDER BY", write.order.span.start, order_items(write.order), ",")
    if write.stop is not None:
        lines.append(stop_line(write.stop))
    lines += condition_lines("IF", write.condition) if write.condition is not None else []
    return lines + _returning(write.returning)
