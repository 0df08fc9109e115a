"""Logical plans and expressions as text, for golden files, the command line and the workbench.

Stop 50 [count]
└─ Projection t.owner, t.posted
   └─ Join t.owner = s.target
      ├─ Relation subscriptions s
      └─ Relation thoughts t
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from piql.compiler.logical import operators as logical
from piql.compiler.logical.expressions import (
    Aggregate,
    And,
    Arithmetic,
    Case,
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
from piql.schema.catalog import Supply
from piql.schema.values import shown

_Plan: TypeAlias = logical.LogicalNode | logical.LogicalWrite | logical.Unit


def format_plan(plan: _Plan) -> str:
    """Return a plan as an indented tree, one operator a line."""
    return "\n".join(_tree(plan))


def _tree(plan: _Plan) -> list[str]:
    lines = [_line(plan)]
    inputs = inputs_of(plan)
    for number, source in enumerate(inputs):
        is_last = number == len(inputs) - 1
        first, *following = _tree(source)
        lines.append(("└─ " if is_last else "├─ ") + first)
        lines.extend(("   " if is_last else "│  ") + line for line in following)
    return lines


def inputs_of(plan: _Plan) -> tuple[logical.LogicalNode | logical.LogicalWrite, ...]:
    """Return the operators directly below one; of a write its section, of a unit its statements.

    Those of its subqueries are not included.
    """
    if isinstance(plan, logical.Unit):
        return plan.statements
    if isinstance(plan, logical.Insert | logical.Update | logical.Delete):
        section = logical.section_of(plan)
        return () if section is None else (section,)
    return logical.inputs(plan)


def _line(plan: _Plan) -> str:
    operator, detail = describe(plan)
    return f"{operator} {detail}" if detail else operator


def describe(plan: _Plan) -> tuple[str, str]:
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
        case logical.Cases():
            return "Cases", format_cases(plan.tests)
        case logical.RecursiveUnion():
            return "RecursiveUnion", f"{'all ' if plan.all else ''}{plan.name}, at most {plan.levels} levels"
        case logical.WorkTable():
            return "WorkTable", plan.name
        case logical.Sort():
            return "Sort", format_order(plan.keys)
        case logical.Stop():
            suffix = f" of each {format_list(plan.group_keys)}" if plan.group_keys else ""
            return "Page" if plan.is_page else "Stop", format_count(plan.count) + suffix
        case logical.DataStop():
            return "DataStop", f"{plan.limit} ({format_list(plan.columns)})"
        case logical.Insert():
            condition = " if not exists" if plan.if_not_exists else ""
            conflict = format_conflict(plan.conflict) if plan.conflict is not None else ""
            values = format_assignments(plan.values) + format_more(plan.more, plan.rows)
            return "Insert", f"{plan.table.name}{condition}: {values}{conflict}{format_returning(plan.returning)}"
        case logical.Update():
            row, changes = format_row(plan.key, plan.where), format_assignments(plan.changes)
            condition = _condition(plan.condition) + format_returning(plan.returning)
            return "Update", f"{plan.table.name}{row}: {changes}{condition}"
        case logical.Delete():
            row = format_row(plan.key, plan.where)
            return "Delete", f"{plan.table.name}{row}{_condition(plan.condition)}{format_returning(plan.returning)}"
        case logical.Unit():
            return "Unit", f"{len(plan.statements)} statements, all or none"
        case _:
            assert_never(plan)


def format_cases(tests: Sequence[Expression]) -> str:
    """Return the tests of the cases of a query by their numbers: `1: [p] IS NULL, 2: otherwise`."""
    *first, _ = tests
    words = [*map(format_expression, first), "otherwise"]
    return ", ".join(f"{number}: {word}" for number, word in enumerate(words, start=1))


def format_conflict(conflict: logical.OnConflict) -> str:
    """Return what an INSERT does where a row exists: ` on conflict (id): n = counter.n + 1`, or `: nothing`."""
    key = f" ({', '.join(conflict.key)})" if conflict.key else ""
    return f" on conflict{key}: {format_assignments(conflict.changes) or 'nothing'}"


def format_more(rows: Sequence[logical.ValuesRow], listed: logical.GivenRows | None) -> str:
    """Return how many further rows an INSERT has: ` and 2 more rows`; nothing where it has one row.

    Of a list it is `, for each of [rows] MAX 20`.
    """
    if listed is not None:
        return f", for each of [{listed.name}] MAX {listed.max}"
    return f" and {len(rows)} more row{'' if len(rows) == 1 else 's'}" if rows else ""


def format_returning(outputs: Sequence[logical.Output]) -> str:
    """Return what a write gives back: ` returning t.id, t.n`; nothing where it gives no row."""
    return f" returning {', '.join(map(format_output, outputs))}" if outputs else ""


def format_row(key: Sequence[logical.Assignment], where: Expression | None) -> str:
    """Return which row a write changes: ` (id = 1) where n = 2`; nothing where its section says which rows."""
    if not key:
        return ""
    return f" ({format_assignments(key)})" + ("" if where is None else f" where {format_expression(where)}")


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


_ENDS = {"HIGHER_END": "GREATEST", "LOWER_END": "LEAST"}  # what a range begins or ends with, as users write it
_BESIDE = {"NEXT": "+ 1", "PREVIOUS": "- 1"}  # functions that the optimizer adds
_SUPPLIED: dict[Supply, str] = {
    "CURRENT_TIMESTAMP": "CURRENT_TIMESTAMP",
    "CURRENT_DATE": "CURRENT_DATE",
    "UUID": "UUID()",
    "TIMEUUID": "NOW()",
}


def format_expression(expression: Expression) -> str:
    """Return an expression in PIQL; parameters without their ordinals and, but for lists, their MAX."""
    match expression:
        case ColumnRef():
            return f"{expression.relation}.{expression.name}" if expression.relation else expression.name
        case Constant():
            return shown(expression.value)
        case Parameter():
            return f"[{expression.name}]" if expression.supplied is None else _SUPPLIED[expression.supplied]
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
            return _call(expression)
        case Case():
            return _case(expression)
        case Aggregate():
            inner = format_expression(expression.operand) if expression.operand is not None else "*"
            return f"{expression.function}({'DISTINCT ' if expression.distinct else ''}{inner}{_listing(expression)})"
        case _:
            assert_never(expression)


def _listing(aggregate: Aggregate) -> str:
    """Return what follows the values that an aggregate lists: the text between them, and their order."""
    separator = f", {shown(aggregate.separator)}" if aggregate.function == "STRING_AGG" else ""
    keys = zip(aggregate.order, aggregate.ascending, strict=True)
    terms = [format_expression(key) + ("" if is_ascending else " DESC") for key, is_ascending in keys]
    return separator + (f" ORDER BY {', '.join(terms)}" if terms else "")


def _call(call: FunctionCall) -> str:
    if call.name == "NEGATE":
        return f"-{_operand(call.arguments[0])}"
    if call.name == "CAST":
        return f"CAST({format_expression(call.arguments[0])} AS {call.type})"
    if call.name in _BESIDE:
        return f"{_operand(call.arguments[0])} {_BESIDE[call.name]}"
    if call.name in ("DAYS_BETWEEN", "MILLISECONDS_BETWEEN"):
        return f"({_operand(call.arguments[0])} - {_operand(call.arguments[1])})"
    if call.name == "ADD_INTERVAL":
        return _interval_sum(call)
    if call.name == "EXTRACT" and isinstance(call.arguments[0], Constant):
        return f"EXTRACT({call.arguments[0].value} FROM {format_expression(call.arguments[1])})"
    return f"{_ENDS.get(call.name, call.name)}({format_list(call.arguments)})"


def _case(node: Case) -> str:
    pairs = zip(node.tests, node.values, strict=True)
    whens = " ".join(f"WHEN {format_expression(test)} THEN {format_expression(value)}" for test, value in pairs)
    return f"CASE {whens} ELSE {format_expression(node.otherwise)} END"


def _interval_sum(call: FunctionCall) -> str:
    """Return the sum of a day or time and an interval: `t.at - INTERVAL '7 days'`."""
    moment, *amounts = call.arguments
    text = _operand(moment)
    for amount, unit in zip(amounts, ("MONTH", "DAY", "MILLISECOND"), strict=True):
        if isinstance(amount, Constant) and isinstance(amount.value, int):
            if amount.value:
                sign, count = "-" if amount.value < 0 else "+", abs(amount.value)
                text += f" {sign} INTERVAL '{count} {unit.lower()}{'' if count == 1 else 's'}'"
        else:
            text += f" + INTERVAL {_operand(amount)} {unit}"
    return f"({text})"


def _operand(expression: Expression) -> str:
    """Return an expression inside another, in parentheses where it would else be misread."""
    text = format_expression(expression)
    is_plain = isinstance(expression, ColumnRef | Constant | Parameter | FunctionCall | Aggregate | Exists | TokenMatch)
    return text if is_plain or isinstance(expression, Comparison | IsNull | InList | Case) else f"({text})"


def _nested(plan: _Plan) -> str:
    """Return a subquery on one line, sources first."""
    inputs = inputs_of(plan)
    below = f"({'; '.join(map(_nested, inputs))})" if len(inputs) > 1 else "".join(map(_nested, inputs))
    return f"{below} → {_line(plan)}" if below else _line(plan)
