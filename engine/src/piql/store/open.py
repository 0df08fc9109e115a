"""The one list of the kinds of store: what opens each, and what it can do. `open_store(url)` chooses by the URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

from piql.errors import StoreUnavailable, WrongStoreAddress
from piql.store.base import Store
from piql.store.embedded.store import WAIT_MS, EmbeddedStore, Synchronous
from piql.store.schemes import CQL, EMBEDDED, S3, STEPWISE, scheme_of, shown_wrong
from piql.store.stepwise.store import StepwiseStore


class Capabilities(NamedTuple):
    """What a kind of store can do, for callers that have a URL and no open store.

    has_transactions    otherwise an open store has `row_writes`
    is_file             a file in this process: it answers one request at a time, and may be created anywhere
    is_cluster          a cluster, whose URL may hold a password, and options such as `prefix`
    """

    has_transactions: bool = False
    is_file: bool = False
    is_cluster: bool = False


class Location(NamedTuple):
    """Where a store lies: on which servers (`host:port`, none for a file), and what it calls its own there."""

    servers: tuple[str, ...]
    namespace: str  # of a file its path, empty for a temporary one; of a cluster the keyspace and the prefix of tables
    has_login: bool = False  # whether the URL itself holds a user or a password


class Adapter(NamedTuple):
    """One kind of store: both functions take a whole URL, and raise WrongStoreAddress for a wrong one."""

    open: Callable[[str], Store]
    capabilities: Capabilities
    locate: Callable[[str], Location]


def open_store(url: str) -> Store:
    """Open the store at a URL; raise WrongStoreAddress, or StoreUnavailable for a store that does not answer.

    embedded:         a temporary file;  `embedded:PATH`  a file, created by the first write. Options:
                      `?synchronous=NORMAL`, `?wait_ms=…` (how long a writer waits for others, 5000 by default)
    stepwise:[PATH]   the same store without transactions, to test how other stores must behave
    cql://…           a cluster; needs the extra `cql`
    s3://…            a prefix of a bucket in an object store; needs the extra `s3`

    A file of another program is refused with NotAStore.
    """
    return _adapter_of(url).open(url)


def location_of(url: str) -> Location:
    """Return where the store at a URL lies, without opening it; WrongStoreAddress for a URL that is wrong."""
    return _adapter_of(url).locate(url)


def capabilities_of(url: str) -> Capabilities:
    """Return what the store at a URL can do, without opening it; no capability for a URL of no kind of store."""
    adapter = ADAPTERS.get(scheme_of(url))
    return adapter.capabilities if adapter is not None else Capabilities()


def without_login(url: str) -> str:
    """Return a URL without user and password, as it may be shown."""
    return re.sub(r"//[^@/]*@", "//", url)


def _adapter_of(url: str) -> Adapter:
    if not isinstance(url, str):  # Python lets callers give anything
        raise WrongStoreAddress(f"the address of a store is a text, such as embedded:PATH, not {type(url).__name__}")
    adapter = ADAPTERS.get(scheme_of(url))
    if adapter is None:
        raise WrongStoreAddress(
            f"{shown_wrong(url)!r} is not the address of a store: "
            "write embedded:, embedded:PATH, cql://HOST/KEYSPACE or s3://BUCKET/PREFIX"
        )
    return adapter


class _FileAddress(NamedTuple):
    """What the URL of a store in a file says; without a path it is a temporary one."""

    path: str
    synchronous: Synchronous = "FULL"
    wait_ms: int = WAIT_MS


def _file_address(url: str) -> _FileAddress:
    """Read a URL with its options; raise WrongStoreAddress for one that there is not."""
    path, _, options = url.partition(":")[2].partition("?")
    address = _FileAddress(path)
    for name, value in parse_qsl(options, keep_blank_values=True):
        match name, value.upper():
            case "synchronous", "FULL":
                address = address._replace(synchronous="FULL")
            case "synchronous", "NORMAL":
                address = address._replace(synchronous="NORMAL")
            case "wait_ms", digits if digits.isascii() and digits.isdigit() and len(digits) <= 9:
                address = address._replace(wait_ms=int(digits))
            case _:
                options = "synchronous=FULL, synchronous=NORMAL and wait_ms=5000"
                raise WrongStoreAddress(f"{shown_wrong(url)!r}: the options are {options}")
    return address


def _locate_file(url: str) -> Location:
    path = _file_address(url).path
    return Location((), str(Path(path).resolve()) if path else "")


def _open_file(adapter: type[EmbeddedStore], url: str) -> Store:
    address = _file_address(url)
    return adapter(address.path or None, address.synchronous, wait_ms=address.wait_ms)


@contextmanager
def _needs(package: str, what: str, extra: str) -> Iterator[None]:
    """Import an adapter inside the context, only when it is asked for: say how its package is installed if missing."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != package:
            raise
        raise StoreUnavailable(what, f"install it with pip install 'piql[{extra}]'") from missing


def _open_cql(url: str) -> Store:
    with _needs("cassandra", "clusters need the driver", CQL):
        from piql.store.cql import open_cql
    return open_cql(url)


def _locate_cql(url: str) -> Location:
    from piql.store.cql.address import parse_address

    address = parse_address(url)
    servers = tuple(f"{host.lower()}:{address.port}" for host in address.hosts)
    has_login = bool(address.user or address.password)
    return Location(servers, f"{address.keyspace}/{address.prefix}", has_login)


def _open_s3(url: str) -> Store:
    with _needs("obstore", "stores in a bucket need the client", S3):
        from piql.store.s3 import open_s3
    return open_s3(url)


def _locate_s3(url: str) -> Location:
    from piql.store.s3.address import parse_address

    address = parse_address(url)
    return Location((address.endpoint or "the object store of AWS",), f"{address.bucket}/{address.prefix}")


ADAPTERS: Mapping[str, Adapter] = {
    EMBEDDED: Adapter(
        partial(_open_file, EmbeddedStore), Capabilities(has_transactions=True, is_file=True), _locate_file
    ),
    STEPWISE: Adapter(partial(_open_file, StepwiseStore), Capabilities(is_file=True), _locate_file),
    CQL: Adapter(_open_cql, Capabilities(is_cluster=True), _locate_cql),
    S3: Adapter(_open_s3, Capabilities(has_transactions=True), _locate_s3),
}
