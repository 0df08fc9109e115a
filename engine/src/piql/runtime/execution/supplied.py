"""The values that an execution gives itself: the time at which it began, and new ids.

An `Occasion` decides each of them once, when it is first asked for. An execution that has to begin again, because a
record moved or another version was deployed, keeps its occasion, and so its values. With PAGINATE the values are in
the cursor: all pages of one scroll have those of the first.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from piql.compiler.logical.expressions import Parameter
from piql.schema.catalog import SqlType, Supply
from piql.schema.values import TimeUUID
from piql.store.rows import Codec
from piql.trees.node import Node

Now = Callable[[], datetime]
"""Returns the time with its time zone."""

_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)  # the times in UUIDs of version 1 count from here
_TICKS = 10  # of a UUID's time in a microsecond


def utc_now() -> datetime:
    """Return the time of the system's clock."""
    return datetime.now(UTC)


class Occasion:
    """One execution: `value` gives the same for the same name as often as it is asked."""

    __slots__ = ("_moment", "_now", "_values")

    def __init__(self, now: Now) -> None:
        self._now = now
        self._moment: datetime | None = None
        self._values: dict[str, object] = {}

    def value(self, name: str, supply: Supply) -> Any:
        """Return the value of a name that a plan gives to one supplied value."""
        if name not in self._values:
            self._values[name] = self._decided(supply)
        return self._values[name]

    def _decided(self, supply: Supply) -> object:
        if supply == "UUID":
            return uuid4()
        if self._moment is None:
            self._moment = self._now().astimezone(UTC)
        moment = self._moment
        match supply:
            case "CURRENT_TIMESTAMP":
                return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
            case "CURRENT_DATE":
                return moment.date()
            case "TIMEUUID":
                return new_time_uuid(moment)


def new_time_uuid(moment: datetime) -> TimeUUID:
    """Return a new UUID of version 1 with this time: 61 random bits tell those of one microsecond apart."""
    ticks = (moment - _GREGORIAN) // timedelta(microseconds=1) * _TICKS
    time_low, time_mid, time_high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0x0FFF
    clock_sequence, node = secrets.randbits(14), secrets.randbits(48) | 1 << 40  # this bit: the node is no address
    fields = (time_low, time_mid, time_high | 0x1000, clock_sequence >> 8 | 0x80, clock_sequence & 0xFF, node)
    return TimeUUID(fields=fields)


class SuppliedValues:
    """The supplied values of one plan, in the order of their names; `first_slot` is behind the caller's parameters.

    slots    the position of each in the list of stored values of an execution
    """

    def __init__(self, plan: Node, first_slot: int, codec: Callable[[SqlType], Codec | None]) -> None:
        by_name = {node.name: node for node in plan.find(Parameter) if node.supplied is not None}
        self._parameters: Sequence[Parameter] = [by_name[name] for name in sorted(by_name)]
        self._codecs = [codec(parameter.type) for parameter in self._parameters]
        self.slots: Mapping[str, int] = {
            parameter.name: first_slot + at for at, parameter in enumerate(self._parameters)
        }

    def __bool__(self) -> bool:
        return bool(self._parameters)

    def of(self, occasion: Occasion, row: int = 0) -> list[Any]:
        """Return the stored values that an execution has; each `row` of a list that it is given has ids of its own."""
        values: list[Any] = []
        for parameter, codec in zip(self._parameters, self._codecs, strict=True):
            assert parameter.supplied is not None
            name = parameter.name if not row else f"{parameter.name} of row {row}"
            value = occasion.value(name, parameter.supplied)
            values.append(value if codec is None else codec.encode(value))
        return values
