"""SLOs of queries that are, or were, deployed."""

from __future__ import annotations

from piql_backend.deployments.service import Deployments
from piql_backend.errors import NotFound
from piql_backend.schema import SloWrite
from piql_backend.slos.repository import SloTable
from piql_backend.slos.schemas import SloRead


class Slos:
    """The SLO of each query."""

    def __init__(self, table: SloTable, deployments: Deployments) -> None:
        self._table = table
        self._deployments = deployments

    def list(self) -> list[SloRead]:
        return self._table.list()

    def save(self, query: str, slo: SloWrite) -> SloRead:
        if not self._deployments.knows_query(query):
            raise NotFound("unknown-query", f"No query {query[:60]} was ever deployed.", "Deploy it first.")
        return self._table.save(query, slo)

    def delete(self, query: str) -> None:
        self._table.delete(query)
