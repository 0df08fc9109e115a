"""Which stores a profile run may measure: those that were named when the workbench was started, and new embedded ones.

A request that may name any address makes the workbench knock at every port that it can reach. So nothing is connected
to that is not in the list; and as the list has the passwords, requests and files need none.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.store.open import capabilities_of
from piql.store.schemes import TEMPORARY_STORE
from piql_profiler.measure.store_urls import without_password

from piql_backend.errors import ApiError


class MeasurableStores:
    """The workbench's own store, and the clusters that a setting lists."""

    def __init__(self, own: str, listed: Sequence[str] = ()) -> None:
        self._own = own
        self._clusters = [url for url in (own, *listed) if capabilities_of(url).is_cluster]

    def url(self, named: str | None) -> str:
        """The whole URL of a store by the one in a request, with or without its password.

        Null is the workbench's own store; instead of an embedded one a new one is measured. ApiError 403 for a cluster
        that is not listed, 422 for what can never be measured.
        """
        if named is None:
            named = self._own
        if named == TEMPORARY_STORE or (named == self._own and named not in self._clusters):
            return TEMPORARY_STORE
        if not capabilities_of(named).is_cluster:
            message = "A profile run measures a new embedded store (embedded:) or a cluster (cql://host/keyspace)."
            raise ApiError(422, "invalid-store", message)
        for known in self._clusters:
            if named in (known, without_password(known)):
                return known
        message = f"{without_password(named)} is not a store that this workbench may measure."
        raise ApiError(403, "store-not-listed", message, "Start it with --profile-store and that URL.")
