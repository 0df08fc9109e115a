"""What an editor shows of a file at a glance: its symbols, and what can be folded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse_once
from piql.text.source import Source, Span

OutlineKind = Literal["table", "column", "index", "query"]


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """A statement, or a column of a table."""

    name: str
    kind: OutlineKind
    detail: str
    span: Span
    name_span: Span
    children: tuple[OutlineItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that can be folded into the first of them; 1-based, both included."""

    start_line: int
    end_line: int
    kind: Literal["region", "comment"] = "region"


def outline(text: str, file: str = "") -> tuple[OutlineItem, ...]:
    """Return the tables, indexes and queries of a file."""
    items: list[OutlineItem] = []
    for statement in parse_once(Source(text, file)).statements:
        match statement:
            case ast.CreateTable() | ast.CreateEntity():
                columns = [_column(element) for element in statement.elements]
                children = tuple(column for column in columns if column is not None)
                word = "table" if isinstance(statement, ast.CreateTable) else "entity"
                items.append(
                    OutlineItem(statement.name.text, "table", word, statement.span, statement.name.span, children)
                )
            case ast.CreateIndex():
                items.append(
                    OutlineItem(
                        statement.name.text,
                        "index",
                        f"on {statement.table.text}",
                        statement.span,
                        statement.name.span,
                    )
                )
            case ast.CreateView():
                items.append(OutlineItem(statement.name.text, "table", "view", statement.span, statement.name.span))
            case ast.CreateQuery():
                items.append(
                    OutlineItem(statement.name.text, "query", statement.kind, statement.span, statement.name.span)
                )
            case ast.CreateUnit():
                items.append(OutlineItem(statement.name.text, "query", "unit", statement.span, statement.name.span))
    return tuple(items)


def _column(element: ast.ColumnDefinition | ast.EntityReference | ast.TableConstraint) -> OutlineItem | None:
    if isinstance(element, ast.ColumnDefinition):
        return OutlineItem(element.name.text, "column", element.type.span.text, element.span, element.name.span)
    if isinstance(element, ast.EntityReference):
        detail = f"key of {element.table.text}"
        return OutlineItem(element.name.text, "column", detail, element.span, element.name.span)
    return None


def folds(text: str, file: str = "") -> tuple[Fold, ...]:
    """Return what can be folded: statements, and comments of several lines."""
    source = Source(text, file)
    parsed = parse_once(source)
    folds: list[Fold] = []
    for statement in parsed.statements:
        _add(folds, statement.span.line, statement.span.end_line, "region")
    start = end = 0
    for comment in parsed.comments:
        first, last = source.position(comment.start)[0], source.position(comment.end)[0]
        line_start = text.rfind("\n", 0, comment.start) + 1
        if text[line_start : comment.start].strip():
            continue
        if end and first == end + 1:
            end = last
            continue
        _add(folds, start, end, "comment")
        start, end = first, last
    _add(folds, start, end, "comment")
    return tuple(sorted(folds, key=lambda fold: fold.start_line))


def _add(folds: list[Fold], start: int, end: int, kind: Literal["region", "comment"]) -> None:
    if end > start:
        folds.append(Fold(start, end, kind))
