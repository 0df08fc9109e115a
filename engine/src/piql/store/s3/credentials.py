"""Keys of an object store: taken from the environment by the client, and here only looked for, never read out.

AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY        (with AWS_SESSION_TOKEN, if there is one)
AWS_WEB_IDENTITY_TOKEN_FILE                        the role of a pod
AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI   the role of a container
"""

from __future__ import annotations

from collections.abc import Mapping

from piql.errors import CredentialsMissing

_PAIR = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
_ROLES = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


def require_credentials(environment: Mapping[str, str], shown: str) -> None:
    """Raise CredentialsMissing where the environment has no keys for the store at an address."""
    if any(environment.get(name) for name in _ROLES):
        return
    missing = [name for name in _PAIR if not environment.get(name)]
    if missing:
        raise CredentialsMissing(f"{shown} needs keys from the environment: set {' and '.join(missing)}")
