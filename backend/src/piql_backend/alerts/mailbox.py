"""Where alerts go as e-mail: ALERT_MAIL, a server that ALERT_HOSTS lists, with ALERT_MAIL_FROM and ALERT_MAIL_TO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import parseaddr

from piql.reporting.hosts import is_loopback
from piql.text.web_addresses import web_address_of

_PORTS = {"smtp": 587, "smtps": 465}
_EXAMPLE = "write one like smtp://mail.example:587 or smtps://mail.example"


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A mail server, and between whom it sends; the user and the password are not shown.

    A connection to another machine is encrypted: from the start with `smtps`, by STARTTLS with `smtp`.
    """

    scheme: str
    host: str
    port: int
    sender: str
    recipients: tuple[str, ...]
    user: str | None = field(repr=False, default=None)
    password: str | None = field(repr=False, default=None)

    name = "mail"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def is_encrypted_later(self) -> bool:
        """Whether the connection begins in the clear and must be encrypted before anything is said."""
        return self.scheme == "smtp" and not is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class MailSettings:
    """What the variables ALERT_MAIL, ALERT_MAIL_FROM, ALERT_MAIL_TO, ALERT_SMTP_USER and ALERT_SMTP_PASSWORD say."""

    server: str | None = None
    sender: str = ""
    recipients: tuple[str, ...] = ()
    user: str | None = field(repr=False, default=None)
    password: str | None = field(repr=False, default=None)


def mailbox_of(settings: MailSettings, hosts: Sequence[str]) -> Mailbox | None:
    """Return where alerts are mailed, or None where they are not; ValueError for settings that may not be used."""
    if not settings.server:
        return None
    parts = web_address_of(settings.server)
    if parts is not None and parts.has_login:
        raise ValueError("ALERT_MAIL has a name or password in it: use ALERT_SMTP_USER and ALERT_SMTP_PASSWORD")
    if parts is None or parts.scheme not in _PORTS or not parts.host or parts.path not in ("", "/"):
        raise ValueError(f"ALERT_MAIL is not the address of a mail server: {_EXAMPLE}")
    host = parts.host
    if host not in {listed.lower() for listed in hosts}:
        raise ValueError(f"ALERT_MAIL goes to {host}, which ALERT_HOSTS does not list: add it there")
    for name, addresses in (("ALERT_MAIL_FROM", (settings.sender,)), ("ALERT_MAIL_TO", settings.recipients)):
        if not addresses or not all(_is_address(address) for address in addresses):
            raise ValueError(f"{name} is not a mail address: write one like alerts@example.com")
    if (settings.user is None) != (settings.password is None):
        raise ValueError("ALERT_SMTP_USER and ALERT_SMTP_PASSWORD belong together: set both or neither")
    port = parts.port or _PORTS[parts.scheme]
    return Mailbox(parts.scheme, host, port, settings.sender, settings.recipients, settings.user, settings.password)


def _is_address(text: str) -> bool:
    name, at, domain = text.rpartition("@")
    is_plain = text.isascii() and text.isprintable() and " " not in text and parseaddr(text)[1] == text
    return is_plain and bool(name and at and domain)
