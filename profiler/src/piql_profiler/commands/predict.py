"""`piql predict`: predicts the latency of queries from a profile run, and judges them by SLOs.

    arguments  ──▶  queries, model, limits, SLOs  ──▶  Forecast  ──▶  `predict_output`: a table or JSON

Exit codes: 0 predicted, 1 not predictable, 2 wrong arguments, 99 an SLO is predicted to fail.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from piql.commands.arguments import compile_path
from piql.compiler.result import Compilation

from piql_profiler.commands.given import limits_in, slos_in
from piql_profiler.commands.predict_output import Forecast, LargestPairs, as_json, print_table
from piql_profiler.drift.judge import stale_operators
from piql_profiler.drift.look import read_looks
from piql_profiler.predictor.cardinalities import limits_of
from piql_profiler.predictor.heatmap import Slo
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.models import DEFAULT_MODEL, MODELS, build_model
from piql_profiler.predictor.names import query_named
from piql_profiler.predictor.openslo import ALL_QUERIES, Objective, UnreadableSlo, write_openslo
from piql_profiler.predictor.pages import predict_page, steps_of
from piql_profiler.predictor.predict import Prediction
from piql_profiler.predictor.predict import predict as predict_plan
from piql_profiler.predictor.risk import Risk, risk_of
from piql_profiler.predictor.safe_limits import pareto, safe_limits
from piql_profiler.runs.run_files import UnreadableRun, load

SLO_FAILED = 99


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="piql predict", description="Predict queries' latency from a profile run.")
    parser.add_argument("source", type=Path, help="a .piql file, or a folder of them")
    parser.add_argument("--run", required=True, type=Path, metavar="DIR", help="the folder of a profile run")
    parser.add_argument("--query", action="append", metavar="NAME", help="default: every bounded query")
    parser.add_argument(
        "--page", metavar="STEPS", help='a page of several queries: "a, b | c" runs a, then b and c at the same time'
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="LIMIT=N", help="for example subscriptions.owner=50"
    )
    parser.add_argument(
        "--slo", metavar="MS|FILE", help="a threshold for all queries, or OpenSLO documents; exit 99 when one fails"
    )
    parser.add_argument(
        "--write-slo", type=Path, metavar="FILE", help="write a threshold for all queries as OpenSLO documents"
    )
    parser.add_argument(
        "--slo-interval", type=float, default=600.0, metavar="SECONDS", help="of a threshold in --slo (600)"
    )
    parser.add_argument("--quantile", type=float, default=0.99)
    parser.add_argument("--model", choices=tuple(MODELS), default=DEFAULT_MODEL)
    parser.add_argument("--output", choices=("table", "json"), default="table")
    return parser


def predict(argv: Sequence[str] | None = None) -> int:
    """Predict the latency of queries from a profile run; return an exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    values, slos = _checked(parser, options)
    compilation = compile_path(parser, options.source)
    if compilation.has_errors:
        print(f"piql predict: there are errors in {options.source}; `piql check` shows them", file=sys.stderr)
    try:
        forecast = _forecast(compilation, options, values, slos)
    except (NotPredictable, UnreadableRun) as error:
        print(f"piql predict: {error}", file=sys.stderr)
        return 1
    if options.write_slo is not None:
        try:
            documents = write_openslo(replace(forecast.slos[name], query=name) for name in forecast.predictions)
            options.write_slo.write_text(documents, "utf-8")
        except (OSError, ValueError) as error:
            parser.error(f"--write-slo: {error}")
    if options.output == "json":
        print(json.dumps(as_json(forecast), indent=2))
    else:
        print_table(forecast)
    return SLO_FAILED if any(not forecast.meets(name) for name in forecast.slos) else 0


def _checked(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[dict[str, int], dict[str, Objective]]:
    """Return the values of limits by their symbols, and the SLOs by query; end with exit code 2 for wrong arguments."""
    try:
        values = limits_in(options.set)
    except ValueError:
        parser.error("--set takes LIMIT=N with a whole number from 1, for example subscriptions.owner=50")
    if not 0.0 < options.quantile < 1.0:
        parser.error("--quantile is between 0 and 1")
    if not 0.0 < options.slo_interval < math.inf:
        parser.error("--slo-interval is a positive number of seconds")
    try:
        slos = slos_in(options.slo, options.quantile, options.slo_interval)
    except (OSError, UnreadableSlo) as error:
        parser.error(f"--slo: {error}")
    if options.write_slo is not None and ALL_QUERIES not in slos:
        parser.error("--write-slo writes the threshold of --slo MS, which is missing")
    return values, slos


def _forecast(
    compilation: Compilation, options: argparse.Namespace, values: Mapping[str, int], slos: Mapping[str, Objective]
) -> Forecast:
    """Return the predictions from a run, judged by the SLOs; raise NotPredictable or UnreadableRun."""
    measurements = load(options.run)
    model = build_model(measurements, options.model)
    predictions = _predictions(compilation, model, options.query, values, slos)
    if options.page:
        plans = {name: _plan(compilation, name) for step in steps_of(options.page) for name in step}
        predictions[options.page] = predict_page(steps_of(options.page), plans, model)
    if not predictions:
        raise NotPredictable(f"{options.source} has no bounded query")
    stale = tuple(operator.value for operator in stale_operators(read_looks(options.run)))
    used_slos = {name: slo for name in predictions if (slo := slos.get(name, slos.get(ALL_QUERIES))) is not None}
    risks = _risks(predictions, used_slos, measurements.interval_seconds)
    limits = None
    pairs: tuple[LargestPairs, ...] = ()
    if used_slos and not values:
        queries = [compilation.queries[name] for name in used_slos if name in compilation.queries]
        thresholds = {name: Slo(slo.quantile, slo.threshold_ms) for name, slo in used_slos.items()}
        limits = safe_limits(queries, model, thresholds)
        pairs = _largest_pairs(compilation, model, used_slos, options.query or ())
    return Forecast(predictions, options.quantile, used_slos, risks, limits, stale, pairs)


def _risks(
    predictions: Mapping[str, Prediction], slos: Mapping[str, Objective], profile_interval_seconds: float
) -> dict[str, Risk]:
    """How often each SLO is predicted to be broken."""
    return {
        name: risk_of(
            predictions[name].quantile_by_interval_ms(slo.quantile),
            slo.threshold_ms,
            profile_interval_seconds=profile_interval_seconds,
            slo_interval_seconds=slo.interval_seconds,
        )
        for name, slo in slos.items()
    }


def _largest_pairs(
    compilation: Compilation, model: Model, slos: Mapping[str, Objective], names: Sequence[str]
) -> tuple[LargestPairs, ...]:
    """The largest values that keep the SLO, for each two limits of a query, of those in `names` that have an SLO."""
    largest_pairs = []
    for name in (name for name in dict.fromkeys(names) if name in slos):
        query, slo = compilation.queries[name], Slo(slos[name].quantile, slos[name].threshold_ms)
        for x, y in combinations(limits_of(query, is_stepped=not model.has_transactions), 2):
            largest_pairs.append(LargestPairs(name, x, y, pareto(query, model, slo, x.symbol, y.symbol)))
    return tuple(largest_pairs)


def _plan(compilation: Compilation, name: str) -> Any:
    """The plan of a query; NotPredictable where there is no such query, or no bound."""
    query = query_named(compilation, name)
    if query.plan is None:
        raise NotPredictable(f"{name} is not bounded, so there is no plan to predict")
    return query.plan


def _predictions(
    compilation: Compilation,
    model: Model,
    names: Sequence[str] | None,
    values: Mapping[str, int],
    slos: Mapping[str, Objective],
) -> dict[str, Prediction]:
    """Predict the named queries, or every bounded query of the source; each limit is set in the queries that have it.

    If the profile has no writes, writes are left out. But a write that is named, or that has an SLO of its own, raises
    NotPredictable: without it, the SLO would seem to be kept.
    """
    named = [*names] if names else [name for name in slos if name != ALL_QUERIES]
    for name in named:
        _plan(compilation, name)
    predictions = {}
    used: set[str] = set()
    for name in names or compilation.queries:
        query = compilation.queries[name]
        if query.plan is None:
            print(f"{name} is left out: it is not bounded", file=sys.stderr)
            continue
        limits = limits_of(query, is_stepped=not model.has_transactions)
        symbols = {limit.symbol for limit in limits} & set(values)
        try:
            predictions[name] = predict_plan(query.plan, model, {symbol: values[symbol] for symbol in symbols})
        except NotPredictable as error:
            if name in named or query.kind == "select":
                raise
            print(f"{name} is left out: {error}", file=sys.stderr)
        used |= symbols
    if unused := sorted(set(values) - used):
        raise NotPredictable(f"no query has a limit {unused[0]!r}")
    return predictions
