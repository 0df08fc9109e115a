"""Adds, changes and removes environments of applications.

    data/environments/shop/production/environment.json      comes in one step: now there is an environment

Nothing is written into a store here, and none is connected to. A removal moves the folder below `data/deleted/`.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from piql.errors import StoreUnavailable
from piql.store.open import Location, capabilities_of, location_of, open_store, without_login
from piql.store.schemes import CQL, EMBEDDED, StoreKind, scheme_of

from piql_backend.applications.ids import id_of
from piql_backend.applications.repository import Applications
from piql_backend.data_folder.layout import environment_folder
from piql_backend.environments.allowed_stores import AllowedStores
from piql_backend.environments.registry import EnvironmentName, Environments
from piql_backend.environments.schemas import (
    DefaultSloRead,
    EnvironmentCreate,
    EnvironmentRead,
    EnvironmentUpdate,
    ReferenceRead,
    StoreChoiceRead,
    StoreWrite,
    TlsRead,
)
from piql_backend.environments.settings_file import (
    FILE,
    EnvironmentSettings,
    StoreChoice,
    read_settings,
    url_of,
    write_settings,
)
from piql_backend.stores.known import forget_store
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import Listing, Page, PageWish

_ENVIRONMENTS = Listing[str, str]("environments", str, lambda name: name)


class EnvironmentChanges:
    """All changes of which environments there are; one at a time, so that no two of them name one namespace."""

    def __init__(
        self, data: Path, applications: Applications, environments: Environments, allowed_stores: AllowedStores
    ) -> None:
        self._data = data
        self._applications = applications
        self._environments = environments
        self._allowed_stores = allowed_stores
        self._changing = asyncio.Lock()

    def page(self, application: str, wish: PageWish) -> Page[EnvironmentRead]:
        """A page of the environments of an application, by id."""
        page = _ENVIRONMENTS.page_of(wish, self._environments.names(application))
        return Page(items=[self._read(EnvironmentName(application, name)) for name in page.items], next=page.next)

    async def add(self, application: str, request: EnvironmentCreate) -> EnvironmentRead:
        """Add an environment.

        Raises ApiError 403 for a store that is not on the list, 409 for an id or a namespace that is taken.
        """
        async with self._changing:
            present = self._environments.names(application)
            name = EnvironmentName(application, request.id or id_of(request.title))
            if name.environment in present:
                message = f"{application} already has an environment {name.environment}."
                raise ApiError(409, "environment-exists", message, "Choose another name.")
            choice = await self._checked(name, request.store)
            for environment in present:  # a folder made by hand has one without a file
                folder = environment_folder(self._data, application, environment)
                if not (folder / FILE).exists():
                    write_settings(folder, EnvironmentSettings())
            folder = environment_folder(self._data, application, name.environment)
            if folder.exists():
                folder.rename(self._aside(name))
            await asyncio.to_thread(self._applications.retire_names, application, name.environment)
            settings = EnvironmentSettings(
                store=choice, title=request.title, colour=request.colour, slo=request.slo, prices=request.prices
            )
            write_settings(folder, settings)
            return self._read(name)

    async def change(self, application: str, environment: str, request: EnvironmentUpdate) -> EnvironmentRead:
        """Change what is said of an environment; one whose store changes is closed, and opened with the new one."""
        name = EnvironmentName(application, environment)
        async with self._changing:
            settings = read_settings(self._environments.folder(name))
            changes = {field: getattr(request, field) for field in ("title", "colour", "slo", "prices")}
            fields = {field: value for field, value in changes.items() if field in request.model_fields_set}
            kept = {field: value for field, value in fields.items() if value is not None or field in ("slo", "prices")}
            settings = settings.model_copy(update=kept)
            if request.store is None:
                write_settings(self._environments.folder(name), settings)
                return self._read(name)
            self._refuse_busy(name)
            choice = await self._checked(name, request.store)
            async with self._environments.kept_closed(name) as folder:
                write_settings(folder, settings.model_copy(update={"store": choice}))
                forget_store(folder)
            return self._read(name)

    async def remove(self, application: str, environment: str, confirmed: str, *, deletes_data: bool) -> None:
        """Move an environment away; with `deletes_data`, its store is deleted, where that is a file.

        Raises ApiError 409 unless `confirmed` is its id, and for the last one, 422 for data that are not in a file.
        """
        name = EnvironmentName(application, environment)
        async with self._changing:
            self._environments.folder(name)
            if confirmed != environment:
                message = f"Nothing was removed: the name given is not {environment}."
                raise ApiError(409, "not-confirmed", message, "Give the id of the environment as `name`.")
            if len(self._environments.names(application)) == 1:
                message = f"{environment} is the only environment of {application}, and stays."
                raise ApiError(409, "last-environment", message, "Add another one first, or delete the application.")
            async with self._environments.kept_closed(name) as folder:
                for file in await asyncio.to_thread(self._store_files, name) if deletes_data else ():
                    file.unlink(missing_ok=True)
                folder.rename(self._aside(name))

    def _store_files(self, name: EnvironmentName) -> Sequence[Path]:
        """The files of a store that may be deleted; ApiError 422 for a cluster, or a file that PIQL has not written."""
        folder = self._environments.folder(name)
        choice, url = read_settings(folder).store, self._environments.store_url(name)
        is_served = choice.kind == "served" and self._environments.has_served_store
        if is_served or not capabilities_of(url).is_file:
            message = f"Nothing was removed: the data of {name} are not in a file that the workbench made."
            raise ApiError(
                422,
                "data-not-deleted",
                message,
                "Remove the environment only, then delete the data in the store.",
            )
        path = Path(location_of(url).namespace)
        try:
            open_store(url).close()
        except StoreUnavailable as error:
            message = f"Nothing was removed: {error}."
            raise ApiError(422, "data-not-deleted", message, "Remove the environment without its data.") from None
        return [path.with_name(path.name + end) for end in ("", "-journal", "-wal", "-shm", "-turn")]

    async def _checked(self, name: EnvironmentName, store: StoreWrite) -> StoreChoice:
        """What is kept of a store that may be named and that no other environment has."""
        if store.url == EMBEDDED:
            if store != StoreWrite():
                message = "An environment with a file of its own takes no credentials and no consistency."
                raise ApiError(422, "invalid-store", message, "Leave them out, or name a cluster.")
            return StoreChoice()
        choice = StoreChoice(kind="named", named=store)
        location = self._allowed_stores.refuse_other(url_of(store))
        await asyncio.to_thread(self._refuse_taken, name, location)
        return choice

    def _refuse_taken(self, name: EnvironmentName, location: Location) -> None:
        servers = self._addresses(location)
        for environment in self._environments.all_names():
            if environment == name:
                continue
            try:
                taken = location_of(self._environments.store_url(environment))
            except (ApiError, StoreUnavailable):  # it names no store, or nobody can read which
                continue
            is_same_place = bool(servers & self._addresses(taken)) if location.servers else not taken.servers
            if is_same_place and taken.namespace == location.namespace:
                what = "file" if not location.servers else "keyspace and prefix"
                message = f"Nothing was changed: {environment} has its data in this {what}."
                advice = "Name another file." if not location.servers else "Name another keyspace, or add ?prefix=…"
                raise ApiError(409, "namespace-taken", message, advice)

    def _addresses(self, location: Location) -> frozenset[str]:
        """The servers of a cluster by name and by address, also those that are known to belong to it."""
        servers = self._allowed_stores.cluster_of(location.servers)
        return servers.union(*(_addresses_of(server) for server in servers))

    def _refuse_busy(self, name: EnvironmentName) -> None:
        environment = self._environments.open_ones.get(name)
        if environment is not None and environment.is_busy:
            message = f"Something is under way in {name}, so its store cannot be changed now."
            raise ApiError(409, "environment-busy", message, "Wait until it ends, or cancel it.")

    def _aside(self, name: EnvironmentName) -> Path:
        folder = self._data / "deleted" / f"{name.application}-{name.environment}-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder

    def _read(self, name: EnvironmentName) -> EnvironmentRead:
        """What is known of an environment without opening it; the reason where its file cannot be read."""
        try:
            settings = read_settings(self._environments.folder(name))
        except ApiError as error:
            return EnvironmentRead(
                id=name.environment,
                title=name.environment,
                colour="grey",
                store=None,
                slo=None,
                prices=None,
                problem=error.body.message,
            )
        return EnvironmentRead(
            id=name.environment,
            title=settings.title or name.environment,
            colour=settings.colour or "grey",
            store=self._store_of(name, settings.store),
            slo=None if settings.slo is None else DefaultSloRead.model_validate(settings.slo),
            prices=settings.prices,
            problem=None,
        )

    def _store_of(self, name: EnvironmentName, choice: StoreChoice) -> StoreChoiceRead:
        named = choice.named
        if choice.kind in ("named", "unconfirmed") and named is not None:
            return StoreChoiceRead(
                kind=CQL if scheme_of(named.url) == CQL else EMBEDDED,
                url=named.url,
                is_served=False,
                is_confirmed=choice.kind == "named",
                consistency=named.consistency,
                user=None if named.user is None else ReferenceRead.model_validate(named.user),
                password=None if named.password is None else ReferenceRead.model_validate(named.password),
                tls=None if named.tls is None else TlsRead.model_validate(named.tls),
            )
        if choice.kind == "served" and self._environments.has_served_store:
            url = self._environments.store_url(name)
            kind: StoreKind = CQL if capabilities_of(url).is_cluster else EMBEDDED
            return StoreChoiceRead(kind=kind, url=without_login(url), is_served=True)
        return StoreChoiceRead(kind=EMBEDDED, url=EMBEDDED, is_served=False)


def _addresses_of(server: str) -> frozenset[str]:
    """The addresses of a host with its port; none where nobody knows the name."""
    host, _, port = server.rpartition(":")
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return frozenset()
    return frozenset(f"{entry[4][0]}:{port}" for entry in addresses)
