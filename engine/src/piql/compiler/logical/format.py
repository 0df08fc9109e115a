"""Logical plans and expressions as text, for golden files, the command line and the workbench.

Stop 50 [count]
└─ Projection t.owner, t.posted
   └─ Join t.owner = s.target
      ├─ Relation subscriptions s
      └─ Relation thoughts t
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from piql.compiler.logical import operators as logical
from piql.compiler.logical.expressions import (
    Aggregate,
    And,
    Arithmetic,
    ColumnRef,
    Comparison,
    Constant,
    Exists,
    Expression,
    FunctionCall,
    InList,
    InSubquery,
    IsNull,
    Not,
    Or,
    Parameter,
    ScalarSubquery,
    TokenMatch,
)
from piql.schema.values import shown


def format_plan(plan: logical.LogicalNode | logical.LogicalWrite) -> str:
    """Return a plan as an indented tree, one operator a line."""
    return "\n".join(_tree(plan))


def _tree(plan: logical.LogicalNode | logical.LogicalWrite) -> list[str]:
    lines = [_line(plan)]
    inputs = inputs_of(plan)
    for number, source in enumerate(inputs):
        is_last = number == len(inputs) - 1
        first, *following = _tree(source)
        lines.append(("└─ " if is_last else "├─ ") + first)
        lines.extend(("   " if is_last else "│  ") + line for line in following)
    return lines


def inputs_of(plan: logical.LogicalNode | logical.LogicalWrite) -> tuple[logical.LogicalNode, ...]:
    """Return the operators directly below one; empty for a write. Those of its subqueries are not included."""
    if isinstance(plan, logical.Insert | logical.Update | logical.Delete):
        return ()
    return logical.inputs(plan)


def _line(plan: logical.LogicalNode | logical.LogicalWrite) -> str:
    operator, detail = describe(plan)
    return f"{operator} {detail}" if detail else operator


def describe(plan: logical.LogicalNode | logical.LogicalWrite) -> tuple[str, str]:
    """Return the name of an operator and its details in one line: `("DataStop", "100 (s.owner)")`."""
    match plan:
        case logical.Relation():
            return "Relation", plan.table.name + (f" {plan.alias}" if plan.alias != plan.table.name else "")
        case logical.Derived():
            return "Derived", plan.alias
        case logical.Selection():
            return "Selection", format_expression(plan.predicate)
        case logical.Join():
            name = "Join" if plan.kind == "inner" else "LeftJoin"
            first = f", first by {format_order(plan.first)}" if plan.first else ""
            return name, (format_expression(plan.condition) if plan.condition is not None else "(product)") + first
        case logical.SemiJoin():
            condition = format_expression(plan.condition) if plan.condition is not None else ""
            name = "AntiJoin" if plan.is_anti else "SemiJoin"
            return name, condition + (f" AS {format_expression(plan.mark)}" if plan.mark is not None else "")
        case logical.Projection():
            return "Projection", ", ".join(format_output(output) for output in plan.outputs)
        case logical.GroupBy():
            keys = f"by {format_list(plan.keys)}" if plan.keys else ""
            aggregates = f": {format_list(plan.aggregates)}" if plan.aggregates else ""
            suffix = ", for each row" if plan.summed else ""
            return "GroupBy", (keys + aggregates).removeprefix(": ") + suffix
        case logical.Distinct():
            return "Distinct", ""
        case logical.Union():
            return "Union", "all" if plan.all else ""
        case logical.Sort():
            return "Sort", format_order(plan.keys)
        case logical.Stop():
            suffix = f" of each {format_list(plan.group_keys)}" if plan.group_keys else ""
            return "Page" if plan.is_page else "Stop", format_count(plan.count) + suffix
        case logical.DataStop():
            return "DataStop", f"{plan.limit} ({format_list(plan.columns)})"
        case logical.Insert():
            condition = " if not exists" if plan.if_not_exists else ""
            return "Insert", f"{plan.table.name}{condition}: {format_assignments(plan.values)}"
        case logical.Update():
            condition = _condition(plan.condition)
            key, changes = format_assignments(plan.key), format_assignments(plan.changes)
            return "Update", f"{plan.table.name} ({key}): {changes}{condition}"
        case logical.Delete():
            return "Delete", f"{plan.table.name} ({format_assignments(plan.key)}){_condition(plan.condition)}"
        case _:
            assert_never(plan)


def _condition(condition: Expression | None) -> str:
    return "" if condition is None else f" if {format_expression(condition)}"


def format_count(count: logical.Count) -> str:
    """Return `50`, or `50 [count]` where a parameter asks for fewer."""
    return f"{count.max} [{count.parameter}]" if count.parameter is not None else str(count.max)


def format_order(keys: Sequence[logical.SortKey]) -> str:
    """Return the keys of an order: `t.posted DESC, t.owner`."""
    return ", ".join(_sort_key(key) for key in keys)


def format_output(output: logical.Output) -> str:
    """Return an output: `t.owner`, or `COUNT(*) AS total` where its name differs from its column."""
    text = format_expression(output.expression)
    expression = output.expression
    return text if isinstance(expression, ColumnRef) and expression.name == output.name else f"{text} AS {output.name}"


def _sort_key(key: logical.SortKey) -> str:
    return format_expression(key.expression) + ("" if key.ascending else " DESC")


def format_assignments(assignments: Sequence[logical.Assignment]) -> str:
    """Return assignments: `owner = [me], posted = 5`."""
    return ", ".join(f"{assignment.column} = {format_expression(assignment.value)}" for assignment in assignments)


def format_list(expressions: Sequence[Expression]) -> str:
    """Return expressions with commas between them."""
    return ", ".join(map(format_expression, expressions))


_BESIDE = {"NEXT": "+ 1", "PREVIOUS": "- 1"}  # functions that the optimizer adds


def format_expression(expression: Expression) -> str:
    """Return an expression in PIQL; parameters without their ordinals and, but for lists, their MAX."""
    match expression:
        case ColumnRef():
            return f"{expression.relation}.{expression.name}" if expression.relation else expression.name
        case Constant():
            return shown(expression.value)
        case Parameter():
            return f"[{expression.name}]"
        case Comparison() | Arithmetic():
            return f"{_operand(expression.left)} {expression.operator} {_operand(expression.right)}"
        case And():
            return " AND ".join(map(_operand, expression.operands))
        case Or():
            return " OR ".join(map(_operand, expression.operands))
        case Not():
            return f"NOT {_operand(expression.operand)}"
        case IsNull():
            return f"{_operand(expression.operand)} IS NULL"
        case InList():
            only = expression.items[0] if len(expression.items) == 1 else None
            if isinstance(only, Parameter) and only.max_items is not None:
                return f"{_operand(expression.operand)} IN [{only.name}] MAX {only.max_items}"
            return f"{_operand(expression.operand)} IN ({format_list(expression.items)})"
        case InSubquery():
            values = f"({format_list(expression.values)})" if expression.more else _operand(expression.operand)
            return f"{values} IN ({_nested(expression.query)})"
        case Exists():
            return f"EXISTS ({_nested(expression.query)})"
        case ScalarSubquery():
            return f"({_nested(expression.query)})"
        case TokenMatch():
            columns = format_list(expression.columns)
            return f"{columns if len(expression.columns) == 1 else f'({columns})'} CONTAINS {_operand(expression.word)}"
        case FunctionCall():
            if expression.name == "NEGATE":
                return f"-{_operand(expression.arguments[0])}"
            if expression.name in _BESIDE:
                return f"{_operand(expression.arguments[0])} {_BESIDE[expression.name]}"
            return f"{expression.name}({format_list(expression.arguments)})"
        case Aggregate():
            inner = format_expression(expression.operand) if expression.operand is not None else "*"
            return f"{expression.function}({'DISTINCT ' if expression.distinct else ''}{inner})"
        case _:
            assert_never(expression)


def _operand(expression: Expression) -> str:
    """Return an expression inside another, in parentheses where it would else be misread."""
    text = format_expression(expression)
    is_plain = isinstance(expression, ColumnRef | Constant | Parameter | FunctionCall | Aggregate | Exists | TokenMatch)
    return text if is_plain or isinstance(expression, Comparison | IsNull | InList) else f"({text})"


def _nested(plan: logical.LogicalNode) -> str:
    """Return a subquery on one line, sources first."""
    inputs = inputs_of(plan)
    below = f"({'; '.join(map(_nested, inputs))})" if len(inputs) > 1 else "".join(map(_nested, inputs))
    return f"{below} → {_line(plan)}" if below else _line(plan)
