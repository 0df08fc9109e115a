"""Sends one shipment to a workbench. Redirects are not followed: the token is for that host alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Literal

from piql.reporting.address import ReportAddress

_MOST_ANSWER_BYTES = 20_000
_NEVER = frozenset({400, 413, 415, 422})  # sending it again would not help


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a shipment: taken, refused for good, or to be sent again later; `message` says why."""

    outcome: Literal["taken", "refused", "later"]
    message: str = ""


def send(address: ReportAddress, shipment: bytes, timeout_seconds: float) -> Answer:
    """Send a shipment; a workbench that does not answer is no error."""
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.host, address.port, timeout=timeout_seconds)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    if address.token is not None:
        headers["Authorization"] = f"Bearer {address.token}"
    try:
        connection.request("POST", address.path, shipment, headers)
        response = connection.getresponse()
        text = response.read(_MOST_ANSWER_BYTES)
    except (OSError, HTTPException) as error:
        return Answer("later", f"{address} does not answer: {str(error) or type(error).__name__}")
    finally:
        connection.close()
    if 200 <= response.status < 300:
        return Answer("taken")
    return Answer("refused" if response.status in _NEVER else "later", _message(address, response.status, text))


def _message(address: ReportAddress, status: int, text: bytes) -> str:
    try:
        said = str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        said = ""
    return f"{address} answers {status}{': ' if said else ''}{said}"
