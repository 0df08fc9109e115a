"""URLs of stores that hold a password."""

from __future__ import annotations

import re

_LOGIN = re.compile(r"(//[^/@:]*):[^/@]*@")


def without_password(url: str) -> str:
    """Give a store's URL fit to be shown."""
    return _LOGIN.sub(r"\1:…@", url)


def has_password(url: str) -> bool:
    return _LOGIN.search(url) is not None
