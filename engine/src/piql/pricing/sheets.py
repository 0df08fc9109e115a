"""Sheets of prices: what a provider asks for, and since when.

    BucketSheet    a bucket: $ for 1,000 GETs
    RequestSheet   a store that is paid by the request: $ for 1,000,000 reads, and for as many writes
    NodeSheet      a cluster that is paid by the node: $ a month, and how many requests a second one node takes

Known here are only sheets whose numbers somebody can look up by their date. Those of a contract come from its owner,
as a file or in the settings of an environment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

SECONDS_OF_MONTH = 2_629_800
"""A twelfth of 365.25 days."""

LEVELS = 2
"""How many levels the trees of a bucket have if nobody says: each tree up to some hundred pages."""

MOST_LEVELS = 9


@dataclass(frozen=True, slots=True)
class BucketSheet:
    """The prices of a bucket: `get` is $ for 1,000 GETs."""

    of: str
    date: str
    get: Decimal


@dataclass(frozen=True, slots=True)
class RequestSheet:
    """The prices of requests of the engine: $ for 1,000,000 reads, and for 1,000,000 puts or deletes."""

    of: str
    date: str
    read: Decimal
    write: Decimal


@dataclass(frozen=True, slots=True)
class NodeSheet:
    """The price of a node: $ a month, which pays `requests_a_second` in each of its seconds."""

    of: str
    date: str
    node_month: Decimal
    requests_a_second: Decimal


Sheet: TypeAlias = BucketSheet | RequestSheet | NodeSheet

SHEETS: Mapping[str, BucketSheet] = {
    "amazon": BucketSheet("Amazon S3 Standard, US East (N. Virginia)", "June 2026", Decimal("0.0004")),
    "amazon-2007": BucketSheet("Amazon S3, as in Building a Database on S3", "November 2007", Decimal("0.001")),
}
"""The sheets by their names. The provider's own page is what counts: look there before a decision."""

_AMOUNTS: Mapping[type[Sheet], tuple[str, ...]] = {
    BucketSheet: ("get",),
    RequestSheet: ("read", "write"),
    NodeSheet: ("node_month", "requests_a_second"),
}


class WrongSheet(ValueError):
    """A file that holds no sheet of prices; its text says why."""


def read_sheet(text: str) -> Sheet:
    """Return the sheet that a JSON text holds: `of`, `date`, and the amounts of one kind; raises WrongSheet."""
    try:
        value = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError) as error:
        raise WrongSheet(f"it is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise WrongSheet("it is no JSON object")
    for kind, amounts in _AMOUNTS.items():
        if set(value) == {"of", "date", *amounts}:
            return kind(_name(value, "of"), _name(value, "date"), *(_amount(value, name) for name in amounts))
    choices = "; ".join(", ".join(("of", "date", *amounts)) for amounts in _AMOUNTS.values())
    raise WrongSheet(f"it has the fields of no sheet, which are: {choices}")


def _name(value: Mapping[str, object], field: str) -> str:
    name = value[field]
    if not isinstance(name, str) or not name.strip():
        raise WrongSheet(f"{field} is a text that says {'whose prices these are' if field == 'of' else 'since when'}")
    return name


def _amount(value: Mapping[str, object], field: str) -> Decimal:
    amount = value[field]
    try:
        if isinstance(amount, Decimal) and amount.is_finite() and 0 < amount < Decimal("1e12"):
            return amount
    except InvalidOperation:  # a signalling NaN, which JSON has no word for
        pass
    raise WrongSheet(f"{field} is a number above 0")
