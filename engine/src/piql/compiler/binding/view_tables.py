"""FROM of a view → the tables that it is made of, and what their columns are called in it.

    FROM order_line l JOIN item i ON i.i_id = l.ol_i_id
    →  order_line, JoinedTable("item", ((0, "ol_i_id", "i_id"),))

A view of one table names its columns as that does. One of several has them all in one row, each under the number of its
table: `l.ol_qty` is `0.ol_qty`. Raises ViewRefused for what a view may not be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from piql.compiler.binding.scope import Scope, ScopeRelation, TableNames, lookup
from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.syntax import ast
from piql.schema.catalog import Column, JoinedTable, Kind, Table, View, column_of
from piql.schema.types import TEXTS
from piql.schema.view_joins import MissingLimit, Start, missing_limits, starts_of
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Span

SUGGESTED = 100
"""The limit that a fix adds, to be set to what the data need."""
_IN_WHERE = "a test in WHERE leaves out the rows that LEFT JOIN keeps"


class ViewRefused(Exception):
    """Carries the diagnostic of a view that is refused."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostics = (diagnostic,)


def refused(message: str, span: Span, way_out: str, fixes: tuple[Fix, ...] = ()) -> ViewRefused:
    """Return the refusal of a view, or of a part of it."""
    return ViewRefused(report("view-form", message, span, help=way_out, fixes=fixes))


class ViewTables:
    """The tables of one view: `rows` has the columns of a row that the view is made from, `joins` the further tables.

    `scope` finds a column by its name in the text; `is_broken` tells that a table of it was reported already.
    """

    def __init__(self, select: ast.Select, tables: TableNames, views: Collection[str]) -> None:
        clause = select.from_clause
        if clause is None:
            raise refused("a view is made of tables", select.span, "name a table after FROM")
        self._names = tables
        self._views = views
        self._clause = clause
        self._nodes = [self._table_name(source) for source in (clause.first, *(join.table for join in clause.joins))]
        self.tables = [self._table(node) for node in self._nodes]
        self.is_broken = any(table.name in tables.broken for table in self.tables)
        self._shown = [node.alias or node.table for node in self._nodes]
        is_one = len(self.tables) == 1
        self.scope = Scope(
            [
                ScopeRelation(
                    shown.text,
                    table.name if is_one else str(number),
                    tables.columns_in_scope(table),
                    shown.span,
                    table,
                    is_optional=number > 0 and clause.joins[number - 1].kind == "left",
                )
                for number, (shown, table) in enumerate(zip(self._shown, self.tables, strict=True))
            ],
            written=self._shown[0].text if is_one else None,
        )
        self.joins: tuple[JoinedTable, ...] = ()
        if not self.is_broken:
            self._check_names()
            self.joins = tuple(self._join(number, join) for number, join in enumerate(clause.joins, 1))
        self.rows = self.tables[0] if is_one else self._wide()

    def column(self, name: ast.ColumnName) -> Column:
        """Return the column of a row that a name means."""
        reference = self.scope.resolve(name)
        if isinstance(reference, Diagnostic):
            raise ViewRefused(reference)
        assert reference is not None
        column = self.rows.column(self.called(reference).name)
        assert column is not None
        return column

    def called(self, reference: ColumnRef) -> ColumnRef:
        """Return a reference to a column of one of the tables as one to the column of a row."""
        if len(self.tables) == 1:
            return reference
        return replace(reference, relation=self.rows.name, name=column_of(int(reference.relation), reference.name))

    def called_of(self, number: int, column: str) -> str:
        """Return what a row calls the column of a table, which has this number."""
        return column if len(self.tables) == 1 else column_of(number, column)

    def plain(self, column: str) -> str:
        """Return the name of a column without its table."""
        return column if len(self.tables) == 1 else column.partition(".")[2]

    def written(self, column: str) -> str:
        """Return a column as the text of the view names it."""
        if len(self.tables) == 1:
            return column
        number, _, name = column.partition(".")
        return f"{self._shown[int(number)].text}.{name}"

    def check_bounded(self, view: View) -> None:
        """Refuse a view of several tables if a write to one of them has no bound; the limits that lack are the fix."""
        if not view.joins:
            return
        catalog = {table.name: table for table in self.tables}
        starts = starts_of(view, catalog)
        unbounded = [start for start in starts if not start.is_bounded]
        if not unbounded and all(start.lookups is None or start.is_optional for start in starts):
            unbounded = [starts[0]]  # two tables that name each other: no walk of either would end
        if unbounded:
            missing = [limit for start in unbounded for limit in missing_limits(view, catalog, start.number)]
            raise self._unbounded(unbounded[0], missing)

    def _unbounded(self, start: Start, missing: Sequence[MissingLimit]) -> ViewRefused:
        lacking = dict.fromkeys((limit.table, ", ".join(limit.columns)) for limit in missing)
        rows = " and ".join(f"how many rows of {table} share one {columns}" for table, columns in lacking)
        texts = [(table, f"CARDINALITY LIMIT {SUGGESTED} ({columns})") for table, columns in lacking]
        named = " and ".join(f"{text} to {table}" for table, text in texts)
        edits = [edit for table, text in texts if (edit := self._edit(table, text)) is not None]
        fixes = (Fix(f"Add {named}", tuple(edits)),) if len(edits) == len(texts) else ()
        return refused(
            f"a write to {start.table} would have to change an unlimited number of groups: nothing limits {rows}",
            self._nodes[start.number].span,
            f"add {named}, with the number that your data need",
            fixes,
        )

    def _edit(self, name: str, text: str) -> Edit | None:
        """Return the edit that adds a limit to a table of this text, behind its last element."""
        span = self._names.tables[name].span
        if span is None or not span.text.rstrip(";\n ").endswith(")"):
            return None
        at = span.start + span.text.rindex(")")
        behind = span.source.text[:at].rstrip()
        return Edit(span.file, len(behind), len(behind), f",\n  {text}")

    def _table_name(self, source: ast.TableSource) -> ast.TableName:
        if not isinstance(source, ast.TableName):
            raise refused("a view is made of tables", source.span, "name a table in the place of the query")
        return source

    def _table(self, node: ast.TableName) -> Table:
        table, name = self._names.find(node.table), node.table.text
        if (table is None and name.lower() in self._views) or (table is not None and table.view is not None):
            raise refused(f"{name} is a view, and no view is made of another", node.span, "make it of the table itself")
        if table is None:
            raise ViewRefused(self._names.unknown(node.table))
        return table

    def _check_names(self) -> None:
        seen: set[str] = set()
        for shown in self._shown:
            if shown.text.lower() in seen:
                raise refused(
                    f"two tables of the view are called {shown.text}", shown.span, "give one of them an alias"
                )
            seen.add(shown.text.lower())

    def _join(self, number: int, join: ast.JoinClause) -> JoinedTable:
        """Return a further table with the pairs of columns by which it is joined."""
        node = self._nodes[number]
        if join.is_natural:
            raise refused("a view has no NATURAL JOIN", node.span, "write JOIN … ON with the columns that are equal")
        pairs: list[tuple[int, str, str]] = []
        for name in join.using:
            having = (at for at in range(number) if lookup(name, self._names.column_names(self.tables[at])))
            numbers = next(having, 0), number
            left, right = (ast.ColumnName(qualifier=self._shown[at], name=name, span=name.span) for at in numbers)
            pairs.append(self._pair(number, left, right, name.span))
        for test in _conjuncts(join.condition):
            match test:
                case ast.Binary(operator="=", left=ast.ColumnName() as left, right=ast.ColumnName() as right):
                    pairs.append(self._pair(number, left, right, test.span))
                case _:
                    way_out = "and other tests in WHERE" if join.kind != "left" else f"and nothing else: {_IN_WHERE}"
                    raise refused(
                        "tables of a view are joined where columns are equal",
                        test.span,
                        f"write ON a.x = b.y, {way_out}",
                    )
        if not pairs:
            raise refused(
                f"nothing joins {self.tables[number].name} to the tables before it",
                node.span,
                "write JOIN … ON with the columns that are equal",
            )
        joined = JoinedTable(self.tables[number].name, tuple(pairs), join.kind == "left")
        self._check_left(number, joined)
        return joined

    def _check_left(self, number: int, joined: JoinedTable) -> None:
        """Refuse a LEFT JOIN that may find several rows, and a JOIN that would leave out the rows without one."""
        table, node = self.tables[number], self._nodes[number]
        befores = {before for before, _, _ in joined.pairs}
        if not joined.is_left:
            optional = next((before for before in sorted(befores) if before and self._clause_is_left(before)), None)
            if optional is not None:
                shown = self._shown[optional].text
                raise refused(
                    f"this JOIN leaves out the rows without {shown}, which LEFT JOIN keeps",
                    node.span,
                    f"write LEFT JOIN here, or JOIN before {shown}",
                )
            return
        if len(befores) > 1 or sorted(ours for _, _, ours in joined.pairs) != sorted(table.primary_key):
            key = ", ".join(table.primary_key)
            raise refused(
                f"a LEFT JOIN of a view finds at most one row of {table.name}, by its whole primary key",
                node.span,
                f"compare {key} with columns of one table before it, and nothing else: {_IN_WHERE}",
            )

    def _clause_is_left(self, number: int) -> bool:
        return self._clause.joins[number - 1].kind == "left"

    def _pair(self, number: int, left: ast.ColumnName, right: ast.ColumnName, span: Span) -> tuple[int, str, str]:
        """Return a column of a table before, by the number of that, and the equal column of this table."""
        sides: list[tuple[int, Column, ast.ColumnName]] = []
        for side in (left, right):
            reference = self.scope.resolve(side)
            if not isinstance(reference, ColumnRef):
                assert reference is not None
                raise ViewRefused(reference)
            column = self.tables[int(reference.relation)].column(reference.name)
            assert column is not None
            sides.append((int(reference.relation), column, side))
        sides.sort(key=lambda side: side[0])
        (before, theirs, before_name), (ours_number, ours, name) = sides
        if ours_number != number or before == number:
            raise refused(
                f"this compares nothing of {self.tables[number].name} with a table before it",
                span,
                "write ON a.x = b.y with a column of each",
            )
        if theirs.type.kind is Kind.DOUBLE or _form(theirs) is not _form(ours):
            raise refused(
                f"{before_name.span.text} is {theirs.type.with_article} and {name.span.text} {ours.type.with_article}",
                span,
                "join by columns of one type that is exact",
            )
        return before, theirs.name, ours.name

    def _wide(self) -> Table:
        """Return the table of the rows: the columns of all tables; those that JOIN compares are never NULL.

        Those of a table behind LEFT JOIN may all be.
        """
        inner = [(number, join) for number, join in enumerate(self.joins, 1) if not join.is_left]
        joined = {(number, ours) for number, join in inner for _, _, ours in join.pairs}
        joined |= {(before, theirs) for _, join in inner for before, theirs, _ in join.pairs}
        columns = tuple(
            replace(
                column,
                name=column_of(number, column.name),
                nullable=(number > 0 and self.joins[number - 1].is_left)
                or (column.nullable and (number, column.name) not in joined),
            )
            for number, table in enumerate(self.tables)
            for column in table.columns
        )
        return Table(self.tables[0].name, columns, ())


def _form(column: Column) -> Kind:
    return Kind.TEXT if column.type.kind in TEXTS else column.type.kind


def _conjuncts(test: ast.Expression | None) -> Iterator[ast.Expression]:
    match test:
        case None:
            return
        case ast.Junction(operator="AND"):
            for operand in test.operands:
                yield from _conjuncts(operand)
        case _:
            yield test
