"""A LET of a unit made ready to run: one value, or those of one row, read in the transaction of the unit.

values of a statement = [parameters of the caller, values of the LETs, supplied values, …]

A LET sees what the statements before it have written, and those behind it find its value in a slot of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from piql.compiler.logical.operators import Projection
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.physical.write_plan import WritePlan
from piql.compiler.result import CompiledQuery
from piql.runtime.execution.observation import OperatorTiming
from piql.runtime.execution.supplied import Occasion, SuppliedValues
from piql.runtime.writing.meter import Meter
from piql.runtime.writing.section import PreparedSection
from piql.schema.catalog import Index
from piql.store.base import Store


def names_of_lets(unit: CompiledQuery) -> tuple[str, ...]:
    """Return the names of the values of a unit, in the order in which they are read."""
    return tuple(
        name for statement in unit.statements if statement.kind == "select" for name in _names_of_let(statement)
    )


def _names_of_let(query: CompiledQuery) -> tuple[str, ...]:
    """Return the names of the values that a LET reads: those of its columns."""
    assert isinstance(query.bound_plan, Projection)
    return tuple(output.name for output in query.bound_plan.outputs)


class PreparedLet:
    """One LET of a unit. `slots` are those of the caller's parameters and of all LETs, `places` are its own."""

    def __init__(
        self, query: CompiledQuery, store: Store, slots: Mapping[str, int], deployed: Callable[[Index], Index]
    ) -> None:
        plan, bound = query.plan, query.bound
        assert plan is not None
        assert not isinstance(plan, WritePlan | UnitPlan)
        assert bound is not None
        self.query = query
        self.bound = bound.operations
        self.places = tuple(slots[name] for name in _names_of_let(query))
        self._supplied = SuppliedValues(plan, len(slots), store.codec)
        self._read = PreparedSection(plan, store, {**slots, **self._supplied.slots}, deployed)

    def read(self, values: list[Any], occasion: Occasion, meter: Meter) -> tuple[OperatorTiming, ...]:
        """Put the values, as the store keeps those of their types, into their places; return the operators' times.

        Where no row is found, all of them are NULL.

        `values` are the parameters and the values of the LETs before it. Raises errors of the store.
        """
        rows, timings = self._read.read([*values, *self._supplied.of(occasion)], meter)
        row = rows[0] if rows else (None,) * len(self.places)
        for place, value in zip(self.places, row, strict=True):
            values[place] = value
        return timings
