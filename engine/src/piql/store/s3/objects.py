"""The requests to an object store: a get, a put, a put on a condition, a deletion. Each is counted when it is made.

The client sends a request again where the network failed; such repetitions are not counted.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol

import obstore
from obstore import exceptions
from obstore.store import S3Store as Client

from piql.errors import CredentialsMissing, StoreUnavailable
from piql.store.s3.address import Address
from piql.store.s3.credentials import require_credentials

if TYPE_CHECKING:
    from obstore.store import S3Config

MOST_DELETED = 1000  # objects that one request deletes
_RETRIES = 3
_DEFAULT_REGION = "us-east-1"
_FAILURES = (exceptions.BaseError, OSError)
_SHOWN = 200  # characters of what a client says


class Fetched(NamedTuple):
    """An object and the tag of its version."""

    data: bytes
    tag: str


class Requests(NamedTuple):
    """How many requests a client has made."""

    gets: int = 0
    puts: int = 0
    deletes: int = 0


class Objects(Protocol):
    """The objects of one store, by name; all raise StoreUnavailable where the server does not answer."""

    def get(self, name: str) -> bytes | None:
        """Return an object; None where there is none."""
        ...

    def get_if_changed(self, name: str, tag: str | None) -> Fetched | str | None:
        """Return an object, its tag alone if it still has this one, or None where there is none."""
        ...

    def put(self, name: str, data: bytes) -> None:
        """Put an object, whatever is there."""
        ...

    def put_if(self, name: str, data: bytes, tag: str | None) -> str | None:
        """Put an object if the one there has this tag (None: if none is there), and return the new one's tag.

        Return None where it is another. That may be this very object, where the request had to be sent twice.
        """
        ...

    def delete(self, names: Sequence[str]) -> None:
        """Delete at most MOST_DELETED objects; those that are not there do not matter."""
        ...

    def requests(self) -> Requests:
        """Return how many requests were made so far, by all threads."""
        ...


class BucketObjects:
    """`Objects` below a prefix of a bucket, over the protocol of S3."""

    def __init__(self, address: Address) -> None:
        require_credentials(os.environ, address.shown())
        self._address = address
        self._lock = threading.Lock()
        self._made = Requests()
        is_plain = address.endpoint is not None and address.endpoint.startswith("http:")
        region = address.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        endpoint: S3Config = {"endpoint": address.endpoint} if address.endpoint else {}
        timeout = timedelta(seconds=address.timeout)
        try:
            self._client = Client(
                address.bucket,
                prefix=address.prefix or None,
                config={"region": region or _DEFAULT_REGION, **endpoint},
                client_options={"allow_http": is_plain, "timeout": timeout, "connect_timeout": timeout},
                retry_config={"max_retries": _RETRIES, "retry_timeout": timeout},
            )
        except _FAILURES as failure:
            raise self._unavailable(failure) from None

    def get(self, name: str) -> bytes | None:
        self._count(Requests(gets=1))
        try:
            return bytes(obstore.get(self._client, name).bytes())
        except _FAILURES as failure:
            if self._is_missing(failure):
                return None
            raise self._unavailable(failure) from None

    def get_if_changed(self, name: str, tag: str | None) -> Fetched | str | None:
        self._count(Requests(gets=1))
        try:
            answer = obstore.get(self._client, name, options={"if_none_match": tag} if tag else None)
            return Fetched(bytes(answer.bytes()), answer.meta["e_tag"] or "")
        except exceptions.NotModifiedError:
            return tag
        except _FAILURES as failure:
            if self._is_missing(failure):
                return None
            raise self._unavailable(failure) from None

    def put(self, name: str, data: bytes) -> None:
        self._count(Requests(puts=1))
        try:
            obstore.put(self._client, name, data, use_multipart=False)
        except _FAILURES as failure:
            raise self._unavailable(failure) from None

    def put_if(self, name: str, data: bytes, tag: str | None) -> str | None:
        self._count(Requests(puts=1))
        try:
            answer = obstore.put(
                self._client, name, data, mode="create" if tag is None else {"e_tag": tag}, use_multipart=False
            )
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            return None
        except _FAILURES as failure:
            if tag is not None and self._is_missing(failure):
                return None
            raise self._unavailable(failure) from None
        return answer["e_tag"] or ""

    def delete(self, names: Sequence[str]) -> None:
        self._count(Requests(deletes=1))
        try:
            obstore.delete(self._client, list(names))
        except _FAILURES as failure:
            if not self._is_missing(failure):
                raise self._unavailable(failure) from None

    def requests(self) -> Requests:
        with self._lock:
            return self._made

    def _count(self, more: Requests) -> None:
        with self._lock:
            self._made = Requests(*map(sum, zip(self._made, more, strict=True)))

    def _is_missing(self, failure: Exception) -> bool:
        """Return whether there is no such object; raise StoreUnavailable where there is no such bucket."""
        if not isinstance(failure, exceptions.NotFoundError | FileNotFoundError):
            return False
        if "NoSuchBucket" in str(failure):
            raise StoreUnavailable(
                f"{self._address.shown()}: there is no bucket {self._address.bucket!r}: make it, or correct the name"
            ) from None
        return True

    def _unavailable(self, failure: Exception) -> StoreUnavailable:
        """Return the error for what the client says, which may repeat keys: they are left out."""
        shown = self._address.shown()
        if isinstance(failure, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError):
            why = "refuses the keys of the environment: check AWS_ACCESS_KEY_ID and what it may do"
            return CredentialsMissing(f"{shown} {why}")
        text = str(failure).partition("<?xml")[0].partition("\n")[0]
        for name, value in os.environ.items():
            if name.startswith("AWS_") and len(value) > 4 and ("KEY" in name or "TOKEN" in name):
                text = text.replace(value, "…")
        return StoreUnavailable(f"{shown} does not answer: {text[:_SHOWN].rstrip()}")
