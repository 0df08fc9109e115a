"""Remedy: a view of the tables that a query joins, which holds what the query counts and sums of them.

SELECT s.book, SUM(s.copies) AS n FROM sales s JOIN books b ON b.book = s.book
WHERE b.subject = [subject] GROUP BY s.book ORDER BY n DESC LIMIT 50
→ CREATE VIEW sales_books_by_subject_book AS
  SELECT b.subject, s.book, COUNT(*) AS row_count, SUM(s.copies) AS copies_sum
  FROM sales s JOIN books b ON b.book = s.book GROUP BY b.subject, s.book;
  SELECT book, copies_sum AS n FROM sales_books_by_subject_book WHERE subject = [subject] ORDER BY n DESC LIMIT 50

The tables are joined where columns are equal, by ON, USING or WHERE. All else that the query reads is a key of the view
or equal to one, or an aggregate. The view has the LEFT JOINs of the query. What they compare is not equal where a row
is missing, so a column behind them is no key unless WHERE fixes it. A view that a write to one of its tables would have
to change without a limit does not compile, so it is offered only together with the limit. `keep_view` does this for one
table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.fixes.select_text import COMMENT, line_break, tests_of, where_of
from piql.compiler.fixes.view_keys import aggregates_of, behind_statement, free_name, names_of_tables
from piql.compiler.syntax import ast
from piql.compiler.syntax.print_queries import written
from piql.schema.catalog import Column, Table
from piql.text.diagnostics.diagnostic import Edit

_ROWS = "row_count"


class _Place(NamedTuple):
    """A column of one of the tables, by the number of the table in FROM and its name there."""

    number: int
    name: str


def keep_joined_view(query: RefusedQuery) -> list[Remedy]:
    """Return the view for a SELECT that joins tables and only counts and sums; none for any other query."""
    select = query.body
    if query.is_write or not isinstance(select, ast.Select) or select.from_clause is None:
        return []
    nodes = [select.from_clause.first, *(join.table for join in select.from_clause.joins)]
    sources = [node for node in nodes if isinstance(node, ast.TableName)]
    named = {name.lower(): table for name, table in query.tables.items()}
    tables = [table for node in sources if (table := named.get(node.table.text.lower())) is not None]
    if len(nodes) < 2 or len(tables) < len(nodes) or any(table.view is not None for table in tables):
        return []
    rewriting = _Rewriting(select, select.from_clause, sources, tables, query.files)
    edits = rewriting.edits() if rewriting.is_plain() else None
    if edits is None:
        return []
    all_tables = " and ".join(dict.fromkeys(table.name for table in tables))
    title = f"Keep the view {rewriting.view} of {all_tables}"
    consequence = (
        f"writes to {all_tables} keep it up to date, each more dearly than now; a cluster keeps it only where rows of "
        "one table name the others by foreign keys; the answer stays the same"
    )
    return [Remedy(title, consequence, Change.DEARER_WRITES, edits=edits, excludes="view")]


class _Rewriting:
    """One SELECT of several tables, written as a read of a view."""

    def __init__(
        self,
        select: ast.Select,
        clause: ast.FromClause,
        sources: Sequence[ast.TableName],
        tables: Sequence[Table],
        files: Sequence[ast.ParsedFile],
    ) -> None:
        self.select, self.clause = select, clause
        self.sources, self.tables, self.files = sources, tables, files
        self.called = [(source.alias or source.table).text for source in sources]
        self.optional = {number for number, join in enumerate(clause.joins, 1) if join.kind == "left"}
        self.left_pairs: dict[int, list[tuple[_Place, _Place]]] = {}  # of each LEFT JOIN, by the number of its table
        self.pairs = [pair for test in tests_of(select) if (pair := self._pair(test)) is not None]
        self.are_all_pairs = not any(place.number in self.optional for pair in self.pairs for place in pair)
        for number, join in enumerate(clause.joins, 1):
            conditions = [self._pair(test) for test in _conjuncts(join.condition)]
            self.are_all_pairs = self.are_all_pairs and None not in conditions
            of_join = [*(pair for pair in conditions if pair is not None), *self._using(number, join)]
            if number in self.optional:
                self.left_pairs[number] = of_join
                is_of_table = all(number == max(left.number, right.number) for left, right in of_join)
                self.are_all_pairs = self.are_all_pairs and is_of_table
            else:
                self.pairs += of_join
        self.tests = [test for test in tests_of(select) if self._pair(test) is None]
        grouping = select.group.keys if select.group is not None else ()
        fixed = [place for test in self.tests if (place := self._fixed(test)) is not None]
        grouped = [self._place(key) for key in grouping]
        self.is_grouped_otherwise = None in grouped
        self.fixed = {self._same(place) for place in fixed}
        keys = dict.fromkeys(self._same(place) for place in (*fixed, *grouped) if place is not None)
        self.keys: dict[_Place, str] = {}  # each key with its name in the view
        for place in keys:
            self.keys[place] = free_name(self._output_name(place), list(self.keys.values()))
        self.kept: dict[str, str] = {}  # what the view counts and sums → its column
        by = "_".join((*dict.fromkeys(table.name for table in tables), "by", *self.keys.values()))
        self.view = free_name(by, names_of_tables(files))

    def is_plain(self) -> bool:
        """Return whether the query is of a form that a view can hold."""
        select = self.select
        clauses = (select.having, select.offset, select.with_clause, select.distinct)
        joins = self.clause.joins
        return (
            all(clause is None for clause in clauses)
            and not any(join.is_natural for join in joins)
            and len({name.lower() for name in self.called}) == len(self.called)
            and not any(inner is not select for inner in select.find(ast.Select))
            and not any(isinstance(item, ast.Star) for item in select.items)
            and self.are_all_pairs
            and bool(self.keys)
            and not self.is_grouped_otherwise
            and all(self._joining(number) for number in range(1, len(self.tables)))
            and all(not self._is_nullable(key) or key in self.fixed for key in self.keys)
        )

    def edits(self) -> tuple[Edit, ...] | None:
        """Return the edits of the query, and the one that adds the view behind its tables; None where one fails."""
        select, clause = self.select, self.clause
        source, file = select.span.source.text, select.span.file
        changes = [*self._changes(select.items), *(self._changes(select.order.items) if select.order else ())]
        tests = [self._test(test) for test in self.tests]
        if None in changes or None in tests or not self.kept:
            return None
        ends = [clause.span.end, (where_of(select) or (0, 0))[1], select.group.span.end if select.group else 0]
        start, end = self.sources[0].span.start, max(ends)
        where = f"{line_break(source, select)}WHERE {' AND '.join(map(str, tests))}" if tests else ""
        edits = [*changes, Edit(file, start, end, written(self.view) + where)]
        if any(edit is not None and COMMENT.search(source[edit.start : edit.end]) for edit in edits):
            return None
        at = behind_statement({table.name for table in self.tables}, self.files)
        return (Edit(*at, self._text()), *(edit for edit in edits if edit is not None)) if at is not None else None

    def _text(self) -> str:
        """Return the statement of the view."""
        keys = [
            f"{self._written(key)} AS {written(name)}" if name != key.name else self._written(key)
            for key, name in self.keys.items()
        ]
        kept = {"COUNT(*)": self._keep("COUNT(*)", _ROWS), **self.kept}
        parts = [f"{call} AS {written(column)}" for call, column in kept.items()]
        joined = "".join(
            f" {'LEFT JOIN' if number in self.optional else 'JOIN'} {self.sources[number].span.text}"
            f" ON {' AND '.join(self._joining(number))}"
            for number in range(1, len(self.tables))
        )
        tests = [f"{self._written(key)} IS NOT NULL" for key in self.keys if self._is_nullable(key)]
        where = f"WHERE {' AND '.join(tests)}\n" if tests else ""
        return (
            f"\n\nCREATE VIEW {written(self.view)} AS\nSELECT {', '.join((*keys, *parts))}\n"
            f"FROM {self.sources[0].span.text}{joined}\n{where}GROUP BY {', '.join(map(self._written, self.keys))};"
        )

    def _joining(self, number: int) -> list[str]:
        """Return the tests that join a table to those before it."""
        return [
            f"{self._written(left)} = {self._written(right)}"
            for left, right in self.left_pairs.get(number, self.pairs)
            if max(left.number, right.number) == number
        ]

    def _written(self, place: _Place) -> str:
        source = self.sources[place.number]
        return f"{(source.alias or source.table).span.text}.{written(place.name)}"

    def _place(self, expression: ast.Expression) -> _Place | None:
        """Return the column that an expression names; None for another expression, or a name of several columns."""
        if not isinstance(expression, ast.ColumnName):
            return None
        wanted = expression.name.text.lower()
        qualifier = expression.qualifier.text.lower() if expression.qualifier is not None else None
        places = [
            _Place(number, column.name)
            for number, table in enumerate(self.tables)
            if qualifier is None or qualifier == self.called[number].lower()
            for column in table.columns
            if column.name.lower() == wanted
        ]
        return places[0] if len(places) == 1 else None

    def _column(self, place: _Place) -> Column:
        column = self.tables[place.number].column(place.name)
        assert column is not None
        return column

    def _pair(self, test: ast.Expression) -> tuple[_Place, _Place] | None:
        """Return the columns of two tables that a test sets equal; None for any other test."""
        if not isinstance(test, ast.Binary) or test.operator != "=":
            return None
        left, right = self._place(test.left), self._place(test.right)
        return (left, right) if left is not None and right is not None and left.number != right.number else None

    def _using(self, number: int, join: ast.JoinClause) -> Iterator[tuple[_Place, _Place]]:
        for name in join.using:
            for before in range(number):
                column = self.tables[before].column(name.text)
                if column is not None:
                    yield _Place(before, column.name), _Place(number, name.text)
                    break

    def _same(self, place: _Place) -> _Place:
        """Return the first column, in the order of FROM, that is equal to a column by what joins the tables."""
        same, size = {place}, 0
        while len(same) > size:
            size = len(same)
            same |= {column for pair in self.pairs if same & set(pair) for column in pair}
        return min(same)

    def _output_name(self, place: _Place) -> str:
        """Return what the query calls a column in its rows, or else its name in its table."""
        for item in self.select.items:
            if isinstance(item, ast.SelectItem) and item.alias is not None:
                output = self._place(item.expression)
                if output is not None and self._same(output) == place:
                    return item.alias.text
        return place.name

    def _is_nullable(self, place: _Place) -> bool:
        is_joined = any(place in pair for pair in self.pairs)
        return place.number in self.optional or (self._column(place).nullable and not is_joined)

    def _fixed(self, test: ast.Expression) -> _Place | None:
        """Return the column that a test fixes to a parameter or a literal; None for any other test."""
        match test:
            case ast.Binary(operator="=", left=key, right=ast.ParameterUse() | ast.LiteralValue()):
                return self._place(key)
            case ast.Binary(operator="=", left=ast.ParameterUse() | ast.LiteralValue(), right=key):
                return self._place(key)
            case _:
                return None

    def _changes(self, nodes: Iterable[ast.SelectItem | ast.Star | ast.OrderItem]) -> Iterator[Edit | None]:
        """Yield the edits that read outputs and orders from the view; None for what it does not hold."""
        aliases = {called.text.lower() for called in map(_name_of_output, self.select.items) if called is not None}
        for node in nodes:
            if isinstance(node, ast.Star):
                yield None
                continue
            unnamed = node.expression if isinstance(node, ast.SelectItem) and node.alias is None else None
            inside = set[int]()
            for call in aggregates_of(node):
                inside |= {id(name) for name in call.find(ast.ColumnName)}
                text = self._read(call)
                alias = f" AS {call.name.text.lower()}" if call is unnamed else ""
                yield Edit(call.span.file, call.span.start, call.span.end, text + alias) if text is not None else None
            for name in node.find(ast.ColumnName):
                is_alias = (
                    isinstance(node, ast.OrderItem) and name.qualifier is None and name.name.text.lower() in aliases
                )
                if id(name) in inside or is_alias:
                    continue
                column = self._in_view(name)
                if column is None:
                    yield None
                    continue
                is_renamed = name is unnamed and column != name.name.text
                alias = f" AS {name.name.span.text}" if is_renamed else ""
                alias_of_name = node.alias if isinstance(node, ast.SelectItem) and node.expression is name else None
                is_called_so = alias_of_name is not None and alias_of_name.text == column
                span = node.span if is_called_so else name.span
                yield Edit(span.file, span.start, span.end, written(column) + alias)

    def _test(self, test: ast.Expression) -> str | None:
        """Return a test of WHERE with the names of the view; None where it tests what the view does not hold."""
        text, start = test.span.text, test.span.start
        for name in sorted(test.find(ast.ColumnName), key=lambda name: -name.span.start):
            column = self._in_view(name)
            if column is None:
                return None
            text = text[: name.span.start - start] + written(column) + text[name.span.end - start :]
        return f"({text})" if isinstance(test, ast.Junction) else text

    def _in_view(self, name: ast.ColumnName) -> str | None:
        """Return what the view calls a column; None if it has no such key."""
        place = self._place(name)
        return self.keys.get(self._same(place)) if place is not None else None

    def _read(self, call: ast.Call) -> str | None:
        """Return the text that reads an aggregate from the view; None for one that no view keeps."""
        function = call.name.text.upper()
        if function not in ("COUNT", "SUM", "AVG") or call.is_distinct or call.filter or call.order or call.over:
            return None
        column = self._kept_star() if call.is_star else self._kept_column(function, call.arguments)
        if column is None or self.select.group is not None:
            return written(column) if column is not None else None
        return f"COALESCE(SUM({written(column)}), 0)" if function == "COUNT" else f"{function}({written(column)})"

    def _kept_star(self) -> str:
        return self._keep("COUNT(*)", _ROWS)

    def _kept_column(self, function: str, arguments: Sequence[ast.Expression]) -> str | None:
        """Return the column of the view for an aggregate of one column, and keep what it needs beside it."""
        place = self._place(arguments[0]) if len(arguments) == 1 else None
        if place is None:
            return None
        name = self._written(place)
        if function != "COUNT" and self._is_nullable(place):
            self._keep(f"COUNT({name})", f"{place.name}_count")
        if function == "AVG":
            self._keep(f"SUM({name})", f"{place.name}_sum")
        return self._keep(f"{function}({name})", f"{place.name}_{function.lower()}")

    def _keep(self, call: str, wanted: str) -> str:
        """Return the column of the view that holds a call: of this name, or of one like it that is free."""
        if call not in self.kept:
            self.kept[call] = free_name(wanted, [*self.keys.values(), *self.kept.values()])
        return self.kept[call]


def _conjuncts(test: ast.Expression | None) -> tuple[ast.Expression, ...]:
    if isinstance(test, ast.Junction) and test.operator == "AND":
        return test.operands
    return () if test is None else (test,)


def _name_of_output(item: ast.SelectItem | ast.Star) -> ast.Name | None:
    """Return what a column of the rows is called, by its alias or its own name; None for any other."""
    if isinstance(item, ast.Star) or item.alias is not None:
        return item.alias if isinstance(item, ast.SelectItem) else None
    return item.expression.name if isinstance(item.expression, ast.ColumnName) else None
