"""Whole numbers that write down what is computed of them and how each comparison comes out.

A function of such numbers can be done again for others: as long as every comparison comes out as it did, the function
takes the same way, and each number in its result is the same expression of its inputs (concolic execution, after Sen
et al., "CUTE: a concolic unit testing engine for C", FSE 2005).

    trace = Trace()
    limit = trace.number(100)
    cheaper = limit * 5_000 < 900_000          a step and a test
    trace.replay([120])                        the numbers for 120; None for 200, where the test comes out otherwise

What is not written down is pinned: then the trace holds for this one value of the number alone. A number that is asked
for its hash may be found equal to others in a set, so it must stay different from those it differs from.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any

MOST_STEPS = 5_000  # of a trace; a longer one takes as long as what it stands for
_MARK = f"\x00{token_hex(8)}\x00"  # around a number in a text; no user can know it


class TooLong(Exception):
    """More than `MOST_STEPS` were written down."""


class Trace:
    """Steps from the numbers that are put in, and tests of them."""

    def __init__(self) -> None:
        self.values: list[Any] = []  # by register: the numbers put in, constants and results of steps
        self._steps: list[tuple[Callable[[int, int], Any], int, int, int, bool]] = []  # register, or -1 and the outcome
        self._known: dict[tuple[object, ...], int] = {}  # registers of constants and of steps taken before
        self._outcomes: dict[tuple[object, ...], bool] = {}
        self._constants: list[int] = []  # registers
        self.keeps_hashes = True  # whether hashes may be compared in the place of what they are of
        self._hashed: dict[int, None] = {}  # registers
        self._of_one: dict[Callable[[int], int], Callable[[int, int], int]] = {}  # functions, with a second argument

    def number(self, value: int) -> Traced:
        """Put a number in; all are put in before the first step."""
        self.values.append(value)
        return _traced(self, len(self.values) - 1)

    @property
    def steps(self) -> int:
        """How many steps and tests there are by now; a replay makes those at least."""
        return len(self._steps)

    def replay(self, numbers: Sequence[int]) -> list[int] | None:
        """Return the value of each register for other numbers; None where some test comes out otherwise."""
        steps = self._steps.copy()  # before the values: a step that another thread adds now has its values already
        values: list[int] = self.values.copy()
        values[: len(numbers)] = numbers
        for function, first, second, register, outcome in steps:
            result = function(values[first], values[second])
            if register >= 0:
                values[register] = result
            elif result is not outcome:
                return None
        return values

    def compute(self, function: Callable[[int, int], int], first: int, second: int) -> Traced:
        """Take a step from two numbers, of which one is traced."""
        key = (function, self._register(first), self._register(second))
        register = self._known.get(key)
        if register is None:
            register = self._known[key] = self._add(function(self.values[key[1]], self.values[key[2]]))
            self._note(function, key[1], key[2], register, False)
        return _traced(self, register)

    def apply(self, function: Callable[[int], int], number: Traced) -> Traced:
        """Take a step from one number."""
        of_two = self._of_one.setdefault(function, lambda value, _: function(value))
        return self.compute(of_two, number, number)

    def compare(self, function: Callable[[int, int], bool], first: int, second: float) -> bool:
        """Test two numbers, of which one is traced."""
        key = (function, self._register(first), self._register(second))
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._outcomes[key] = function(self.values[key[1]], self.values[key[2]])
            self._note(function, key[1], key[2], -1, outcome)
        return outcome

    def hash_of(self, number: Traced) -> int:
        """Return the hash of a number, which stays as different from all others as it is."""
        register, value = number.register, self.values[number.register]
        if register not in self._hashed:
            for another in (*self._hashed, *self._constants, self._register(0), self._register(1)):
                self._keep_apart(register, another)
            self._hashed[register] = None
        return hash(value)

    def pin(self, number: Traced) -> int:
        """Return a number as it is; the trace holds for no other value of it."""
        value: int = self.values[number.register]
        self.compare(operator.eq, number, value)
        return value

    def _register(self, number: float) -> int:
        if type(number) is Traced:
            return number.register
        register = self._known.get((type(number), number))
        if register is None:
            register = self._known[type(number), number] = self._add(number)
            self._constants.append(register)
            for hashed in self._hashed:
                self._keep_apart(hashed, register)
        return register

    def _keep_apart(self, first: int, second: int) -> None:
        """Let two numbers stay as different as they are.

        Equal ones of which the hashes are not kept are compared where they meet, since their hashes are equal.
        """
        if self.keeps_hashes or self.values[first] != self.values[second]:
            self.compare(operator.eq, _traced(self, first), _traced(self, second))

    def _add(self, value: float) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def _note(self, function: Callable[[int, int], Any], first: int, second: int, register: int, outcome: bool) -> None:
        if len(self._steps) == MOST_STEPS:
            raise TooLong
        self._steps.append((function, first, second, register, outcome))


class Traced(int):
    """A number whose steps and tests are written down in its trace."""

    trace: Trace
    register: int

    def __hash__(self) -> int:
        return self.trace.hash_of(self)

    def __bool__(self) -> bool:
        return self.trace.compare(operator.ne, self, 0)

    def __format__(self, how: str) -> str:
        return f"{_MARK}{self.register}:{how}{_MARK}"

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (self.trace.pin(self),)


def _traced(trace: Trace, register: int) -> Traced:
    number = int.__new__(Traced, trace.values[register])
    number.trace, number.register = trace, register
    return number


def applied(function: Callable[[int], int], number: int) -> int:
    """Return `function(number)`, as a step where the number is traced: `function` must look at nothing else."""
    return number.trace.apply(function, number) if type(number) is Traced else function(number)


def pieces_of(text: str) -> list[str | tuple[int, str]]:
    """Cut a text at the traced numbers in it; each is its register, and how it is to be written."""
    pieces: list[str | tuple[int, str]] = []
    for at, piece in enumerate(text.split(_MARK)):
        register, _, how = piece.partition(":")
        pieces.append((int(register), how) if at % 2 else piece)
    return pieces


def is_marked(text: str) -> bool:
    """Whether a text has traced numbers in it."""
    return _MARK in text


def _step(function: Callable[[int, int], int], *, is_reversed: bool = False) -> Callable[[Traced, Any], Any]:
    def compute(number: Traced, other: Any) -> Any:
        first, second = (other, number) if is_reversed else (number, other)
        if isinstance(other, int):
            return number.trace.compute(function, first, second)
        value = number.trace.pin(number)
        return function(other, value) if is_reversed else function(value, other)

    return compute


def _test(function: Callable[[Any, Any], bool]) -> Callable[[Traced, Any], Any]:
    def compare(number: Traced, other: Any) -> Any:
        return number.trace.compare(function, number, other) if isinstance(other, int | float) else NotImplemented

    return compare


def _pinned(name: str) -> Callable[..., Any]:
    method = getattr(int, name)

    def call(number: Traced, *others: Any) -> Any:
        return method(number.trace.pin(number), *others)

    return call


_STEPS = ("add", "sub", "mul", "floordiv", "mod")
_TESTS = ("eq", "ne", "lt", "le", "gt", "ge")
_WRITTEN_DOWN = {
    *(f"__{how}{name}__" for name in _STEPS for how in ("", "r")),
    *(f"__{name}__" for name in _TESTS),
    *("__hash__", "__bool__", "__format__", "__reduce__", "__reduce_ex__"),
    # Of the class, not of a number.
    *("__new__", "__init__", "__class__", "__doc__", "__dir__", "__init_subclass__", "__subclasshook__"),
    *("__getattribute__", "__setattr__", "__delattr__", "__getstate__", "from_bytes"),
    *("real", "imag", "numerator", "denominator"),
}
for _name in _STEPS:
    setattr(Traced, f"__{_name}__", _step(getattr(operator, _name)))
    setattr(Traced, f"__r{_name}__", _step(getattr(operator, _name), is_reversed=True))
for _name in _TESTS:
    setattr(Traced, f"__{_name}__", _test(getattr(operator, _name)))
for _name in set(dir(int)) - _WRITTEN_DOWN:
    setattr(Traced, _name, _pinned(_name))
