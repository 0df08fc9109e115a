"""What is asked of a load run: checked against what is live, and as arguments of `piql load-test`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from piql.compiler.result import CompiledQuery
from piql_profiler.load_runs.mixes import MIXES, UnknownMix, weights_of
from piql_profiler.load_runs.thresholds import UnreadableThreshold, threshold_of

from piql_backend.load_runs.schemas import LoadMixRead, LoadRunCreate, MixName
from piql_backend.web.errors import ApiError

MOST_SECONDS = 3600.0
MOST_CALLS = 20_000_000  # of a run: beyond that its result does not fit into memory


def weights_for(request: LoadRunCreate, deployed: Mapping[str, CompiledQuery]) -> dict[str, float]:
    """The weight of each query to call; ApiError 422 for what cannot be called, or writes and was not seen."""
    named = {query.name: query.weight for query in request.queries}
    try:
        weights = weights_of(request.mix, named, deployed)
        for threshold in request.stop_if:
            threshold_of(threshold, weights)
    except (UnknownMix, UnreadableThreshold) as error:
        raise ApiError(422, "invalid-load-run", f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    seconds = seconds_of(request)
    if seconds > MOST_SECONDS:
        message = f"The run would take {seconds:,.0f} s, and may take {MOST_SECONDS:,.0f} s."
        raise ApiError(422, "invalid-load-run", message, "Ask for fewer or shorter steps.", parameter="seconds")
    calls = sum(rate * request.seconds for rate in request.rates or ())
    if calls > MOST_CALLS:
        message = f"The run would make {calls:,.0f} calls, and may make {MOST_CALLS:,}."
        raise ApiError(422, "invalid-load-run", message, "Ask for a lower rate.", parameter="rates")
    if request.connections < request.clients:
        message = "Each client needs a connection."
        raise ApiError(422, "invalid-load-run", message, "Ask for more connections.", parameter="connections")
    _refuse_unseen([name for name in weights if deployed[name].kind != "select"], request.allow_writes)
    return weights


def mixes_of(deployed: Mapping[str, CompiledQuery]) -> list[LoadMixRead]:
    """The mixes whose queries are all deployed."""
    names: tuple[MixName, ...] = get_args(MixName)
    return [
        LoadMixRead(name=name, weights=dict(MIXES[name])) for name in names if MIXES[name].keys() <= deployed.keys()
    ]


def seconds_of(request: LoadRunCreate) -> float:
    """How long all steps of a run take."""
    return request.seconds * (1 if request.rates is None else len(request.rates))


def arguments_for(request: LoadRunCreate, weights: Mapping[str, float], result: Path, log: Path) -> Sequence[str]:
    """The arguments of the command."""
    rates = ["--closed"] if request.rates is None else ["--rate", ",".join(f"{rate:.12g}" for rate in request.rates)]
    return (
        *(text for name, weight in weights.items() for text in ("--query", f"{name}={weight:.12g}")),
        *rates,
        *("--seconds", f"{request.seconds:.12g}"),
        *("--connections", str(request.connections)),
        *("--clients", str(request.clients)),
        *("--seed", str(request.seed)),
        *(text for threshold in request.stop_if for text in ("--stop-if", threshold)),
        *("--out", str(result)),
        *("--hlog", str(log)),
        *("--progress", "json"),
    )


def _refuse_unseen(writes: Sequence[str], seen: Sequence[str]) -> None:
    """Raise ApiError 422 where a query would write that whoever asks has not named once more."""
    unseen = [name for name in writes if name not in seen]
    if unseen:
        verb = "writes" if len(unseen) == 1 else "write"
        message = f"{', '.join(unseen)} {verb}: a load run of it would change the data."
        raise ApiError(422, "load-run-writes", message, "To run it anyway, name each in allow_writes.")
