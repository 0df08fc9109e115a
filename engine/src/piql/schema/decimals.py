"""DECIMAL arithmetic in contexts of the engine's own: exact, or refused. The caller's decimal context has no effect.

All threads share the contexts: their methods change nothing in them but flags, which nobody reads.
"""

from __future__ import annotations

from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
    Subnormal,
)

MAX_PRECISION = 38
"""How many digits a DECIMAL(p, s) may have, and what is computed of DECIMALs."""
MAX_EXPONENT = 300
"""A DECIMAL without digits is 0, or from 1E-300 to below 1E+301 in size."""

DoesNotFit = DecimalException
"""What the contexts raise: the exact result has too many digits, or is too large or too small."""


def _context(digits: int, exponent: int) -> Context:
    return Context(
        prec=digits,
        rounding=ROUND_HALF_EVEN,
        Emin=-exponent,
        Emax=exponent,
        capitals=1,
        clamp=0,
        flags=[],
        traps=[Inexact, InvalidOperation, DivisionByZero, Overflow, Subnormal],
    )


WIDE = _context(2000, 5000)
"""Holds every sum and remainder of DECIMALs, and each of them with any number of digits after the point."""
RESULT = _context(MAX_PRECISION, MAX_EXPONENT)
"""Holds what a query may compute."""


def without_minus_zero(number: Decimal) -> Decimal:
    """Return the number, and 0 for -0: the two are one value."""
    return number or number.copy_abs()


def with_scale(number: Decimal, scale: int) -> Decimal:
    """Return an equal number with `scale` digits after the point; raise DoesNotFit where there is none."""
    return WIDE.quantize(number, unit(scale))


def unit(scale: int) -> Decimal:
    """Return the smallest positive number with `scale` digits after the point: 0.01 for 2."""
    return Decimal((0, (1,), -scale))
