"""What a load run calls: a store by the engine in this process, or the query service over HTTP.

Parameters are drawn from the rows in the store, in both cases.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import piql
from piql.commands.existing import open_existing, refuse_undeployed
from piql.errors import PiqlError
from piql.schema.json_values import without_type
from piql.text.web_addresses import web_address_of

from piql_profiler.load_runs.calls import CallFailed
from piql_profiler.measure.sampling import ParameterSampler

TOKEN_VARIABLE = "PIQL_SERVICE_TOKEN"  # of the environment: other users of the machine can read arguments


@dataclass(frozen=True, slots=True)
class Address:
    """Where the calls go: to the store, or to a service in front of it; these hold passwords and are not kept."""

    store_url: str
    service_url: str | None = None
    token: str | None = None


class StoreTarget:
    """Calls deployed queries of a store in this process."""

    def __init__(self, database: piql.Database, queries: Sequence[str], seed: int) -> None:
        compilation = database.deployment.compilation
        self._database = database
        self._queries = queries
        self._samplers = [
            ParameterSampler.of(compilation.queries[name], compilation, database, seed + number)
            for number, name in enumerate(queries)
        ]

    def draw(self, query: int) -> Mapping[str, object]:
        return self._samplers[query].draw()

    def call(self, query: int, parameters: Mapping[str, object]) -> int:
        return self._database.execute(self._queries[query], parameters).operations

    def close(self) -> None:
        self._database.close()


class ServiceTarget:
    """Calls the query service; each thread keeps a connection of its own."""

    def __init__(self, drawing: StoreTarget, queries: Sequence[str], url: str, token: str | None) -> None:
        address = web_address_of(url)
        assert address is not None  # the command has read it
        self._drawing = drawing
        self._is_secure = address.scheme == "https"
        self._host = address.authority
        self._paths = [f"{address.path.rstrip('/')}/queries/{quote(name)}" for name in queries]
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._of_thread = threading.local()

    def draw(self, query: int) -> Mapping[str, object]:
        return self._drawing.draw(query)

    def call(self, query: int, parameters: Mapping[str, object]) -> int:
        body = json.dumps({"parameters": parameters}, default=without_type)
        try:
            connection = self._connection()
            connection.request("POST", self._paths[query], body, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._of_thread.connection = None
            raise CallFailed("unreachable", f"{type(error).__name__}: {error}") from None
        try:
            values = json.loads(content)
            if answer.status == http.HTTPStatus.OK:
                return int(values["operations"])
            kind, message = str(values["code"]), str(values["message"])
        except (ValueError, KeyError, TypeError):
            raise CallFailed(
                f"status-{answer.status}", f"the answer is not one of piql service: {answer.status}"
            ) from None
        raise CallFailed(kind, message)

    def close(self) -> None:
        self._drawing.close()

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
            connection = self._of_thread.connection = kind(self._host, timeout=60)
        return connection


def open_target(address: Address, queries: Sequence[str], seed: int) -> StoreTarget | ServiceTarget:
    """Connect, and read the rows that parameters are drawn from; PiqlError where the store does not answer."""
    database = open_existing(address.store_url)
    try:
        refuse_undeployed(database, address.store_url)
        target = StoreTarget(database, queries, seed)
    except BaseException:
        database.close()
        raise
    if address.service_url is None:
        return target
    return ServiceTarget(target, queries, address.service_url, address.token)


def warm_up(target: StoreTarget | ServiceTarget, reads: Sequence[int]) -> None:
    """Call each query that reads a few times, so that the first calls that count find their plans prepared."""
    for query in reads:
        for _ in range(3):
            try:
                target.call(query, target.draw(query))
            except (PiqlError, CallFailed):
                break
