"""Where reports go: an address and a token, from arguments or from the process's environment, checked before use."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from piql.errors import InvalidParameter, kind_of
from piql.reporting.hosts import is_loopback
from piql.text.web_addresses import WebAddress, web_address_of

REPORT = "PIQL_REPORT"
TOKEN = "PIQL_REPORT_TOKEN"
SPOOL = "PIQL_REPORT_SPOOL"
_EXAMPLE = "http://127.0.0.1:8400/api/applications/scadr/environments/production/reports"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ReportAddress:
    """The address at which an environment of a workbench takes reports; `spool` is the folder for what waits."""

    scheme: str
    host: str
    port: int
    path: str
    spool: Path
    token: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}{self.path}"


def report_address(
    report: str | None, token: str | None, environment: Mapping[str, str] = os.environ
) -> ReportAddress | None:
    """Return where to report: the arguments, else PIQL_REPORT and PIQL_REPORT_TOKEN; None for nowhere.

    An empty `report` means nowhere, whatever the environment says. Raises InvalidParameter for an address that is none,
    and for a token that would be sent readably over a network.
    """
    text = environment.get(REPORT, "") if report is None else report
    if not text:
        return None
    if not isinstance(text, str):
        raise InvalidParameter(f"report is {kind_of(text)}: give a text", "report")
    if token is not None and not isinstance(token, str):
        raise InvalidParameter(f"token is {kind_of(token)}: give a text", "token")
    token = token or environment.get(TOKEN) or None
    parts = web_address_of(text)
    if parts is None or not _takes_reports(parts):
        raise InvalidParameter(f"report: this is not an address for reports: write one like {_EXAMPLE}", "report")
    scheme, host = parts.scheme, parts.host
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise InvalidParameter("token: it has characters that no token has: copy it again", "token")
    if token is not None and scheme == "http" and not is_loopback(host):
        raise InvalidParameter("token: over http it could be read on its way: report to an https address", "token")
    address = ReportAddress(scheme, host, parts.port or _PORTS[scheme], parts.path, Path(), token)
    return ReportAddress(address.scheme, host, address.port, parts.path, _spool(str(address), environment), token)


def _takes_reports(parts: WebAddress) -> bool:
    is_whole = parts.scheme in _PORTS and bool(parts.host) and parts.path.endswith("/reports")
    return is_whole and not parts.query and not parts.has_login


def _spool(address: str, environment: Mapping[str, str]) -> Path:
    """The folder for what waits to be sent to an address: one for each, below the user's own state."""
    base = environment.get(SPOOL)
    if not base:
        state = environment.get("XDG_STATE_HOME") or Path(environment.get("HOME", "."), ".local", "state")
        base = str(Path(state, "piql", "reports"))
    return Path(base, hashlib.sha256(address.encode()).hexdigest()[:16])
