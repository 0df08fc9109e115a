"""The option `--price` of commands that show bounds, and what it adds to them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from typing import NamedTuple

from piql.commands.prices import LEVELS, PRICES, PriceList, price_of
from piql.commands.table import format_table
from piql.compiler.result import CompiledQuery

_MOST_LEVELS = 9


class AskedPrice(NamedTuple):
    """A list of prices, and how many levels trees have."""

    prices: PriceList
    levels: int


def add_price(parser: argparse.ArgumentParser) -> None:
    """Add the options --price and --levels."""
    parser.add_argument(
        "--price", choices=tuple(PRICES), help="also what 1,000 executions cost at most in a bucket, by these prices"
    )
    parser.add_argument("--levels", type=int, metavar="N", help=f"of the trees in the bucket; default: {LEVELS}")


def asked_price(parser: argparse.ArgumentParser, options: argparse.Namespace) -> AskedPrice | None:
    """Return what was asked for; end with a usage message for levels that no tree has."""
    if options.levels is not None and not 1 <= options.levels <= _MOST_LEVELS:
        parser.error(f"--levels is a number from 1 to {_MOST_LEVELS}")
    if options.price is None:
        if options.levels is not None:
            parser.error("--levels needs --price")
        return None
    return AskedPrice(PRICES[options.price], options.levels or LEVELS)


def priced_as_text(queries: Iterable[CompiledQuery], asked: AskedPrice) -> str:
    """Return the prices of queries as a table, with what they rest on."""
    rows = []
    for query in queries:
        price = price_of(query, *asked)
        rows.append((query.name, *(("-", "-") if price is None else (f"{price.kept:f}", f"{price.most:f}"))))
    rests_on = f"$ for 1,000 executions: {asked.prices.of}, {asked.prices.date}; trees of {asked.levels} levels"
    return f"{rests_on}\n\n{format_table(('query', 'pages kept', 'at most'), rows)}"


def priced_as_json(query: CompiledQuery, asked: AskedPrice | None) -> dict[str, object]:
    """Return the price of a query as a field for JSON; no field where none was asked for."""
    if asked is None:
        return {}
    price = price_of(query, *asked)
    if price is None:
        return {"price": None}
    amounts = {name: float(amount) for name, amount in asdict(price).items()}
    return {"price": {**amounts, "of": asked.prices.of, "date": asked.prices.date, "levels": asked.levels}}
