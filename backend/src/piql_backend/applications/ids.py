"""Ids of applications and environments, made of the titles that people give them."""

from __future__ import annotations

import re
import unicodedata

_MOST_ID = 60


def id_of(title: str) -> str:
    """`Köln, a Shop!` becomes `koln-a-shop`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:_MOST_ID].strip("-") or "application"
