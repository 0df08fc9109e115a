"""Which plan each version runs a query by: observations of several versions belong together while the plan stays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from piql.compiler.physical.format import format_plan
from piql.compiler.result import CompiledQuery

from piql_backend.deployments.schemas import DeploymentDetailRead
from piql_backend.deployments.service import Deployments


class Plans:
    """The plans of all versions; a version never changes, so its digests are computed once."""

    def __init__(self, deployments: Deployments) -> None:
        self._deployments = deployments
        self._digests: dict[int, Mapping[str, str]] = {}

    def queries_of(self, deployment: DeploymentDetailRead) -> Mapping[str, CompiledQuery]:
        """The queries of a version, compiled."""
        return self._deployments.compilation(deployment.version).queries

    def digests(self, version: int) -> Mapping[str, str]:
        """A digest of each query's plan, by its name: two plans with one digest make the same requests."""
        if version not in self._digests:
            queries = self.queries_of(self._deployments.read(f"d{version}"))
            self._digests[version] = {name: _digest(query) for name, query in queries.items()}
        return self._digests[version]

    def changed(self, version: int, before: int | None) -> Sequence[str]:
        """The queries that a version runs by another plan than the version before, or that are new in it."""
        earlier = {} if before is None else self.digests(before)
        return [name for name, digest in self.digests(version).items() if earlier.get(name) != digest]


def _digest(query: CompiledQuery) -> str:
    text = "" if query.plan is None else format_plan(query.plan)
    return hashlib.sha256(text.encode()).hexdigest()
