"""This workbench as its OpenID provider knows it, and whom of the provider's people it lets in."""

from __future__ import annotations

from dataclasses import dataclass, field

from piql.reporting.hosts import is_loopback
from piql.text.web_addresses import web_address_of

from piql_backend.settings import Settings
from piql_backend.web.needs import ROLES, Role

_TOO_MUCH: Role = "administrator"  # nobody becomes one because of an e-mail address
_LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True)
class Registration:
    """A client of a provider. `domains` are those of the e-mail addresses whose holders get an account with `role`."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: tuple[str, ...]
    name_claim: str
    domains: frozenset[str]
    role: Role | None
    label: str  # what the button and the list of sessions call the provider

    @property
    def is_secure(self) -> bool:
        """Whether all that is asked of the provider goes over TLS; else it is on this very machine."""
        return self.issuer.startswith("https:")


def registration_of(settings: Settings) -> Registration | None:
    """Return the client that the settings describe, or None; ValueError where they describe none that may be used."""
    if not settings.oidc_issuer:
        if settings.oidc_client_id:
            raise ValueError("OIDC_CLIENT_ID is set, but not OIDC_ISSUER: set both, or none")
        return None
    if not settings.team:
        raise ValueError("OIDC_ISSUER signs in the people of a team: add --team")
    host = _host_of(settings.oidc_issuer)
    if not settings.oidc_client_id or not settings.oidc_client_secret:
        raise ValueError("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: set them as the provider gave them")
    if "openid" not in settings.oidc_scopes:
        raise ValueError("OIDC_SCOPES lacks openid, without which a provider tells of nobody: add it")
    role = settings.oidc_role
    if role is not None and (role not in ROLES or role == _TOO_MUCH):
        raise ValueError(f"OIDC_ROLE={role} is no role for new people: it is {', '.join(ROLES[:-1])}, or not set")
    domains = frozenset(domain.lower() for domain in settings.oidc_domains)
    for domain in domains:
        if "@" in domain or "*" in domain or "." not in domain.strip("."):
            raise ValueError(f"OIDC_DOMAINS has {domain[:60]}, which is no domain: write one like example.org")
    return Registration(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        scopes=settings.oidc_scopes,
        name_claim=settings.oidc_name_claim,
        domains=domains,
        role=role,
        label=(settings.oidc_label or host)[:_LONGEST_LABEL],
    )


def _host_of(issuer: str) -> str:
    parts = web_address_of(issuer)
    is_whole = parts is not None and bool(parts.host) and parts.scheme in ("http", "https")
    if parts is None or not is_whole or parts.query or parts.fragment or parts.has_login:
        raise ValueError("OIDC_ISSUER is no address of a provider: write one like https://login.example.org")
    if parts.scheme == "http" and not is_loopback(parts.host):
        raise ValueError("OIDC_ISSUER uses http, which others can read and change: use https")
    return parts.host
