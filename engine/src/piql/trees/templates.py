"""A value of frozen parts in which some are holes: traced numbers, and objects for which others are put in.

    RowLimit(Traced 100, because=old limit)    ──▶    Template    ──fill([…, 120], [new limit])──▶    RowLimit(120, …)

Only what has a hole somewhere below is made anew; all else is shared between the values that a template makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, TypeAlias
from uuid import UUID

from piql.trees.caches import Cached
from piql.trees.traced_numbers import Traced, is_marked, pieces_of

_Make: TypeAlias = Callable[[Sequence[int], Sequence[object], list[Any]], object]
"""Makes a part from numbers, objects and the parts made before it."""

_names: Cached[tuple[str, ...]] = Cached(512)  # of the fields of a class


class NoTemplate(Exception):
    """A hole is inside something that cannot be made anew, such as a set."""


class Template:
    """A value with holes; `swapped` are the objects for which others are put in, by id, with their numbers.

    Values of the kinds `whole` have no hole inside. NoTemplate where a hole is inside of what cannot be made anew.
    """

    def __init__(self, value: object, swapped: Mapping[int, int], whole: frozenset[type[Any]] = frozenset()) -> None:
        self._swapped = swapped
        self._whole = whole
        self._steps: list[_Make] = []
        self._slots: dict[int, int | None] = {}  # by id: the number of the step that makes it, None without a hole
        self._kept: list[object] = []  # so that no other object gets the id of one
        self._value = value
        self._slot = self._slot_of(value)
        self._slots, self._kept, self._swapped = {}, [], {}

    def fill(self, numbers: Sequence[int], objects: Sequence[object]) -> Any:
        """Return the value with these numbers, by register, and these objects in the place of those swapped."""
        if self._slot is None:
            return self._value
        parts: list[Any] = []
        for make in self._steps:
            parts.append(make(numbers, objects, parts))
        return parts[self._slot]

    def _slot_of(self, part: object) -> int | None:
        kind = type(part)
        if part is None or kind in _WITHOUT_HOLES:
            return None
        if kind in self._whole and id(part) not in self._swapped:
            return None
        if id(part) in self._slots:
            return self._slots[id(part)]
        make = self._make(part)
        slot = None
        if make is not None:
            slot = len(self._steps)
            self._steps.append(make)
        self._slots[id(part)] = slot
        self._kept.append(part)
        return slot

    def _make(self, part: Any) -> _Make | None:
        """Return how to make a part; None if there is no hole in it."""
        number = self._swapped.get(id(part))
        if number is not None:
            return lambda numbers, objects, parts: objects[number]
        if type(part) is Traced:
            register = part.register
            return lambda numbers, objects, parts: numbers[register]
        if isinstance(part, str):
            return _text(part) if is_marked(part) else None
        if isinstance(part, tuple):
            return self._tuple(part)
        if is_dataclass(part) and not isinstance(part, type):
            return self._dataclass(part)
        if isinstance(part, frozenset | set | list):
            self._refuse_holes(part)
        elif isinstance(part, Mapping):
            self._refuse_holes(part.keys())
            self._refuse_holes(part.values())
        elif not isinstance(part, _LEAVES):
            raise NoTemplate  # nobody knows what is inside
        return None

    def _tuple(self, part: tuple[Any, ...]) -> _Make | None:
        slots = [(at, slot) for at, item in enumerate(part) if (slot := self._slot_of(item)) is not None]
        if not slots:
            return None
        kind = type(part)
        if kind is not tuple and not hasattr(kind, "_make"):
            raise NoTemplate
        make_tuple: Callable[[list[Any]], object] = tuple if kind is tuple else kind._make  # type: ignore[attr-defined]

        def make(numbers: Sequence[int], objects: Sequence[object], parts: list[Any]) -> object:
            items = [*part]
            for at, slot in slots:
                items[at] = parts[slot]
            return make_tuple(items)

        return make

    def _dataclass(self, part: Any) -> _Make | None:
        kind = type(part)
        values = {name: getattr(part, name) for name in _names.recall((kind,), lambda: _names_in(kind))}
        slots = [(name, slot) for name, value in values.items() if (slot := self._slot_of(value)) is not None]
        if not slots:
            return None

        def make(numbers: Sequence[int], objects: Sequence[object], parts: list[Any]) -> object:
            of_part = values.copy()
            for name, slot in slots:
                of_part[name] = parts[slot]
            return kind(**of_part)

        return make

    def _refuse_holes(self, parts: Any) -> None:
        if any(self._slot_of(part) is not None for part in parts):
            raise NoTemplate


def _names_in(kind: type[Any]) -> tuple[str, ...]:
    if not all(field.init for field in fields(kind)):
        raise NoTemplate
    return tuple(field.name for field in fields(kind))


def _text(text: str) -> _Make:
    pieces = pieces_of(text)

    def make(numbers: Sequence[int], objects: Sequence[object], parts: list[Any]) -> object:
        return "".join(piece if isinstance(piece, str) else format(numbers[piece[0]], piece[1]) for piece in pieces)

    return make


_WITHOUT_HOLES = frozenset((int, bool, float, bytes))
_LEAVES = (bytes, float, Decimal, date, time, timedelta, UUID, Enum, type)
