"""The options `--price`, `--levels` and `--rate` of commands that show bounds, and what they add to them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from piql.commands.table import format_table
from piql.compiler.result import CompiledQuery
from piql.pricing.prices import Price, of_month, price_of
from piql.pricing.sheets import LEVELS, MOST_LEVELS, SHEETS, BucketSheet, NodeSheet, Sheet, WrongSheet, read_sheet

_NO_RATES: Mapping[str, Decimal] = {}


class AskedPrice(NamedTuple):
    """A sheet of prices, how many levels the trees of a bucket have, and how often a second queries are executed."""

    sheet: Sheet
    levels: int = LEVELS
    rates: Mapping[str, Decimal] = _NO_RATES


def add_price(parser: argparse.ArgumentParser) -> None:
    """Add the options --price, --levels and --rate."""
    parser.add_argument(
        "--price",
        metavar=f"{'|'.join(SHEETS)}|FILE",
        help="also what 1,000 executions cost at most, by these prices, or by those of a JSON file",
    )
    parser.add_argument("--levels", type=int, metavar="N", help=f"of the trees in a bucket; default: {LEVELS}")
    parser.add_argument(
        "--rate", action="append", metavar="QUERY=N", help="also $ a month at N executions a second; may be repeated"
    )


def asked_price(parser: argparse.ArgumentParser, options: argparse.Namespace) -> AskedPrice | None:
    """Return what was asked for; end with a usage message for what no sheet of prices can answer."""
    if options.levels is not None and not 1 <= options.levels <= MOST_LEVELS:
        parser.error(f"--levels is a number from 1 to {MOST_LEVELS}")
    if options.price is None:
        for name in ("levels", "rate"):
            if getattr(options, name) is not None:
                parser.error(f"--{name} needs --price")
        return None
    rates = dict(_rate(parser, text) for text in options.rate or ())
    return AskedPrice(_sheet(parser, options.price), options.levels or LEVELS, rates)


def _sheet(parser: argparse.ArgumentParser, name: str) -> Sheet:
    if name in SHEETS:
        return SHEETS[name]
    try:
        return read_sheet(Path(name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        parser.error(f"--price: {name} is neither {' nor '.join(SHEETS)}, nor a file that can be read")
    except WrongSheet as error:
        parser.error(f"--price: {name} holds no sheet of prices: {error}")


def _rate(parser: argparse.ArgumentParser, text: str) -> tuple[str, Decimal]:
    name, _, number = text.partition("=")
    try:
        rate = Decimal(number)
    except InvalidOperation:
        rate = Decimal(0)
    if not name or not rate.is_finite() or not 0 < rate < Decimal("1e12"):
        parser.error(f"--rate is QUERY=N with N executions a second, not {text}")
    return name, rate


def unpriced_rates(parser: argparse.ArgumentParser, names: Iterable[str], asked: AskedPrice | None) -> None:
    """End with a usage message for a rate of a query that there is not."""
    unknown = [] if asked is None else [name for name in asked.rates if name not in set(names)]
    if unknown:
        parser.error(f"--rate: no query named {', '.join(unknown)}")


def priced_as_text(queries: Iterable[CompiledQuery], asked: AskedPrice) -> str:
    """Return the prices of queries as a table, with what they rest on."""
    is_bucket = isinstance(asked.sheet, BucketSheet)
    heads = ["query", *(["pages kept"] if is_bucket else []), "at most", *(["a month at most"] if asked.rates else [])]
    rows = []
    for query in queries:
        price, rate = price_of(query.bound, asked.sheet, asked.levels), asked.rates.get(query.name)
        cells = [dollars(None if price is None else price.most)]
        if is_bucket:
            cells.insert(0, dollars(None if price is None else price.kept))
        if asked.rates:
            cells.append(dollars(None if price is None or rate is None else of_month(price.most, rate)))
        rows.append((query.name, *cells))
    return f"$ for 1,000 executions: {rests_on(asked)}\n\n{format_table(heads, rows)}"


def rests_on(asked: AskedPrice) -> str:
    """Return whose prices they are, since when, and what they take as given."""
    sheet = asked.sheet
    text = f"{sheet.of}, {sheet.date}"
    if isinstance(sheet, BucketSheet):
        return f"{text}; trees of {asked.levels} {'level' if asked.levels == 1 else 'levels'}"
    if isinstance(sheet, NodeSheet):
        return (
            f"{text}; a request is its part of the {sheet.requests_a_second.normalize():,f} a second that a node takes"
        )
    return text


def dollars(amount: Decimal | None) -> str:
    """Return an amount with three digits at least that count, never rounded down; `-` for none."""
    if amount is None:
        return "-"
    places = max(0, 2 - amount.adjusted()) if amount else 0
    rounded = amount.quantize(Decimal(1).scaleb(-places), rounding="ROUND_CEILING")
    return f"{rounded.normalize():f}"


def price_in_line(query: CompiledQuery, asked: AskedPrice | None) -> str:
    """Return ` · ≤ $0.0012 for 1,000` for the line of a query; nothing where it was not asked for."""
    if asked is None:
        return ""
    price = price_of(query.bound, asked.sheet, asked.levels)
    return " · no price" if price is None else f" · ≤ ${dollars(price.most)} for 1,000"


def priced_as_json(query: CompiledQuery, asked: AskedPrice | None) -> dict[str, object]:
    """Return the price of a query as a field for JSON; no field where none was asked for."""
    if asked is None:
        return {}
    price = price_of(query.bound, asked.sheet, asked.levels)
    if price is None:
        return {"price": None}
    fields = _amounts(price, asked.rates.get(query.name))
    levels = {"levels": asked.levels} if isinstance(asked.sheet, BucketSheet) else {}
    return {"price": {**fields, "of": asked.sheet.of, "date": asked.sheet.date, **levels}}


def _amounts(price: Price, rate: Decimal | None) -> dict[str, float]:
    kept = {} if price.kept is None else {"kept": float(price.kept)}
    month = {} if rate is None else {"month": float(of_month(price.most, rate))}
    return {**kept, "most": float(price.most), **month}
