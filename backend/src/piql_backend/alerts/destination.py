"""Where alerts go: ALERT_WEBHOOK, to a host that ALERT_HOSTS lists, signed by ALERT_SECRET."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from piql.reporting.hosts import is_loopback
from piql.text.web_addresses import web_address_of

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Destination:
    """A webhook; its path and its secret are not shown."""

    scheme: str
    host: str
    port: int
    path: str = field(repr=False)
    secret: str | None = field(repr=False)

    name = "webhook"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"


def destination_of(webhook: str | None, hosts: Sequence[str], secret: str | None) -> Destination | None:
    """Return the webhook, or None where no alerts are sent; ValueError for one that may not be used.

    No message has the path of the webhook: with many services it is a secret.
    """
    if not webhook:
        return None
    parts = web_address_of(webhook)
    if parts is None or parts.scheme not in _PORTS or not parts.host:
        raise ValueError("ALERT_WEBHOOK is not an address: write one like https://alerts.example/piql")
    if parts.has_login:
        raise ValueError("ALERT_WEBHOOK has a name or password in it: sign by ALERT_SECRET instead")
    host = parts.host
    if host not in {listed.lower() for listed in hosts}:
        raise ValueError(f"ALERT_WEBHOOK goes to {host}, which ALERT_HOSTS does not list: add it there")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError("ALERT_WEBHOOK uses http, which others can read: use https")
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    return Destination(parts.scheme, host, parts.port or _PORTS[parts.scheme], path, secret or None)
