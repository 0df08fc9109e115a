"""What the statements of a unit mean beside what they mean alone: tests that refuse, and one that returns rows.

    UPDATE item SET stock = stock - [q] WHERE id = [item] AND stock >= [q]

Alone, this changes nothing where too little is in stock. In a unit it refuses the unit: the test beside the key is a
condition, as it is after IF. Tests of statements that change several rows say which rows, as they do alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from piql.compiler.logical.expressions import And, conjuncts
from piql.compiler.logical.operators import Insert, LogicalWrite
from piql.text.diagnostics.diagnostic import Label
from piql.text.diagnostics.report import report
from piql.text.source import Span

if TYPE_CHECKING:
    from piql.compiler.binding.binder import BoundQuery


@dataclass(frozen=True, slots=True)
class UnitStatement:
    """The place of a statement in its unit: its number, which counts from 1, of how many, and the text of the unit."""

    number: int
    count: int
    span: Span = field(compare=False, repr=False)


def refusing(write: LogicalWrite) -> LogicalWrite:
    """Return a write of one row with the tests of WHERE beside its key as conditions; other writes as they are."""
    if isinstance(write, Insert) or write.section is not None or write.where is None:
        return write
    tests = conjuncts(write.where)
    if write.condition is not None:
        tests = (*tests, *conjuncts(write.condition))
    return replace(write, where=None, condition=And(operands=tuple(tests)) if len(tests) > 1 else tests[0])


def refuse_second_rows(statements: Sequence[BoundQuery]) -> tuple[BoundQuery, ...]:
    """Return the statements of a unit; one that returns rows when another one does has an error."""
    returning = [query for query in statements if query.plan is not None and _returns(query)]
    if len(returning) < 2:
        return tuple(statements)
    first, *others = returning
    refused = {
        id(query): replace(
            query,
            diagnostics=(
                *query.diagnostics,
                report(
                    "unit-form",
                    "two statements of this unit return rows, and an execution returns those of one",
                    query.span,
                    labels=(Label(first.span, "the other one"),),
                    help="leave RETURNING out of one of them",
                    query=query.name,
                ),
            ),
        )
        for query in others
    }
    return tuple(refused.get(id(query), query) for query in statements)


def _returns(query: BoundQuery) -> bool:
    return bool(getattr(query.plan, "returning", ()))
