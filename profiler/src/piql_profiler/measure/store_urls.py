"""URLs of stores with passwords: how they are shown and kept, and where the password comes from again.

cql://ada:secret@host/keyspace  ──without_password──▶  cql://ada:…@host/keyspace  ──with_password──▶  from PIQL_STORE
"""

from __future__ import annotations

import os
import re

from piql.errors import StoreUnavailable
from piql.store.schemes import S3, scheme_of

STORE_VARIABLE = "PIQL_STORE"  # of the environment: other users of the machine can read arguments, but not this
_LEFT_OUT = "…"
# Texts of users are searched, so each of these reads a character once or twice, whatever the text is.
_LOGIN = re.compile(r"(//[^/@:\s]*):[^/@\s]*@")
# In a wrong URL a password may hold `/` and `@`, too. A text may be JSON, whose quotes end the URL.
_WHOLE = re.compile(r"""(//[^/@:\s]*):([^?\s"'\\]*)""")
_WITHOUT_SLASHES = re.compile(r"""\b((?:cql|s3):(?!//)|cql//|s3//)([^\s"'\\]*)""", re.IGNORECASE)
_SECRET_OPTION = re.compile(r"""([?&](?:password|passwd|pwd|secret|token|key)=)[^\s"'\\&]+""", re.IGNORECASE)


def refuse_bucket(url: str) -> None:
    """Raise ValueError for a store in a bucket: its tables have no prefix that a profile could measure under."""
    if scheme_of(url) == S3:
        raise ValueError("a store in a bucket cannot be measured yet: give --store an embedded store or a cluster")


def without_password(text: str) -> str:
    """A store's URL, or a text that may contain one, with `…` in place of the password."""
    text = _SECRET_OPTION.sub(rf"\1{_LEFT_OUT}", _WITHOUT_SLASHES.sub(_without_login, text))
    return _LOGIN.sub(rf"\1:{_LEFT_OUT}@", _WHOLE.sub(_without_login_of_wrong, text))


def _without_login(url: re.Match[str]) -> str:
    """What is matched, with `…` in place of all before the last `@`, if there is one."""
    _, at, host = url[2].rpartition("@")
    return f"{url[1]}{_LEFT_OUT}@{host}" if at else url[0]


def _without_login_of_wrong(url: re.Match[str]) -> str:
    """What is matched, with `…` in place of all between the first colon and the last `@`, if there is one."""
    _, at, host = url[2].rpartition("@")
    return f"{url[1]}:{_LEFT_OUT}@{host}" if at else url[0]


def has_password(url: str) -> bool:
    """Whether a URL or a text has a password in it, or the mark of one that was left out."""
    return _LOGIN.search(without_password(url)) is not None


def with_password(url: str) -> str:
    """The URL of a store with the password that was left out of it, from PIQL_STORE in the environment.

    Raises StoreUnavailable where PIQL_STORE names another store, or none.
    """
    if f":{_LEFT_OUT}@" not in url:
        return url
    url_with_password = os.environ.get(STORE_VARIABLE, "")
    if without_password(url_with_password) != url:
        raise StoreUnavailable(f"passwords are not kept: put the whole URL of {url} into {STORE_VARIABLE}")
    return url_with_password
