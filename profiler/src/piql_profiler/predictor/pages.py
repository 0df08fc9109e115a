"""The latency of a page that runs several queries: some one after the other, some at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql.compiler.physical.unit_plan import QueryPlan

from piql_profiler.predictor.cardinalities import RemoteWork, Work
from piql_profiler.predictor.composition import Composition, Leaf, Parallel, Serial
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.predict import Prediction, predict_work, work_by

Plans = Mapping[str, QueryPlan]


def steps_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Read `a, b | c`: first a, then b and c at the same time; NotPredictable for a name that is missing."""
    steps = tuple(tuple(name.strip() for name in step.split("|")) for step in text.split(","))
    if not all(name for step in steps for name in step):
        raise NotPredictable(f"a page is written like `a, b | c`: first a, then b and c together; not {text!r}")
    return steps


def predict_page(steps: Sequence[Sequence[str]], plans: Plans, model: Model) -> Prediction:
    """Predict a page: its steps in sequence, the queries of one step in parallel."""
    works = {name: work_by(model, plans[name]) for step in steps for name in step}
    operators: list[RemoteWork] = []
    parts = []
    for step in steps:
        together = []
        for name in step:
            together.append(_renumbered(works[name].composition, len(operators)))
            operators += works[name].operators
        parts.append(Parallel(tuple(together)) if len(together) > 1 else together[0])
    return predict_work(Work(tuple(operators), Serial(tuple(parts)) if len(parts) > 1 else parts[0]), model)


def _renumbered(composition: Composition, first: int) -> Composition:
    """The composition of operators whose numbers begin at `first` instead of 0."""
    match composition:
        case Leaf(index):
            return Leaf(index + first)
        case Serial(parts):
            return Serial(tuple(_renumbered(part, first) for part in parts))
        case Parallel(parts):
            return Parallel(tuple(_renumbered(part, first) for part in parts))
