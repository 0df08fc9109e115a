"""CREATE TABLE, ENTITY, CREATE VIEW, CREATE INDEX, SET → `BoundSchema`.

Tables may refer to each other in any order, across files.
Enters: the definitions of all files, and perhaps the catalog that is deployed. Leaves: the tables and indexes, with the
diagnostics. A table with errors is `broken`: it stays, so that queries that name it do not report it as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from piql.compiler.binding.checks import bind_check
from piql.compiler.binding.defaults import bind_default
from piql.compiler.binding.entities import Entities
from piql.compiler.binding.indexes import bind_index
from piql.compiler.binding.near_names import NearNames
from piql.compiler.binding.row_tests import TestRefused
from piql.compiler.binding.scope import TableNames, lookup, unknown_name, unknown_table
from piql.compiler.binding.settings import bind_settings
from piql.compiler.binding.type_names import bind_type
from piql.compiler.binding.types import is_comparable, is_text
from piql.compiler.binding.views import bind_view
from piql.compiler.syntax import ast
from piql.schema.catalog import (
    CardinalityLimit,
    Catalog,
    Check,
    Column,
    Default,
    ForeignKey,
    Index,
    Kind,
    SqlType,
    Table,
    UniqueKey,
)
from piql.schema.thresholds import DEFAULT, Thresholds
from piql.text.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label
from piql.text.diagnostics.report import report
from piql.text.source import Span


@dataclass(slots=True)
class BoundSchema:
    """The tables and indexes declared, the names of broken tables, what is called expensive, and the diagnostics."""

    tables: dict[str, Table] = field(default_factory=dict)
    indexes: dict[str, Index] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)  # names of tables with errors; their columns are not checked
    thresholds: Thresholds = DEFAULT
    diagnostics: list[Diagnostic] = field(default_factory=list)


def bind_schema(statements: Iterable[ast.Statement], base: Catalog | None = None) -> BoundSchema:
    """Build the tables and indexes of all statements over those of `base`, which they replace by name."""
    schema = BoundSchema()
    statements = tuple(statements)
    entities = Entities(statements, base.tables if base is not None else {})
    declared: dict[str, ast.CreateTable] = {}
    views: dict[str, ast.CreateView] = {}
    indexes: list[ast.CreateIndex] = []
    for statement in statements:
        definition = entities.as_table(statement) if isinstance(statement, ast.CreateEntity) else statement
        if isinstance(definition, ast.CreateTable):
            first = declared.setdefault(definition.name.text.lower(), definition)
            if first is not definition:
                schema.diagnostics.append(_duplicate("duplicate-table", "table", definition.name, first.name))
        elif isinstance(definition, ast.CreateView):
            views.setdefault(definition.name.text.lower(), definition)
        elif isinstance(definition, ast.CreateIndex):
            indexes.append(definition)
    schema.thresholds = bind_settings(statements, schema.diagnostics, base)
    if base is not None:
        for name, table in base.tables.items():
            if name.lower() not in declared and name.lower() not in views:
                schema.tables[name] = table
        schema.indexes.update(base.indexes)
    schema.diagnostics.extend(entities.diagnostics)
    builders = [_TableBuilder(schema, definition) for definition in declared.values()]
    for builder in builders:
        schema.tables[builder.table.name] = builder.table
    by_fold = {name.lower(): name for name in schema.tables}
    table_names = NearNames(schema.tables)
    for builder in builders:
        schema.tables[builder.table.name] = builder.with_foreign_keys(by_fold, table_names)
    _add_views(schema, statements, declared)
    names = TableNames(schema.tables, frozenset(schema.broken))
    seen: dict[str, ast.CreateIndex] = {}
    for index in indexes:
        first_index = seen.setdefault(index.name.text.lower(), index)
        if first_index is not index:
            schema.diagnostics.append(_duplicate("duplicate-index", "index", index.name, first_index.name))
            continue
        bound = bind_index(index, names, schema.diagnostics)
        if bound is not None:
            schema.indexes[bound.name] = bound
    return schema


def _add_views(
    schema: BoundSchema, statements: Iterable[ast.Statement], declared: Mapping[str, ast.CreateTable]
) -> None:
    """Add the views of the statements to the tables; a view may stand before its table, and none is of another view."""
    tables = TableNames(schema.tables.copy(), frozenset(schema.broken))
    nodes = [node for node in statements if isinstance(node, ast.CreateView)]
    views = {node.name.text.lower() for node in nodes}
    first_by_name: dict[str, ast.CreateTable | ast.CreateView] = dict(declared)
    for node in nodes:
        first = first_by_name.setdefault(node.name.text.lower(), node)
        if first is not node:
            schema.diagnostics.append(_duplicate("duplicate-table", "table", node.name, first.name))
            continue
        view, is_whole = bind_view(node, tables, views, schema.diagnostics)
        schema.tables[view.name] = view
        if not is_whole:
            schema.broken.add(view.name)


def _duplicate(code: str, kind: str, name: ast.Name, first: ast.Name) -> Diagnostic:
    several = "indexes" if kind == "index" else f"{kind}s"
    return report(
        code,
        case_conflict(several, first.text, name.text) or f"there are two {several} called {name.text}",
        name.span,
        labels=(Label(first.span, "the first one"),),
        help="rename one of them, or leave it out",
    )


def case_conflict(several: str, first: str, second: str) -> str:
    """Return an explanation if two names differ only in case; empty if they are the same name.

    Names in double quotes are compared exactly where they are used. But a store that does not distinguish case could
    not hold both tables, and a name without quotes could mean either.
    """
    if first == second:
        return ""
    return f'"{first}" and "{second}" differ only in upper and lower case, which the names of {several} may not'


class _TableBuilder:
    """Builds one table: first what needs this table only, then its foreign keys."""

    def __init__(self, schema: BoundSchema, node: ast.CreateTable) -> None:
        self.schema = schema
        self.node = node
        self.columns: dict[str, Column] = {}
        self.by_fold: dict[str, str] = {}
        self.key: tuple[str, ...] = ()
        self.key_span: Span | None = None
        self.unique_keys: list[UniqueKey] = []
        self.limits: list[CardinalityLimit] = []
        self.foreign_keys: list[ast.ForeignKeyClause] = []
        self.check_clauses: list[ast.CheckClause] = []
        self.checks: tuple[Check, ...] = ()
        self.declared_null: dict[str, Span] = {}
        self.constraint_names: dict[str, ast.Name] = {}
        if node.is_broken:
            schema.broken.add(node.name.text)
        self._add_columns()
        for clause in self._constraints():
            self._add_constraint(clause)
        self._check_key()
        self.checks = self._bound_checks()
        self.table = self._build(())

    def _report(
        self,
        code: str,
        message: str,
        span: Span,
        help: str = "",
        labels: tuple[Label, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        self.schema.diagnostics.append(report(code, message, span, help=help or (), labels=labels, fixes=fixes))

    def _build(self, foreign_keys: tuple[ForeignKey, ...]) -> Table:
        return Table(
            self.node.name.text,
            tuple(self.columns.values()),
            self.key,
            tuple(self.unique_keys),
            foreign_keys,
            tuple(self.limits),
            self.node.span,
            self.node.name.span,
            self.key_span,
            checks=self.checks,
        )

    def _add_columns(self) -> None:
        """Add the columns, each name once whatever its case."""
        nodes: dict[str, ast.ColumnDefinition] = {}
        for node in self.node.elements:
            if not isinstance(node, ast.ColumnDefinition):
                continue
            first = nodes.setdefault(node.name.text.lower(), node)
            if first is not node:
                self._report(
                    "duplicate-column",
                    case_conflict("columns", first.name.text, node.name.text)
                    or f"{self.node.name.text} has two columns called {node.name.text}",
                    node.name.span,
                    "rename one of them",
                    (Label(first.name.span, "the first one"),),
                )
                continue
            name = node.name.text
            if node.nullability == "NULL":
                self.declared_null[name] = node.span
            type_, may_be_null = bind_type(node.type, self.schema.diagnostics), node.nullability != "NOT NULL"
            default = self._default(node, type_, may_be_null)
            self.columns[name] = Column(name, type_, may_be_null, default, node.span)
            self.by_fold[name.lower()] = name

    def _default(self, node: ast.ColumnDefinition, type: SqlType, may_be_null: bool) -> Default | None:
        """Return the DEFAULT of a column; None without one, or after a report."""
        if node.default is None:
            return None
        default = bind_default(node.default, node.name.text, type, may_be_null)
        if isinstance(default, Default):
            return default
        self.schema.diagnostics.append(default)
        return None

    def _constraints(self) -> Iterable[ast.TableConstraint]:
        """Yield the constraints of the table, with those beside its columns."""
        for element in self.node.elements:
            if isinstance(element, ast.ColumnDefinition):
                yield from element.constraints
            else:
                yield element

    def _names(self, names: tuple[ast.Name, ...]) -> tuple[str, ...] | None:
        """Return the declared names of the columns written; None, after a report, if one is unknown or repeated."""
        columns: list[str] = []
        for name in names:
            declared = lookup(name, self.by_fold)
            if declared is None:
                if not self.node.is_broken:
                    self.schema.diagnostics.append(
                        unknown_name(
                            "unknown-column",
                            f"{self.node.name.text} has no column {name.text}",
                            name,
                            self.columns,
                        )
                    )
                return None
            if declared in columns:
                self._report("duplicate-column", f"{declared} is named twice here", name.span, "name each column once")
                return None
            columns.append(declared)
        return tuple(columns)

    def _add_constraint(self, clause: ast.TableConstraint) -> None:
        """Add a key or limit; a foreign key is kept until all tables are known, its MAX is a limit."""
        name = clause.name.text if clause.name is not None else None
        if clause.name is not None:
            first = self.constraint_names.setdefault(clause.name.text.lower(), clause.name)
            if first is not clause.name:
                diagnostic = _duplicate("duplicate-constraint", "constraint", clause.name, first)
                self.schema.diagnostics.append(diagnostic)
        if isinstance(clause, ast.CheckClause):
            self.check_clauses.append(clause)
            return
        columns = self._names(clause.columns)
        match clause:
            case ast.PrimaryKeyClause():
                if self.key_span is not None:
                    self._report(
                        "duplicate-key",
                        f"{self.node.name.text} has two primary keys",
                        clause.span,
                        "write one PRIMARY KEY with all its columns",
                        (Label(self.key_span, "the first one"),),
                    )
                    return
                self.key_span = clause.span
                self.key = columns or ()
            case ast.UniqueClause() if columns is not None:
                self.unique_keys.append(UniqueKey(columns, name, clause.span))
            case ast.LimitClause() if columns is not None:
                if clause.is_token and not self._are_texts(columns, clause):
                    return
                self.limits.append(
                    CardinalityLimit(clause.limit, columns, clause.is_token, name, clause.span, clause.limit_span)
                )
            case ast.ForeignKeyClause():
                self.foreign_keys.append(clause)
                if columns is not None and clause.max is not None:
                    self.limits.append(
                        CardinalityLimit(clause.max, columns, name=name, span=clause.span, limit_span=clause.max_span)
                    )
            case ast.UniqueClause() | ast.LimitClause():  # one of its columns is unknown, which is reported
                pass
            case _:
                assert_never(clause)

    def _bound_checks(self) -> tuple[Check, ...]:
        """Return the CHECKs, after a report those of them that can be; none of a table with errors."""
        checks: list[Check] = []
        for clause in self.check_clauses if self.node.name.text not in self.schema.broken else ():
            try:
                checks.append(bind_check(clause, self._build(()), self.node.name))
            except TestRefused as refused:
                self.schema.diagnostics.extend(refused.diagnostics)
        return tuple(checks)

    def _are_texts(self, columns: tuple[str, ...], clause: ast.LimitClause) -> bool:
        """Return whether all columns of a TOKEN limit are texts; report the first that is not."""
        for column, node in zip(columns, clause.columns, strict=True):
            column_type = self.columns[column].type
            if not is_text(column_type) and column_type.kind is not Kind.NULL:
                self._report(
                    "type-mismatch",
                    f"TOKEN takes text columns, but {column} is {column_type}",
                    node.span,
                    "leave the column out",
                )
                return False
        return True

    def _check_key(self) -> None:
        """Check the primary key, and make columns of keys NOT NULL unless a foreign-key column is declared NULL."""
        if self.key_span is None and not self.node.is_broken:
            first = next(iter(self.columns.values()), None)
            fixes: tuple[Fix, ...] = ()
            if first is not None and first.span is not None and first.span.text.startswith(first.name):
                at = first.span.end
                fixes = (Fix(f"Make {first.name} the primary key", (Edit(first.span.file, at, at, " PRIMARY KEY"),)),)
            self._report(
                "missing-primary-key",
                f"{self.node.name.text} has no PRIMARY KEY",
                self.node.name.span,
                "add PRIMARY KEY (columns): a row is found and replaced by it",
                fixes=fixes,
            )
        for name in self.key:
            if name in self.declared_null:
                self._report(
                    "null-in-key",
                    f"{name} is part of the primary key and cannot be NULL",
                    self.declared_null[name],
                    "leave NULL out",
                )
            self.columns[name] = replace(self.columns[name], nullable=False)
        if not self.key:
            self.schema.broken.add(self.node.name.text)
        for clause in self.foreign_keys:
            for node in clause.columns:
                declared = lookup(node, self.by_fold)
                if declared is not None and declared not in self.declared_null:
                    self.columns[declared] = replace(self.columns[declared], nullable=False)

    def with_foreign_keys(self, by_fold: dict[str, str], table_names: NearNames) -> Table:
        """Return the table with its foreign keys, now that all tables are known."""
        foreign_keys = [self._foreign_key(clause, by_fold, table_names) for clause in self.foreign_keys]
        return self._build(tuple(key for key in foreign_keys if key is not None))

    def _foreign_key(
        self, clause: ast.ForeignKeyClause, by_fold: dict[str, str], table_names: NearNames
    ) -> ForeignKey | None:
        """Return a foreign key; None, after a report, if it names no key of a table with columns that compare."""
        declared = lookup(clause.table, by_fold)
        if declared is None:
            self.schema.diagnostics.append(unknown_table(clause.table, table_names))
            return None
        target = self.schema.tables[declared]
        columns = tuple(
            column for column in (lookup(name, self.by_fold) for name in clause.columns) if column is not None
        )
        if len(columns) < len(clause.columns) or declared in self.schema.broken:
            return None
        referenced = self._referenced(clause, target)
        if referenced is None:
            return None
        if len(referenced) != len(columns):
            self._report(
                "foreign-key-columns",
                f"{_counted(columns)} cannot refer to {_counted(referenced)} of {target.name}",
                clause.span,
                f"name a column for each of ({', '.join(referenced)})",
            )
            return None
        for column_name, referenced_name, name in zip(columns, referenced, clause.columns, strict=True):
            referring_type, column = self.columns[column_name].type, target.column(referenced_name)
            if column is not None and not is_comparable(referring_type, column.type):
                labels = (Label(column.span, f"this is {column.type}"),) if column.span is not None else ()
                self._report(
                    "type-mismatch",
                    f"{column_name} is {referring_type}, but {target.name}.{referenced_name} is {column.type}",
                    name.span if clause.span.start <= name.span.start else clause.span,
                    "give both columns one type",
                    labels,
                )
                return None
        return ForeignKey(columns, target.name, referenced, clause.name.text if clause.name else None, clause.span)

    def _referenced(self, clause: ast.ForeignKeyClause, target: Table) -> tuple[str, ...] | None:
        """Return the columns that a foreign key names; None, after a report, if they are no key of `target`."""
        if not clause.referenced:
            return target.primary_key
        by_fold = {column.name.lower(): column.name for column in target.columns}
        referenced: list[str] = []
        for name in clause.referenced:
            declared = lookup(name, by_fold)
            if declared is None:
                self.schema.diagnostics.append(
                    unknown_name("unknown-column", f"{target.name} has no column {name.text}", name, by_fold.values())
                )
                return None
            referenced.append(declared)
        keys = [set(target.primary_key), *(set(key.columns) for key in target.unique_keys)]
        if set(referenced) not in keys or len(set(referenced)) < len(referenced):
            labels = (Label(target.key_span, "its primary key"),) if target.key_span is not None else ()
            self._report(
                "foreign-key-columns",
                f"({', '.join(referenced)}) is not a key of {target.name}, so it may name several rows",
                clause.span,
                f"refer to its primary key ({', '.join(target.primary_key)}), or declare UNIQUE there",
                labels,
            )
            return None
        return tuple(referenced)


def _counted(columns: tuple[str, ...]) -> str:
    return f"{len(columns)} column{'s' * (len(columns) != 1)} ({', '.join(columns)})"
