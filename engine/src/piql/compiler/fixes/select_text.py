"""Where a refused query may be edited: the SELECT or FETCH that reads a relation, and the places of its clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from piql.compiler.logical.operators import Relation
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import name_text, written
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Span

COMMENT = re.compile(r"--[^\n]*|//[^\n]*|/\*.*?\*/", re.DOTALL)


Read: TypeAlias = ast.Select | ast.Fetch  # what reads relations


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A relation in the text: the SELECT or FETCH that reads it, and its node there.

    `is_optional` if a LEFT JOIN joins it: a test on it would drop rows without a match.
    """

    select: Read
    source: ast.TableName | ast.FetchStep
    is_optional: bool

    @property
    def called(self) -> ast.Name:
        """The alias as it is written, or the name of the table where it has none."""
        table = self.source.table if isinstance(self.source, ast.TableName) else self.source.entity
        return self.source.alias or table

    @property
    def name(self) -> str:
        """What stands before the dot in the names of its columns."""
        return name_text(self.called)

    def column(self, name: str) -> str:
        """Return a column as it is written here, after its relation where several are read."""
        if isinstance(self.select, ast.Fetch):
            is_alone = len(self.select.steps) == 1
        else:
            is_alone = self.select.from_clause is None or not self.select.from_clause.joins
        return written(name) if is_alone else f"{self.name}.{written(name)}"


def occurrence_of(body: ast.AstNode | None, relation: Relation) -> Occurrence | None:
    """Return the place of a relation in the text of a query; None where it is not to be found there exactly once."""
    if body is None or relation.span is None:
        return None
    if isinstance(body, ast.Fetch):
        step = next((step for step in body.steps if step.span == relation.span), None)
        occurrence = Occurrence(body, step, is_optional=False) if step is not None else None
        same = [
            step
            for step in body.steps
            if occurrence is not None and Occurrence(body, step, False).name == occurrence.name
        ]
        return occurrence if len(same) == 1 else None
    occurrences = (occurrence for select in body.find(ast.Select) for occurrence in occurrences_in(select))
    return next((occurrence for occurrence in occurrences if occurrence.source.span == relation.span), None)


def occurrences_in(select: ast.Select) -> Iterator[Occurrence]:
    """Yield the tables that a SELECT names in FROM, in the order of the text; not its derived tables."""
    if select.from_clause is None:
        return
    joined = ((join.table, join.kind == "left") for join in select.from_clause.joins)
    for source, is_optional in ((select.from_clause.first, False), *joined):
        if isinstance(source, ast.TableName):
            yield Occurrence(select, source, is_optional)


def main_selects(body: ast.AstNode | None) -> Iterator[ast.Select]:
    """Yield the SELECTs that give the query its rows: of a UNION and of derived tables, not of other subqueries."""
    match body:
        case ast.UnionQuery():
            for branch in body.inputs:
                yield from main_selects(branch)
        case ast.Select():
            yield body
            if body.from_clause is not None:
                for source in (body.from_clause.first, *(join.table for join in body.from_clause.joins)):
                    if isinstance(source, ast.DerivedTable):
                        yield from main_selects(source.query)
        case _:
            pass


def tables_of(select: Read) -> Span:
    """Return the span of FROM, or of the steps of a FETCH."""
    if isinstance(select, ast.Fetch):
        return select.steps[0].span.to(select.steps[-1].span)
    assert select.from_clause is not None
    return select.from_clause.span


def where_of(select: Read) -> tuple[int, int] | None:
    """Return the start and end of the condition after WHERE, with the parentheses around it; None without WHERE."""
    if select.where is None:
        return None
    text, behind = select.span.source.text, tables_of(select).end
    start, end = select.where.span.start, select.where.span.end
    before = without_comments(text[behind:start])
    for parenthesis in reversed(list(re.finditer(r"\(", before))):
        start = behind + parenthesis.start()
        end = text.index(")", end + _offset_of(text[end:], ")")) + 1
    return start, end


def tests_of(select: Read) -> tuple[ast.Expression, ...]:
    """Return what WHERE joins by AND; nothing without WHERE."""
    if isinstance(select.where, ast.Junction) and select.where.operator == "AND":
        return select.where.operands
    return () if select.where is None else (select.where,)


def joined_by_and(tests: Sequence[ast.Expression]) -> str:
    """Return the text of tests that must all hold."""
    return " AND ".join(f"({test.span.text})" if isinstance(test, ast.Junction) else test.span.text for test in tests)


def tests_added(select: Read, tests: Sequence[str]) -> list[Edit]:
    """Return the edits that add tests to the WHERE of a SELECT or FETCH, or that give it one."""
    file, text = select.span.file, select.span.source.text
    joined = " AND ".join(dict.fromkeys(tests))
    condition = where_of(select)
    if condition is None:
        end = tables_of(select).end
        return [Edit(file, end, end, f"{line_break(text, select)}WHERE {joined}")]
    start, end = condition
    is_or = isinstance(select.where, ast.Junction) and select.where.operator == "OR"
    if is_or and start == select.where.span.start:  # type: ignore[union-attr]
        return [Edit(file, start, start, "("), Edit(file, end, end, f") AND {joined}")]
    return [Edit(file, end, end, f" AND {joined}")]


def line_break(text: str, select: Read) -> str:
    """Return the white space between two clauses: a new line where FROM or FETCH begins one, else a space."""
    at = tables_of(select).start
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return f"\n{line}" if not line.strip() and "\n" in text[:at] else " "


def without_comments(text: str) -> str:
    """Return a text with spaces for its comments: offsets stay the same."""
    return COMMENT.sub(lambda comment: " " * len(comment.group()), text)


def _offset_of(text: str, mark: str) -> int:
    """Return the offset of the first `mark` outside comments."""
    return without_comments(text).index(mark)
