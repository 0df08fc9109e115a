"""`piql headroom`: how full the groups under each CARDINALITY LIMIT are, and what another limit would cost."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from piql import compiler
from piql.client.database import Database
from piql.client.group_levels import BINS, GroupLevel, LimitLevels, ProgressCallback, all_levels, walk_cost
from piql.client.raised_limit import bounds_with_limit, limit_named, texts_with_limit
from piql.commands.existing import open_existing, refuse_undeployed
from piql.commands.following import add_store, attempt
from piql.commands.load import INTERRUPTED, Interrupts, progress_line
from piql.commands.table import counted, format_table
from piql.schema.catalog import CardinalityLimit
from piql.schema.values import shown


def headroom(argv: Sequence[str] | None = None) -> int:
    """Say what counting costs, count, or say what another limit costs."""
    parser = argparse.ArgumentParser(
        prog="piql headroom",
        description="Show how full the groups under each limit are. Without --count it only shows what counting costs.",
    )
    add_store(parser)
    parser.add_argument("--count", action="store_true", help="read all rows of the tables that have limits")
    parser.add_argument(
        "--raise",
        dest="raised",
        metavar="TABLE(COLUMNS)=N",
        help="say what the limit N would cost in requests, such as 'subscriptions(owner)=200'",
    )
    options = parser.parse_args(argv)
    code = 0

    def work() -> None:
        nonlocal code
        with open_existing(options.store) as db:
            refuse_undeployed(db, options.store)
            if options.raised is not None:
                print(_raised(db, options.raised))
            elif options.count:
                with Interrupts() as interrupts:
                    levels = all_levels(db, _teller(), lambda: interrupts.count > 0)
                print(_summary(levels))
                if interrupts.count:
                    print("stopped: groups may have more rows than were counted", file=sys.stderr)
                    code = INTERRUPTED
            else:
                cost = walk_cost(db)
                requests = counted(cost.requests, "request")
                print(f"counting reads about {counted(cost.rows, 'row')} by {requests}: add --count")

    return attempt("headroom", work) or code


def _summary(levels: Sequence[LimitLevels]) -> str:
    if not levels:
        return "no table has a CARDINALITY LIMIT"
    rows = [
        (
            level.table,
            f"{level.limit.limit} ({level.limit.counted or 'the table'})",
            level.groups,
            level.nearly_full,
            level.full,
            _histogram(level),
            ", ".join(_group_in_words(level.limit, group) for group in level.fullest[:3]),
        )
        for level in levels
    ]
    heads = ("table", "limit", "groups", "≥ 80 %", "full", f"groups by {100 // BINS} %", "fullest")
    return format_table(heads, rows)


_BARS = " ▁▂▃▄▅▆▇█"


def _histogram(level: LimitLevels) -> str:
    """Return a bar for each bin; a bin with any group has one that can be seen."""
    most = max(level.histogram, default=0) or 1
    return "|" + "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] for count in level.histogram) + "|"


def _group_in_words(limit: CardinalityLimit, group: GroupLevel) -> str:
    return f"{', '.join(shown(value) for value in group.key) or 'all rows'}: {group.rows}"


def _raised(db: Database, wish: str) -> str:
    """Return the bounds that another limit changes, as a table."""
    limit, number = limit_named(db.deployment.tables, wish)
    after = compiler.compile(texts_with_limit(db.deployment.texts, limit, number))
    bounds = bounds_with_limit(db.deployment.compilation, after)
    changed = [bound for bound in bounds if bound.before != bound.after]
    head = f"{limit.limit} ({limit.counted or 'the table'}) as {number}: "
    if not changed:
        return head + f"none of {counted(len(bounds), 'query')} costs more or fewer requests"
    rows = [(bound.query, _requests(bound.before), _requests(bound.after)) for bound in changed]
    table = format_table(("query", "≤ now", "≤ then"), rows)
    return f"{head}{counted(len(changed), 'query')} of {len(bounds)}\n{table}"


def _requests(bound: int | None) -> int | str:
    return "unbounded" if bound is None else bound


def _teller() -> ProgressCallback | None:
    return progress_line(lambda table, rows, requests: f"{table}: {rows:,} rows, {requests:,} requests")
