"""The stores on which experiments may run, and who may start them there.

embedded          new files of this machine; times are those of the store, and not of a law
shop/production   the cluster of an environment, for who deploys to it: an experiment makes tables of its own there
"""

from __future__ import annotations

from collections.abc import Iterator

from piql.errors import StoreUnavailable
from piql.store.open import capabilities_of
from piql.store.schemes import EMBEDDED, S3, TEMPORARY_STORE, scheme_of
from piql_profiler.experiments.stage import shown_store

from piql_backend.applications.repository import Applications
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.settings_file import read_settings
from piql_backend.experiments.schemas import ExperimentStoreRead
from piql_backend.web.errors import ApiError
from piql_backend.web.needs import Role, in_application, suffices
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.visitor import Visitor, refuse

_NEEDED: Role = "deployer"
_STORES = Listing[ExperimentStoreRead, str]("experiment-stores", str, lambda store: _place(store.id))


class ExperimentStores:
    """The embedded store and the clusters of all environments, by their ids."""

    def __init__(self, applications: Applications, environments: Environments, allowed_stores: AllowedStores) -> None:
        self._applications = applications
        self._environments = environments
        self._allowed_stores = allowed_stores

    def page(self, wish: PageWish, visitor: Visitor | None) -> Page[ExperimentStoreRead]:
        """A page of the stores that a visitor may run experiments on; None is somebody alone, who may on all."""
        return _STORES.page_of(wish, self._stores(visitor))

    def url(self, store: str, visitor: Visitor | None) -> str:
        """The URL of a store with its secrets, for a visitor who may.

        Raises ApiError 403 without the role, 404 for no such environment, 409 for a store that nobody has confirmed or
        that is a file of its application.
        """
        if store == EMBEDDED:
            return TEMPORARY_STORE
        name = EnvironmentName(*store.split("/"))
        if visitor is not None:
            refuse(in_application(_NEEDED), visitor, name.application)
        self._applications.refuse_unknown(name.application)
        url = self._url(name)
        if not _is_for_many(url):
            message = f"The data of {name} are in a file that only this environment uses."
            raise ApiError(409, "store-of-one", message, "Choose embedded: a new file beside none.")
        return url

    def _stores(self, visitor: Visitor | None) -> Iterator[ExperimentStoreRead]:
        yield ExperimentStoreRead(id=EMBEDDED, title="New embedded files", address=EMBEDDED)
        for name in self._environments.all_names():
            if visitor is not None:
                role = visitor.role_in(name.application)
                if role is None or not suffices(role, _NEEDED):
                    continue
            try:
                if self._applications.is_archived(name.application):
                    continue
                url = self._url(name)
            except (ApiError, StoreUnavailable):  # nobody has confirmed it, or its file cannot be read
                continue
            if _is_for_many(url):
                yield ExperimentStoreRead(id=str(name), title=str(name), address=shown_store(url))

    def _url(self, name: EnvironmentName) -> str:
        """The URL of an environment's store; one that was named is still on the list of those that may be."""
        url = self._environments.store_url(name)
        if read_settings(self._environments.folder(name)).store.kind == "named" and _is_for_many(url):
            self._allowed_stores.refuse_other(url)
        return url


def _is_for_many(url: str) -> bool:
    """Whether databases of others may lie in a store beside what an environment has there."""
    return capabilities_of(url).is_cluster or scheme_of(url) == S3


def _place(store: str) -> str:
    """The embedded store first, then all by their ids."""
    return "" if store == EMBEDDED else store
