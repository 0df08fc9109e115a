"""`piql predict`: from arguments to an exit code.

predict   0 predicted · 1 not predictable · 2 wrong arguments · 99 an SLO is predicted to fail
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import piql
from piql.compilation import Compilation, CompiledQuery

from piql_profiler.openslo import Objective, UnreadableSlo, read_openslo, write_openslo
from piql_profiler.predictor.cardinalities import limits_of
from piql_profiler.predictor.heatmap import Slo
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.models import DEFAULT_MODEL, MODELS, build_model
from piql_profiler.predictor.pages import predict_page, steps_of
from piql_profiler.predictor.predict import Prediction
from piql_profiler.predictor.predict import predict as predict_plan
from piql_profiler.predictor.safe_limits import SafeLimits, safe_limits
from piql_profiler.run_files import UnreadableRun, load

SLO_FAILED = 99
_ALL = "*"


def predict(argv: Sequence[str] | None = None) -> int:
    """Predict the latency of queries from a profile run."""
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
    parser.add_argument("--slo-interval", type=float, default=600.0, metavar="SECONDS", help="of --write-slo (600)")
    parser.add_argument("--quantile", type=float, default=0.99)
    parser.add_argument("--model", choices=tuple(MODELS), default=DEFAULT_MODEL)
    parser.add_argument("--output", choices=("table", "json"), default="table")
    given = parser.parse_args(argv)
    try:
        values = {name: int(number) for name, _, number in (each.partition("=") for each in given.set)}
    except ValueError:
        parser.error("--set takes LIMIT=N, for example subscriptions.owner=50")
    if not 0.0 < given.quantile < 1.0:
        parser.error("--quantile is between 0 and 1")
    try:
        slos = _slos(given.slo, given.quantile)
    except (OSError, UnreadableSlo) as error:
        parser.error(f"--slo: {error}")
    try:
        compilation, model = piql.compile(given.source), build_model(load(given.run), given.model)
        found = _predictions(compilation, model, given.query, values)
        if given.page:
            plans = {name: _plan(compilation, name) for step in steps_of(given.page) for name in step}
            found[given.page] = predict_page(steps_of(given.page), plans, model)
    except (NotPredictable, UnreadableRun) as error:
        print(f"piql predict: {error}", file=sys.stderr)
        return 1
    if given.write_slo is not None:
        if _ALL not in slos:
            parser.error("--write-slo writes a threshold that is given by --slo MS")
        one = slos[_ALL]
        objectives = [Objective(name, one.quantile, one.threshold_ms, given.slo_interval) for name in found]
        given.write_slo.write_text(write_openslo(objectives), encoding="utf-8")
    asked = {name: slo for name in found if (slo := slos.get(name, slos.get(_ALL))) is not None}
    limits = None
    if asked and not values:
        queries = [compilation.queries[name] for name in asked if name in compilation.queries]
        limits = safe_limits(queries, model, asked)
    if given.output == "json":
        print(json.dumps(_as_json(found, asked, given.quantile, limits), indent=2))
    else:
        _print_table(found, asked, given.quantile)
        _print_limits(limits)
    failed = any(not found[name].meets(slo.quantile, slo.threshold_ms) for name, slo in asked.items())
    return SLO_FAILED if failed else 0


def _slos(text: str | None, quantile: float) -> dict[str, Slo]:
    """Read a threshold in milliseconds, which holds for every query, or a file of OpenSLO documents."""
    if text is None:
        return {}
    try:
        threshold_ms = float(text)
    except ValueError:
        objectives = read_openslo(Path(text).read_text(encoding="utf-8"))
        return {each.query: Slo(each.quantile, each.threshold_ms) for each in objectives}
    if not threshold_ms > 0:
        raise UnreadableSlo(f"a threshold is above 0 ms, not {text}")
    return {_ALL: Slo(quantile, threshold_ms)}


def _plan(compilation: Compilation, name: str) -> Any:
    query: CompiledQuery | None = compilation.queries.get(name)
    if query is None:
        raise NotPredictable(f"there is no query {name!r} in the source")
    if query.plan is None:
        raise NotPredictable(f"{name} is not bounded, so there is no plan to predict")
    return query.plan


def _predictions(
    compilation: Compilation, model: Model, names: Sequence[str] | None, values: Mapping[str, int]
) -> dict[str, Prediction]:
    """Predict the named queries, or every bounded query of the source; a limit counts where a query has it.

    A profile may hold no writes: then those that nobody named are left out.
    """
    chosen = names or [name for name, each in compilation.queries.items() if each.plan]
    found = {}
    used: set[str] = set()
    for name in chosen:
        plan = _plan(compilation, name)
        limits = limits_of(compilation.queries[name], is_stepped=not model.has_transactions)
        own = {each.symbol for each in limits} & set(values)
        try:
            found[name] = predict_plan(plan, model, {symbol: values[symbol] for symbol in own})
        except NotPredictable as error:
            if names or compilation.queries[name].kind == "select":
                raise
            print(f"{name} is left out: {error}", file=sys.stderr)
        used |= own
    if unused := sorted(set(values) - used):
        raise NotPredictable(f"no query has a limit {unused[0]!r}")
    return found


def _as_json(
    found: Mapping[str, Prediction], slos: Mapping[str, Slo], quantile: float, limits: SafeLimits | None
) -> list[dict[str, Any]]:
    safe = {} if limits is None else {each.axis.symbol: each.largest for each in limits.limits}
    return [
        {
            "query": name,
            "model": each.model,
            "quantile": quantile,
            "latency_ms": each.quantile_ms(quantile),
            "conservative_p99_ms": each.conservative_ms,
            "latency_by_interval_ms": each.quantile_by_interval_ms(quantile),
            "meets_slo": each.meets(slos[name].quantile, slos[name].threshold_ms) if name in slos else None,
            "largest_safe": safe,
            "coverage": each.coverage.label,
            "operators": [
                {
                    "operator": part.operator,
                    "point": str(part.point),
                    "p99_ms": part.p99_ms,
                    "part_of_p99_ms": part.blame_ms,
                }
                for part in each.operators
            ],
            "warnings": each.warnings,
        }
        for name, each in found.items()
    ]


def _print_table(found: Mapping[str, Prediction], slos: Mapping[str, Slo], quantile: float) -> None:
    width = max((len(name) for name in found), default=5)
    for name, each in found.items():
        careful = f"  (9 of 10: ≤ {each.conservative_ms:.3f})" if each.conservative_ms and quantile == 0.99 else ""
        slo = slos.get(name)
        verdict: Literal["", "  meets the SLO", "  BREAKS the SLO"] = ""
        if slo is not None:
            verdict = "  meets the SLO" if each.meets(slo.quantile, slo.threshold_ms) else "  BREAKS the SLO"
        latency = f"{each.quantile_ms(quantile):9.3f} ms{careful}"
        print(f"{name:{width}}  p{quantile * 100:g} ≈ {latency}  {each.coverage.label}{verdict}")
        for warning in each.warnings:
            print(f"{'':{width}}  {warning}")


def _print_limits(limits: SafeLimits | None) -> None:
    """Say what each limit may grow to, the others as they are."""
    if limits is None or not limits.limits:
        return
    print("\nLargest limits that keep the SLO, each while the others stay:")
    width = max(len(each.axis.label) for each in limits.limits)
    for each in limits.limits:
        most = "none" if each.largest is None else str(each.largest)
        why = f"then {each.binding} breaks it" if each.binding else "larger ones were not measured"
        print(f"  {each.axis.label:{width}}  {most:>7}  now {each.axis.current}; {why}")
