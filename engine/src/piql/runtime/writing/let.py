"""A LET of a unit made ready to run: one value that is read in the transaction of the unit.

values of a statement = [parameters of the caller, values of the LETs, supplied values, …]

A LET sees what the statements before it have written, and those behind it find its value in a slot of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    return tuple(name_of_let(statement) for statement in unit.statements if statement.kind == "select")


def name_of_let(query: CompiledQuery) -> str:
    """Return the name of the value that a LET reads: that of its one column."""
    assert isinstance(query.bound_plan, Projection)
    (output,) = query.bound_plan.outputs
    return output.name


class PreparedLet:
    """One LET of a unit. `slots` are those of the caller's parameters and of all LETs, `at` is its own."""

    def __init__(
        self, query: CompiledQuery, store: Store, slots: Mapping[str, int], deployed: Callable[[Index], Index]
    ) -> None:
        plan, bound = query.plan, query.bound
        assert plan is not None
        assert not isinstance(plan, WritePlan | UnitPlan)
        assert bound is not None
        self.query = query
        self.bound = bound.operations
        self.at = slots[name_of_let(query)]
        self._supplied = SuppliedValues(plan, len(slots), store.codec)
        self._read = PreparedSection(plan, store, {**slots, **self._supplied.slots}, deployed)

    def read(self, values: Sequence[Any], occasion: Occasion, meter: Meter) -> tuple[Any, tuple[OperatorTiming, ...]]:
        """Return the value, as the store keeps values of its type, and how long its operators took.

        `values` are the parameters and the values of the LETs before it. Raises errors of the store.
        """
        ((value,),), timings = self._read.read([*values, *self._supplied.of(occasion)], meter)
        return value, timings
