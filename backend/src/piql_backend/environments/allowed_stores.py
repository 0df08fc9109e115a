"""Which stores may be named for an environment: an allow-list, which is given when the workbench is started.

cql://db1,db2           any keyspace of a cluster that is reached by these hosts
cql://db1:9999/shop     this keyspace alone, at this port
embedded:/srv/piql      files below a folder

A request that may name any address makes the workbench knock at every port that it can reach, and open any file.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from piql.errors import StoreUnavailable
from piql.store.open import Location, location_of
from piql.store.schemes import CQL, EMBEDDED, scheme_of

from piql_backend.web.errors import ApiError

_ANY_KEYSPACE = "any"


@dataclass(frozen=True, slots=True)
class _Cluster:
    servers: frozenset[str]
    keyspace: str | None  # None: any


class AllowedStores:
    """Says of a store whether it may be named."""

    def __init__(self, entries: Iterable[str], served: str | None = None) -> None:
        """Take the entries of the list, and the store that is served: its cluster may be named, too.

        Raises ValueError for an entry that is none.
        """
        self._entries = tuple(entries)
        self._folders = [_folder_of(entry) for entry in self._entries if _is_folder(entry)]
        self._clusters = [_cluster_of(entry) for entry in self._entries if not _is_folder(entry)]
        if served is not None and scheme_of(served) == CQL:
            with contextlib.suppress(ValueError):  # a wrong address is told where the store is opened
                self._clusters.append(_cluster_of(served, is_served=True))

    def refuse_other(self, url: str) -> Location:
        """Where a store lies; ApiError 422 for a URL that is wrong or holds a login, 403 for one not on the list."""
        if scheme_of(url) not in (CQL, EMBEDDED):
            message = "An environment's store is embedded, embedded:/PATH or cql://HOST/KEYSPACE."
            raise ApiError(422, "invalid-store", message)
        try:
            location = location_of(url)
        except StoreUnavailable as error:
            raise ApiError(422, "invalid-store", f"{error}.", "Correct the address of the store.") from None
        if location.has_login:
            message = "The address of a store is kept in a file, so it may hold neither user nor password."
            raise ApiError(422, "credentials-in-url", message, "Name a variable or a file that they are read from.")
        if location.servers:
            self._refuse_cluster(location)
        else:
            self._refuse_file(url, location)
        return location

    def cluster_of(self, servers: Iterable[str]) -> frozenset[str]:
        """All servers that are known to be of one cluster with some: an entry of the list names one cluster."""
        known = frozenset(servers)
        while True:
            more = known.union(*(cluster.servers for cluster in self._clusters if cluster.servers & known))
            if more == known:
                return known
            known = more

    def _refuse_cluster(self, location: Location) -> None:
        keyspace = location.namespace.partition("/")[0]
        fitting = [cluster.servers for cluster in self._clusters if cluster.keyspace in (None, keyspace)]
        allowed = frozenset[str]().union(*fitting)
        strangers = [server for server in location.servers if server not in allowed]
        if strangers:
            known = any(server in cluster.servers for cluster in self._clusters for server in strangers)
            what = f"the keyspace {keyspace} of {strangers[0]}" if known else strangers[0]
            message = f"This workbench may not connect to {what}."
            advice = f"Start it with --allowed-store cql://{strangers[0]}/{keyspace}{self._choices()}."
            raise ApiError(403, "store-not-allowed", message, advice)

    def _refuse_file(self, url: str, location: Location) -> None:
        path = Path(location.namespace)
        if not any(path.is_relative_to(folder) and path != folder for folder in self._folders):
            named = url.partition(":")[2].partition("?")[0]
            is_path = named.startswith("/") and not named.startswith("//") and "@" not in named  # and no login
            shown = named if is_path else "that file"
            message = f"This workbench may not open {shown if named else 'a temporary file'}."
            advice = f"Write embedded for a file of the environment's own{self._choices()}."
            raise ApiError(403, "store-not-allowed", message, advice)

    def _choices(self) -> str:
        return f", or name one of {', '.join(self._entries)}" if self._entries else ""


def _is_folder(entry: str) -> bool:
    return scheme_of(entry) == EMBEDDED


def _folder_of(entry: str) -> Path:
    path = Path(entry.partition(":")[2])
    if not path.is_absolute():
        raise ValueError(f"--allowed-store {entry}: write embedded: and the whole path of a folder")
    return path.resolve()


def _cluster_of(entry: str, *, is_served: bool = False) -> _Cluster:
    has_keyspace = re.fullmatch(CQL + r"://[^/?]+/[^?]+(\?.*)?", entry) is not None
    try:
        location = location_of(entry if has_keyspace else f"{entry.rstrip('/')}/{_ANY_KEYSPACE}")
    except StoreUnavailable as error:
        raise ValueError(f"--allowed-store {entry}: {error}") from None
    if location.has_login and not is_served:
        raise ValueError("--allowed-store takes hosts and a keyspace, and no login")
    keyspace = location.namespace.partition("/")[0] if has_keyspace else None
    return _Cluster(frozenset(location.servers), keyspace)
