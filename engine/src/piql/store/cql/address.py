"""The URL of a cluster: `cql://[user:password@]host[,host…][:port]/keyspace[?option=value&…]`.

option               default               what it says
replication_factor   3, or all nodes       copies of each row, when the keyspace is created
consistency          LOCAL_QUORUM          how many replicas answer a read; a write waits for a majority at least
timeout              5                     seconds after which a request is given up
retries              3                     times that a request is sent again where no node could take it
speculative          100                   milliseconds after which another node is asked, too; 0: never
in_flight            256                   requests of fan-outs under way at once, for each node
fan_out              auto                  reads of many keys: `grouped` in few statements, `parallel` in one for each
                                           key, or whichever of them was faster when it was measured here
prefix               none                  begins the name of every table of PIQL in the keyspace
datacenter           of the first host     whose nodes are asked
driver               scylla                scylla-driver; `rust` is scylladb-rs-driver, experimental
user_variable        none                  the variable of the environment that holds the user
user_file            none                  or the file whose first line it is
password_variable    none                  the variable of the environment that holds the password
password_file        none                  or the file whose first line it is
tls                  off                   `on`: requests are encrypted, and each node's certificate is checked
tls_ca               of the system         the file of the certificates that are trusted
tls_certificate      none                  the file of the certificate that is shown to the nodes
tls_key              none                  the file of its key
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from ipaddress import IPv6Address
from urllib.parse import parse_qsl, unquote

from piql.errors import WrongStoreAddress
from piql.store.schemes import CQL, shown_wrong

PORT = 9042
CONSISTENCIES = ("ONE", "LOCAL_ONE", "TWO", "THREE", "QUORUM", "LOCAL_QUORUM", "EACH_QUORUM", "ALL")
DRIVERS = ("scylla", "rust")
FAN_OUTS = ("auto", "grouped", "parallel")
_FORM = "write cql://host[,host…][:port]/keyspace"
_ENCODED = "in a user or password write / as %2F, ? as %3F and @ as %40"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,47}")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a cluster is, and how to connect to it; the options are explained in the module's head."""

    hosts: tuple[str, ...]
    port: int
    keyspace: str
    replication_factor: int | None = None
    consistency: str = "LOCAL_QUORUM"
    timeout: float = 5.0
    retries: int = 3
    speculative: float = 100.0
    in_flight: int = 256
    fan_out: str = "auto"
    prefix: str = ""
    datacenter: str | None = None
    driver: str = "scylla"
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    user_variable: str | None = None
    user_file: str | None = None
    password_variable: str | None = None
    password_file: str | None = None
    tls: str = "off"
    tls_ca: str | None = None
    tls_certificate: str | None = None
    tls_key: str | None = None

    @property
    def is_encrypted(self) -> bool:
        return self.tls == "on" or any((self.tls_ca, self.tls_certificate, self.tls_key))

    def shown(self) -> str:
        """Return the cluster's name for messages, without the password."""
        return f"{CQL}://{','.join(self.hosts)}:{self.port}/{self.keyspace}"


def parse_address(url: str) -> Address:
    """Read the URL of a cluster, or raise WrongStoreAddress with what is wrong in it."""
    match = re.fullmatch(CQL + r"://(?:([^@/]*)@)?([^/?]*)(?:/([^?]*))?(?:\?(.*))?", url)
    if match is None:
        raise _wrong(url, _FORM)
    login, hosts_text, keyspace, options = match.groups()
    if "@" in f"{hosts_text}/{keyspace}":
        raise _wrong(url, _ENCODED)
    hosts, port = _hosts(hosts_text)
    if not hosts or port is None:
        raise _wrong(url, _ENCODED if "@" in f"{keyspace}{options}" else _FORM)
    if not keyspace or not _NAME.fullmatch(keyspace):
        raise _wrong(url, "the keyspace after the hosts must be a name of letters, digits and _")
    user, _, password = (login or "").partition(":")
    return Address(
        hosts,
        port,
        keyspace,
        user=unquote(user) or None,
        password=unquote(password) or None,
        **_settings(url, options or "", may_be_password=":" in hosts_text),  # type: ignore[arg-type]
    )


def _settings(url: str, options: str, *, may_be_password: bool) -> dict[str, object]:
    """Return the value of each option of a URL.

    What looks like hosts, keyspace and options may be a login whose password holds both `/` and `?`.
    """
    settings: dict[str, object] = {}
    pairs = parse_qsl(options, keep_blank_values=True)
    for number, (name, value) in enumerate(pairs):
        reader = _OPTIONS.get(name)
        try:
            if reader is None:
                raise ValueError(_no_option(name))
            settings[name] = reader(value)
        except ValueError as problem:
            if may_be_password and any("@" in text for pair in pairs[number:] for text in pair):
                raise _wrong(url, _ENCODED) from None
            raise _wrong(url, str(problem) if reader is None else f"{name}: {problem}") from None
    return settings


def _no_option(name: str) -> str:
    """Say that there is no option of that name; one that is like no other may be a part of a password."""
    near = get_close_matches(name, _OPTIONS, 1)
    advice = f"did you mean {near[0]}?" if near else f"docs/reference/settings.md lists the {len(_OPTIONS)} there are"
    return f"there is no option {repr(name) if near else 'of that name'}: {advice}"


def _wrong(url: str, why: str) -> WrongStoreAddress:
    """Return the error of a wrong URL."""
    return WrongStoreAddress(f"{shown_wrong(url)!r} is not the address of a cluster: {why}")


def _hosts(text: str) -> tuple[tuple[str, ...], int | None]:
    """Return hosts and port of `host,host:port`, none of a wrong text; an IPv6 address with a port is in brackets."""
    names, port = text, PORT
    match = re.fullmatch(r"(.*):([0-9]{1,9})", text)
    if match is not None and (match[1].count(":") == 0 or match[1].endswith("]")):
        names, port = match[1], int(match[2])
    hosts = [_host(part) for part in names.split(",") if part]
    if None in hosts or not 0 < port < 65536:
        return (), None
    return tuple(host for host in hosts if host is not None), port


def _host(text: str) -> str | None:
    """Return a host's name or IP address without brackets; None for a text that is neither."""
    if text.isprintable() and not re.search(r"[\s:\[\]]", text):
        return text
    address = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        return address if IPv6Address(address) else None
    except ValueError:
        return None


# The readers of options: each returns the value of a text, or raises ValueError with what is needed.


def _whole(value: str) -> int:
    number = int(value) if value.isascii() and value.isdigit() else 0
    if number < 1:
        raise ValueError("a whole number from 1 is needed")
    return number


def _count(value: str) -> int:
    return 0 if value == "0" else _whole(value)


def _number(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < 86_400_000:
        raise ValueError("a number is needed")
    return number


def _seconds(value: str) -> float:
    number = _number(value)
    if not number:
        raise ValueError("it must be more than 0 seconds")
    return number


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        choice = next((option for option in allowed if option.lower() == value.lower()), None)
        if choice is None:
            raise ValueError(f"it is one of {', '.join(allowed)}")
        return choice

    return read


def _prefix(value: str) -> str:
    if value and not re.fullmatch(r"[a-z][a-z0-9_]{0,15}", value):
        raise ValueError("it begins with a letter and has at most 16 of a-z, 0-9 and _")
    return value


def _text(value: str) -> str:
    if not value or not value.isprintable():
        raise ValueError("a name is needed")
    return value


_OPTIONS: Mapping[str, Callable[[str], object]] = {
    "replication_factor": _whole,
    "consistency": _one_of(*CONSISTENCIES),
    "timeout": _seconds,
    "retries": _count,
    "speculative": _number,
    "in_flight": _whole,
    "fan_out": _one_of(*FAN_OUTS),
    "prefix": _prefix,
    "datacenter": str,
    "driver": _one_of(*DRIVERS),
    "user_variable": _text,
    "user_file": _text,
    "password_variable": _text,
    "password_file": _text,
    "tls": _one_of("on", "off"),
    "tls_ca": _text,
    "tls_certificate": _text,
    "tls_key": _text,
}
