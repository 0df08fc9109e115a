"""SELECT and UNION → the canonical logical plan: exactly what is written, nothing moved.

From the bottom: the relations of FROM joined left-deep, `Selection` (WHERE), `GroupBy`, `Selection` (HAVING), `Sort`,
`Projection`, `Distinct`, `Stop`:

    Stop(Distinct(Projection(Sort(Selection(GroupBy(Selection(Join(Relation, Relation))))))))

- `Sort` stands below `Projection`: its keys are expressions over columns (above a `GroupBy`: over its keys and
  aggregates), and an output alias in ORDER BY is replaced by what it stands for.
- `Distinct` stands above both and keeps the order of its input: what DISTINCT is ordered by must be an output.
- A UNION is `Stop(Sort(Union(Projection…, …)))`; its sort keys are `ColumnRef(relation="", name=output)`.
- Aliases are unique in the whole statement: one that is taken elsewhere in it gets a number (`u`, `u_2`).
- BETWEEN is two comparisons, a bare BOOLEAN column is `column = TRUE`, NOT IN is Not(InList).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from piql.compiler.binding.aggregates import aggregates_in, ungrouped
from piql.compiler.binding.determined import determined_columns
from piql.compiler.binding.existence import bind_existence, only_existence
from piql.compiler.binding.expressions import ExpressionBinder, QueryContext
from piql.compiler.binding.one_row import one_row
from piql.compiler.binding.order import is_of_outputs, sort_keys
from piql.compiler.binding.output_names import duplicate_output, output_name
from piql.compiler.binding.outputs import output_columns
from piql.compiler.binding.parts_of_groups import report_parts
from piql.compiler.binding.scope import Scope, ScopeRelation, matches
from piql.compiler.binding.stops import count_of, with_stop
from piql.compiler.binding.stripes_read import BoundSelect
from piql.compiler.binding.unions import bind_union, position_of_output
from piql.compiler.binding.using import equal_columns, merged_columns, natural_join
from piql.compiler.binding.windows import window_function
from piql.compiler.binding.with_clauses import WithTable, bind_with, find_with_table, with_names
from piql.compiler.logical import expressions as bound
from piql.compiler.logical import operators as logical
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

MAX_OUTPUTS = 5_000  # columns of one result


def bind_query(
    context: QueryContext,
    node: ast.QueryExpression,
    outer: Scope | None = None,
    is_exists: bool = False,
    is_each_once: bool = False,
) -> logical.LogicalNode | None:
    """Return the plan of a query; None when an error was reported.

    With `is_each_once` it does not matter how often a row comes: a UNION takes each once.
    """

    def bind() -> logical.LogicalNode | None:
        if isinstance(node, ast.UnionQuery):
            once = is_each_once or not node.is_all
            inputs = [bind_query(context, source, outer, is_each_once=once) for source in node.inputs]
            return bind_union(context, node, inputs)
        return _Select(context, node, outer, is_exists, is_each_once).bind()

    return bind() if node.with_clause is None else bind_with(context, node.with_clause, outer, bind)


def bind_nested(
    context: QueryContext,
    node: ast.QueryExpression,
    outer: Scope | None = None,
    is_exists: bool = False,
    is_each_once: bool = True,
) -> logical.LogicalNode | None:
    """Return the plan of a subquery or derived table; None when an error was reported.

    It does not matter how often a row of a subquery comes (`is_each_once`). It does in a derived table, and in WITH.
    """
    context.nesting += 1
    plan = bind_query(context, node, outer, is_exists, is_each_once)
    context.nesting -= 1
    return plan


class _Select:
    """Binds one SELECT: FROM first, which fills the scope, then the clauses over it.

    With `is_exists` the names of its outputs do not matter: the query stands in EXISTS, or repeats in a recursive one.
    With `is_each_once` it does not matter how often a row comes.
    `is_broken` is set with each error; binding goes on to report others, but gives no plan then.
    """

    def __init__(
        self, context: QueryContext, node: ast.Select, outer: Scope | None, is_exists: bool, is_each_once: bool
    ) -> None:
        self.context = context
        self.node = node
        self.scope = Scope(outer=outer)
        self.is_exists = is_exists
        self.is_each_once = is_each_once or node.is_distinct
        self.is_broken = False

    def bind(self) -> logical.LogicalNode | None:
        """Return the plan; None when an error was reported."""
        node = self.node
        exists = only_existence(node)
        if exists is not None and self.scope.outer is None:
            return bind_existence(self.context, node, exists)
        if node.from_clause is None:
            plan = one_row(self.context, node, is_outermost=self.scope.outer is None)
            if plan is None:
                return None
        else:
            plan = self._from(node.from_clause)
        if node.where is not None:
            predicate = self._binder("WHERE").predicate(node.where)
            if predicate is None:
                self.is_broken = True
            elif plan is not None:
                plan = logical.Selection(predicate=predicate, input=plan, span=node.where.span)
        outputs = self._outputs()
        keys = self._group_keys(outputs)
        having = None
        if node.having is not None:
            having_binder = self._binder("HAVING", aggregates=True)
            having_binder.outputs = {output.name.lower(): output for output in outputs}
            having = having_binder.predicate(node.having)
            self.is_broken |= having is None
        order = self._order(outputs)
        is_grouped = node.group is not None or node.having is not None
        aggregates = self._aggregates([output.expression for output in outputs], having, order)
        if plan is not None and not self.is_broken and (is_grouped or aggregates):
            if node.group is not None:
                keys = self._with_determined(plan, keys, outputs, having, order)
            self._check_grouped(keys, outputs, having, order)
            span = node.group.span if node.group is not None else node.items_span
            plan = logical.GroupBy(keys=tuple(keys), aggregates=aggregates, input=plan, span=span)
            if having is not None and node.having is not None:
                plan = logical.Selection(predicate=having, input=plan, span=node.having.span)
        self._check_output_names(outputs)
        if node.is_distinct:
            self._check_distinct_order(outputs, order)
        if plan is None or self.is_broken:
            count_of(self.context, node)
            return None
        if order and node.order is not None:
            plan = logical.Sort(keys=order, input=plan, span=node.order.span)
        plan = logical.Projection(outputs=tuple(outputs), input=plan, span=node.items_span)
        are_rows_counted = not (self.is_each_once or aggregates or is_grouped)
        select = BoundSelect(node, self.scope.relations, plan, aggregates, are_rows_counted)
        report_parts(self.context.diagnostics, select)
        if node.is_distinct:
            plan = logical.Distinct(input=plan, span=node.distinct)
        return with_stop(self.context, node, plan)

    def _binder(self, clause: str, aggregates: bool = False) -> ExpressionBinder:
        return ExpressionBinder(self.context, self.scope, clause, aggregates)

    # FROM

    def _from(self, clause: ast.FromClause) -> logical.LogicalNode | None:
        plan = self._source(clause.first)
        for join in clause.joins:
            right = self._source(join.table)
            condition = None
            if join.is_natural:
                self.is_broken = True
                self.context.diagnostics.append(natural_join(join, self.scope))
            elif join.using:
                condition = equal_columns(self._binder("USING"), join)
                self.is_broken |= condition is None
            elif join.condition is not None:
                condition = self._binder("ON").predicate(join.condition)
                self.is_broken |= condition is None
            if join.kind == "left":
                self.scope.relations[-1].is_optional = True
            if plan is not None and right is not None:
                plan = logical.Join(
                    kind="left" if join.kind == "left" else "inner",
                    left=plan,
                    right=right,
                    condition=condition,
                    span=join.span,
                )
            else:
                plan = None
        return plan

    def _source(self, source: ast.TableSource) -> logical.LogicalNode | None:
        """Bind a table or derived table of FROM, and add it to the scope even if it is broken."""
        if isinstance(source, ast.DerivedTable):
            return self._derived(source)
        named = find_with_table(self.context, source.table)
        if named is not None:
            return self._with_table(source, named)
        shown = (source.alias or source.table).text
        table = self.context.tables.find(source.table)
        if table is None:
            self.context.diagnostics.append(self.context.tables.unknown(source.table, with_names(self.context)))
            self._add(ScopeRelation(shown, shown, None, source.span))
            return None
        if table.name in self.context.tables.broken:
            self.is_broken = True
            self._add(ScopeRelation(shown, shown, None, source.span, table))
            return None
        if source.alias is None:
            shown = table.name
        columns = self.context.tables.columns_in_scope(table)
        relation = ScopeRelation(shown, self.context.unique_alias(shown), columns, source.span, table)
        self._add(relation)
        return logical.Relation(table=table, alias=relation.alias, span=source.span)

    def _derived(self, source: ast.DerivedTable) -> logical.LogicalNode | None:
        plan = bind_nested(self.context, source.query, self.scope.outer, is_each_once=self.is_each_once)
        if source.alias is None:
            self.context.diagnostics.append(
                report(
                    "missing-alias",
                    "a derived table needs a name",
                    source.span,
                    help="write FROM (SELECT …) AS name",
                )
            )
            self._add(ScopeRelation("", "", None, source.span))
            return None
        shown = source.alias.text
        if plan is None:
            self._add(ScopeRelation(shown, shown, None, source.span))
            return None
        columns = {column.name.lower(): column for column in output_columns(plan)}
        relation = ScopeRelation(shown, self.context.unique_alias(shown), columns, source.span)
        self._add(relation)
        return logical.Derived(alias=relation.alias, input=plan, span=source.span)

    def _with_table(self, source: ast.TableName, table: WithTable | logical.WorkTable) -> logical.LogicalNode | None:
        """Bind a name of WITH, and add it to the scope even if it is broken."""
        shown = (source.alias or source.table).text
        plan = table if isinstance(table, logical.WorkTable) else table.use(self.context)
        if plan is None:
            self.is_broken = True
            self._add(ScopeRelation(shown, shown, None, source.span))
            return None
        columns = {column.name.lower(): column for column in output_columns(plan)}
        relation = ScopeRelation(shown, self.context.unique_alias(shown), columns, source.span)
        self._add(relation)
        return logical.Derived(alias=relation.alias, input=plan, span=source.span)

    def _add(self, relation: ScopeRelation) -> None:
        """Add a relation to the scope; report one whose alias another has."""
        for earlier in self.scope.relations:
            if earlier.shown and earlier.shown.lower() == relation.shown.lower():
                self.is_broken = True
                self.context.diagnostics.append(
                    report(
                        "duplicate-alias",
                        f"{relation.shown} appears twice in FROM",
                        relation.span,
                        labels=(Label(earlier.span, "the first one"),),
                        help=f"give one of them a name of its own: {relation.shown} {relation.shown}2",
                    )
                )
                relation.columns = None  # else its columns would be reported as ambiguous
                break
        self.scope.relations.append(relation)

    # The select list

    def _outputs(self) -> list[logical.Output]:
        """Bind the select list; a star becomes a column for each that it stands for. Broken items are left out."""
        binder = self._binder("SELECT", aggregates=True)
        outputs: list[logical.Output] = []
        for item in self.node.items:
            if len(outputs) > MAX_OUTPUTS:
                self._too_many(f"the result has more than {MAX_OUTPUTS:,} columns", item.span)
                return outputs[:1]
            if isinstance(item, ast.Star):
                relations = self._relations_of(item)
                columns = sum(len(relation.columns or ()) for relation in relations)
                self.context.star_columns += columns
                if self.context.star_columns > self.context.room:
                    self._too_many(
                        f"this * adds {columns:,} columns, which is too many for one file",
                        item.span,
                        "list the columns that you need, or move this query into another file",
                    )
                    return outputs[:1]
                merged = merged_columns(self.scope) if item.qualifier is None else {}
                outputs.extend(
                    logical.Output(name=column.name, expression=relation.reference(column, item.span))
                    for relation, column in merged.values()
                )
                for relation in relations:
                    outputs.extend(self._star(relation, item.span, merged))
                continue
            if isinstance(item.expression, ast.Call) and item.expression.over is not None:
                self.context.diagnostics.append(window_function(self.node, item, item.expression))
                self.is_broken = True
                continue
            expression = binder.value(item.expression)
            if expression is None:
                self.is_broken = True
                continue
            outputs.append(logical.Output(name=output_name(item, expression), expression=expression))
        return outputs

    def _too_many(self, message: str, span: Span, help: str | tuple[str, ...] = ()) -> None:
        self.is_broken = True
        self.context.diagnostics.append(report("too-many", message, span, help=help))

    def _relations_of(self, star: ast.Star) -> list[ScopeRelation]:
        """Return the relations whose columns `*` or `t.*` stands for."""
        relations = self.scope.relations
        if star.qualifier is not None:
            relations = [relation for relation in relations if matches(star.qualifier, relation.shown)]
            if not relations:
                self.is_broken = True
                self.context.diagnostics.append(self.scope.unknown_relation(star.qualifier))
        return relations

    def _star(self, relation: ScopeRelation, span: Span, merged: Collection[str]) -> Iterator[logical.Output]:
        """Yield the columns of a relation without those that USING has merged."""
        if relation.columns is None:
            self.is_broken = True
            return
        for fold, column in relation.columns.items():
            if fold in merged:
                continue
            yield logical.Output(name=column.name, expression=relation.reference(column, span))

    def _check_output_names(self, outputs: list[logical.Output]) -> None:
        """Report the first output that has the name of another."""
        if self.is_exists:
            return
        if len({output.name.lower() for output in outputs}) == len(outputs):
            return
        seen: dict[str, logical.Output] = {}
        for output in outputs:
            first = seen.setdefault(output.name.lower(), output)
            if first is output:
                continue
            self.is_broken = True
            span = output.expression.span or self.node.items_span
            self.context.diagnostics.append(duplicate_output(output, first, outputs, self.node.items, span))
            return

    # Groups and order

    def _group_keys(self, outputs: list[logical.Output]) -> list[bound.Expression]:
        """Bind the keys of GROUP BY, each once; a key may be a column, an output's name or its position from 1."""
        keys: list[bound.Expression] = []
        if self.node.group is None:
            return keys
        binder = self._binder("GROUP BY")
        seen: set[bound.Expression] = set()
        for expression in self.node.group.keys:
            named = self._named_output(expression, outputs) if not self._is_column(expression) else None
            position = position_of_output(self.context, expression, len(outputs))
            if position is not None:
                named = outputs[position].expression
            elif isinstance(expression, ast.LiteralValue) and isinstance(expression.value, int):
                self.is_broken = True
            key = named if named is not None else binder.value(expression)
            if key is None or self._is_aggregate(key, expression):
                self.is_broken = True
            elif key not in seen:
                seen.add(key)
                keys.append(key)
        return keys

    def _is_aggregate(self, key: bound.Expression, node: ast.Expression) -> bool:
        """Return whether a key of GROUP BY, an output of the select list, has an aggregate; report it then."""
        aggregate = next(aggregates_in(key), None)
        if aggregate is None:
            return False
        message = f"{node.span.text} is {aggregate.function} of a group, so it cannot tell the groups apart"
        way_out = "group by columns, and test aggregates in HAVING"
        self.context.diagnostics.append(report("aggregate-misuse", message, node.span, help=way_out))
        return True

    def _is_column(self, node: ast.Expression) -> bool:
        if not isinstance(node, ast.ColumnName):
            return False
        fold = node.name.text.lower()
        return any(fold in relation.columns for relation in self.scope.relations if relation.columns is not None)

    def _named_output(self, node: ast.Expression, outputs: list[logical.Output]) -> bound.Expression | None:
        """Return the expression of the output that a name without qualifier means; None if it means none."""
        if isinstance(node, ast.ColumnName) and node.qualifier is None:
            for output in outputs:
                if matches(node.name, output.name):
                    return output.expression
        return None

    def _order(self, outputs: list[logical.Output]) -> tuple[logical.SortKey, ...]:
        """Bind ORDER BY; a key may be an output's name or position from 1, or an expression over the relations."""
        if self.node.order is None:
            return ()
        binder = self._binder("ORDER BY", aggregates=True)
        keys: list[logical.SortKey] = []
        for item in self.node.order.items:
            expression = self._named_output(item.expression, outputs)
            position = position_of_output(self.context, item.expression, len(outputs))
            if position is not None:
                expression = outputs[position].expression
            if expression is not None and expression.span != item.expression.span:
                expression = replace(expression, span=item.expression.span)
            if expression is None:
                expression = binder.value(item.expression)
            if expression is None:
                self.is_broken = True
            else:
                keys.extend(sort_keys(item, expression))
        return tuple(keys)

    def _aggregates(
        self,
        outputs: list[bound.Expression],
        having: bound.Expression | None,
        order: tuple[logical.SortKey, ...],
    ) -> tuple[bound.Aggregate, ...]:
        """Return the aggregates of all clauses, each once."""
        aggregates: dict[bound.Aggregate, None] = {}
        for expression in (*outputs, *((having,) if having is not None else ()), *(key.expression for key in order)):
            if not isinstance(expression, bound.ColumnRef):
                aggregates.update(dict.fromkeys(aggregates_in(expression)))
        return tuple(aggregates)

    def _with_determined(
        self,
        plan: logical.LogicalNode,
        keys: list[bound.Expression],
        outputs: list[logical.Output],
        having: bound.Expression | None,
        order: tuple[logical.SortKey, ...],
    ) -> list[bound.Expression]:
        """Return the keys of GROUP BY with the columns that are read beside them and have one value in each group."""
        aliases = {relation.alias for relation in self.scope.relations}
        expressions = [output.expression for output in outputs]
        expressions += [having] if having is not None else []
        expressions += [key.expression for key in order]
        known: frozenset[bound.ColumnRef] | None = None
        for expression in expressions:
            while (column := ungrouped(expression, keys, aliases)) is not None:
                if known is None:
                    known = determined_columns(plan, keys)
                if column not in known:
                    return keys
                keys = [*keys, column]
        return keys

    def _check_grouped(
        self,
        keys: list[bound.Expression],
        outputs: list[logical.Output],
        having: bound.Expression | None,
        order: tuple[logical.SortKey, ...],
    ) -> None:
        """Report the first column outside of aggregates that is no group key: it has no single value in a group."""
        aliases = {relation.alias for relation in self.scope.relations}
        expressions = [output.expression for output in outputs]
        expressions += [having] if having is not None else []
        expressions += [key.expression for key in order]
        for expression in expressions:
            column = ungrouped(expression, keys, aliases)
            if column is None:
                continue
            self.is_broken = True
            name = column.span.text if column.span is not None and column.span.text != "*" else column.name
            way_out = f"add {name} to GROUP BY, or take one value of the group: MIN({name})"
            if self.node.group is None:
                way_out = f"add GROUP BY {name}, or take one value of all rows: MIN({name})"
            self.context.diagnostics.append(
                report(
                    "not-grouped",
                    f"{name} may differ within one group",
                    column.span or self.node.items_span,
                    help=way_out,
                )
            )
            return

    def _check_distinct_order(self, outputs: list[logical.Output], order: tuple[logical.SortKey, ...]) -> None:
        """Report the first key of ORDER BY that is no output of a SELECT DISTINCT."""
        expressions = [output.expression for output in outputs]
        for key in order:
            if not is_of_outputs(key, expressions):
                self.is_broken = True
                span = key.expression.span or self.node.span
                self.context.diagnostics.append(
                    report(
                        "distinct-order",
                        f"with DISTINCT, rows can be ordered by columns of the result only, and {span.text} is none",
                        span,
                        help=f"add {span.text} to the select list",
                    )
                )
                return
