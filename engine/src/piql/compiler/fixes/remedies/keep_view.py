"""Remedy: a view that holds what the query counts and sums, which each write to the table then keeps up to date.

SELECT COUNT(*) AS n FROM likes WHERE post = [post]
→ CREATE VIEW likes_by_post AS SELECT post, COUNT(*) AS row_count FROM likes GROUP BY post;
  SELECT COALESCE(SUM(row_count), 0) AS n FROM likes_by_post WHERE post = [post]

With GROUP BY each row of the view is a group of the query, so that GROUP BY goes and LIMIT counts rows of the view.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import COMMENT, occurrence_of, tests_of, where_of
from piql.compiler.physical.planner.unbounded import Gap
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import written
from piql.schema.catalog import Table
from piql.text.diagnostics.diagnostic import Edit

_ROWS = "row_count"


def keep_view(query: RefusedQuery) -> list[Remedy]:
    """Return the view for a SELECT of one table that only counts and sums; none for any other query."""
    if len(query.gaps) != 1 or query.is_write or not isinstance(query.body, ast.Select):
        return []
    (gap,) = query.gaps
    occurrence = occurrence_of(query.body, gap.relation)
    if occurrence is None or occurrence.select is not query.body or not isinstance(occurrence.source, ast.TableName):
        return []
    rewriting = _Rewriting(query.body, occurrence.source, gap, query.files)
    edits = rewriting.edits()
    if edits is None:
        return []
    table = gap.table.name
    title = f"Keep the view {rewriting.view} of {table}"
    consequence = f"writes to {table} keep it up to date, each more dearly than now; the answer stays the same"
    return [Remedy(title, consequence, Change.DEARER_WRITES, edits=edits, excludes="view")]


class _Rewriting:
    """One SELECT of one table, written as a read of a view."""

    def __init__(self, select: ast.Select, source: ast.TableName, gap: Gap, files: Sequence[ast.ParsedFile]) -> None:
        self.select = select
        self.source = source
        self.table: Table = gap.table
        self.files = files
        self.grouped = _columns(select.group.keys, self.table) if select.group is not None else ()
        equal = (_equal_column(test, self.table) for test in tests_of(select))
        self.fixed = tuple(dict.fromkeys(name for name in equal if name is not None))
        self.keys = tuple(dict.fromkeys((*self.fixed, *(self.grouped or ()))))
        self.view = self._free_name()
        self.kept: dict[str, str] = {}  # what the view counts and sums → its column

    def edits(self) -> tuple[Edit, ...] | None:
        """Return the edits of the query, and the one that adds the view behind its table; None for another query."""
        select = self.select
        clauses = (select.having, select.offset, select.with_clause, select.distinct)
        if any(clause is not None for clause in clauses) or select.is_distinct or not self.keys or self.grouped is None:
            return None
        assert select.from_clause is not None
        if select.from_clause.joins or any(inner is not select for inner in select.find(ast.Select)):
            return None
        edits: list[Edit] = []
        for call in _aggregates(select):
            column = self._kept_column(call)
            if column is None:
                return None
            text = written(column)
            if select.group is None:  # of one group, or none
                function = call.name.text.upper()
                text = f"COALESCE(SUM({text}), 0)" if function == "COUNT" else f"{function}({text})"
            edits.append(Edit(call.span.file, call.span.start, call.span.end, text + self._name_of(call)))
        if not self._reads_only_keys() or not self.kept:
            return None
        span = self.source.span
        is_qualified = any(name.qualifier is not None for name in select.find(ast.ColumnName))
        called = self.source.alias or (self.source.table if is_qualified else None)
        alias = f" {called.span.text}" if called is not None else ""
        edits.append(Edit(span.file, span.start, span.end, f"{written(self.view)}{alias}"))
        if select.group is not None:
            end_of_rows = where_of(select) or (0, select.from_clause.span.end)
            edits.append(Edit(span.file, end_of_rows[1], select.group.span.end, ""))
        if any(COMMENT.search(span.source.text[edit.start : edit.end]) for edit in edits):
            return None
        added = self._added_view()
        return (added, *edits) if added is not None else None

    def _kept_column(self, call: ast.Call) -> str | None:
        """Return the column of the view for a call; None for one that no view keeps."""
        function = call.name.text.upper()
        if function not in ("COUNT", "SUM", "AVG") or call.is_distinct or call.filter or call.order or call.over:
            return None
        if call.is_star:
            return self.kept.setdefault("COUNT(*)", _ROWS)
        names = _columns(call.arguments, self.table)
        column = self.table.column(names[0]) if names is not None and len(names) == 1 else None
        if column is None:
            return None
        name = written(column.name)
        if function != "COUNT" and column.nullable:
            self.kept.setdefault(f"COUNT({name})", f"{column.name}_count")
        if function == "AVG":
            self.kept.setdefault(f"SUM({name})", f"{column.name}_sum")
        return self.kept.setdefault(f"{function}({name})", f"{column.name}_{function.lower()}")

    def _name_of(self, call: ast.Call) -> str:
        """Return the name that a column of the result has without an alias, as an alias."""
        items = (item for item in self.select.items if isinstance(item, ast.SelectItem))
        is_unnamed = any(item.expression is call and item.alias is None for item in items)
        return f" AS {call.name.text.lower()}" if is_unnamed else ""

    def _reads_only_keys(self) -> bool:
        """Return whether all columns outside of aggregates are keys of the view."""
        inside = {id(name) for call in _aggregates(self.select) for name in call.find(ast.ColumnName)}
        aliases = {
            item.alias.text.lower()
            for item in self.select.items
            if isinstance(item, ast.SelectItem) and item.alias is not None
        }
        if any(isinstance(item, ast.Star) for item in self.select.items):
            return False
        known = {name.lower() for name in self.keys} | aliases
        names = (name for name in self.select.find(ast.ColumnName) if id(name) not in inside)
        return all(name.name.text.lower() in known for name in names)

    def _added_view(self) -> Edit | None:
        """Return the edit that adds the view behind the statement of its table."""
        keys = [self.table.column(name) for name in self.keys]
        nullable = [key.name for key in keys if key is not None and key.nullable]
        if not set(nullable) <= set(self.fixed):
            return None  # the view would leave out a group that the query shows
        where = " AND ".join(f"{written(name)} IS NOT NULL" for name in nullable)
        names = ", ".join(map(written, self.keys))
        kept = {"COUNT(*)": _ROWS, **self.kept}
        counted = ", ".join(f"{call} AS {written(column)}" for call, column in kept.items())
        text = (
            f"\n\nCREATE VIEW {written(self.view)} AS\nSELECT {names}, {counted}\nFROM {written(self.table.name)}\n"
            f"{f'WHERE {where}{chr(10)}' if where else ''}GROUP BY {names};"
        )
        for file in self.files:
            for statement in file.statements:
                if not isinstance(statement, ast.CreateTable | ast.CreateEntity):
                    continue
                behind = file.source.text[statement.span.end :]
                at = statement.span.end + len(behind) - len(behind.lstrip())
                if statement.name.text == self.table.name and file.source.text[at : at + 1] == ";":
                    return Edit(file.source.name, at + 1, at + 1, text)
        return None

    def _free_name(self) -> str:
        """Return a name for the view that no table of the files has."""
        taken = {
            statement.name.text.lower()
            for file in self.files
            for statement in file.statements
            if isinstance(statement, ast.CreateTable | ast.CreateEntity | ast.CreateView)
        }
        name = "_".join((self.table.name, "by", *self.keys))
        number = 1
        while (name if number == 1 else f"{name}_{number}").lower() in taken:
            number += 1
        return name if number == 1 else f"{name}_{number}"


def _aggregates(select: ast.Select) -> Iterator[ast.Call]:
    """Yield the calls that a view might hold, or that are aggregates which none holds."""
    names = ("COUNT", "SUM", "AVG", "MIN", "MAX", "ARRAY_AGG", "STRING_AGG")
    return (call for call in select.find(ast.Call) if call.name.text.upper() in names)


def _equal_column(test: ast.Expression, table: Table) -> str | None:
    """Return the column that a test fixes to a parameter or a literal; None for any other test."""
    match test:
        case ast.Binary(operator="=", left=ast.ColumnName() as column, right=ast.ParameterUse() | ast.LiteralValue()):
            names = _columns((column,), table)
        case ast.Binary(operator="=", left=ast.ParameterUse() | ast.LiteralValue(), right=ast.ColumnName() as column):
            names = _columns((column,), table)
        case _:
            return None
    return names[0] if names else None


def _columns(expressions: Sequence[ast.Expression], table: Table) -> tuple[str, ...] | None:
    """Return the columns of a table that expressions name; None if one is something else."""
    by_fold = {column.name.lower(): column.name for column in table.columns}
    names = [
        by_fold.get(expression.name.text.lower()) if isinstance(expression, ast.ColumnName) else None
        for expression in expressions
    ]
    return tuple(name for name in names if name is not None) if None not in names else None
