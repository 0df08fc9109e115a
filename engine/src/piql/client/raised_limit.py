"""What a set of queries costs with another number in one of its limits: the texts with that number, compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from piql.compiler.result import Compilation
from piql.errors import InvalidParameter
from piql.schema.catalog import CardinalityLimit, Table

_WISH = re.compile(r"\s*(?P<table>.+?)\s*\(\s*(?P<columns>.+?)\s*\)\s*=\s*(?P<number>[0-9]{1,10})\s*")
_TOKEN = re.compile(r"TOKEN\s*\(?\s*(?P<columns>[^)]*)\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RaisedBound:
    """The most requests of one query now and with the other limit; None where it has no bound."""

    query: str
    before: int | None
    after: int | None


def limit_named(tables: Mapping[str, Table], wish: str) -> tuple[CardinalityLimit, int]:
    """Return the limit and the number in `subscriptions(owner)=200`; raise InvalidParameter where there is none."""
    parts = _WISH.fullmatch(wish)
    if parts is None or int(parts["number"]) < 1:
        raise InvalidParameter(f"{wish}: write TABLE(COLUMNS)=N, such as 'subscriptions(owner)=200'")
    token = _TOKEN.fullmatch(parts["columns"])
    columns = [name.strip() for name in (token["columns"] if token else parts["columns"]).split(",")]
    return limit_on(tables, parts["table"], columns, is_token=token is not None), int(parts["number"])


def limit_on(tables: Mapping[str, Table], name: str, columns: list[str], *, is_token: bool) -> CardinalityLimit:
    """Return the limit of a table on some columns, in any order; raise InvalidParameter where there is none."""
    table = tables.get(name)
    if table is None:
        raise InvalidParameter(f"no table {name!r} is deployed; there are {', '.join(tables) or 'none'}")
    for limit in table.limits:
        if set(limit.columns) == set(columns) and limit.is_token == is_token:
            return limit
    there = "; ".join(limit.counted or "the whole table" for limit in table.limits) or "none"
    raise InvalidParameter(f"{name} has no CARDINALITY LIMIT on {', '.join(columns)}; it has: {there}")


def texts_with_limit(texts: Mapping[str, str], limit: CardinalityLimit, number: int) -> dict[str, str]:
    """Return the texts with another number in a limit that they declare."""
    span = limit.limit_span
    if span is None or span.file not in texts:
        raise InvalidParameter("the place of the limit in the text is not known")
    text = texts[span.file]
    return {**texts, span.file: f"{text[: span.start]}{number}{text[span.end :]}"}


def bounds_with_limit(before: Compilation, after: Compilation) -> list[RaisedBound]:
    """Return the bounds of each query of two sets."""
    return [
        RaisedBound(
            name,
            query.bound.operations if query.bound else None,
            other.bound.operations if (other := after.queries.get(name)) is not None and other.bound else None,
        )
        for name, query in before.queries.items()
    ]
