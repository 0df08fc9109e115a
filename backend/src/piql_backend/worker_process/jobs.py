"""The jobs that a worker can do, by their names.

A worker keeps compilations and models in caches of its own, so the same files are always given to the same worker.

compile                                               texts      →  a pickled Compilation
compile_select                                        statement  →  a pickled CompiledQuery
predict_all, quantiles, sizes                         questions  →  Python values
compile_to_json, completions, …, predict, heatmap, …  requests   →  the JSON of the answer
compile_in_parts                                      request    →  the same as that of compile_to_json, parts before it
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from piql.compiler import Compiler
from piql.compiler.result import Compilation, CompiledQuery
from piql.errors import PiqlError
from piql.trees.giving_up import GivenUp, while_wanted
from pydantic_core import to_json

from piql_backend.ad_hoc.compiling import compile_select
from piql_backend.comparisons.service import compare
from piql_backend.compilations.service import Compilations
from piql_backend.language.service import Language
from piql_backend.prices.reading import price
from piql_backend.profile_runs.schemas import ProfileRunRead
from piql_backend.schema_imports.service import import_schema
from piql_backend.web.errors import ApiError, from_engine
from piql_backend.workers.protocol import Answer, Job, PredictionJob

if TYPE_CHECKING:
    from piql_backend.predictions.service import Predictions


class _RunOfJob:
    """The profile run that the job at work brought along, as `Runs` of the predictions."""

    def __init__(self) -> None:
        self._by_id: dict[str, PredictionJob] = {}

    def set(self, job: PredictionJob) -> None:
        self._by_id = {job.run.id: job}

    def read(self, run_id: str) -> ProfileRunRead:
        return self._by_id[run_id].run

    def measurements_of(self, run_id: str) -> Path:
        return self._by_id[run_id].measurements


class Worker:
    """Carries out jobs, one after the other."""

    _tell: Callable[[bytes], None]  # of the job at work

    def __init__(self) -> None:
        self._compiler = Compiler()
        compilations = Compilations(self._compiler.compile)
        language = Language(compilations)
        self._run_of_job = _RunOfJob()
        self._compilations = compilations
        self._predictions: Predictions | None = None
        self._jobs: Mapping[str, Callable[[Any], object]] = {
            "compile": lambda texts: _pickled(compilations.compile_texts(texts)),
            "compile_select": lambda job: _pickled(compile_select(compilations, job)),
            "predict_all": lambda job: self._predictions_for(job).predict_all(job.request),
            "quantiles": lambda job: self._predictions_for(job).quantiles(job.request),
            "sizes": lambda job: self._predictions_for(job).sizes(job.request),
            "compile_to_json": lambda request: compilations.compile_to_json(request.files, request.stages_of),
            "compile_in_parts": lambda request: compilations.compile_in_parts(request, self._tell),
            **_as_json(
                completions=language.completions,
                signature=language.signature,
                hover=language.hover,
                definition=language.definition,
                references=language.references,
                name=language.name,
                rename=language.rename,
                schema_edit=language.schema_edit,
                tokens=language.tokens,
                outline=language.outline,
                folds=language.folds,
                format=language.format,
                import_schema=import_schema,
                compare=lambda request: compare(compilations, request),
                price=lambda job: price(compilations, job),
                predict=lambda job: self._predictions_for(job).predict(job.request),
                predict_set=lambda job: self._predictions_for(job).predict_set(job.request),
                predict_page=lambda job: self._predictions_for(job).predict_page(job.request),
                heatmap=lambda job: self._predictions_for(job).heatmap(job.request),
                safe_limits=lambda job: self._predictions_for(job).safe_limits(job.request),
                capacity=lambda job: self._predictions_for(job).capacity(job.request),
                stripes=lambda job: self._predictions_for(job).stripes(job.request),
            ),
        }

    def carry_out(self, job: Job, is_wanted: Callable[[], bool], tell: Callable[[bytes], None]) -> Answer:
        """Do a job while it is wanted; every exception becomes an answer. `tell` gets what is known early."""
        self._tell = tell
        try:
            with self._compiler.at_work(), while_wanted(is_wanted):
                return Answer("done", self._jobs[job.name](job.argument))
        except GivenUp:
            return Answer("given up")
        except ApiError as refusal:
            return Answer("refused", (refusal.status, refusal.body.model_dump_json()))
        except PiqlError as error:
            refusal_of_engine = from_engine(error)
            return Answer("refused", (refusal_of_engine.status, refusal_of_engine.body.model_dump_json()))
        except (MemoryError, SystemError):  # CPython now and then loses a MemoryError
            return Answer("memory", is_last=True)
        except Exception:  # a fault of one request must not end the others'
            return Answer("fault", traceback.format_exc())

    def _predictions_for(self, job: PredictionJob) -> Predictions:
        """The service that predicts, for the run of a job; its import takes half a second, so the first job does it."""
        from piql_backend.predictions.service import Predictions

        self._run_of_job.set(job)
        if self._predictions is None:
            self._predictions = Predictions(self._compilations, self._run_of_job)
        return self._predictions


def _pickled(compiled: Compilation | CompiledQuery) -> bytes | None:
    """What was compiled as bytes; None where it is nested too deeply to be pickled."""
    try:
        return pickle.dumps(compiled)
    except RecursionError:
        return None


def _as_json(**jobs: Callable[[Any], object]) -> dict[str, Callable[[Any], object]]:
    """The jobs with their results turned into JSON, so that the server only passes them on."""

    def as_json(job: Callable[[Any], object]) -> Callable[[Any], bytes]:
        return lambda argument: to_json(job(argument), inf_nan_mode="null")

    return {name: as_json(job) for name, job in jobs.items()}
