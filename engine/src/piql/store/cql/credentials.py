"""What an address names and does not hold: user, password and certificates, read when a connection is opened."""

from __future__ import annotations

import os
import ssl
from dataclasses import replace
from pathlib import Path

from piql.errors import CredentialsMissing
from piql.store.cql.address import Address

_LEFT_OUT = "…"


def with_credentials(address: Address) -> Address:
    """Return the address with the user and the password from where it says; CredentialsMissing without them."""
    user = _read(address, "user", address.user_variable, address.user_file)
    password = _read(address, "password", address.password_variable, address.password_file)
    return replace(address, user=user or address.user, password=password or address.password)


def without_credentials(text: str, address: Address) -> str:
    """Return what a driver says of a connection without the user and the password, which it may repeat."""
    for value in (address.user, address.password):
        if value:
            text = text.replace(value, _LEFT_OUT)
    return text


def tls_context(address: Address) -> ssl.SSLContext | None:
    """Return how connections are encrypted, None for not at all; CredentialsMissing for a file that is none."""
    if not address.is_encrypted:
        return None
    file = address.tls_ca
    try:
        context = ssl.create_default_context(cafile=address.tls_ca)
        if address.tls_certificate:
            file = address.tls_certificate
            context.load_cert_chain(address.tls_certificate, address.tls_key)
    except OSError as error:
        why = "is not a certificate, or does not match its key" if isinstance(error, ssl.SSLError) else _why(error)
        raise CredentialsMissing(f"{address.shown()} cannot be reached: the file {file} {why}") from None
    if address.tls_key and not address.tls_certificate:
        raise CredentialsMissing(f"{address.shown()} cannot be reached: tls_key needs tls_certificate beside it")
    return context


def _read(address: Address, what: str, variable: str | None, file: str | None) -> str | None:
    if variable and file:
        raise CredentialsMissing(f"the {what} of {address.shown()} is to come from a variable or a file, not both")
    if variable:
        value = os.environ.get(variable)
        if not value:
            raise CredentialsMissing(
                f"the {what} of {address.shown()} is to come from the environment variable {variable}, which is not set"
            )
        return value
    if not file:
        return None
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        why = _why(error) if isinstance(error, OSError) else "is no text"
        raise CredentialsMissing(
            f"the {what} of {address.shown()} is to come from the file {file}, which {why}"
        ) from None
    if not lines or not lines[0]:
        raise CredentialsMissing(f"the {what} of {address.shown()} is to come from the file {file}, which is empty")
    return lines[0]


def _why(error: OSError) -> str:
    return "is not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror or error}"
