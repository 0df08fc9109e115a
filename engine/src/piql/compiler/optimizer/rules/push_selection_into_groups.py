"""Rule: a test of grouping columns is applied to the rows, before they are grouped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from piql.compiler.logical.expressions import Aggregate, ColumnRef, Expression, conjuncts
from piql.compiler.logical.operators import (
    Derived,
    Distinct,
    GroupBy,
    LogicalNode,
    Projection,
    Selection,
    Sort,
    map_inputs,
)
from piql.compiler.optimizer.analysis.predicates import (
    ColumnKey,
    conjunction,
    has_subquery,
    relations_of,
    replace_columns,
)
from piql.compiler.optimizer.analysis.region import aliases_below, is_region
from piql.compiler.optimizer.rule import RuleContext
from piql.compiler.optimizer.rules.push_selection_down import push_selection_down
from piql.compiler.optimizer.rules.spread_equalities import spread_equalities
from piql.trees.node import kinds_of

_READ_ON_ITS_OWN = frozenset((GroupBy, Distinct, Derived))


def push_selection_into_groups(plan: LogicalNode, context: RuleContext) -> LogicalNode:
    """Move tests of grouping columns, or of columns of a DISTINCT, below the grouping.

        Selection d.author = [me]                    Derived d
          Derived d                                    Projection p.author, COUNT(*)
            Projection p.author, COUNT(*)       →        GroupBy p.author: COUNT(*)
              GroupBy p.author: COUNT(*)                   Selection p.author = [me]
                Relation p                                   Relation p

    HAVING may contain such a test, too. Groups that fail it are then never computed, and an index may find the rows
    of the others. Tests of other relations are first copied to equal columns of the group. No test passes a group
    without keys, which exists even where no row does, or a LIMIT, which counts the rows that it lets through. Needs
    predicates where `push_selection_down` left them.
    """
    kinds = kinds_of(plan)
    if Selection not in kinds or _READ_ON_ITS_OWN.isdisjoint(kinds):
        return plan
    # Contexts of its own, so that their notes do not appear as those of this rule.
    before = spread_equalities(plan, RuleContext()) if Derived in kinds else plan

    def visit(node: LogicalNode) -> LogicalNode:
        if isinstance(node, Selection) and isinstance(node.input, GroupBy | Derived):
            below: LogicalNode = node.input
            untested: list[Expression] = []
            for test in conjuncts(node.predicate):
                changed = _into_derived(below, test) if isinstance(below, Derived) else _into(below, test)
                if changed is None:
                    untested.append(test)
                else:
                    below = changed
            predicate = conjunction(untested)
            if below is not node.input:
                node = below if predicate is None else replace(node, predicate=predicate, input=below)
        return map_inputs(node, visit)

    pushed = visit(before)
    if pushed == before:
        return plan
    context.note("tests of what all rows of a group share move before the grouping")
    return push_selection_down(pushed, RuleContext())


def _into_derived(derived: Derived, test: Expression) -> Derived | None:
    """Return a derived table of groups with a test of its columns pushed below them; None where that cannot be done."""
    below = _into_outputs(derived.input, derived.alias, test)
    return None if below is None else replace(derived, input=below)


def _into_outputs(node: LogicalNode, alias: str, test: Expression) -> LogicalNode | None:
    """Return what a derived table `alias` reads, with a test of its columns pushed below; None where it cannot be."""
    match node:
        case Distinct() | Sort():
            below = _into_outputs(node.input, alias, test)
            return None if below is None else replace(node, input=below)
        case Projection(outputs=outputs):
            by: dict[ColumnKey, Expression] = {(alias, output.name): output.expression for output in outputs}
            below = _into(node.input, replace_columns(test, by))
            return None if below is None else replace(node, input=below)
        case _:
            return None


def _into(node: LogicalNode, test: Expression) -> LogicalNode | None:
    """Return a section with a test as far down as it may stand; None where it may not pass what is on top."""
    if has_subquery(test) or any(isinstance(subexpression, Aggregate) for subexpression in test.walk()):
        return None
    match node:
        case GroupBy(keys=(_, *_) as keys) if not node.summed and _reads_only(test, keys):
            return replace(node, input=Selection(predicate=test, input=node.input, span=test.span))
        case Sort():
            below = _into(node.input, test)
            return None if below is None else replace(node, input=below)
        case Selection() if not is_region(node):
            below = _into(node.input, test)
            return None if below is None else replace(node, input=below)
        case _ if is_region(node) and relations_of(test) <= aliases_below(node):
            return Selection(predicate=test, input=node, span=test.span)
        case _:
            return None


def _reads_only(test: Expression, keys: Iterable[Expression]) -> bool:
    """Whether a test reads columns that are grouped by, and nothing else."""
    columns = {key for key in keys if isinstance(key, ColumnRef)}
    return all(node in columns for node in test.find(ColumnRef))
