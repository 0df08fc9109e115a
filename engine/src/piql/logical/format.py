"""Logical plans and expressions as text, for golden files, the command line and whoever looks at a plan.

Stop 50 [count]
└─ Projection t.owner, t.posted
   └─ Join t.owner = s.target
      ├─ Relation subscriptions s
      └─ Relation thoughts t
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.logical import operators as logical
from piql.logical.expressions import (
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
    TokenMatch,
)
from piql.values import shown


def format_plan(plan: logical.LogicalNode | logical.LogicalWrite) -> str:
    """Give a plan as an indented tree, one operator a line."""
    return "\n".join(_tree(plan))


def _tree(plan: logical.LogicalNode | logical.LogicalWrite) -> list[str]:
    lines = [_line(plan)]
    inputs = inputs_of(plan)
    for number, each in enumerate(inputs):
        is_last = number == len(inputs) - 1
        first, *rest = _tree(each)
        lines.append(("└─ " if is_last else "├─ ") + first)
        lines.extend(("   " if is_last else "│  ") + line for line in rest)
    return lines


def inputs_of(plan: logical.LogicalNode | logical.LogicalWrite) -> tuple[logical.LogicalNode, ...]:
    """Give the operators directly below one; those of subqueries in its expressions are not among them."""
    match plan:
        case logical.Join():
            return (plan.left, plan.right)
        case logical.Union():
            return plan.inputs
        case logical.Relation() | logical.Insert() | logical.Update() | logical.Delete():
            return ()
    return (plan.input,)


def _line(plan: logical.LogicalNode | logical.LogicalWrite) -> str:
    match plan:
        case logical.Relation():
            return f"Relation {plan.table.name}" + (f" {plan.alias}" if plan.alias != plan.table.name else "")
        case logical.Derived():
            return f"Derived {plan.alias}"
        case logical.Selection():
            return f"Selection {format_expression(plan.predicate)}"
        case logical.Join():
            name = "Join" if plan.kind == "inner" else "LeftJoin"
            return f"{name} {format_expression(plan.condition)}" if plan.condition is not None else f"{name} (product)"
        case logical.Projection():
            return f"Projection {', '.join(_output(each) for each in plan.outputs)}"
        case logical.GroupBy():
            keys = f" by {_list(plan.keys)}" if plan.keys else ""
            return f"GroupBy{keys}: {_list(plan.aggregates)}" if plan.aggregates else f"GroupBy{keys}"
        case logical.Distinct():
            return "Distinct"
        case logical.Union():
            return "Union all" if plan.all else "Union"
        case logical.Sort():
            return f"Sort {', '.join(_sort_key(each) for each in plan.keys)}"
        case logical.Stop():
            parameter = f" [{plan.count.parameter}]" if plan.count.parameter is not None else ""
            return f"{'Page' if plan.is_page else 'Stop'} {plan.count.max}{parameter}"
        case logical.DataStop():
            return f"DataStop {plan.limit} ({_list(plan.columns)})"
        case logical.Insert():
            condition = " if not exists" if plan.if_not_exists else ""
            return f"Insert {plan.table.name}{condition}: {_assignments(plan.values)}"
        case logical.Update():
            condition = f" if {_assignments(plan.conditions)}" if plan.conditions else ""
            return f"Update {plan.table.name} ({_assignments(plan.key)}): {_assignments(plan.changes)}{condition}"
        case logical.Delete():
            return f"Delete {plan.table.name} ({_assignments(plan.key)})"


def _output(output: logical.Output) -> str:
    text = format_expression(output.expression)
    expression = output.expression
    return text if isinstance(expression, ColumnRef) and expression.name == output.name else f"{text} AS {output.name}"


def _sort_key(key: logical.SortKey) -> str:
    return format_expression(key.expression) + ("" if key.ascending else " DESC")


def _assignments(assignments: Sequence[logical.Assignment]) -> str:
    return ", ".join(f"{each.column} = {format_expression(each.value)}" for each in assignments)


def _list(expressions: Sequence[Expression]) -> str:
    return ", ".join(map(format_expression, expressions))


def format_expression(expression: Expression) -> str:
    """Give an expression as PIQL, without ordinals and MAX of parameters."""
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
            return f"{_operand(expression.operand)} IN ({_list(expression.items)})"
        case InSubquery():
            return f"{_operand(expression.operand)} IN ({_nested(expression.query)})"
        case Exists():
            return f"EXISTS ({_nested(expression.query)})"
        case TokenMatch():
            columns = _list(expression.columns)
            return f"{columns if len(expression.columns) == 1 else f'({columns})'} CONTAINS {_operand(expression.word)}"
        case FunctionCall():
            if expression.name == "NEGATE":
                return f"-{_operand(expression.arguments[0])}"
            return f"{expression.name}({_list(expression.arguments)})"
        case Aggregate():
            inner = format_expression(expression.operand) if expression.operand is not None else "*"
            return f"{expression.function}({'DISTINCT ' if expression.distinct else ''}{inner})"


def _operand(expression: Expression) -> str:
    text = format_expression(expression)
    is_plain = isinstance(expression, ColumnRef | Constant | Parameter | FunctionCall | Aggregate | Exists | TokenMatch)
    return text if is_plain or isinstance(expression, Comparison | IsNull | InList) else f"({text})"


def _nested(plan: logical.LogicalNode) -> str:
    """Give a subquery on one line, from its source up."""
    inputs = inputs_of(plan)
    below = f"({'; '.join(map(_nested, inputs))})" if len(inputs) > 1 else "".join(map(_nested, inputs))
    return f"{below} → {_line(plan)}" if below else _line(plan)
