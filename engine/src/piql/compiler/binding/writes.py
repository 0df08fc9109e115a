"""INSERT, UPDATE, DELETE → writes of one row, named by its primary key or a UNIQUE key, or of the rows of a section.

    UPDATE users SET age = [age] WHERE name = [name] IF age < 30
    → Update(users, key: name = [name], changes: age = [age], condition: age < 30)

`written_rows` says which rows UPDATE and DELETE change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from piql.compiler.binding.defaults import default_value, is_default
from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.read_values import ReadValues, outside_of_subqueries
from piql.compiler.binding.references_with_null import HELP, declare_null, is_not_null_by_reference
from piql.compiler.binding.returning import bind_returning
from piql.compiler.binding.scope import Scope, ScopeRelation, matches, spelling_fix, unknown_name
from piql.compiler.binding.types import bare, is_comparable, type_of
from piql.compiler.binding.written_rows import Verb, WrittenRows, bind_rows
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.schema.catalog import Column, Kind, RowType, Table
from piql.schema.types import WHOLE
from piql.text.diagnostics.diagnostic import Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

_FRACTIONAL = (Kind.DOUBLE, Kind.DECIMAL)


def bind_write(context: QueryContext, node: ast.Insert | ast.Update | ast.Delete) -> logical.LogicalWrite | None:
    """Return the plan of a write; None when an error was reported."""
    table = context.tables.find(node.table)
    if table is None:
        context.diagnostics.append(context.tables.unknown(node.table))
        return None
    if table.name in context.tables.broken:
        return None
    if table.view is not None:
        tables = " and ".join(dict.fromkeys(table.view.tables))
        message = f"{table.name} is a view: its rows follow from those of {tables}"
        way_out = f"write {' or '.join(dict.fromkeys(table.view.tables))}"
        context.diagnostics.append(report("write-to-view", message, node.table.span, help=way_out))
        return None
    alias = None if isinstance(node, ast.Insert) else node.source.alias
    write = _Write(context, table, node.table.span, alias)
    match node:
        case ast.Insert():
            return write.insert(node)
        case ast.Update():
            return write.update(node)
        case ast.Delete():
            return write.delete(node)
        case _:
            assert_never(node)


class _Write:
    """Binds one write to one table; a report sets `is_broken`, and then there is no plan."""

    def __init__(self, context: QueryContext, table: Table, span: Span, alias: ast.Name | None) -> None:
        self.context = context
        self.table = table
        self.shown = alias.text if alias is not None else table.name
        columns = context.tables.columns_in_scope(table)
        relation = ScopeRelation(self.shown, context.unique_alias(self.shown), columns, span, table)
        self.scope = Scope([relation], written=self.shown)
        self.is_broken = False

    def _report(
        self,
        code: str,
        message: str,
        span: Span,
        help: str = "",
        labels: tuple[Label, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        self.is_broken = True
        self.context.diagnostics.append(report(code, message, span, help=help or (), labels=labels, fixes=fixes))

    def insert(self, node: ast.Insert) -> logical.Insert | None:
        """Return the plan; None, after a report, if a value is missing, twice or of the wrong type."""
        names = node.columns
        columns: list[Column | None] = [self._column(name) for name in names] if names else [*self.table.columns]
        more: list[tuple[logical.Assignment, ...]] = []
        listed_rows = None
        if node.rows is not None:
            values, listed_rows = self._values_of_list(columns, node.rows)
        else:
            rows = [(node.values, node.values_span), *((row.items, row.span) for row in node.more)]
            values, *more = [self._values(columns, items, span) for items, span in rows]
            if any(len(items) != len(columns) for items, _ in rows):
                return None
        named_columns = {column.name for column in columns if column is not None}
        for column in self.table.columns:
            may_be_missing = column.name in named_columns or column.nullable or column.has_default
            if not may_be_missing and not self.is_broken:
                part = "part of the primary key" if column.name in self.table.primary_key else "NOT NULL"
                self._report(
                    "missing-value",
                    f"{self.table.name}.{column.name} is {part} and gets no value",
                    node.table.span,
                    f"add {column.name} to the columns of INSERT; columns not named become NULL",
                    fixes=declare_null(self.table, column),
                )
        conflict = self._conflict(node.conflict) if node.conflict is not None else None
        returning = self._returning(node.returning)
        if self.is_broken:
            return None
        reading = ReadValues(self.context)
        return logical.Insert(
            table=self.table,
            values=reading.replaced(values),
            more=tuple(logical.ValuesRow(values=reading.replaced(row)) for row in more),
            rows=listed_rows,
            given_by=reading.given_by(node.values_span),
            if_not_exists=node.is_conditional,
            conflict=conflict,
            returning=returning,
            span=node.span,
        )

    def _values(
        self, columns: Sequence[Column | None], items: Sequence[ast.Expression], span: Span
    ) -> tuple[logical.Assignment, ...]:
        """Bind the values of one row; empty, after a report, if there are too many or too few."""
        if len(items) != len(columns):
            columns_noun = "column" if len(columns) == 1 else "columns"
            values_noun = "value" if len(items) == 1 else "values"
            self._report(
                "value-count",
                f"{len(columns)} {columns_noun}, but {len(items)} {values_noun}",
                span,
                "give one value for each of " + ", ".join(column.name for column in columns if column is not None),
            )
            return ()
        values: list[logical.Assignment] = []
        for column, value in zip(columns, items, strict=True):
            if is_default(value):
                assignment = self._default(column, value.span)
            else:
                assignment = self._assignment(column, value, value.span, "VALUES", self.scope)
            if assignment is not None and self._is_new(assignment, values):
                values.append(assignment)
        return (*values, *self._defaults_beside(columns))

    def _values_of_list(
        self, columns: Sequence[Column | None], use: ast.ParameterUse
    ) -> tuple[tuple[logical.Assignment, ...], logical.GivenRows | None]:
        """Bind `VALUES [rows] MAX n`: each row gives the columns in their order, or by their names."""
        values: list[logical.Assignment] = []
        for column in columns:
            if column is None:
                continue
            name, type_ = f"{use.name}.{column.name}", bare(column.type)
            value = bound.Parameter(name=name, type=type_, is_of_row=True, span=use.span)
            assignment = logical.Assignment(column=column.name, value=value, span=use.span)
            if self._is_new(assignment, values):
                values.append(assignment)
        row = RowType(tuple((column.name, column.type) for column in columns if column is not None))
        listed_rows = self.context.parameters.rows(use, row)
        self.is_broken |= listed_rows is None
        return (*values, *self._defaults_beside(columns)), listed_rows

    def _defaults_beside(self, columns: Sequence[Column | None]) -> tuple[logical.Assignment, ...]:
        """Return the DEFAULTs of the columns that an INSERT does not name."""
        named = {column.name for column in columns if column is not None}
        return tuple(
            logical.Assignment(
                column=column.name,
                value=default_value(column, self.context.new_id, self.table_span),
                span=self.table_span,
            )
            for column in self.table.columns
            if column.name not in named and column.has_default
        )

    def _default(self, column: Column | None, span: Span) -> logical.Assignment | None:
        """Return the assignment of DEFAULT; None, after a report, where that is NULL and the column refuses it."""
        if column is None:
            return None
        value = default_value(column, self.context.new_id, span)
        if isinstance(value, bound.Constant) and value.value is None and not column.nullable:
            self._report_null(column, span, " has no DEFAULT and")
            return None
        return logical.Assignment(column=column.name, value=value, span=span)

    def _report_null(self, column: Column, span: Span, why: str = "") -> None:
        """Report NULL for a column that refuses it; `why` stands before "cannot be NULL"."""
        is_by_reference = is_not_null_by_reference(self.table, column)
        message = f"{self.table.name}.{column.name}{why} cannot be NULL"
        help_text = HELP if is_by_reference else ""
        fixes = declare_null(self.table, column)
        self._report("null-value", message, span, help_text, _declared(column), fixes)

    def _conflict(self, node: ast.OnConflict) -> logical.OnConflict:
        """Bind ON CONFLICT: the key that decides, and the changes, which may name the new row as EXCLUDED."""
        key = self._target(node)
        columns = self.scope.relations[0].columns
        alias = self.context.unique_alias("excluded")
        excluded = ScopeRelation("excluded", alias, columns, node.span, self.table, is_named_only=True)
        changes = self._changes(node.changes, Scope([excluded, *self.scope.relations], written=self.shown))
        return logical.OnConflict(key=key, changes=changes, excluded=alias)

    def _target(self, node: ast.OnConflict) -> tuple[str, ...]:
        """Return the columns of the key that ON CONFLICT names; empty where it names none, and after a report."""
        keys = [self.table.primary_key, *(key.columns for key in self.table.unique_keys)]
        if not node.target:
            if node.changes:
                written = f" ({', '.join(keys[0])})"
                at = node.span.start + len("ON CONFLICT")
                fix = Fix(f"Add the primary key:{written}", (Edit(node.span.file, at, at, written),))
                self._report(
                    "conflict-target",
                    "DO UPDATE changes the row with the same key, and no key is named",
                    node.span,
                    f"write ON CONFLICT{written} DO UPDATE …",
                    fixes=(fix,) if node.span.text[: len("ON CONFLICT")].upper() == "ON CONFLICT" else (),
                )
            return ()
        columns = [column.name for name in node.target if (column := self._column(name)) is not None]
        if len(columns) < len(node.target):
            return ()
        key = next((key for key in keys if set(key) == set(columns)), None)
        if key is not None and not set(self.table.primary_key) < set(key):
            return key
        shown = ", ".join(columns)
        span = Span(node.span.source, node.target[0].span.start, node.target[-1].span.end)
        targets = [", ".join(key) for key in keys if not set(self.table.primary_key) < set(key)]
        self._report(
            "conflict-target",
            f"no two rows of {self.table.name} can have the same {shown}: the primary key is a part of it"
            if key is not None
            else f"{shown} is no key of {self.table.name}: several rows may share it",
            span,
            "write " + " or ".join(f"ON CONFLICT ({target})" for target in targets),
            fixes=tuple(
                Fix(f"Change to ({target})", (Edit(span.file, span.start, span.end, target),)) for target in targets
            ),
        )
        return ()

    def update(self, node: ast.Update) -> logical.Update | None:
        """Return the plan; None, after a report, for instance if it changes the key."""
        changes = self._changes(node.changes, self.scope)
        rows = self._rows(node, "UPDATE")
        condition = self._condition(node.condition)
        returning = self._returning(node.returning)
        if self.is_broken:
            return None
        return logical.Update(
            table=self.table,
            key=rows.key,
            changes=changes,
            where=rows.where,
            condition=condition,
            returning=returning,
            section=rows.section,
            span=node.span,
        )

    def _changes(self, items: Sequence[ast.SetItem], scope: Scope) -> tuple[logical.Assignment, ...]:
        """Bind the changes behind SET; those with an error are left out."""
        changes: list[logical.Assignment] = []
        for item in items:
            if item.table is not None and not matches(item.table, self.shown):
                self._report(
                    "unknown-relation",
                    f"SET changes columns of {self.shown}, not of {item.table.text}",
                    item.table.span,
                    f"write {self.shown}.{item.column.text}",
                    fixes=(spelling_fix(item.table.span, self.shown),),
                )
                continue
            column = self._column(item.column)
            if column is not None and column.name in self.table.primary_key:
                self._report(
                    "key-update",
                    f"{column.name} is part of the primary key of {self.table.name} and cannot change",
                    item.column.span,
                    "delete the row and insert the new one",
                )
                continue
            assignment = self._assignment(column, item.value, item.span, "SET", scope)
            if assignment is not None and self._is_new(assignment, changes):
                changes.append(assignment)
        return tuple(changes)

    def delete(self, node: ast.Delete) -> logical.Delete | None:
        """Return the plan; None after a report."""
        rows = self._rows(node, "DELETE")
        condition = self._condition(node.condition)
        returning = self._returning(node.returning)
        if self.is_broken:
            return None
        return logical.Delete(
            table=self.table,
            key=rows.key,
            where=rows.where,
            condition=condition,
            returning=returning,
            section=rows.section,
            span=node.span,
        )

    def _rows(self, node: ast.Update | ast.Delete, verb: Verb) -> WrittenRows:
        """Return which rows a write changes; without key and section after a report."""
        rows = bind_rows(self.context, self.scope, self.table, node, verb, self._is_of_one_row)
        self.is_broken |= rows is None
        return rows or WrittenRows()

    def _returning(self, items: Sequence[ast.SelectItem | ast.Star]) -> tuple[logical.Output, ...]:
        """Bind the columns behind RETURNING; those with an error are left out."""
        if not items:
            return ()
        outputs, self.is_broken = bind_returning(self.context, self.scope, items, self.is_broken)
        return outputs

    def _condition(self, node: ast.Expression | None) -> bound.Expression | None:
        """Bind the condition after IF, on the row before the write; None without one."""
        if node is None:
            return None
        predicate = ExpressionBinder(self.context, self.scope, "IF").predicate(node)
        if predicate is None or not self._is_of_one_row(predicate):
            self.is_broken = True
            return None
        return predicate

    def _is_value(self, expression: bound.Expression) -> bool:
        """Return whether an expression in VALUES reads no row of its own, and report what it should not read."""
        for node in outside_of_subqueries(expression):
            if isinstance(node, bound.Exists | bound.InSubquery):
                self._report(
                    "subquery-place",
                    "a value can be read by a subquery, but not tested by EXISTS or IN",
                    node.span or self.table_span,
                    "read the value with a query first, and pass it as a parameter",
                )
                return False
            if isinstance(node, bound.ScalarSubquery) and self._names_the_row(node):
                self._report(
                    "subquery-place",
                    f"this subquery reads a row of {self.table.name}, and INSERT has none yet",
                    node.span or self.table_span,
                    "compare with the parameters that the row is made of",
                )
                return False
        return True

    def _names_the_row(self, subquery: bound.ScalarSubquery) -> bool:
        alias = self.scope.relations[0].alias
        return any(column.relation == alias for column in subquery.query.find(bound.ColumnRef))

    def _is_of_one_row(self, expression: bound.Expression) -> bool:
        """Return whether an expression is without subqueries, and report them: a write reads no row but its own."""
        for node in expression.walk():
            if isinstance(node, bound.Exists | bound.InSubquery | bound.ScalarSubquery):
                self._report(
                    "subquery-place",
                    f"a write can read only its own row of {self.table.name}, and no other table",
                    node.span or self.table_span,
                    "read the value with a query first, and pass it as a parameter",
                )
                return False
        return True

    def _column(self, name: ast.Name) -> Column | None:
        """Return the column that a name refers to; None after a report."""
        declared = self.context.tables.column_names(self.table).get(name.text.lower())
        if declared is None or (name.is_quoted and declared != name.text):
            self.is_broken = True
            self.context.diagnostics.append(
                unknown_name(
                    "unknown-column",
                    f"{self.table.name} has no column {name.text}",
                    name,
                    [column.name for column in self.table.columns],
                )
            )
            return None
        return self.table.column(declared)

    def _is_new(self, assignment: logical.Assignment, earlier: list[logical.Assignment]) -> bool:
        """Return whether no earlier assignment has this column; report it if one has."""
        if all(assigned.column != assignment.column for assigned in earlier):
            return True
        self._report(
            "duplicate-column",
            f"{assignment.column} gets two values",
            assignment.span or self.table_span,
            "leave one out",
        )
        return False

    @property
    def table_span(self) -> Span:
        """Where the text names the table."""
        return self.scope.relations[0].span

    def _assignment(
        self, column: Column | None, value: ast.Expression, span: Span, clause: str, scope: Scope
    ) -> logical.Assignment | None:
        """Bind a value that is written to a column; in SET it may be computed from the row before the write."""
        if clause != "SET":
            in_subqueries = {id(name) for query in value.find(ast.Select) for name in query.find(ast.ColumnName)}
            for name in value.find(ast.ColumnName):
                if id(name) in in_subqueries:
                    continue
                text = name.span.text.strip('"')
                self._report(
                    "column-as-value",
                    f"{name.span.text} is not a value",
                    name.span,
                    f"write a text in single quotes, '{text}', and a parameter in brackets, [{text}]",
                )
                return None
        binder = ExpressionBinder(self.context, scope, clause)
        expression = binder.value(value, column.type if column is not None else None)
        is_allowed = self._is_value if clause == "VALUES" else self._is_of_one_row
        if expression is None or column is None or not is_allowed(expression):
            self.is_broken = True
            return None
        value_type = type_of(expression)
        if (
            not is_comparable(value_type, column.type) or (value_type.kind in _FRACTIONAL and column.type.kind in WHOLE)
        ) and value_type.kind is not Kind.NULL:
            self._report(
                "type-mismatch",
                f"{column.name} is {column.type}, this is {value_type}",
                value.span,
                "give a value of the column's type",
                _declared(column),
            )
            return None
        if isinstance(expression, bound.Constant) and expression.value is None and not column.nullable:
            self._report_null(column, value.span)
            return None
        return logical.Assignment(column=column.name, value=expression, span=span)


def _declared(column: Column) -> tuple[Label, ...]:
    return (Label(column.span, "declared here"),) if column.span is not None else ()
