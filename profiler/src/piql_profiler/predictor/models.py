"""The models to choose from, the paper's first: it is the baseline of every comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from piql_profiler.measure.measurements import Measurements
from piql_profiler.predictor.model import Model, NotPredictable
from piql_profiler.predictor.paper import PaperModel
from piql_profiler.predictor.surface import SurfaceModel

MODELS: Mapping[str, Callable[[Measurements], Model]] = {
    "paper": PaperModel,
    "surface": SurfaceModel,
}
DEFAULT_MODEL = "surface"


def build_model(measurements: Measurements, name: str = DEFAULT_MODEL) -> Model:
    """Build the model of that name from a run's measurements."""
    if name not in MODELS:
        raise NotPredictable(f"there is no model {name!r}; choose one of {', '.join(MODELS)}")
    return MODELS[name](measurements)
