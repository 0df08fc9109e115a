"""The output columns of a bound query: names, types, and whether they may be NULL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never, cast

from piql.compiler.binding.scope import ScopeColumn
from piql.compiler.binding.types import is_nullable, type_of, wider
from piql.compiler.logical import operators as logical
from piql.compiler.logical.expressions import ColumnRef
from piql.trees.node import Node


def output_columns(plan: logical.LogicalNode) -> list[ScopeColumn]:
    """Return the columns of a whole query, in order; empty for a plan without a projection."""
    match plan:
        case logical.Projection():
            return [
                ScopeColumn(output.name, type_of(output.expression), is_nullable(output.expression))
                for output in plan.outputs
            ]
        case logical.Union():
            inputs = [output_columns(source) for source in plan.inputs]
            columns = []
            for aligned in zip(*inputs, strict=False):
                widest = aligned[0].type
                for column in aligned[1:]:
                    widest = wider(widest, column.type) or widest
                columns.append(ScopeColumn(aligned[0].name, widest, any(column.nullable for column in aligned)))
            return columns
        case logical.Cases():
            return output_columns(plan.inputs[0])
        case logical.RecursiveUnion() | logical.WorkTable():
            return [ScopeColumn(column.name, column.type, column.nullable) for column in plan.columns]
        case logical.Stop() | logical.Sort() | logical.Distinct() | logical.Selection() | logical.DataStop():
            return output_columns(plan.input)
        case logical.Relation() | logical.Derived() | logical.Join() | logical.SemiJoin() | logical.GroupBy():
            return []
        case _:
            assert_never(plan)


def _renamed(key: logical.SortKey, names: Mapping[str, str]) -> logical.SortKey:
    """Return a key of an order, its outputs of a UNION renamed; these are columns of no relation."""

    def change(node: Node) -> Node:
        if isinstance(node, ColumnRef) and not node.relation:
            return replace(node, name=names[node.name])
        return node

    return cast(logical.SortKey, key.transform_up(change))


def with_output_names(plan: logical.LogicalNode, names: list[str]) -> logical.LogicalNode:
    """Return the query with its outputs renamed: all inputs of a UNION take the names of the first."""
    match plan:
        case logical.Projection():
            if [output.name for output in plan.outputs] == names:
                return plan
            outputs = tuple(replace(output, name=name) for output, name in zip(plan.outputs, names, strict=True))
            return replace(plan, outputs=outputs)
        case logical.Union() | logical.Cases():
            return replace(plan, inputs=tuple(with_output_names(source, names) for source in plan.inputs))
        case logical.Sort():
            new_names = dict(zip((column.name for column in output_columns(plan.input)), names, strict=True))
            keys = tuple(_renamed(key, new_names) for key in plan.keys)
            return replace(plan, keys=keys, input=with_output_names(plan.input, names))
        case logical.Stop() | logical.Distinct():
            return replace(plan, input=with_output_names(plan.input, names))
        case (
            logical.Relation()
            | logical.Derived()
            | logical.Selection()
            | logical.Join()
            | logical.SemiJoin()
            | logical.GroupBy()
            | logical.DataStop()
            | logical.RecursiveUnion()
            | logical.WorkTable()
        ):
            return plan
        case _:
            assert_never(plan)
