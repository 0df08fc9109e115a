"""What one execution carries from operator to operator."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

from piql.store.base import Answers, Batch, Row

T = TypeVar("T")
RunReturning: TypeAlias = Generator[list[Batch], Answers, T]
OperatorRun: TypeAlias = RunReturning[list[Row]]
"""An operator at work: it yields the requests that it can make at once, is sent their rows, and returns its own."""


class Execution:
    """The parameters of one execution as stored values, where its page begins, and where the page ends."""

    __slots__ = ("_known", "is_lazy", "page_end", "parameters", "position")

    def __init__(self, parameters: list[Any], position: tuple[Any, ...] | None = None, is_lazy: bool = False) -> None:
        self.parameters = parameters
        self.position = position
        self.is_lazy = is_lazy
        self.page_end: tuple[Any, ...] | None = None  # set when the page is full: the place of its last row
        self._known: dict[object, dict[Any, list[Row]]] = {}

    def known(self, operator: object) -> dict[Any, list[Row]]:
        """Return where an operator keeps its answers by their keys, so that each key is asked for once.

        Only a lazy execution comes back to an operator: the others ask for the keys of all rows together.
        """
        return self._known.setdefault(operator, {}) if self.is_lazy else {}

    def begin_again(self) -> None:
        """Forget what was read: a record moved meanwhile."""
        self.page_end = None
        self._known.clear()
