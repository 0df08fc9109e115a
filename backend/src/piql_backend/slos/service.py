"""The SLOs of an environment, one for each query name: saved, judged by predictions, exchanged as OpenSLO documents.

A query may have one that is, or was, deployed, or that stands in the application's files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from piql_profiler.predictor.openslo import Objective, UnreadableSlo, read_openslo, write_openslo
from pydantic import ValidationError

from piql_backend.applications.repository import Applications
from piql_backend.compilations.service import Compilations
from piql_backend.deployments.service import Deployments
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.predictions.schemas import SloAtRiskRead
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Page, PageWish
from piql_backend.web.schemas import SloWrite, SourceFile


@dataclass(frozen=True, slots=True)
class JudgedSlos:
    """Saved SLOs that are predicted to be broken, and the queries with an SLO that cannot be predicted."""

    at_risk: Sequence[SloAtRiskRead]
    not_predicted: Sequence[str]


class Slos:
    """The SLO of each query of one environment."""

    def __init__(
        self,
        application: str,
        table: SloTable,
        deployments: Deployments,
        predictions: PredictionsByWorkers,
        applications: Applications,
        compilations: Compilations,
    ) -> None:
        self._application = application
        self._table = table
        self._deployments = deployments
        self._predictions = predictions
        self._applications = applications
        self._compilations = compilations

    def page(self, wish: PageWish) -> Page[SloRead]:
        return self._table.page(wish)

    def list(self) -> Sequence[SloRead]:
        """All SLOs, by the names of their queries."""
        return self._table.list()

    def thresholds_seconds(self) -> Mapping[str, float]:
        """The threshold of each query that has an SLO."""
        return {slo.query: slo.threshold_ms / 1000 for slo in self._table.list()}

    def save(self, query: str, slo: SloWrite) -> SloRead:
        """Set a query's SLO; ApiError 404 for a query that nobody knows."""
        (saved,) = self._save({query: slo})
        return saved

    def delete(self, query: str) -> None:
        """Remove a query's SLO; ApiError 404 where it has none."""
        self._table.delete(query)

    def at_risk(self, files: Sequence[SourceFile], run_id: str | None) -> Sequence[SloAtRiskRead]:
        """The queries of the files whose saved SLO a profile run predicts to be broken; none without a run."""
        return () if run_id is None else self.judged(files, run_id).at_risk

    def judged(self, files: Sequence[SourceFile], run_id: str) -> JudgedSlos:
        """What a profile run predicts of the saved SLOs of the queries of the files."""
        saved = {slo.query: slo for slo in self._table.list()}
        if not saved:
            return JudgedSlos((), ())
        quantiles = {name: slo.quantile for name, slo in saved.items()}
        predicted = self._predictions.for_quantiles({file.path: file.text for file in files}, quantiles, run_id)
        at_risk = [
            SloAtRiskRead(
                query=name,
                quantile=saved[name].quantile,
                threshold_ms=saved[name].threshold_ms,
                typical_ms=typical_ms,
                worst_ms=worst_ms,
            )
            for name, (typical_ms, worst_ms) in predicted.items()
            if worst_ms > saved[name].threshold_ms
        ]
        return JudgedSlos(at_risk, [name for name in saved if name not in predicted])

    def names(self) -> frozenset[str]:
        """The queries that have an SLO."""
        return frozenset(slo.query for slo in self._table.list())

    def as_openslo(self) -> str:
        """Write all SLOs as OpenSLO documents; ApiError 422 for an interval that is no whole number of minutes."""
        objectives = [
            Objective(slo.query, slo.quantile, slo.threshold_ms, slo.interval_seconds) for slo in self._table.list()
        ]
        try:
            return write_openslo(objectives)
        except ValueError as error:
            raise ApiError(
                422, "slo-not-written", f"Nothing was exported: {error}.", "Change the interval of that SLO."
            ) from None

    def take_openslo(self, text: str) -> Sequence[SloRead]:
        """Set the SLOs of OpenSLO documents; ApiError 422 for what cannot be read, 404 for a query nobody knows."""
        try:
            slos = {objective.query: _slo_of(objective) for objective in read_openslo(text)}
        except UnreadableSlo as error:
            raise ApiError(422, "slo-not-read", f"Nothing was imported: {error}.", "Correct the document.") from None
        return self._save(slos)

    def _save(self, slos: Mapping[str, SloWrite]) -> Sequence[SloRead]:
        for query in slos:
            if not self._deployments.knows_query(query) and not self._is_in_the_application(query):
                raise NotFound("unknown-query", f"No query {query[:60]} was ever deployed or saved.", "Save it first.")
        return self._table.save(slos)

    def _is_in_the_application(self, query: str) -> bool:
        """Whether the application's files have a query of that name: it may get an SLO before it is deployed."""
        texts = self._applications.texts(self._application)
        return query in self._compilations.compile_texts(texts).queries


def _slo_of(objective: Objective) -> SloWrite:
    """An objective as the API takes it; UnreadableSlo for numbers beyond the API's limits."""
    try:
        return SloWrite(
            quantile=objective.quantile,
            threshold_ms=objective.threshold_ms,
            interval_seconds=objective.interval_seconds,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise UnreadableSlo(f"{objective.query}: {first['loc'][0]}: {first['msg']}") from None
