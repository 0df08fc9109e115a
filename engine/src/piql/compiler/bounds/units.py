"""The bound of a unit: the sum of the bounds of its statements.

    INSERT INTO orders …; UPDATE item SET …; DELETE FROM cart_line WHERE cart = [c]    1 + 4 + (1 + 2·cart_line.cart)

Its statements wait for one another, so their round trips add up, too.

A store without transactions holds each record that such a unit reads or writes, and leaves it once the unit is decided.
Where it makes the unit at all (`unit_by_steps`), these requests are in the bound: the unit's own record is opened,
decided and ended, each record is held, and one that does not change is left, too. A group of rows is read row by row,
the row that they name is held for it, and once all is held the unit looks at the group again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from piql.compiler.bounds.bound import Bound, OperatorBound, Term
from piql.compiler.bounds.queries import bound_of
from piql.compiler.physical.unit_by_steps import Statement, plans_read, reason_against_steps_of_unit, records_held
from piql.compiler.physical.unit_groups import groups_read
from piql.compiler.physical.write_plan import WritePlan
from piql.schema.catalog import Table

_DECIDING = 3  # requests for the unit's own record: it is opened, decided and ended


def bound_of_unit(
    statements: Sequence[Bound], plans: Sequence[Statement] = (), tables: Mapping[str, Table] | None = None
) -> Bound:
    """Return the bound of statements that are made one after another; `plans` are theirs, in the same order.

    `tables` are those of the schema, by name.
    """
    deciding = _deciding(statements, plans, tables or {})
    of_unit, formula_of_unit = sum(term.value for term, _ in deciding), _sum([formula for _, formula in deciding])
    operations = sum(bound.operations for bound in statements) + of_unit
    formula = _sum([*(bound.formula for bound in statements), formula_of_unit])
    rows = sum(bound.rows for bound in statements)  # one returns rows at most
    rows_formula = _sum([bound.rows_formula for bound in statements])
    of_statements = tuple(
        replace(operator, path=(number, *operator.path))
        for number, bound in enumerate(statements)
        for operator in bound.by_operator
    )
    width = sum(bound.bytes for bound in statements)
    unit = OperatorBound((), "Unit", of_unit, formula_of_unit, rows, rows_formula, 0)
    return Bound(
        operations=operations,
        round_trips=sum(bound.round_trips for bound in statements) + of_unit,
        rows=rows,
        bytes=width,
        formula=formula,
        rows_formula=rows_formula,
        rows_fetched=sum(bound.rows_fetched for bound in statements),
        terms=tuple(
            dict.fromkeys([*(term for bound in statements for term in bound.terms), *(term for term, _ in deciding)])
        ),
        by_operator=(unit, *of_statements),
        puts=sum(bound.puts for bound in statements) + of_unit,
        deletes=sum(bound.deletes for bound in statements),
        reads=sum(bound.reads for bound in statements),
        counts=sum(bound.counts for bound in statements),
        other_ways=tuple(way for bound in statements for way in bound.other_ways),
    )


def _deciding(
    bounds: Sequence[Bound], plans: Sequence[Statement], tables: Mapping[str, Table]
) -> list[tuple[Term, str]]:
    """Return what decides a unit without transactions, each with its formula; nothing where none makes it."""
    if not plans or reason_against_steps_of_unit(plans, tables.values()) is not None:
        return []
    unit = Term(str(_DECIDING), _DECIDING, "the unit itself, opened, decided and ended: only without transactions")
    deciding = [(unit, str(_DECIDING))]
    for number, (bound, plan) in enumerate(zip(bounds, plans, strict=True), 1):
        reason = f"the records of statement {number}, held until the unit is decided: only without transactions"
        count, formula = _of_records(bound, plan)
        deciding.append((Term(str(count), count, reason), formula))
        deciding += _of_groups(plan, number, tables)
    return deciding


def _of_records(bound: Bound, plan: Statement) -> tuple[int, str]:
    """Return the requests that hold and leave the records of a statement, also those of a section, and the formula."""
    if not isinstance(plan, WritePlan):
        count = 2 * bound.operations
        return count, str(count)
    of_row = 2 * records_held(plan) - 1  # the record that changes is left by its own put
    if plan.section is not None:
        section = bound_of(plan.section)
        return of_row * section.rows, _times(of_row, section.rows_formula, section.rows)
    count, rows = of_row * plan.most_rows, plan.rows
    return count, str(count) if rows is None else _times(of_row, rows.name)


def _of_groups(plan: Statement, number: int, tables: Mapping[str, Table]) -> Iterator[tuple[Term, str]]:
    """Yield what the groups add that a statement reads: the row that is named, a second look, and rows that stay.

    Each is read, held and left. The rows that a write changes are among its records.
    """
    for read in plans_read([plan]):
        bound = bound_of(read)
        requests = {operator.path: operator.operations for operator in bound.by_operator}
        changed = bound.rows if isinstance(plan, WritePlan) else 0
        for path, group in groups_read(read, tables):
            groups = requests[path]
            staying = max(groups * group.most - changed, 0)
            changed = max(changed - groups * group.most, 0)
            count = 4 * groups + 3 * staying
            is_named = groups == 1 and staying == group.most
            formula = f"{_times(3, group.symbol, group.most)} + 4" if is_named else str(count)
            reason = (
                f"the rows of {group.table.name} that statement {number} looks for, and the row of {group.key.table} "
                "that they name, read and held until the unit is decided: only without transactions"
            )
            yield Term(formula, count, reason), formula


def _times(count: int, symbol: str, value: int | None = None) -> str:
    """Return a product as a formula; where the symbol is no name, its `value` is multiplied."""
    if value is not None and not symbol.replace("_", "").replace(".", "").replace(",", "").isidentifier():
        return str(count * value)
    return symbol if count == 1 else f"{count}·{symbol}"


def _sum(formulas: Sequence[str]) -> str:
    """Return formulas as a sum, plain numbers added up first: `5`, `1 + 2·count` and `3` give `9 + 2·count`."""
    terms = [term for formula in formulas for term in formula.split(" + ")]
    plain = sum(int(term.replace(",", "")) for term in terms if term.replace(",", "").isdigit())
    named: dict[str, int] = {}
    for term in terms:
        if not term.replace(",", "").isdigit():
            times, symbols = _product(term)
            named[symbols] = named.get(symbols, 0) + times
    shown = [symbols if times == 1 else f"{times}·{symbols}" for symbols, times in named.items()]
    return " + ".join([*([str(plain)] if plain or not shown else []), *shown])


def _product(term: str) -> tuple[int, str]:
    """Return how often a product counts, and its symbols: `2·a·b` is (2, `a·b`)."""
    first, _, symbols = term.partition("·")
    return (int(first), symbols) if symbols and first.isdigit() else (1, term)
