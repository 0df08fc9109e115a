"""Sends one alert to the webhook. Redirects are not followed, so that nothing goes to a host that no setting lists.

Piql-Timestamp: 1780653600
Piql-Signature: sha256=HMAC-SHA256(secret, "1780653600." + body)
"""

from __future__ import annotations

import hashlib
import hmac
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from piql_backend.alerts.destination import Destination

TIMEOUT_SECONDS = 5.0
_MOST_ANSWER_BYTES = 20_000


def send(destination: Destination, body: bytes, timestamp: int) -> str | None:
    """Send an alert; return why it was not taken, None where it was."""
    headers = {"Content-Type": "application/json", "Piql-Timestamp": str(timestamp)}
    if destination.secret is not None:
        headers["Piql-Signature"] = signature(destination.secret, body, timestamp)
    kind = HTTPSConnection if destination.scheme == "https" else HTTPConnection
    connection = kind(destination.host, destination.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("POST", destination.path, body, headers)
        response = connection.getresponse()
        response.read(_MOST_ANSWER_BYTES)
    except (OSError, HTTPException) as error:
        return f"{destination} does not answer: {type(error).__name__}"
    finally:
        connection.close()
    return None if 200 <= response.status < 300 else f"{destination} answers {response.status}"


def signature(secret: str, body: bytes, timestamp: int) -> str:
    """The value of the header that proves who sent an alert, and when."""
    return f"sha256={hmac.new(secret.encode(), f'{timestamp}.'.encode() + body, hashlib.sha256).hexdigest()}"
