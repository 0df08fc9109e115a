"""CREATE VIEW → a `Table` with a `View`: its columns are the keys of a group, and what is counted and summed of it.

    CREATE VIEW totals AS                            totals (customer VARCHAR(32), n BIGINT, total DECIMAL(38, 2),
    SELECT customer, COUNT(*) AS n,           →              PRIMARY KEY (customer))
           SUM(price) AS total
    FROM orders GROUP BY customer

`schema` calls it once all tables are known. What a view may be is said in docs/decisions/0045; all else is refused with
the code `view-form`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from piql.compiler.binding.defaults import bind_default
from piql.compiler.binding.row_tests import TestRefused
from piql.compiler.binding.scope import TableNames
from piql.compiler.binding.types import is_number, summed_type
from piql.compiler.binding.view_rows import ViewRows, bind_rows_of_view
from piql.compiler.binding.view_tables import ViewRefused, ViewTables, refused
from piql.compiler.binding.view_windows import FUNCTION, bind_window, window_column
from piql.compiler.syntax import ast
from piql.schema.catalog import Column, Default, ForeignKey, Kind, SqlType, StandIn, Table, View, ViewAggregate
from piql.schema.types import TEXTS
from piql.schema.view_stripes import STRIPE, ViewStripes
from piql.schema.view_windows import ViewWindow
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Span

MOST_STRIPES = 256
_COUNT = SqlType(Kind.BIGINT)
_AVERAGE = SqlType(Kind.DOUBLE)


def bind_view(
    node: ast.CreateView, tables: TableNames, views: Collection[str], diagnostics: list[Diagnostic]
) -> tuple[Table, bool]:
    """Return a view, and whether it is whole: after a report, or over a broken table, it has a name and no columns.

    `views` are the names of all views, in lower case; `tables` holds none of them.
    """
    builder = _ViewBuilder(node, tables, views)
    try:
        table = None if node.is_broken else builder.build()
    except (ViewRefused, TestRefused) as refused:
        diagnostics.extend(refused.diagnostics)
        table = None
    if table is not None:
        return table, True
    return Table(node.name.text, (), (), span=node.span, name_span=node.name.span), False


class _ViewBuilder:
    """Builds one view; each method raises ViewRefused for what a view may not be."""

    def __init__(self, node: ast.CreateView, tables: TableNames, views: Collection[str]) -> None:
        self.node = node
        self.tables = tables
        self.views = views
        self.columns: dict[str, Column] = {}  # of the view, by name
        self.keys: dict[str, str] = {}  # column of the rows → column of the view
        self.sources: dict[
            str, StandIn | ViewWindow
        ] = {}  # keys that are not the column itself, by column of the table
        self.aggregates: list[ViewAggregate] = []
        self.rows: ViewRows | None = None

    def build(self) -> Table | None:
        """Return the view; None over a broken table."""
        select = _plain_select(self.node.query)
        self.of = ViewTables(select, self.tables, self.views)
        if self.of.is_broken:
            return None
        table = self.of.rows
        self.window: ViewWindow | None = None
        if select.where is not None:
            self.rows = bind_rows_of_view(select.where, self.of, self.tables)
        grouped = self._grouped(select, table)
        for item in select.items:
            self._add_item(item, table, grouped)
        for name, span in grouped.items():
            if name not in self.keys:
                shown = span.text
                raise refused(
                    f"{shown} is grouped by and not selected",
                    span,
                    f"add {shown} to the SELECT: a group is found by it",
                )
        self._check_counts(select, table)
        view = View(
            table.name,
            tuple((self.keys[name], name) for name in grouped),
            tuple(self._whole_aggregates()),
            self.rows.condition if self.rows is not None else None,
            tuple(source for name in grouped if isinstance(source := self.sources.get(name), StandIn)),
            self.of.joins,
            self.window,
            self._stripes(),
        )
        self.of.check_bounded(view)
        return Table(
            self.node.name.text,
            tuple(self.columns.values()),
            (*(self.keys[name] for name in grouped), *((STRIPE,) if view.stripes is not None else ())),
            span=self.node.span,
            name_span=self.node.name.span,
            key_span=select.group.span if select.group is not None else None,
            view=view,
            implied_keys=self._implied_keys(),
        )

    def _stripes(self) -> ViewStripes | None:
        """Return the rows of which a group is made, and add the column that numbers them; None where it is one."""
        stripes, span = self.node.stripes, self.node.stripes_span
        if stripes is None or span is None:
            return None
        if not 2 <= stripes <= MOST_STRIPES:
            way_out = f"write a number from 2 to {MOST_STRIPES}: each read of a group makes as many requests"
            raise refused(f"{stripes:,} stripes", span, way_out)
        average = next((part for part in self.aggregates if part.function == "AVG"), None)
        if average is not None:
            column = self.columns[average.name].span or span
            way_out = "leave it out, and divide the sum of the SUMs by that of the COUNTs where the view is read"
            raise refused("averages of stripes do not add up to one of the group", column, way_out)
        self._add_column(Column(STRIPE, SqlType(Kind.INT), False, span=span))
        return ViewStripes(stripes, tuple(self.of.called_of(0, name) for name in self.of.tables[0].primary_key))

    def _implied_keys(self) -> tuple[ForeignKey, ...]:
        """Return the foreign keys of the view: those of its tables that it is grouped by, and their primary keys."""
        called = {column: name for column, name in self.keys.items() if column not in self.sources}
        implied: list[ForeignKey] = []
        for number, table in enumerate(self.of.tables):
            named = [(key.columns, key.table, key.referenced_columns) for key in table.foreign_keys]
            for columns, referenced_table, referenced in (*named, (table.primary_key, table.name, table.primary_key)):
                ours = [called.get(self.of.called_of(number, column)) for column in columns]
                names = tuple(name for name in ours if name is not None)
                if len(names) == len(columns):
                    implied.append(ForeignKey(names, referenced_table, referenced))
        return tuple(dict.fromkeys(implied))

    def _column(self, expression: ast.Expression) -> Column | None:
        """Return the column that an expression names; None if it is no name."""
        return self.of.column(expression) if isinstance(expression, ast.ColumnName) else None

    def _grouped(self, select: ast.Select, table: Table) -> dict[str, Span]:
        """Return the columns of GROUP BY, each with where it stands."""
        if select.group is None:
            raise refused(
                "a view without GROUP BY would be one row, which all writes wait for",
                select.span,
                "add GROUP BY with the columns that the result is asked for by",
            )
        grouped: dict[str, Span] = {}
        for key in select.group.keys:
            part = self._key(key)
            if part is None:
                way_out = "name a column of the table, COALESCE(column, 'value') or WINDOW_START(column)"
                raise refused("a view is grouped by columns", key.span, way_out)
            column, source = part
            if column.name in grouped and self.sources.get(column.name) != source:
                raise refused(
                    f"{self.of.written(column.name)} is grouped by in two ways", key.span, "leave one of them out"
                )
            if source is not None:
                self.sources[column.name] = source
            if not isinstance(source, StandIn) and self._may_be_null(column):
                raise self._group_of_null(select, column, key)
            if column.type.kind is Kind.DOUBLE:
                raise refused(
                    f"{self.of.written(column.name)} is a DOUBLE, which is no exact key",
                    key.span,
                    "group by a DECIMAL or a whole number",
                )
            grouped[column.name] = key.span
        if self.node.window is not None and self.window is None:
            raise self._window_of_nothing(select, self.node.window, table)
        return grouped

    def _window_of_nothing(self, select: ast.Select, clause: ast.WindowClause, table: Table) -> ViewRefused:
        """Return the refusal of windows without a time, with the fix for the one column of time, if there is one."""
        assert select.group is not None
        times = [column for column in table.columns if column.type.kind is Kind.TIMESTAMP]
        shown = self.of.written(times[0].name) if len(times) == 1 else "column"
        call, end = f"{FUNCTION}({shown})", select.group.span.end
        at = select.items_span.end
        edits = (
            Edit(clause.span.file, at, at, f", {call} AS {self._free_name('began')}"),
            Edit(clause.span.file, end, end, f", {call}"),
        )
        fixes = (Fix(f"Group by the windows of {shown}", edits),) if len(times) == 1 else ()
        way_out = f"select {call} AS began, and add {call} to GROUP BY"
        return refused("nothing says which time puts a row into a window", clause.span, way_out, fixes)

    def _key(self, expression: ast.Expression) -> tuple[Column, StandIn | ViewWindow | None] | None:
        """Return the column of a key, with what is made of it: of COALESCE and WINDOW_START; None for no key."""
        column = self._column(expression)
        if column is not None:
            return column, None
        timed = window_column(expression)
        if timed is not None:
            return self._windowed(expression, timed)
        match expression:
            case ast.Call(arguments=(ast.ColumnName() as name, ast.LiteralValue() as value)) if (
                expression.name.text.upper() == "COALESCE" and value.value is not None
            ):
                column = self._column(name)
                assert column is not None
                bound = bind_default(value, self.of.written(column.name), column.type, may_be_null=False)
                if not isinstance(bound, Default):
                    raise ViewRefused(bound)
                return column, StandIn(column.name, repr(value.value), bound.value)
        return None

    def _windowed(self, call: ast.Expression, name: ast.ColumnName) -> tuple[Column, ViewWindow]:
        """Return the column whose windows a key names; raise ViewRefused for windows of a second one."""
        column = self._column(name)
        assert column is not None
        if self.window is None:
            self.window = bind_window(self.node.window, call, column, self.of.written(column.name))
        elif self.window.column != column.name:
            raise refused("a view has windows of one column", call.span, "group by the other column as it is")
        return column, self.window

    def _may_be_null(self, column: Column) -> bool:
        """Return whether a column may be NULL in a row that the view counts."""
        return column.nullable and (self.rows is None or column.name not in self.rows.never_null)

    def _group_of_null(self, select: ast.Select, column: Column, key: ast.Expression) -> ViewRefused:
        """Return the refusal of a group without a key, with the fixes that leave its rows out, or name the group."""
        time = window_column(key)
        span = time.span if time is not None else key.span
        test = f"{span.text} IS NOT NULL"
        shown = self.of.written(column.name)
        title = f"Leave out the rows without {shown}"
        fixes: list[Fix] = []
        if select.where is not None:
            start, end = select.where.span.start, select.where.span.end
            edits = (Edit(span.file, start, start, "("), Edit(span.file, end, end, f") AND {test}"))
            fixes.append(Fix(title, edits))
        elif select.from_clause is not None:
            end = select.from_clause.span.end
            fixes.append(Fix(title, (Edit(span.file, end, end, f" WHERE {test}"),)))
        if column.type.kind in TEXTS:
            fixes.append(self._with_empty_text(select, column, span))
        named = f"select and group by COALESCE({span.text}, …) with the value that stands for NULL; or "
        return refused(
            f"{shown} may be NULL, and a row is found by its key only if no part of it is NULL",
            key.span,
            f"add WHERE {test}, which leaves such rows out; or {named if time is None else ''}declare {shown} NOT NULL",
            tuple(fixes),
        )

    def _with_empty_text(self, select: ast.Select, column: Column, span: Span) -> Fix:
        """Return the fix that counts rows with NULL as rows with an empty text."""
        named, shown = f"COALESCE({span.text}, '')", self.of.written(column.name)
        edits = [Edit(span.file, span.start, span.end, named)]
        for item in select.items:
            name = item.expression if isinstance(item, ast.SelectItem) else None
            if isinstance(name, ast.ColumnName) and self.of.column(name) == column:
                assert isinstance(item, ast.SelectItem)
                alias = "" if item.alias else f" AS {name.name.span.text}"
                at = name.span
                edits.append(Edit(at.file, at.start, at.end, f"COALESCE({at.text}, ''){alias}"))
        return Fix(f"Count the rows without {shown} as those with ''", tuple(edits))

    def _add_item(self, item: ast.SelectItem | ast.Star, table: Table, grouped: dict[str, Span]) -> None:
        """Add a column of the view."""
        if isinstance(item, ast.Star):
            raise refused("a view names its columns", item.span, "write the columns of GROUP BY, and COUNT(*) AS n")
        part = self._key(item.expression)
        if part is not None:
            column, source = part
            if column.name in grouped and self.sources.get(column.name) != source:
                group = grouped[column.name].text
                raise refused(
                    f"{item.expression.span.text} is selected, and the view is grouped by {group}",
                    item.span,
                    f"select {group}",
                )
            if column.name not in grouped:
                shown = self.of.written(column.name)
                raise refused(f"{shown} is not grouped by", item.span, f"add {shown} to GROUP BY, or COUNT or SUM it")
            if column.name in self.keys:
                raise refused(f"{self.of.written(column.name)} is selected twice", item.span, "leave one of them out")
            plain = self.of.plain(column.name)
            if source is not None and item.alias is None:
                called = "began" if isinstance(source, ViewWindow) else plain
                raise refused(f"{item.span.text} has no name", item.span, f"write {item.span.text} AS {called}")
            name = item.alias or ast.Name(text=plain, span=item.span)
            self._add_column(Column(name.text, column.type, False, span=item.span))
            self.keys[column.name] = name.text
            return
        if not isinstance(item.expression, ast.Call):
            raise refused(
                "a view holds columns, COUNT, SUM and AVG", item.span, "compute other values where the view is read"
            )
        self._add_aggregate(item, item.expression, table)

    def _add_column(self, column: Column) -> None:
        if any(name.lower() == column.name.lower() for name in self.columns):
            assert column.span is not None
            raise ViewRefused(
                report(
                    "duplicate-column",
                    f"{self.node.name.text} has two columns called {column.name}",
                    column.span,
                    help="give one of them another name with AS",
                )
            )
        self.columns[column.name] = column

    def _add_aggregate(self, item: ast.SelectItem, call: ast.Call, table: Table) -> None:
        """Add COUNT(*), COUNT(column), SUM(column) or AVG(column)."""
        function = call.name.text.upper()
        if call.is_distinct or call.filter is not None or call.order is not None or call.over is not None:
            raise refused(
                f"a view keeps no {function} with DISTINCT, FILTER, ORDER BY or OVER",
                call.span,
                "leave it out: what is kept must follow from the one row that a write changes",
            )
        if function not in ("COUNT", "SUM", "AVG"):
            why, way_out = _INSTEAD.get(function, ("", _OTHERWISE))
            raise refused(f"a view keeps COUNT, SUM and AVG, and no {function}{why}", call.span, way_out)
        column = None if call.is_star else self._column(call.arguments[0]) if len(call.arguments) == 1 else None
        if column is None and not (call.is_star and function == "COUNT"):
            raise refused(f"{function} of a view takes one column", call.span, f"write {function}(column)")
        if item.alias is None:
            raise refused(f"{call.span.text} has no name", call.span, f"write {call.span.text} AS name")
        if function == "COUNT" or column is None:
            name = column.name if column is not None else None
            self._add_column(Column(item.alias.text, _COUNT, False, span=item.span))
            self.aggregates.append(ViewAggregate(item.alias.text, "COUNT", name))
            return
        if not is_number(column.type) or column.type.kind is Kind.DOUBLE:
            raise refused(
                f"{function} of {self.of.written(column.name)} cannot be kept exactly: "
                f"it is {column.type.with_article}",
                call.span,
                f"{'sum' if function == 'SUM' else 'average'} a DECIMAL or a whole number",
            )
        kept_type = _AVERAGE if function == "AVG" else summed_type(column.type)
        self._add_column(Column(item.alias.text, kept_type, self._may_be_null(column), span=item.span))
        self.aggregates.append(ViewAggregate(item.alias.text, "AVG" if function == "AVG" else "SUM", column.name))

    def _check_counts(self, select: ast.Select, table: Table) -> None:
        """Refuse a view without what tells when a group, a SUM or an AVG has no values, or what an AVG is made of."""
        if not any(part.function == "COUNT" and part.column is None for part in self.aggregates):
            raise self._lacks(select, [("COUNT(*)", "row_count")], "when the last row of a group is gone")
        for part in self.aggregates:
            column = table.column(part.column) if part.column is not None else None
            if part.function == "COUNT" or column is None:
                continue
            missing: list[tuple[str, str]] = []  # calls, and the names that their columns get
            shown, plain = self.of.written(column.name), self.of.plain(column.name)
            why = f"when the {part.function} of {shown} is NULL"
            if part.function == "AVG" and self._kept("SUM", column.name) is None:
                missing.append((f"SUM({shown})", f"{plain}_sum"))
                why = f"what the AVG of {shown} is after a write"
            if self._may_be_null(column) and self._kept("COUNT", column.name) is None:
                missing.append((f"COUNT({shown})", f"{plain}_count"))
            if missing:
                raise self._lacks(select, missing, why)

    def _lacks(self, select: ast.Select, missing: Sequence[tuple[str, str]], why: str) -> ViewRefused:
        """Return the refusal of a view without these calls, with the fix that adds them under names that are free."""
        end = select.items_span.end
        calls = [f"{call} AS {self._free_name(name)}" for call, name in missing]
        title = f"Add {' and '.join(call for call, _ in missing)}"
        fix = Fix(title, (Edit(select.items_span.file, end, end, "".join(f", {call}" for call in calls)),))
        way_out = f"add {' and '.join(calls)}, which writes keep up to date"
        return refused(f"nothing tells {why}", select.items_span, way_out, (fix,))

    def _free_name(self, wanted: str) -> str:
        """Return a name that no column of the view has."""
        taken = {name.lower() for name in self.columns}
        names = (wanted, *(f"{wanted}_{number}" for number in range(2, len(taken) + 3)))
        return next(name for name in names if name.lower() not in taken)

    def _kept(self, function: str, column: str | None) -> str | None:
        """Return the column of the view that holds a COUNT or SUM; None if there is none."""
        parts = (part for part in self.aggregates if part.function == function and part.column == column)
        return next((part.name for part in parts), None)

    def _whole_aggregates(self) -> list[ViewAggregate]:
        """Return the aggregates, each SUM and AVG with what counts its values, and each AVG with what sums them.

        A SUM has its COUNT also if its column may not be NULL yet.
        """
        return [self._whole(part) for part in self.aggregates]

    def _whole(self, part: ViewAggregate) -> ViewAggregate:
        counted_by = self._kept("COUNT", part.column)
        match part.function:
            case "SUM":
                return replace(part, counted_by=counted_by)
            case "AVG":
                counter = counted_by or self._kept("COUNT", None)
                return replace(part, counted_by=counter, summed_by=self._kept("SUM", part.column))
        return part


_OTHERWISE = "compute it where the view is read"
_OF_ALL_ROWS = ": when the row that has it goes, only the other rows of the group tell the next one"
_INSTEAD = {
    "MIN": (_OF_ALL_ROWS, "ask the table: ORDER BY the column, LIMIT 1, with the columns of GROUP BY in WHERE"),
    "MAX": (_OF_ALL_ROWS, "ask the table: ORDER BY the column DESC, LIMIT 1, with the columns of GROUP BY in WHERE"),
}


def _plain_select(query: ast.QueryExpression) -> ast.Select:
    """Return the query of a view as one SELECT … FROM … GROUP BY; raise ViewRefused for any other clause."""
    if isinstance(query, ast.UnionQuery):
        raise refused("a view is one SELECT, not a UNION", query.span, "make a view of each table")
    clauses = (
        ("WITH", query.with_clause, "read the table itself after FROM"),
        ("HAVING", query.having, "test the value in WHERE where the view is read"),
        ("ORDER BY", query.order, "order the rows where the view is read"),
        ("LIMIT", query.stop, "limit the rows where the view is read"),
        ("OFFSET", query.offset, "leave it out"),
    )
    for word, clause, way_out in clauses:
        if clause is not None:
            raise refused(f"a view has no {word}", clause.span, way_out)
    if query.is_distinct:
        raise refused("a view has no DISTINCT", query.distinct or query.span, "leave it out: each group is one row")
    return query
