"""The part of every Python client that is the same: connections, answers, pages, errors and values.

`module` copies this file into each client, without this docstring. It uses the standard library alone.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, Never, TypeVar

Date = datetime.date
Timestamp = datetime.datetime
Decimal = decimal.Decimal
UUID = uuid.UUID

_Row = TypeVar("_Row")
_Value = TypeVar("_Value")
_Json = Mapping[str, Any]
_GRACE_SECONDS = 2.0  # the service says itself when the time is over, if it can


class ClientError(Exception):
    """Base of what a query raises."""


class Unreachable(ClientError):
    """No answer came, or only a part of it. A write may be made or not."""


class UnexpectedAnswer(ClientError):
    """The answer is not what this client was generated for, or does not come from the service."""


class Refused(ClientError):
    """The service refuses; each code that a program may wait for has a class of its own.

    `cost` is the number of requests that it would have taken of the budget, 0 where that is not the reason.
    `retry_after_ms` is the time after which it may be tried again, 0 where the service names none.
    """

    def __init__(self, status: int, code: str, message: str, content: _Json, retry_after_ms: int) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.help: str | None = content.get("help")
        self.parameter: str | None = content.get("parameter")
        self.cost: int = content.get("cost") or 0
        self.retry_after_ms = retry_after_ms


class BudgetUsedUp(Refused):
    """The budget of the token is used up until `retry_after_ms` have passed."""


class CardinalityViolation(Refused):
    """One row more would pass a CARDINALITY LIMIT."""


class ConditionFailed(Refused):
    """The condition of an UPDATE … IF does not hold."""


class ConstraintViolation(Refused):
    """A value breaks NOT NULL, its type or its length."""


class ConversionFailed(Refused):
    """A CAST met a text that stands for no value of its type."""


class DeadlinePassed(Refused):
    """The time of the connection is over. A write may be made or not, as the message says."""


class DuplicateKey(Refused):
    """A row with this primary or unique key exists already."""


class ForeignKeyViolation(Refused):
    """A referenced row is missing, or a row to delete is still referenced."""


class InvalidCursor(Refused):
    """The cursor is damaged, or belongs to another query or to other parameters."""


class StaleCursor(InvalidCursor):
    """The cursor was made by a version of the query that has been replaced."""


class InvalidParameter(Refused):
    """A parameter does not fit; `parameter` is its name."""


class InvalidSession(Refused):
    """The token of the session is damaged, or was made by another store."""


class NotDeployed(Refused):
    """The query is not deployed any more."""


class NumberOutOfRange(Refused):
    """What is computed does not fit its type."""


class RepairPending(Refused):
    """Interrupted writes are still being settled: try again."""


class StoreUnavailable(Refused):
    """The store does not answer."""


class TooManyConnections(Refused):
    """The service has as many connections as it takes."""


class UnknownToken(Refused):
    """The token is missing or unknown."""


_REFUSALS: Mapping[str, type[Refused]] = {
    "budget-used-up": BudgetUsedUp,
    "cardinality-violation": CardinalityViolation,
    "condition-failed": ConditionFailed,
    "constraint-violation": ConstraintViolation,
    "conversion-failed": ConversionFailed,
    "deadline-passed": DeadlinePassed,
    "duplicate-key": DuplicateKey,
    "foreign-key-violation": ForeignKeyViolation,
    "invalid-cursor": InvalidCursor,
    "invalid-parameter": InvalidParameter,
    "invalid-session": InvalidSession,
    "not-deployed": NotDeployed,
    "number-out-of-range": NumberOutOfRange,
    "repair-pending": RepairPending,
    "stale-cursor": StaleCursor,
    "store-unavailable": StoreUnavailable,
    "too-many-connections": TooManyConnections,
    "unknown-token": UnknownToken,
}


@dataclass(frozen=True, slots=True)
class Answer(Generic[_Row]):
    """The rows of a query. `operations` is the number of requests that were made to the store."""

    rows: list[_Row]
    operations: int


@dataclass(frozen=True, slots=True)
class Page(Generic[_Row]):
    """One page of a query. `cursor` is where the next one begins, None after the last."""

    rows: list[_Row]
    operations: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Written(Generic[_Row]):
    """What a write has done; `rows` are those of its RETURNING."""

    rows: list[_Row]
    operations: int
    rows_affected: int


class Pages(Generic[_Row]):
    """The pages of a query, each read when it is asked for.

    `cursor` is where the next page begins: another call, in another process too, goes on there. It is None before the
    first page and after the last. When a page is refused, the next step asks for the same page again.
    """

    def __init__(self, read: Callable[[str | None], Page[_Row]], cursor: str | None) -> None:
        self._read = read
        self._is_over = False
        self.cursor = cursor

    def __iter__(self) -> Pages[_Row]:
        return self

    def __next__(self) -> Page[_Row]:
        if self._is_over:
            raise StopIteration
        page = self._read(self.cursor)
        self.cursor = page.cursor
        self._is_over = page.cursor is None
        return page


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for this address alone."""

    def redirect_request(self, *_: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


class Connection:
    """Where the service is, and how it is asked. Threads may share one that has no session.

    `timeout_ms` is for each request: a read makes no request to the store after it. `consistency` None leaves it to the
    service how fresh the rows of a read are.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        timeout_ms: int = 10_000,
        consistency: Literal["eventual", "quorum"] | None = None,
    ) -> None:
        if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
            raise ValueError(f"{address!r} is not the address of a service: write http://HOST:PORT")
        self._address = address.rstrip("/")
        self._token = token
        self._timeout_ms = timeout_ms
        self._consistency = consistency
        self._session: str | None = None

    def session(self, token: str = "new") -> Connection:
        """Return a connection whose reads see what it has written; `token` goes on with a session from elsewhere.

        A session decides itself how fresh its reads are. Its requests come one after another.
        """
        connection = Connection(self._address, token=self._token, timeout_ms=self._timeout_ms)
        connection._session = token
        return connection

    @property
    def session_token(self) -> str | None:
        """The token with which the session goes on in another process; None where there is no session."""
        return self._session

    def _send(self, query: str, parameters: _Json, cursor: str | None) -> _Json:
        """Execute a query and return the answer; raise a ClientError."""
        content = {"parameters": parameters} | ({} if cursor is None else {"cursor": cursor})
        body = json.dumps(content, default=_without_type, allow_nan=False).encode()
        url = f"{self._address}/queries/{urllib.parse.quote(query, safe='')}"
        request = urllib.request.Request(url, body, self._headers(), method="POST")
        try:
            with _OPENER.open(request, timeout=self._timeout_ms / 1000 + _GRACE_SECONDS) as answer:
                text, session = answer.read(), answer.headers.get("Piql-Session")
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self._address} does not answer: {error}") from error
        if self._session is not None and session is not None:
            self._session = session
        page = _object_of(text)
        if page is None:
            raise UnexpectedAnswer(f"{self._address} answers with something other than rows")
        return page

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Piql-Timeout-Ms": str(self._timeout_ms)}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._session is not None:
            headers["Piql-Session"] = self._session
        elif self._consistency is not None:
            headers["Piql-Consistency"] = self._consistency
        return headers


def _refusal(error: urllib.error.HTTPError) -> ClientError:
    with error:
        try:
            content = _object_of(error.read())
        except (OSError, http.client.HTTPException):
            content = None
    if content is None or not isinstance(content.get("code"), str):
        return UnexpectedAnswer(f"{error.url} answers with status {error.code}, which is not an answer of the service")
    seconds = error.headers.get("Retry-After", "")
    retry_after_ms = content.get("retry_after_ms") or (int(seconds) * 1000 if seconds.isdecimal() else 0)
    code, message = content["code"], str(content.get("message", ""))
    return _REFUSALS.get(code, Refused)(error.code, code, message, content, retry_after_ms)


def _object_of(text: bytes) -> _Json | None:
    try:
        content = json.loads(text)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _rows(query: str, answer: _Json, row: Callable[[_Json], _Row]) -> list[_Row]:
    try:
        return [row(item) for item in answer["rows"]]
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise UnexpectedAnswer(
            f"{query} has other columns than this client expects: generate the client again"
        ) from error


def _read(connection: Connection, query: str, parameters: _Json, row: Callable[[_Json], _Row]) -> Answer[_Row]:
    answer = connection._send(query, parameters, None)
    return Answer(_rows(query, answer, row), answer["operations"])


def _pages(
    connection: Connection, query: str, parameters: _Json, cursor: str | None, row: Callable[[_Json], _Row]
) -> Pages[_Row]:
    def read(cursor: str | None) -> Page[_Row]:
        answer = connection._send(query, parameters, cursor)
        return Page(_rows(query, answer, row), answer["operations"], answer["cursor"])

    return Pages(read, cursor)


def _write(connection: Connection, query: str, parameters: _Json, row: Callable[[_Json], _Row]) -> Written[_Row]:
    answer = connection._send(query, parameters, None)
    return Written(_rows(query, answer, row), answer["operations"], answer["rows_affected"])


def _without_type(value: object) -> object:
    """Return a value that JSON has no type for as one that it has."""
    match value:
        case datetime.datetime():
            if value.utcoffset() is None:
                raise ValueError(f"{value} has no time zone: a TIMESTAMP needs one")
            return value.isoformat()
        case bytes():
            return {"$base64": base64.b64encode(value).decode("ascii")}
        case datetime.date() | decimal.Decimal() | uuid.UUID():
            return str(value)
        case _:
            raise TypeError(f"a query takes no {type(value).__name__}")


def _never(_: _Json) -> Never:
    raise ValueError("a write without RETURNING has no rows")


def _nullable(value: object, read: Callable[[object], _Value]) -> _Value | None:
    return None if value is None else read(value)


def _anything(value: object) -> object:
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is no BOOLEAN")
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(f"{value!r} is no whole number")
    return int(value)


def _double(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no DOUBLE")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _blob(value: object) -> bytes:
    match value:
        case {"$base64": str(text)}:
            return base64.b64decode(text, validate=True)
    raise TypeError(f"{value!r} is no BLOB")


def _decimal(value: object) -> Decimal:
    return Decimal(_text(value))


def _date(value: object) -> Date:
    return Date.fromisoformat(_text(value))


def _timestamp(value: object) -> Timestamp:
    return Timestamp.fromisoformat(_text(value))


def _uuid(value: object) -> UUID:
    return UUID(_text(value))
