"""The backend's settings: one typed value, read once at the start and passed down."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from piql_backend.web.rates import KINDS, Rates

ROOT = Path(__file__).resolve().parents[3]  # of the repository, when run from it
_HIGHEST_RATE = 1_000_000
_ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How much data is generated for an application that is made from a template."""

    users: int = 1000
    thoughts_per_user: int = 20
    subscriptions_per_user: int = 10


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """How many processes compile and predict, and what one job of theirs may take: processor time, memory."""

    workers: int = 2
    seconds: float = 30.0
    megabytes: int = 1000


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the backend listens, where it keeps things, and on which store the queries run."""

    host: str = "127.0.0.1"
    port: int = 8400
    data: Path = Path("data")
    store: str | None = field(
        default=None, repr=False
    )  # the URL that `served` environments use; None: files of their own
    frontend: Path = ROOT / "frontend" / "dist"
    samples: Path = ROOT / "sample-apps"  # the templates of applications
    sample_applications: tuple[str, ...] = ("scadr", "tpcw")  # what the first start makes
    sample_size: SampleSize = field(default_factory=SampleSize)  # how many users a sample has
    profile_runner: Literal["ray", "local"] = "ray"  # local: one process, for tests and small machines
    profile_stores: tuple[str, ...] = field(default=(), repr=False)  # clusters to measure, besides `store`
    allowed_stores: tuple[str, ...] = ()  # what an environment may name, besides the cluster of `store`
    allowed_sources: tuple[str, ...] = ()  # folders and repositories that an application may be made of
    workers: int = WorkerLimits().workers  # processes that compile and predict
    worker_seconds: float = WorkerLimits().seconds  # of processor time that one text may take
    worker_megabytes: int = WorkerLimits().megabytes  # of memory that one text may take
    report_megabytes: int = 2000  # on disk, of the reports of one environment; beyond, the oldest days go
    alert_webhook: str | None = field(default=None, repr=False)  # where alerts are sent: https://HOST/PATH
    alert_hosts: tuple[str, ...] = ()  # hosts that alerts may be sent to
    alert_secret: str | None = field(default=None, repr=False)  # signs alerts, so that who takes them knows the sender
    alert_mail: str | None = None  # the mail server that alerts are sent by: smtp://HOST:PORT or smtps://HOST:PORT
    alert_mail_from: str = ""  # the sender of these mails
    alert_mail_to: tuple[str, ...] = ()  # who gets them
    alert_smtp_user: str | None = field(default=None, repr=False)  # by which the mail server knows the workbench
    alert_smtp_password: str | None = field(default=None, repr=False)  # of that user
    rates: Rates = field(default_factory=Rates)  # requests a second that one client may make
    team: bool = False  # everybody signs in, and may do what their roles say
    metadata: str | None = field(default=None, repr=False)  # the URL of the PostgreSQL database of people; None: a file
    peer_address: str | None = None  # HOST:PORT at which the other servers reach this one; None: where it listens
    root_path: str = ""  # what a proxy puts before all paths, such as /piql
    trusted_proxies: tuple[str, ...] = ()  # addresses and networks; none: this machine, and only for X-Forwarded-…
    trust_proxy_user: str | None = None  # the header in which a trusted proxy names the person who asks
    oidc_issuer: str | None = None  # the OpenID provider that signs people in: https://HOST[/PATH]
    oidc_client_id: str | None = None  # what the provider calls this workbench
    oidc_client_secret: str | None = field(default=None, repr=False)  # what the workbench shows the provider
    oidc_scopes: tuple[str, ...] = ("openid", "email", "profile")  # what the provider is asked to tell of a person
    oidc_name_claim: str = "email"  # the claim that names the account of somebody new
    oidc_domains: tuple[str, ...] = ()  # whoever has a confirmed e-mail address there gets an account; none: nobody new
    oidc_role: str | None = None  # of new people, in all applications; none: they see nothing until they get one
    oidc_label: str | None = None  # what the button calls the provider; default: its host
    insecure: bool = False  # the host may be another than loopback, although nobody has to log in
    allowed_hosts: tuple[str, ...] = ()  # names by which it may be reached, besides localhost and addresses

    @property
    def worker_limits(self) -> WorkerLimits:
        return WorkerLimits(self.workers, self.worker_seconds, self.worker_megabytes)

    @classmethod
    def from_environment(cls) -> Settings:
        """Read PORT, DATA, STORE, FRONTEND, SAMPLE_USERS, PROFILE_RUNNER, WORKERS, WORKER_SECONDS,
        WORKER_MEGABYTES, REPORT_MEGABYTES, RATE_EXECUTIONS, RATE_COMPILES, RATE_DEPLOYMENTS, RATE_OTHERS,
        ALERT_WEBHOOK, ALERT_SECRET, ALERT_MAIL, ALERT_MAIL_FROM, ALERT_SMTP_USER, ALERT_SMTP_PASSWORD,
        METADATA, PEER_ADDRESS, ROOT_PATH, TRUST_PROXY_USER, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET,
        OIDC_NAME_CLAIM, OIDC_ROLE, OIDC_LABEL; with commas ALERT_HOSTS, ALERT_MAIL_TO, ALLOWED_HOSTS, TRUSTED_PROXIES
        and OIDC_DOMAINS; with spaces PROFILE_STORES, ALLOWED_STORES, ALLOWED_SOURCES and OIDC_SCOPES."""
        default = cls()
        return cls(
            port=int(os.environ.get("PORT", default.port)),
            data=Path(os.environ.get("DATA", default.data)),
            store=os.environ.get("STORE") or None,
            frontend=Path(os.environ.get("FRONTEND", default.frontend)),
            sample_size=SampleSize(users=int(os.environ.get("SAMPLE_USERS", default.sample_size.users))),
            workers=max(1, int(os.environ.get("WORKERS", default.workers))),
            worker_seconds=float(os.environ.get("WORKER_SECONDS", default.worker_seconds)),
            worker_megabytes=int(os.environ.get("WORKER_MEGABYTES", default.worker_megabytes)),
            report_megabytes=int(os.environ.get("REPORT_MEGABYTES", default.report_megabytes)),
            alert_webhook=os.environ.get("ALERT_WEBHOOK") or None,
            alert_hosts=listed(os.environ.get("ALERT_HOSTS", "")),
            alert_secret=os.environ.get("ALERT_SECRET") or None,
            alert_mail=os.environ.get("ALERT_MAIL") or None,
            alert_mail_from=os.environ.get("ALERT_MAIL_FROM", ""),
            alert_mail_to=listed(os.environ.get("ALERT_MAIL_TO", "")),
            alert_smtp_user=os.environ.get("ALERT_SMTP_USER") or None,
            alert_smtp_password=os.environ.get("ALERT_SMTP_PASSWORD") or None,
            rates=Rates(**{name: rate_from(f"RATE_{name.upper()}", default.rates.of(name)) for name in KINDS}),
            profile_runner="local" if os.environ.get("PROFILE_RUNNER") == "local" else "ray",
            profile_stores=tuple(os.environ.get("PROFILE_STORES", "").split()),
            allowed_stores=tuple(os.environ.get("ALLOWED_STORES", "").split()),
            allowed_sources=tuple(os.environ.get("ALLOWED_SOURCES", "").split()),
            allowed_hosts=listed(os.environ.get("ALLOWED_HOSTS", "")),
            trusted_proxies=listed(os.environ.get("TRUSTED_PROXIES", "")),
            metadata=os.environ.get("METADATA") or None,
            peer_address=os.environ.get("PEER_ADDRESS") or None,
            root_path=root_path_from(os.environ.get("ROOT_PATH", "")),
            trust_proxy_user=os.environ.get("TRUST_PROXY_USER") or None,
            oidc_issuer=os.environ.get("OIDC_ISSUER") or None,
            oidc_client_id=os.environ.get("OIDC_CLIENT_ID") or None,
            oidc_client_secret=os.environ.get("OIDC_CLIENT_SECRET") or None,
            oidc_scopes=tuple(os.environ.get("OIDC_SCOPES", "").split()) or default.oidc_scopes,
            oidc_name_claim=os.environ.get("OIDC_NAME_CLAIM") or default.oidc_name_claim,
            oidc_domains=listed(os.environ.get("OIDC_DOMAINS", "")),
            oidc_role=os.environ.get("OIDC_ROLE") or None,
            oidc_label=os.environ.get("OIDC_LABEL") or None,
        )


def rate_from(variable: str, default: float) -> float:
    """The rate that a variable of the environment names; ValueError for a text that is none."""
    rate = float(os.environ.get(variable, default))
    if not 0 <= rate <= _HIGHEST_RATE:
        raise ValueError(f"{variable}={rate:g} is no rate: it is 0, for no limit, to {_HIGHEST_RATE:,} a second")
    return rate


def root_path_from(text: str) -> str:
    """The path that a proxy puts before all others, without a slash at its end; ValueError where it is none."""
    path = text.rstrip("/")
    if path and _ROOT_PATH.fullmatch(path) is None:
        raise ValueError(f"{text[:60]} is no path such as /piql")
    return path


def listed(names: str) -> tuple[str, ...]:
    """The names in a text that separates them with commas."""
    return tuple(name.strip() for name in names.split(",") if name.strip())
