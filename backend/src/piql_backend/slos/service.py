"""SLOs of queries that are, or were, deployed, or that the application holds: one a query, by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from piql_profiler.predictor.openslo import Objective, UnreadableSlo, read_openslo, write_openslo
from pydantic import ValidationError

from piql_backend.applications.repository import Applications
from piql_backend.compilations.service import Compilations
from piql_backend.deployments.service import Deployments
from piql_backend.errors import ApiError, NotFound
from piql_backend.pages import Page, PageWish
from piql_backend.predictions.by_workers import PredictionsByWorkers
from piql_backend.schema import SloWrite, SourceFile
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloAtRiskRead, SloRead


class Slos:
    """The SLO of each query."""

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

    def save(self, query: str, slo: SloWrite) -> SloRead:
        (saved,) = self._save({query: slo})
        return saved

    def delete(self, query: str) -> None:
        self._table.delete(query)

    def at_risk(self, files: Sequence[SourceFile], run_id: str | None) -> Sequence[SloAtRiskRead]:
        """The queries of the files whose saved SLO a profile run predicts to be broken; none without a run."""
        saved = {slo.query: slo for slo in self._table.list()}
        if run_id is None or not saved:
            return ()
        quantiles = {name: slo.quantile for name, slo in saved.items()}
        predicted = self._predictions.for_quantiles({file.path: file.text for file in files}, quantiles, run_id)
        return [
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

    def as_openslo(self) -> str:
        """Write all SLOs as OpenSLO documents; ApiError 422 for an interval that is no whole number of minutes."""
        found = [
            Objective(deployment.query, deployment.quantile, deployment.threshold_ms, deployment.interval_seconds)
            for deployment in self._table.list()
        ]
        try:
            return write_openslo(found)
        except ValueError as error:
            raise ApiError(
                422, "slo-not-written", f"Nothing was exported: {error}.", "Change the interval of that SLO."
            ) from None

    def take_openslo(self, text: str) -> Sequence[SloRead]:
        """Set the SLOs of OpenSLO documents; ApiError 422 for what cannot be read, 404 for queries nobody deployed."""
        try:
            found = {objective.query: _written(objective) for objective in read_openslo(text)}
        except UnreadableSlo as error:
            raise ApiError(422, "slo-not-read", f"Nothing was imported: {error}.", "Correct the document.") from None
        return self._save(found)

    def _save(self, slos: Mapping[str, SloWrite]) -> Sequence[SloRead]:
        for query in slos:
            if not self._deployments.knows_query(query) and not self._is_in_the_application(query):
                raise NotFound("unknown-query", f"No query {query[:60]} was ever deployed or saved.", "Save it first.")
        return self._table.save(slos)

    def _is_in_the_application(self, query: str) -> bool:
        """An SLO is set while the query is written, and holds before it is deployed."""
        texts = self._applications.texts(self._application)
        return query in self._compilations.compile_texts(texts).queries


def _written(objective: Objective) -> SloWrite:
    """Take an objective as one of the workbench; UnreadableSlo beyond the numbers that it holds."""
    try:
        return SloWrite(
            quantile=objective.quantile,
            threshold_ms=objective.threshold_ms,
            interval_seconds=objective.interval_seconds,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise UnreadableSlo(f"{objective.query}: {first['loc'][0]}: {first['msg']}") from None
