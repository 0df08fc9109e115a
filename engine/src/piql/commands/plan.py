"""`piql plan`: prints the plans of queries, logical and physical, with what each operator may cost."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from piql.commands.arguments import add_source, compile_path
from piql.commands.pricing import AskedPrice, add_price, asked_price, price_in_line, rests_on, unpriced_rates
from piql.commands.storage import describe_storage
from piql.compiler.logical.format import format_plan
from piql.compiler.physical import format as physical
from piql.compiler.result import CompiledQuery
from piql.schema.write_policies import WriteLevel
from piql.text.diagnostics.render import render_all

_ACKNOWLEDGED_BY: Mapping[WriteLevel, str] = {"quorum": "a majority", "all": "all copies"}


def plan(argv: Sequence[str] | None = None) -> int:
    """Print how queries are read."""
    parser = argparse.ArgumentParser(prog="piql plan", description="Print how queries are read.")
    add_source(parser)
    parser.add_argument("--query", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--steps", action="store_true", help="also the plan after each rule of the optimizer")
    add_price(parser)
    options = parser.parse_args(argv)
    asked = asked_price(parser, options)
    compilation = compile_path(parser, options.path)
    unknown = [name for name in options.query or () if name not in compilation.queries]
    if unknown:
        parser.error(f"no query named {', '.join(unknown)}; there are {', '.join(compilation.queries) or 'none'}")
    chosen = [query for name, query in compilation.queries.items() if not options.query or name in options.query]
    unpriced_rates(parser, compilation.queries, asked)
    sections = [plan_as_text(query, options.steps, asked) for query in chosen]
    prices = [] if asked is None else [f"$ for 1,000 executions: {rests_on(asked)}"]
    print("\n\n".join((*sections, *prices, *describe_storage(compilation, chosen if options.query else None))))
    return 0 if all(query.is_bounded for query in chosen) else 1


def plan_as_text(query: CompiledQuery, with_steps: bool = False, asked: AskedPrice | None = None) -> str:
    """Return the bound of a query, its plans and its findings; with its steps also the plan after each rule.

    The price stands behind the bound where it was asked for.
    """
    parts = [f"{query.name}: {_summary(query)}{price_in_line(query, asked)}"]
    if with_steps and query.bound_plan is not None:
        parts.append("as written\n" + format_plan(query.bound_plan))
        parts.extend(f"{step.rule}: {step.note}\n{format_plan(step.plan)}" for step in query.steps)
    if query.logical is not None:
        parts.append("logical\n" + format_plan(query.logical))
    if query.plan is not None:
        parts.append("physical\n" + physical.format_plan(query.plan))
    if query.diagnostics:
        parts.append(render_all(query.diagnostics))
    return "\n\n".join(parts)


def _summary(query: CompiledQuery) -> str:
    bound = query.bound
    if bound is None:
        return "refused"
    trips = "trip" if bound.round_trips == 1 else "trips"
    return (
        f"≤ {bound.operations} ops = {bound.formula} · {bound.round_trips} {trips} · "
        f"≤ {bound.rows} rows · class {query.scaling_class}{_policy(query)}"
    )


def _policy(query: CompiledQuery) -> str:
    if query.read is not None:
        return f" · reads {query.read}"
    return "" if query.write is None else f" · acknowledged by {_ACKNOWLEDGED_BY[query.write]}"
