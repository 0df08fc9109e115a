"""The URL of a store in a bucket: `s3://bucket[/prefix][?option=value&…]`.

option      default            what it says
level       strong             which writes a read sees: `strong` sees every acknowledged one
endpoint    that of AWS        the server of another provider, `https://host[:port]` or `http://…`
region      AWS_REGION         where the bucket is
page_bytes  32000              bytes of rows that a page has at most, before they are compressed
cache_mb    64                 megabytes of pages that a client keeps
lease       10                 seconds without a sign of life after which a writer's turn is over
wait        15                 seconds that a writer waits for its turn
timeout     10                 seconds after which a request is given up
in_flight   32                 requests under way at once

Keys come from the environment only (`credentials.py`), never from the URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from piql.errors import WrongStoreAddress
from piql.store.schemes import S3
from piql.text.web_addresses import web_address_of

LEVELS = ("strong",)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store lies, and how to use it; the options are explained in the module's head."""

    bucket: str
    prefix: str = ""
    level: str = "strong"
    endpoint: str | None = None
    region: str | None = None
    page_bytes: int = 32_000
    cache_mb: int = 64
    lease: float = 10.0
    wait: float = 15.0
    timeout: float = 10.0
    in_flight: int = 32

    def shown(self) -> str:
        """Return the store's name for messages."""
        return f"{S3}://{self.bucket}/{self.prefix}".rstrip("/")


def parse_address(url: str) -> Address:
    """Read the URL of a store, or raise WrongStoreAddress with what is wrong in it; values are not repeated."""
    match = re.fullmatch(S3 + r"://([^/?#]*)(?:/([^?#]*))?(?:\?([^#]*))?", url)
    if match is None:
        raise WrongStoreAddress(f"this is not the address of a store in a bucket: write {S3}://BUCKET/PREFIX")
    bucket, prefix, options = match.groups()
    if "@" in f"{bucket}/{prefix}" or (options and "@" in options and not _BUCKET.fullmatch(bucket)):
        raise WrongStoreAddress(
            f"an address {S3}://… holds no user and no password: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    if not _BUCKET.fullmatch(bucket):
        raise WrongStoreAddress(f"what follows {S3}:// is not a bucket name: 3 to 63 of a-z, 0-9, - and .")
    prefix = (prefix or "").strip("/")
    if prefix and (not _PREFIX.fullmatch(prefix) or {".", ".."} & set(prefix.split("/"))):
        raise WrongStoreAddress(
            "what follows the bucket is not a prefix of a store: write letters, digits, _, -, . and / between them"
        )
    settings: dict[str, object] = {}
    for name, value in parse_qsl(options or "", keep_blank_values=True):
        reader = _OPTIONS.get(name)
        if reader is None:
            raise WrongStoreAddress(f"{S3}:…: there is no option of that name; there are {', '.join(_OPTIONS)}")
        try:
            settings[name] = reader(value)
        except ValueError as problem:
            raise WrongStoreAddress(f"{S3}:…: {name}: {problem}") from None
    address = Address(bucket, prefix, **settings)  # type: ignore[arg-type]
    if address.wait <= address.lease:
        why = f"wait ({address.wait:g}) must be more than lease ({address.lease:g})"
        raise WrongStoreAddress(f"{S3}://{bucket}: {why}, or a writer that was killed blocks all others")
    return address


# The readers of options: each returns the value of a text, or raises ValueError with what is needed.


def _level(value: str) -> str:
    if value not in LEVELS:
        raise ValueError(f"the one level there is is {LEVELS[0]}")
    return value


def _endpoint(value: str) -> str:
    parts = web_address_of(value)
    if parts is None:
        raise ValueError("write https://HOST or https://HOST:PORT")
    if parts.has_login:
        raise ValueError("an endpoint holds no user and no password: keys come from the environment")
    if (
        parts.scheme not in ("http", "https")
        or not parts.host
        or parts.port == 0
        or parts.path.strip("/")
        or parts.query
    ):
        raise ValueError("write https://HOST or https://HOST:PORT")
    return f"{parts.scheme}://{parts.authority}"


def _region(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]+", value):
        raise ValueError("a name such as eu-central-1 is needed")
    return value


def _whole_to(most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
        if not 1 <= number <= most:
            raise ValueError(f"a whole number from 1 to {most} is needed")
        return number

    return read


def _seconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number <= 3600:
        raise ValueError("a number of seconds is needed, more than 0 and at most 3600")
    return number


_OPTIONS: Mapping[str, Callable[[str], object]] = {
    "level": _level,
    "endpoint": _endpoint,
    "region": _region,
    "page_bytes": _whole_to(10_000_000),
    "cache_mb": _whole_to(100_000),
    "lease": _seconds,
    "wait": _seconds,
    "timeout": _seconds,
    "in_flight": _whole_to(1000),
}
