"""Which columns the names at one point of a query refer to, and the diagnostics for unknown names.

`TableNames` finds tables by name, for the whole program; a `Scope` finds the columns of one FROM clause and of the
queries around it. Names without quotes are the same whatever the case of their letters, so tables of names are keyed by
their lower case (`by_fold`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from piql.compiler.binding.near_names import NearNames, near_names
from piql.compiler.logical.expressions import ColumnRef
from piql.compiler.syntax import ast
from piql.compiler.syntax.unsupported import FUNCTIONS
from piql.schema.catalog import SqlType, Table
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.cached_property import cached_property

MOST_SHOWN = 12  # known names in a message about an unknown one


def matches(name: ast.Name, declared: str) -> bool:
    """Return whether a name as written refers to a declared one: quoted names exactly, others whatever their case."""
    return name.text == declared or (not name.is_quoted and name.text.lower() == declared.lower())


def lookup(name: ast.Name, by_fold: Mapping[str, str]) -> str | None:
    """Return the declared name that `name` refers to, among those keyed by their lower case; None if there is none."""
    declared = by_fold.get(name.text.lower())
    return declared if declared is not None and (not name.is_quoted or declared == name.text) else None


def suggestion(name: str, names: Iterable[str]) -> str | None:
    """Return the one of `names` nearest to a misspelt one; None if none is near."""
    return near_names(tuple(names)).nearest(name)


def spelling_fix(span: Span, text: str) -> Fix:
    """Return the fix that replaces a span by `text`."""
    return Fix(f"Change to {text}", (Edit(span.file, span.start, span.end, text),))


def unknown_name(
    code: str, message: str, name: ast.Name, candidates: Iterable[str] | NearNames, otherwise: str = ""
) -> Diagnostic:
    """Return the diagnostic of an unknown name, with the nearest candidate as a fix.

    Without candidates the help is `otherwise`.
    """
    candidates = candidates if isinstance(candidates, NearNames) else near_names(tuple(candidates))
    if name.is_quoted and code == "unknown-column":
        text = "'" + name.text.replace("'", "''") + "'"
        edit = Edit(name.span.file, name.span.start, name.span.end, text)
        way_out = f"double quotes hold names, single quotes hold texts: {text}"
        return report(code, message, name.span, help=way_out, fixes=(Fix(f"Change to {text}", (edit,)),))
    # CURRENT_DATE and the like are functions without parentheses in SQL
    function_advice = FUNCTIONS.get(name.text.upper()) if name.text.upper().startswith("CURRENT_") else None
    if function_advice is not None and not name.is_quoted:
        return report(code, message, name.span, help=function_advice)
    near = candidates.nearest(name.text)
    if near is not None:
        return report(code, message, name.span, help=f"did you mean {near}?", fixes=(spelling_fix(name.span, near),))
    if candidates.names:
        otherwise = (
            "known here: "
            + ", ".join(candidates.names[:MOST_SHOWN])
            + (", …" if len(candidates.names) > MOST_SHOWN else "")
        )
    return report(code, message, name.span, help=otherwise or ())


def unknown_table(name: ast.Name, tables: Iterable[str] | NearNames) -> Diagnostic:
    """Return the diagnostic of an unknown table, with the nearest of `tables` as a fix."""
    return unknown_name("unknown-table", f"there is no table {name.text}", name, tables, "no table is declared")


class TableNames:
    """The tables of a catalog, to be looked up by names as written."""

    def __init__(self, tables: Mapping[str, Table], broken: frozenset[str] = frozenset()) -> None:
        self.tables = tables
        self.broken = broken  # names of tables with errors in CREATE TABLE; their columns are not checked
        self._by_fold = {name.lower(): name for name in tables}
        self._columns: dict[str, dict[str, str]] = {}
        self._in_scope: dict[str, dict[str, ScopeColumn]] = {}

    def find(self, name: ast.Name) -> Table | None:
        """Return the table that a name refers to, or None."""
        declared = lookup(name, self._by_fold)
        return self.tables[declared] if declared is not None else None

    def column_names(self, table: Table) -> Mapping[str, str]:
        """Return the table's column names, keyed by their lower case."""
        names = self._columns.get(table.name)
        if names is None:
            names = self._columns[table.name] = {column.name.lower(): column.name for column in table.columns}
        return names

    def columns_in_scope(self, table: Table) -> Mapping[str, ScopeColumn]:
        """Return the table's columns as a relation of FROM has them, keyed by their lower case."""
        columns = self._in_scope.get(table.name)
        if columns is None:
            columns = {
                column.name.lower(): ScopeColumn(column.name, column.type, column.nullable) for column in table.columns
            }
            self._in_scope[table.name] = columns
        return columns

    def unknown(self, name: ast.Name, others: Iterable[str] = ()) -> Diagnostic:
        """Return the diagnostic of a name that refers to no table, nor to one of the `others` that stand there too."""
        others = tuple(others)
        return unknown_table(name, NearNames((*others, *self.tables)) if others else self._near)

    @cached_property
    def _near(self) -> NearNames:
        return NearNames(self.tables)


@dataclass(frozen=True, slots=True)
class ScopeColumn:
    """A column that can be named in a query."""

    name: str
    type: SqlType
    nullable: bool


@dataclass(slots=True)
class ScopeRelation:
    """A relation of FROM; `shown` is its alias in the text, `alias` that in the plan.

    `columns` is None when the relation is broken.
    """

    shown: str
    alias: str
    columns: Mapping[str, ScopeColumn] | None  # keyed by lower case
    span: Span
    table: Table | None = None
    is_optional: bool = False  # the right side of a left join: its columns may be NULL above the join
    is_named_only: bool = False  # its columns are meant only where they are qualified: EXCLUDED.n
    merged: dict[str, ScopeColumn] = field(default_factory=dict)  # columns of USING: their names mean the left ones

    def reference(self, column: ScopeColumn, span: Span) -> ColumnRef:
        """Return the bound reference to a column of the relation."""
        return ColumnRef(
            relation=self.alias,
            name=column.name,
            type=column.type,
            nullable=column.nullable or self.is_optional,
            span=span,
        )


@dataclass(slots=True)
class Scope:
    """The relations of one FROM clause; `outer` is the scope of the query around a subquery.

    `written` is the table of a write, which has no FROM.
    """

    relations: list[ScopeRelation] = field(default_factory=list)
    outer: Scope | None = None
    written: str | None = None

    def relation(self, name: ast.Name) -> ScopeRelation | None:
        """Return the relation of this or an outer query that a name refers to, or None."""
        scope: Scope | None = self
        fold = name.text.lower()
        while scope is not None:
            for relation in scope.relations:
                if relation.shown == name.text or (not name.is_quoted and relation.shown.lower() == fold):
                    return relation
            scope = scope.outer
        return None

    def has_own(self, name: ast.Name) -> bool:
        """Return whether a relation of this FROM has a column of this name; the queries around it do not count."""
        fold = name.text.lower()
        return any(relation.columns is None or fold in relation.columns for relation in self.relations)

    def resolve(self, column: ast.ColumnName) -> ColumnRef | Diagnostic | None:
        """Return the column that a name refers to, or the diagnostic; None where an error was reported already."""
        if column.qualifier is not None:
            return self._qualified(column, column.qualifier)
        scope: Scope | None = self
        name = column.name
        fold = name.text.lower()
        is_partial = False
        while scope is not None:
            candidates: list[tuple[ScopeRelation, ScopeColumn]] = []
            for relation in scope.relations:
                if relation.is_named_only:
                    continue
                if relation.columns is None:
                    is_partial = True
                    continue
                scope_column = relation.columns.get(fold)
                if fold in relation.merged:
                    continue
                if scope_column is not None and (not name.is_quoted or scope_column.name == name.text):
                    candidates.append((relation, scope_column))
            if len(candidates) == 1:
                return candidates[0][0].reference(candidates[0][1], column.span)
            if candidates:
                choices = [f"{relation.shown}.{scope_column.name}" for relation, scope_column in candidates]
                return report(
                    "ambiguous-column",
                    f"{name.text} may be {' or '.join(choices)}",
                    column.span,
                    help=f"write {choices[0]}",
                )
            scope = scope.outer
        if is_partial:
            return None
        relations = [relation for relation in self.relations if not relation.is_named_only]
        known_names = [
            scope_column.name for relation in relations for scope_column in (relation.columns or {}).values()
        ]
        if len(relations) == 1:
            only = relations[0]
            where = only.table.name if only.table is not None else only.shown
            message = f"{where} has no column {name.text}"
        else:
            message = f"no table of this query has a column {name.text}"
        return unknown_name("unknown-column", message, name, known_names)

    def _qualified(self, column: ast.ColumnName, qualifier: ast.Name) -> ColumnRef | Diagnostic | None:
        relation = self.relation(qualifier)
        if relation is None:
            return self.unknown_relation(qualifier)
        if relation.columns is None:
            return None
        scope_column = relation.columns.get(column.name.text.lower())
        if scope_column is None or (column.name.is_quoted and scope_column.name != column.name.text):
            where = relation.table.name if relation.table is not None else relation.shown
            names = [scope_column.name for scope_column in relation.columns.values()]
            return unknown_name("unknown-column", f"{where} has no column {column.name.text}", column.name, names)
        return relation.reference(scope_column, column.span)

    def unknown_relation(self, qualifier: ast.Name) -> Diagnostic:
        """Return the diagnostic of a qualifier that names no relation of the query."""
        for relation in self.relations:
            if relation.table is not None and matches(qualifier, relation.table.name):
                return report(
                    "unknown-relation",
                    f"{qualifier.text} is called {relation.shown} in this query",
                    qualifier.span,
                    help=f"write {relation.shown}",
                    fixes=(spelling_fix(qualifier.span, relation.shown),),
                )
        message = f"FROM names no table {qualifier.text}"
        if self.written is not None:
            message = f"this write reads only its row of {self.written}, and nothing of {qualifier.text}"
        return unknown_name(
            "unknown-relation",
            message,
            qualifier,
            [relation.shown for relation in self.relations],
        )
