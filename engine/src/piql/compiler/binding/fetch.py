"""`FETCH … OF … BY …` → the SELECT that says the same.

    FETCH Thought                                SELECT Thought.*
      OF User friend BY owner                    FROM Thought
      OF Subscription BY target           →        JOIN Subscription ON Thought.owner = Subscription.target
      OF User me BY owner                        WHERE Subscription.owner = [this]
    WHERE me = [this]

Each step follows a foreign key, in whichever direction it is declared. A step of which only the primary key is used,
and to which a foreign key of a neighbour leads, reads nothing: the foreign key holds the same values and is enforced.
`alias = [parameter]` compares the whole primary key; a key of several columns takes a parameter for each, `this_owner`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from piql.compiler.binding.expressions import QueryContext
from piql.compiler.binding.scope import lookup, matches, unknown_name
from piql.compiler.syntax import ast
from piql.schema.catalog import ForeignKey, Table
from piql.text.diagnostics.report import report
from piql.text.source import Span
from piql.trees.node import Node


@dataclass(slots=True)
class _Step:
    """One step with its table; `alias` is its name in the SELECT."""

    node: ast.FetchStep
    table: Table
    alias: ast.Name
    by_fold: dict[str, str] = field(default_factory=dict)  # names of its columns, keyed by their lower case


@dataclass(slots=True)
class _Link:
    """The foreign key between two steps, given by their numbers: `holder` declares it, `target` is referenced."""

    holder: int
    target: int
    key: ForeignKey
    span: Span


def as_select(context: QueryContext, fetch: ast.Fetch) -> ast.Select | None:
    """Return the SELECT of a FETCH; None when an error was reported."""
    steps = _steps(context, fetch)
    if steps is None:
        return None
    links = [_link(context, steps, number) for number in range(1, len(steps))]
    resolved = [link for link in links if link is not None]
    if len(resolved) < len(links):
        return None
    names = _Names(context, steps)
    conditions = list(names.conditions(fetch.where)) if fetch.where is not None else []
    order = names.order(fetch.order) if fetch.order is not None else None
    if names.is_broken:
        return None
    select = _Joined(fetch, steps, resolved, conditions, order).select()
    uses = tuple(select.find(ast.ParameterUse))
    if any(use.style in ("?", "$") and use.ordinal is None for use in uses):  # one stands for several columns
        return cast(ast.Select, select.transform_up(_named))
    return select


def _named(node: Node) -> Node:
    """Return a parameter without a name as one that is called so: `$2` as `[p2]`; anything else unchanged."""
    if isinstance(node, ast.ParameterUse) and node.style in ("?", "$"):
        return replace(node, style="[", ordinal=None)
    return node


def _steps(context: QueryContext, fetch: ast.Fetch) -> list[_Step] | None:
    """Return the steps with their tables and distinct aliases; None after a report."""
    steps: list[_Step] = []
    taken: set[str] = set()
    is_broken = False
    for node in fetch.steps:
        table = context.tables.find(node.entity)
        if table is None:
            context.diagnostics.append(context.tables.unknown(node.entity))
            is_broken = True
            continue
        if table.name in context.tables.broken:
            is_broken = True
            continue
        alias = node.alias or node.entity
        text, number = alias.text, 1
        while text.lower() in taken:
            if node.alias is not None:
                message = f"{alias.text} is the alias of two steps"
                context.diagnostics.append(
                    report("duplicate-alias", message, alias.span, help="give one of them another alias")
                )
                is_broken = True
                break
            number += 1
            text = f"{alias.text}_{number}"
        taken.add(text.lower())
        columns = {column.name.lower(): column.name for column in table.columns}
        steps.append(_Step(node, table, replace(alias, text=text), columns))
    return None if is_broken else steps


def _link(context: QueryContext, steps: list[_Step], number: int) -> _Link | None:
    """Return the foreign key that leads from one step to the next, declared on either side; None after a report."""
    by = steps[number].node.by
    assert by is not None
    candidates: list[_Link] = []
    names: list[str] = []
    for holder, target in ((number - 1, number), (number, number - 1)):
        for key in steps[holder].table.foreign_keys:
            if key.table == steps[target].table.name:
                name = key.name or key.columns[0]
                names.append(name)
                if matches(by, name) or (len(key.columns) == 1 and matches(by, key.columns[0])):
                    candidates.append(_Link(holder, target, key, steps[number].node.span))
    if len(candidates) == 1:
        return candidates[0]
    previous, current = steps[number - 1].table.name, steps[number].table.name
    if candidates:
        context.diagnostics.append(
            report(
                "ambiguous-step",
                f"{by.text} leads from {previous} to {current} in both directions",
                by.span,
                help="write it as a SELECT, which says which side it is",
            )
        )
    else:
        message = f"no foreign key {by.text} leads between {previous} and {current}"
        context.diagnostics.append(unknown_name("unknown-relation", message, by, names, "declare a FOREIGN KEY"))
    return None


class _Names:
    """Translates names of a FETCH into those of its SELECT: every column gets the alias of its step."""

    def __init__(self, context: QueryContext, steps: list[_Step]) -> None:
        self.context = context
        self.steps = steps
        self.is_broken = False

    def conditions(self, where: ast.Expression) -> Iterator[ast.Expression]:
        """Yield the conditions that WHERE joins by AND, in names of the SELECT."""
        parts = where.operands if isinstance(where, ast.Junction) and where.operator == "AND" else (where,)
        for part in parts:
            whole = self._whole_key(part)
            if whole is not None:
                yield from whole
            else:
                yield cast(ast.Expression, self.qualified(part))

    def order(self, clause: ast.OrderClause) -> ast.OrderClause:
        """Return ORDER BY in names of the SELECT: a name alone means the fetched column, as SQL prefers an output's."""
        return replace(clause, items=tuple(map(self._order_item, clause.items)))

    def _order_item(self, item: ast.OrderItem) -> ast.OrderItem:
        name, fetched = item.expression, self.steps[0]
        if isinstance(name, ast.ColumnName) and name.qualifier is None and lookup(name.name, fetched.by_fold):
            return replace(item, expression=replace(name, qualifier=replace(fetched.alias, span=name.name.span)))
        return replace(item, expression=cast(ast.Expression, self.qualified(item.expression)))

    def _whole_key(self, part: ast.Expression) -> list[ast.Expression] | None:
        """Return the comparisons of all key columns that `alias = [parameter]`, either way round, stands for.

        None if `part` is something else.
        """
        if not isinstance(part, ast.Binary) or part.operator != "=":
            return None
        for name, value in ((part.left, part.right), (part.right, part.left)):
            if not isinstance(name, ast.ColumnName) or not isinstance(value, ast.ParameterUse) or name.qualifier:
                continue
            step = self._step(name.name)
            if step is None or any(name.name.text.lower() in candidate.by_fold for candidate in self.steps):
                continue
            key = step.table.primary_key
            comparisons: list[ast.Expression] = []
            for column in key:
                parameter = value if len(key) == 1 else replace(value, name=f"{value.name}_{column}", ordinal=None)
                left = _column(step.alias, column, name.span)
                comparisons.append(ast.Binary(operator="=", left=left, right=parameter, span=part.span))
            return comparisons
        return None

    def _step(self, name: ast.Name) -> _Step | None:
        """Return the step that a name means: by its alias, or by its entity if that occurs once. None without one."""
        for step in self.steps:
            if matches(name, step.alias.text):
                return step
        named = [step for step in self.steps if matches(name, step.table.name)]
        return named[0] if len(named) == 1 else None

    def qualified(self, node: Node) -> Node:
        """Return an expression with the alias of its step before every column; subqueries are unchanged."""
        if isinstance(node, ast.ColumnName):
            return self._qualified_column(node)
        if isinstance(node, ast.InQuery):
            return replace(node, operand=cast(ast.Expression, self.qualified(node.operand)))
        if isinstance(node, ast.ExistsQuery | ast.ScalarQuery):
            return node
        return node.map_children(self.qualified)

    def _qualified_column(self, node: ast.ColumnName) -> ast.ColumnName:
        """Return a column with the alias of its step; unchanged if no step has it, which binding reports later."""
        if node.qualifier is not None:
            step = self._step(node.qualifier)
            if step is None or step.alias.text == node.qualifier.text:
                return node
            return replace(node, qualifier=replace(step.alias, span=node.qualifier.span))
        owners = [candidate for candidate in self.steps if lookup(node.name, candidate.by_fold) is not None]
        if len(owners) == 1:
            return replace(node, qualifier=replace(owners[0].alias, span=node.name.span))
        if owners:
            choices = [f"{owner.alias.text}.{node.name.text}" for owner in owners]
            self.is_broken = True
            self.context.diagnostics.append(
                report(
                    "ambiguous-column",
                    f"{node.name.text} may be {' or '.join(choices)}",
                    node.span,
                    help=f"write {choices[0]}",
                )
            )
        return node


class _Joined:
    """Builds FROM from the steps that have to be read, without those whose keys a foreign key holds already."""

    def __init__(
        self,
        fetch: ast.Fetch,
        steps: list[_Step],
        links: list[_Link],
        conditions: list[ast.Expression],
        order: ast.OrderClause | None,
    ) -> None:
        self.fetch = fetch
        self.steps = steps
        self.links = links
        self.conditions = conditions
        self.order = order
        self.skipped: set[int] = set()
        # pairs of equal columns (number of the step, name), with the span of the step that equates them
        self.equalities = [
            ((link.holder, column), (link.target, referenced), link.span)
            for link in links
            for column, referenced in zip(link.key.columns, link.key.referenced_columns, strict=True)
        ]

    def select(self) -> ast.Select:
        """Return the SELECT, after leaving out the steps that need no read."""
        for number in range(1, len(self.steps)):
            self._skip(number)
        first = self.steps[0]
        joins = [self._join(number) for number in range(1, len(self.steps)) if number not in self.skipped]
        head = self.steps[0].node.span
        items_span = first.node.entity.span
        from_clause = ast.FromClause(
            first=self._table(first),
            joins=tuple(joins),
            span=head.to(self.steps[-1].node.span),
        )
        return ast.Select(
            items=(ast.Star(qualifier=first.alias, span=items_span),),
            items_span=items_span,
            from_clause=from_clause,
            where=self._where(),
            order=self.order,
            stop=self.fetch.stop,
            offset=self.fetch.offset,
            span=self.fetch.span,
        )

    def _table(self, step: _Step) -> ast.TableName:
        is_plain = step.alias.text == step.node.entity.text
        return ast.TableName(table=step.node.entity, alias=None if is_plain else step.alias, span=step.node.span)

    def _where(self) -> ast.Expression | None:
        if not self.conditions:
            return None
        span = self.fetch.where.span if self.fetch.where is not None else self.fetch.span
        if len(self.conditions) == 1:
            return self.conditions[0]
        return ast.Junction(operator="AND", operands=tuple(self.conditions), span=span)

    def _join(self, number: int) -> ast.JoinClause:
        """Join a step on its equalities with the steps before it."""
        step = self.steps[number]
        parts: list[ast.Expression] = []
        for left, right, span in self.equalities:
            if max(left[0], right[0]) == number:
                parts.append(
                    ast.Binary(operator="=", left=self._at(left, span), right=self._at(right, span), span=span)
                )
        condition = (
            parts[0] if len(parts) == 1 else ast.Junction(operator="AND", operands=tuple(parts), span=step.node.span)
        )
        return ast.JoinClause(kind="inner", table=self._table(step), condition=condition, span=step.node.span)

    def _at(self, column: tuple[int, str], span: Span) -> ast.ColumnName:
        return _column(self.steps[column[0]].alias, column[1], span)

    def _skip(self, number: int) -> None:
        """Leave a step out if only its key is used and a neighbour's foreign key holds the same values."""
        step = self.steps[number]
        key = step.table.primary_key
        if any(column not in key for column in self._used(number)):
            return
        for link in self.links:
            if link.target != number or link.holder in self.skipped or set(link.key.referenced_columns) != set(key):
                continue
            stands_for = {
                referenced: (link.holder, column)
                for column, referenced in zip(link.key.columns, link.key.referenced_columns, strict=True)
            }
            self._replace(number, stands_for)
            self._exclude_null(link)
            self.skipped.add(number)
            return

    def _exclude_null(self, link: _Link) -> None:
        """Add IS NOT NULL for the foreign key of a step that is left out: the join would have dropped NULLs."""
        for name in link.key.columns:
            column = self.steps[link.holder].table.column(name)
            if column is not None and column.nullable:
                operand = self._at((link.holder, name), link.span)
                self.conditions.append(ast.NullTest(operand=operand, is_negated=True, span=link.span))

    def _used(self, number: int) -> Iterator[str]:
        """Yield the columns of a step that conditions, the order, or links to other steps use."""
        alias = self.steps[number].alias.text.lower()
        nodes: list[Node] = [*self.conditions, *((self.order,) if self.order is not None else ())]
        for node in nodes:
            for column in node.find(ast.ColumnName):
                if column.qualifier is not None and column.qualifier.text.lower() == alias:
                    yield self.steps[number].by_fold.get(column.name.text.lower(), column.name.text)
        for left, right, _ in self.equalities:
            yield from (column for step, column in (left, right) if step == number)

    def _replace(self, number: int, stands_for: dict[str, tuple[int, str]]) -> None:
        """Replace the columns of a step by those that hold the same values: by their names, the step and column."""

        def at(column: tuple[int, str]) -> tuple[int, str]:
            return stands_for[column[1]] if column[0] == number else column

        changed = [(at(left), at(right), span) for left, right, span in self.equalities]
        self.equalities = [equality for equality in changed if equality[0] != equality[1]]
        alias = self.steps[number].alias.text.lower()
        by_fold = self.steps[number].by_fold

        def rename(node: Node) -> Node:
            if isinstance(node, ast.ColumnName) and node.qualifier is not None and node.qualifier.text.lower() == alias:
                holder, column = stands_for[by_fold[node.name.text.lower()]]
                return _column(self.steps[holder].alias, column, node.span)
            return node

        self.conditions = [cast(ast.Expression, condition.transform_up(rename)) for condition in self.conditions]
        if self.order is not None:
            self.order = cast(ast.OrderClause, self.order.transform_up(rename))


def _column(alias: ast.Name, column: str, span: Span) -> ast.ColumnName:
    name = ast.Name(text=column, is_quoted=not column.isidentifier(), span=span)
    return ast.ColumnName(qualifier=replace(alias, span=span), name=name, span=span)
