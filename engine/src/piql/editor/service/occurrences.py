"""The occurrences of all names in a text, each with the symbol that it means.

Definitions, references and renaming read this. It works on texts with errors: a name that means nothing is left out, a
broken query is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from piql.compiler.binding.scope import matches
from piql.compiler.syntax import ast
from piql.compiler.syntax.lexer import tokenize
from piql.schema.catalog import Table
from piql.text.source import Source, Span
from piql.trees.node import Node

SymbolKind = Literal["table", "column", "alias", "output", "parameter", "query", "index"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something with a name; `owner` is the table of a column, the query of a parameter, the SELECT of an alias."""

    kind: SymbolKind
    name: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where a symbol is named."""

    symbol: Symbol
    span: Span
    is_definition: bool = False


@dataclass(slots=True)
class _Relation:
    """A relation in scope: what its name means, and what its columns mean, keyed by lower case.

    The name of EXCLUDED, behind ON CONFLICT, is part of the language and means no symbol.
    """

    shown: str
    symbol: Symbol | None
    columns: dict[str, Symbol]


@dataclass(slots=True)
class _Scope:
    """The relations and outputs that names inside one query may mean; `outer` is the scope of the query around it."""

    relations: list[_Relation] = field(default_factory=list)
    outputs: dict[str, Symbol] = field(default_factory=dict)
    outer: _Scope | None = None
    query: str = ""  # whose parameters are meant


def occurrences_of(file: ast.ParsedFile, tables: Mapping[str, Table]) -> list[Occurrence]:
    """Return all occurrences of a file in the order of the text; the tables are those of all files."""
    collector = _Collector(tables)
    for statement in file.statements:
        collector.statement(statement)
    return sorted(collector.occurrences, key=lambda occurrence: occurrence.span.start)


class _Collector:
    """Walks the trees with the scopes of their queries."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = {name.lower(): table for name, table in tables.items()}
        self.occurrences: list[Occurrence] = []
        self._with_relations: Mapping[str, _Relation] = {}  # the queries of WITH that can be named here, by lower case

    def _note(self, symbol: Symbol | None, span: Span, is_definition: bool = False) -> None:
        """Add an occurrence; nothing where the name means nothing."""
        if symbol is not None:
            self.occurrences.append(Occurrence(symbol, span, is_definition))

    def statement(self, statement: ast.Statement) -> None:
        """Note all names of one statement."""
        match statement:
            case ast.CreateTable() | ast.CreateEntity():
                self._table(statement)
            case ast.CreateIndex():
                self._index(statement)
            case ast.CreateView():
                self._view(statement)
            case ast.SetSetting():
                pass
            case ast.CreateQuery():
                symbol = Symbol("query", statement.name.text)
                self._note(symbol, statement.name.span, True)
                if statement.body is not None:
                    self._body(statement.body, statement.name.text.lower())
            case ast.CreateUnit():
                self._note(Symbol("query", statement.name.text), statement.name.span, True)
                unit = statement.name.text.lower()
                for part in statement.statements:
                    if isinstance(part, ast.Let):
                        self._expression(part.value, _Scope(query=unit))
                        for name in part.names:
                            self._note(Symbol("parameter", name.text, unit), name.span, True)
                    else:
                        self._body(part, unit)
            case _:
                self._body(statement, f"{statement.span.file}:{statement.span.start}")

    # The schema

    def _table_of(self, name: ast.Name) -> Table | None:
        """Return the table that a name means; a name in quotes means the one that is called exactly so."""
        table = self.tables.get(name.text.lower())
        return table if table is not None and matches(name, table.name) else None

    def _named_table(self, name: ast.Name) -> Table | None:
        """Note the name of a table, and return the table."""
        table = self._table_of(name)
        if table is not None:
            self._note(Symbol("table", table.name), name.span)
        return table

    def _columns(self, table: Table | None, names: Iterable[ast.Name]) -> None:
        for name in names:
            self._note(_column(table, name), name.span)

    def _table(self, node: ast.CreateTable | ast.CreateEntity) -> None:
        table = self._table_of(node.name)
        if table is None:
            return
        self._note(Symbol("table", table.name), node.name.span, True)
        for element in node.elements:
            if isinstance(element, ast.ColumnDefinition):
                self._note(Symbol("column", element.name.text, table.name), element.name.span, True)
                for constraint in element.constraints:
                    self._constraint(constraint, table, is_inline=True)
            elif isinstance(element, ast.EntityReference):
                self._note(Symbol("column", element.name.text, table.name), element.name.span, True)
                self._named_table(element.table)
            else:
                self._constraint(element, table)

    def _constraint(self, clause: ast.TableConstraint, table: Table, is_inline: bool = False) -> None:
        if isinstance(clause, ast.CheckClause):
            relation = _table_relation(table, table.name)
            self._expression(clause.test, _Scope([relation]))
            return
        if not is_inline:
            self._columns(table, clause.columns)
        if isinstance(clause, ast.ForeignKeyClause):
            self._columns(self._named_table(clause.table), clause.referenced)

    def _index(self, node: ast.CreateIndex) -> None:
        self._note(Symbol("index", node.name.text), node.name.span, True)
        table = self._named_table(node.table)
        for part in node.parts:
            self._columns(table, part.columns)
        self._columns(table, node.covering)

    def _view(self, node: ast.CreateView) -> None:
        view = self._table_of(node.name)
        if view is not None:
            self._note(Symbol("table", view.name), node.name.span, True)
        self._query(node.query, None, node.name.text.lower())

    # Queries and writes

    def _body(self, body: ast.BareStatement, query: str) -> None:
        match body:
            case ast.Select() | ast.UnionQuery():
                self._query(body, None, query)
            case ast.Fetch():
                self._fetch(body, query)
            case ast.Insert():
                table = self._named_table(body.table)
                self._columns(table, body.columns)
                for value in (*body.values, *body.more, *((body.rows,) if body.rows is not None else ())):
                    self._expression(value, _Scope(query=query))
                if body.conflict is not None:
                    self._columns(table, body.conflict.target)
                    self._changes(body.conflict.changes, table, query)
                self._returning(body.returning, body.table, query)
            case ast.Update():
                scope = _Scope(query=query)
                self._source(body.source, scope)
                self._set(body.changes, scope)
                self._rows(body, scope)
            case ast.Delete():
                scope = _Scope(query=query)
                self._source(body.source, scope)
                self._rows(body, scope)

    def _set(self, items: Iterable[ast.SetItem], scope: _Scope) -> None:
        """Note the names of changes behind the SET of an UPDATE, whose table or alias may stand before a column."""
        for item in items:
            name = ast.ColumnName(qualifier=item.table, name=item.column, span=item.span)
            self._column_name(name, scope)
            self._expression(item.value, scope)

    def _rows(self, body: ast.Update | ast.Delete, scope: _Scope) -> None:
        """Note the names in WHERE, ORDER BY, LIMIT, IF and RETURNING."""
        keys = [item.expression for item in body.order.items] if body.order is not None else []
        count = body.stop.count if body.stop is not None else None
        for node in (body.where, *keys, count, body.condition):
            if node is not None:
                self._expression(node, scope)
        self._returned(body.returning, scope)

    def _returning(self, items: Iterable[ast.SelectItem | ast.Star], name: ast.Name, query: str) -> None:
        """Note the columns behind the RETURNING of an INSERT."""
        table = self._table_of(name)
        self._returned(items, _Scope([_table_relation(table, table.name)] if table is not None else [], query=query))

    def _returned(self, items: Iterable[ast.SelectItem | ast.Star], scope: _Scope) -> None:
        for item in items:
            if isinstance(item, ast.SelectItem):
                self._expression(item.expression, scope)
            elif item.qualifier is not None:
                self._qualifier(item.qualifier, scope)

    def _changes(self, items: Iterable[ast.SetItem], table: Table | None, query: str) -> None:
        """Note the names of changes behind DO UPDATE SET, where EXCLUDED is a row of the table."""
        scope = _Scope(query=query)
        if table is not None:
            relation = _table_relation(table, table.name)
            scope.relations += [relation, _Relation("excluded", None, relation.columns)]
        for item in items:
            if item.table is not None:
                self._named_table(item.table)
            self._columns(table, (item.column,))
            self._expression(item.value, scope)

    def _query(self, query: ast.QueryExpression, outer: _Scope | None, name: str) -> dict[str, Symbol]:
        """Note all names of a query; return the symbols of its outputs by name in lower case."""
        around = self._with_relations
        if query.with_clause is not None:
            for entry in query.with_clause.entries:
                self._with_entry(entry, name)
        outputs = self._query_after_with(query, outer, name)
        self._with_relations = around
        return outputs

    def _with_entry(self, entry: ast.WithEntry, name: str) -> None:
        """Note the names of one query of WITH, which those after it, and the query itself, may read."""
        origin = f"{entry.span.file}:{entry.name.span.start}"
        relation = _Relation(entry.name.text, Symbol("alias", entry.name.text, origin), {})
        self._note(relation.symbol, entry.name.span, True)
        for column in entry.columns:
            symbol = Symbol("output", column.text, origin)
            self._note(symbol, column.span, True)
            relation.columns[column.text.lower()] = symbol
        self._with_relations = {**self._with_relations, entry.name.text.lower(): relation}
        queries = entry.query.inputs if isinstance(entry.query, ast.UnionQuery) else (entry.query,)
        for query in queries:
            outputs = self._query(query, None, name)
            if not relation.columns:
                relation.columns.update(outputs)

    def _query_after_with(self, query: ast.QueryExpression, outer: _Scope | None, name: str) -> dict[str, Symbol]:
        if isinstance(query, ast.UnionQuery):
            outputs = [self._query(source, outer, name) for source in query.inputs]
            scope = _Scope(outputs=outputs[0], outer=outer, query=name)
        else:
            scope = self._select(query, outer, name)
        for item in query.order.items if query.order is not None else ():
            if not self._output_name(item.expression, scope):
                self._expression(item.expression, scope)
        if query.stop is not None:
            self._expression(query.stop.count, scope)
        if query.offset is not None:
            self._expression(query.offset.count, scope)
        return scope.outputs

    def _select(self, select: ast.Select, outer: _Scope | None, name: str) -> _Scope:
        """Note all names of a SELECT; return its scope, which ORDER BY still needs."""
        scope = _Scope(outer=outer, query=name)
        if select.from_clause is not None:
            self._source(select.from_clause.first, scope)
            for join in select.from_clause.joins:
                self._source(join.table, scope)
                if join.condition is not None:
                    self._expression(join.condition, scope)
                for column in join.using:
                    self._column_name(ast.ColumnName(qualifier=None, name=column, span=column.span), scope)
        outputs: dict[str, Symbol] = {}
        for item in select.items:
            outputs.update(self._item(item, scope))
        for condition in (select.where, select.having):
            if condition is not None:
                self._expression(condition, scope)
        scope.outputs = outputs
        for key in select.group.keys if select.group is not None else ():
            if _is_column_of(key, scope) or not self._output_name(key, scope):
                self._expression(key, scope)
        return scope

    def _output_name(self, node: Node, scope: _Scope) -> bool:
        """Note a key of ORDER BY or GROUP BY that is the bare name of an output; return whether it is one.

        Inside an expression, a name never means an output.
        """
        if not isinstance(node, ast.ColumnName) or node.qualifier is not None:
            return False
        symbol = scope.outputs.get(node.name.text.lower())
        self._note(symbol, node.name.span)
        return symbol is not None

    def _item(self, item: ast.SelectItem | ast.Star, scope: _Scope) -> Iterator[tuple[str, Symbol]]:
        """Note the names of one item of a SELECT; yield its outputs, each with its name in lower case."""
        if isinstance(item, ast.Star):
            relations = scope.relations
            if item.qualifier is not None:
                relation = self._qualifier(item.qualifier, scope)
                relations = [relation] if relation is not None else []
            for joined in relations:
                yield from joined.columns.items()
            return
        column = self._expression(item.expression, scope)
        if item.alias is not None:
            symbol = Symbol("output", item.alias.text, f"{item.span.file}:{item.span.start}")
            self._note(symbol, item.alias.span, True)
            yield item.alias.text.lower(), symbol
        elif column is not None:
            yield column.name.lower(), column

    def _source(self, source: ast.TableSource, scope: _Scope) -> None:
        """Note the names of one table or derived table of a FROM clause, and add it to the scope."""
        alias = source.alias
        symbol = Symbol("alias", alias.text, f"{alias.span.file}:{alias.span.start}") if alias is not None else None
        if isinstance(source, ast.DerivedTable):
            columns = self._query(source.query, scope.outer, scope.query)
        elif (with_relation := self._with_relations.get(source.table.text.lower())) is not None:
            self._note(with_relation.symbol, source.table.span)
            columns, symbol = with_relation.columns, symbol or with_relation.symbol
        else:
            table = self._named_table(source.table)
            if table is None:
                return
            relation = _table_relation(table, table.name)
            columns, symbol = relation.columns, symbol or relation.symbol
        if alias is not None and symbol is not None:
            self._note(symbol, alias.span, True)
        if symbol is not None:
            scope.relations.append(_Relation(alias.text if alias is not None else symbol.name, symbol, columns))

    def _fetch(self, fetch: ast.Fetch, query: str) -> None:
        scope = _Scope(query=query)
        before: Table | None = None
        for step in fetch.steps:
            table = self._named_table(step.entity)
            if table is not None:
                relation = _table_relation(table, table.name)
                if step.alias is not None:
                    relation.shown = step.alias.text
                    relation.symbol = Symbol("alias", step.alias.text, f"{step.span.file}:{step.alias.span.start}")
                    self._note(relation.symbol, step.alias.span, True)
                scope.relations.append(relation)
            if step.by is not None:
                for holder in (before, table):
                    symbol = _column(holder, step.by)
                    if symbol is not None:
                        self._note(symbol, step.by.span)
                        break
            before = table
        for part in (fetch.where, fetch.stop.count if fetch.stop is not None else None):
            if part is not None:
                self._expression(part, scope)
        for item in fetch.order.items if fetch.order is not None else ():
            self._expression(item.expression, scope)

    # Expressions

    def _expression(self, node: Node, scope: _Scope) -> Symbol | None:
        """Note all names of an expression; return the symbol of one that is a bare column."""
        match node:
            case ast.ColumnName():
                return self._column_name(node, scope)
            case ast.ParameterUse():
                self._note(Symbol("parameter", node.name, scope.query), parameter_name_span(node))
            case ast.InQuery() | ast.ExistsQuery() | ast.ScalarQuery():
                if isinstance(node, ast.InQuery):
                    self._expression(node.operand, scope)
                self._query(node.query, scope, scope.query)
            case _:
                for child in node.children():
                    self._expression(child, scope)
        return None

    def _column_name(self, node: ast.ColumnName, scope: _Scope) -> Symbol | None:
        """Note the name of a column, looked up from the inner scope to the outer; return its symbol."""
        fold = node.name.text.lower()
        symbol: Symbol | None = None
        if node.qualifier is not None:
            relation = self._qualifier(node.qualifier, scope)
            symbol = relation.columns.get(fold) if relation is not None else None
        else:
            enclosing: _Scope | None = scope
            while symbol is None and enclosing is not None:
                symbol = next(
                    (relation.columns[fold] for relation in enclosing.relations if fold in relation.columns), None
                )
                if symbol is None:
                    symbol = next(
                        (
                            relation.symbol
                            for relation in enclosing.relations
                            if relation.symbol is not None and matches(node.name, relation.shown)
                        ),
                        None,
                    )
                enclosing = enclosing.outer
        self._note(symbol, node.name.span)
        return symbol

    def _qualifier(self, name: ast.Name, scope: _Scope) -> _Relation | None:
        """Note the name before a dot, and return the relation that it means."""
        enclosing: _Scope | None = scope
        while enclosing is not None:
            for relation in enclosing.relations:
                if matches(name, relation.shown) or (
                    relation.symbol is not None
                    and relation.symbol.kind == "alias"
                    and matches(name, relation.symbol.name)
                ):
                    self._note(relation.symbol, name.span)
                    return relation
            enclosing = enclosing.outer
        return None


def _is_column_of(node: Node, scope: _Scope) -> bool:
    return isinstance(node, ast.ColumnName) and any(
        node.name.text.lower() in relation.columns for relation in scope.relations
    )


def _column(table: Table | None, name: ast.Name) -> Symbol | None:
    if table is None:
        return None
    for column in table.columns:
        if matches(name, column.name):
            return Symbol("column", column.name, table.name)
    if any(key.name is not None and matches(name, key.name) for key in table.foreign_keys):
        return Symbol("column", name.text, table.name)  # a foreign key of several columns, named in its ENTITY
    return None


def _table_relation(table: Table, shown: str) -> _Relation:
    columns = {column.name.lower(): Symbol("column", column.name, table.name) for column in table.columns}
    return _Relation(shown, Symbol("table", table.name), columns)


def parameter_name_span(node: ast.ParameterUse) -> Span:
    """Return the span of the name alone in `[1: name]`, `[name]` or `:name`; all of `?` and `$1`."""
    if node.style in ("?", "$"):
        return node.span
    tokens = tokenize(Source(node.span.text)).tokens  # a comment may hold the same word
    start = node.span.start + next(token.start for token in tokens if token.text == node.name)
    return Span(node.span.source, start, start + len(node.name))
