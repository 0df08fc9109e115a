"""Remedy: a view that holds what the query counts and sums, which each write to the table then keeps up to date.

SELECT COUNT(*) AS n FROM likes WHERE post = [post]
→ CREATE VIEW likes_by_post AS SELECT post, COUNT(*) AS row_count FROM likes GROUP BY post;
  SELECT COALESCE(SUM(row_count), 0) AS n FROM likes_by_post WHERE post = [post]

With GROUP BY each row of the view is a group of the query, so that GROUP BY goes and LIMIT counts rows of the view.
A key may be COALESCE(team, 'nobody'): the view is grouped by it, and the query names the view's column instead.
Where a view is declared that holds all this, the query reads that one.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import COMMENT, occurrence_of, tests_of, where_of
from piql.compiler.fixes.view_keys import (
    DeclaredView,
    ViewKey,
    aggregates_of,
    behind_statement,
    call_text,
    column_named,
    declared_view,
    free_name,
    key_of,
    meant_by,
    names_of_tables,
)
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
    if rewriting.declared is not None:
        title = f"Read the view {rewriting.view} of {table}"
        return [Remedy(title, "the answer stays the same", Change.NOTHING, edits=edits, excludes="view")]
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
        grouping = select.group.keys if select.group is not None else ()
        grouped = [key_of(meant_by(expression, select, self.table), self.table) for expression in grouping]
        equal = [_equal_key(test, self.table) for test in tests_of(select)]
        self.fixed = tuple(dict.fromkeys(key for key in equal if key is not None))
        self.keys = tuple(dict.fromkeys((*self.fixed, *(key for key in grouped if key is not None))))
        self.is_grouped_otherwise = None in grouped or len({key.column.name for key in self.keys}) < len(self.keys)
        self.kept: dict[str, str] = {}  # what the view counts and sums → its column
        self.declared = self._declared()
        self.view = self.declared.name if self.declared is not None else self._free_name()

    def edits(self) -> tuple[Edit, ...] | None:
        """Return the edits of the query, and the one that adds the view behind its table; None for another query."""
        select = self.select
        clauses = (select.having, select.offset, select.with_clause, select.distinct)
        if any(clause is not None for clause in clauses) or select.is_distinct:
            return None
        if not self.keys or self.is_grouped_otherwise:
            return None
        assert select.from_clause is not None
        if select.from_clause.joins or any(inner is not select for inner in select.find(ast.Select)):
            return None
        counted = self._edits_of_aggregates()
        if counted is None or not self._reads_only_keys() or not self.kept:
            return None
        edits = [*counted, *(self._renamed(call) for call in self._named_keys())]
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
        if self.declared is not None:
            return tuple(edits)
        added = self._added_view()
        return (added, *edits) if added is not None else None

    def _declared(self) -> DeclaredView | None:
        """Return a view that is declared, has these keys, and holds all that the query counts and sums."""
        calls = {call_text(call, self.table) for call in aggregates_of(self.select)}
        nullable = {key.column.name for key in self.keys if key.column.nullable and not key.stand_in}
        for statement in (statement for file in self.files for statement in file.statements):
            view = declared_view(statement, self.table) if isinstance(statement, ast.CreateView) else None
            if view is None or view.keys != frozenset(self.keys) or view.never_null != nullable:
                continue
            if view.is_striped and self.select.group is not None:
                continue  # its rows are parts of groups
            if calls <= view.columns.keys():
                self.kept = dict(view.columns)
                return view
        return None

    def _edits_of_aggregates(self) -> list[Edit] | None:
        """Return the edits that read each aggregate from the view; None where one is not to be kept."""
        edits: list[Edit] = []
        for call in aggregates_of(self.select):
            column = self._kept_column(call)
            if column is None:
                return None
            text = written(column)
            if self.select.group is None:  # of one group, or none
                function = call.name.text.upper()
                text = f"COALESCE(SUM({text}), 0)" if function == "COUNT" else f"{function}({text})"
            edits.append(Edit(call.span.file, call.span.start, call.span.end, text + self._name_of(call)))
        return edits

    def _kept_column(self, call: ast.Call) -> str | None:
        """Return the column of the view for a call; None for one that no view keeps."""
        function = call.name.text.upper()
        if function not in ("COUNT", "SUM", "AVG") or call.is_distinct or call.filter or call.order or call.over:
            return None
        if call.is_star:
            return self._keep("COUNT(*)", _ROWS)
        column = column_named(call.arguments[0], self.table) if len(call.arguments) == 1 else None
        if column is None:
            return None
        name = written(column.name)
        if function != "COUNT" and column.nullable:
            self._keep(f"COUNT({name})", f"{column.name}_count")
        if function == "AVG":
            self._keep(f"SUM({name})", f"{column.name}_sum")
        return self._keep(f"{function}({name})", f"{column.name}_{function.lower()}")

    def _keep(self, call: str, wanted: str) -> str:
        """Return the column of the view that holds a call: of this name, or of one like it that is free."""
        if call not in self.kept:
            taken = [key.column.name for key in self.keys] + list(self.kept.values())
            self.kept[call] = free_name(wanted, taken)
        return self.kept[call]

    def _named_keys(self) -> list[ast.Call]:
        """Return the calls, outside of GROUP BY, that are a key of the view by the value that stands for NULL."""
        group = self.select.group
        behind = (group.span.start, group.span.end) if group is not None else (0, 0)
        return [
            call
            for call in self.select.find(ast.Call)
            if not behind[0] <= call.span.start < behind[1] and key_of(call, self.table) in self.keys
        ]

    def _renamed(self, call: ast.Call) -> Edit:
        """Return the edit that names the view's column in the place of COALESCE."""
        name = call.arguments[0].span.text + self._name_of(call)
        return Edit(call.span.file, call.span.start, call.span.end, name)

    def _name_of(self, call: ast.Call) -> str:
        """Return the name that a column of the result has without an alias, as an alias."""
        items = (item for item in self.select.items if isinstance(item, ast.SelectItem))
        is_unnamed = any(item.expression is call and item.alias is None for item in items)
        return f" AS {call.name.text.lower()}" if is_unnamed else ""

    def _reads_only_keys(self) -> bool:
        """Return whether all columns outside of aggregates and of named keys are keys of the view as they are."""
        if any(isinstance(item, ast.Star) for item in self.select.items):
            return False
        calls = (*aggregates_of(self.select), *self._named_keys())
        elsewhere = [*calls, *((self.select.group,) if self.select.group is not None else ())]
        apart = {id(name) for node in elsewhere for name in node.find(ast.ColumnName)}
        if self.select.order is not None:
            aliases = {
                item.alias.text.lower()
                for item in self.select.items
                if isinstance(item, ast.SelectItem) and item.alias is not None
            }
            ordering = (item.expression for item in self.select.order.items)
            apart |= {
                id(name)
                for name in ordering
                if isinstance(name, ast.ColumnName) and name.qualifier is None and name.name.text.lower() in aliases
            }
        known = {key.column.name.lower() for key in self.keys if not key.stand_in}
        names = (name for name in self.select.find(ast.ColumnName) if id(name) not in apart)
        return all(name.name.text.lower() in known for name in names)

    def _added_view(self) -> Edit | None:
        """Return the edit that adds the view behind the statement of its table."""
        nullable = [key for key in self.keys if key.column.nullable and not key.stand_in]
        if not set(nullable) <= set(self.fixed):
            return None  # the view would leave out a group that the query shows
        where = " AND ".join(f"{key.text} IS NOT NULL" for key in nullable)
        names = ", ".join(key.selected for key in self.keys)
        kept = {"COUNT(*)": self._keep("COUNT(*)", _ROWS), **self.kept}
        counted = ", ".join(f"{call} AS {written(column)}" for call, column in kept.items())
        text = (
            f"\n\nCREATE VIEW {written(self.view)} AS\nSELECT {names}, {counted}\nFROM {written(self.table.name)}\n"
            f"{f'WHERE {where}{chr(10)}' if where else ''}GROUP BY {', '.join(key.text for key in self.keys)};"
        )
        at = behind_statement({self.table.name}, self.files)
        return Edit(*at, text) if at is not None else None

    def _free_name(self) -> str:
        """Return a name for the view that no table of the files has."""
        by = "_".join((self.table.name, "by", *(key.column.name for key in self.keys)))
        return free_name(by, names_of_tables(self.files))


def _equal_key(test: ast.Expression, table: Table) -> ViewKey | None:
    """Return the key that a test fixes to a parameter or a literal; None for any other test."""
    match test:
        case ast.Binary(operator="=", left=key, right=ast.ParameterUse() | ast.LiteralValue()):
            return key_of(key, table)
        case ast.Binary(operator="=", left=ast.ParameterUse() | ast.LiteralValue(), right=key):
            return key_of(key, table)
        case _:
            return None
