"""Which stores a profile run may measure: those that were named when the workbench was started, and new embedded ones.

If a request could name any address, it could make the workbench try every port that it can reach. So it only connects
to stores in the list. The list has their passwords, so requests and files need none.
"""

from __future__ import annotations

from collections.abc import Sequence

from piql.errors import StoreUnavailable
from piql.store.cql.address import parse_address
from piql.store.open import capabilities_of
from piql.store.schemes import TEMPORARY_STORE
from piql_profiler.measure.store_urls import without_password

from piql_backend.web.errors import ApiError


class MeasurableStores:
    """The store of an environment, and the clusters that a setting lists, by their URLs with passwords."""

    def __init__(self, environment_store: str, listed: Sequence[str] = ()) -> None:
        self._environment_store = environment_store
        self._clusters = [url for url in (environment_store, *listed) if capabilities_of(url).is_cluster]

    def url(self, requested: str | None) -> str:
        """The URL with its password of the store in a request, which may leave the password out.

        None stands for the environment's store. Where that is an embedded one, a new one is measured in its place.
        Raises ApiError 403 for a cluster that is not listed, 422 for what is neither a cluster nor a new store.
        """
        if requested is None:
            requested = self._environment_store
        if requested == TEMPORARY_STORE or (requested == self._environment_store and requested not in self._clusters):
            return TEMPORARY_STORE
        if not capabilities_of(requested).is_cluster:
            message = "A profile run measures a new embedded store (embedded:) or a cluster (cql://host/keyspace)."
            raise ApiError(422, "invalid-store", message)
        for cluster in self._clusters:
            if requested in (cluster, without_password(cluster)):
                return cluster
        try:
            shown = parse_address(requested).shown()
        except StoreUnavailable as error:
            raise ApiError(422, "invalid-store", f"{error}.", "Correct the address of the store.") from None
        message = f"{shown} is not a store that this workbench may measure."
        raise ApiError(403, "store-not-listed", message, "Start it with --profile-store and that URL.")
