"""The commands that this package adds to `piql`: `serve` and `slo`, from arguments to an exit code."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

from piql.reporting.hosts import is_loopback
from piql.store.schemes import S3, scheme_of
from piql_profiler.measure.store_urls import has_password

from piql_backend.settings import Settings, root_path_from
from piql_backend.slos.report import TOKEN_VARIABLE, print_rules, report

_RISK = (
    "the workbench asks for no name or password, so whoever reaches the address reads, changes and deploys everything"
)
_PLAIN = "passwords and sessions travel as plain text to this address: put a proxy that speaks HTTPS in front of it"
_ADDRESS = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}")
_HEADER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_TAKEN_HEADERS = frozenset({"authorization", "cookie", "host", "origin", "x-forwarded-for", "x-forwarded-proto"})
_MOST_BYTES = 4_000  # of a secret

METADATA_HELP = (
    "where a team's people are kept, if not in people.db: env:VARIABLE or file:PATH, which holds postgresql://…;"
    " default: METADATA"
)
_PASSWORD_ADVICE = "put a URL with a password into the environment, as STORE or PROFILE_STORES"


def serve(argv: Sequence[str] | None = None) -> int:
    """Start the workbench and serve until it is stopped; return an exit code.

    Another host than loopback needs --team, or --insecure. A password in an argument is only warned about: it works,
    but other users of the machine can read it.
    """
    default = Settings.from_environment()
    parser = _serve_parser(default)
    options = parser.parse_args(argv)
    if not 0 <= options.port <= 65535:
        parser.error(f"{options.port} is no port")
    if options.store is not None and scheme_of(options.store) == S3:
        parser.error(f"the workbench serves no stores in a bucket: deploy and run on {S3}:// with the other commands")
    if any(has_password(argument) for argument in argv or sys.argv):
        print(f"piql serve: arguments are seen by everybody on this machine: {_PASSWORD_ADVICE}.", file=sys.stderr)
    if options.team and options.insecure:
        parser.error("--team asks for passwords, --insecure for none: give one of them")
    _refuse_proxies(parser, options)
    options.metadata = _metadata(parser, options.metadata, default.metadata)
    if options.metadata is not None and not options.team:
        parser.error("--metadata keeps the people of a team: add --team")
    if options.peer_address is not None and _ADDRESS.fullmatch(options.peer_address) is None:
        parser.error(f"--peer-address {options.peer_address} is no HOST:PORT")
    if options.team and not is_loopback(options.host):
        print(f"piql serve: --team: {_PLAIN}.", file=sys.stderr)
    elif not is_loopback(options.host):
        if not options.insecure:
            parser.error(
                f"--host {options.host} is open to other machines: {_RISK}. Add --team, so that everybody signs in,"
                " or --insecure to do it anyway"
            )
        print(f"piql serve: --insecure: {_RISK}.", file=sys.stderr)
    secret = _secret(parser, vars(options).pop("oidc_secret_fd"), default.oidc_client_secret)
    from piql_backend.server import serve as run  # the web packages take half a second to import

    lists = {name: tuple(getattr(options, name)) for _, name, _, _ in _LISTS}
    return run(replace(default, **(vars(options) | lists), oidc_client_secret=secret))


def _refuse_proxies(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with an error unless proxies are addresses, and the header of people comes from some that are listed."""
    for address in options.trusted_proxies:
        if not _is_network(address):
            parser.error(f"--trusted-proxy {address} is no address and no network such as 10.0.0.0/8")
    header = options.trust_proxy_user
    if header is None:
        return
    if _HEADER.fullmatch(header) is None or header.lower() in _TAKEN_HEADERS:
        parser.error(f"--trust-proxy-user {header} is no header that names a person, such as X-Remote-User")
    if not options.team:
        parser.error("--trust-proxy-user names people of a team: add --team")
    if not options.trusted_proxies:
        parser.error("--trust-proxy-user is believed from listed proxies alone: add --trusted-proxy ADDRESS")


def _is_network(name: str) -> bool:
    """Whether a name is an address, or a network such as 10.0.0.0/8."""
    try:
        ip_network(name)
    except ValueError:
        return False
    return True


def _metadata(parser: argparse.ArgumentParser, reference: str | None, default: str | None) -> str | None:
    """The URL of the database of people that an argument refers to, or the default; None for a file."""
    if reference is None:
        return default
    from piql_backend.people.postgresql import address_from  # SQLAlchemy takes a third of a second to import

    try:
        return address_from(reference).url
    except ValueError as error:
        parser.error(f"--metadata: {error}")


def _secret(parser: argparse.ArgumentParser, descriptor: int | None, default: str | None) -> str | None:
    """The first line of a file descriptor; the default where none is named."""
    if descriptor is None:
        return default
    try:
        with os.fdopen(descriptor, "rb") as file:
            return file.readline(_MOST_BYTES).decode().rstrip("\r\n")
    except (OSError, ValueError):
        parser.error(f"--oidc-secret-fd {descriptor} is no file descriptor with a line of text")


_LISTS = (  # options that may be given again, with the field of `Settings` that each adds to
    (
        "--trusted-proxy",
        "trusted_proxies",
        "ADDRESS",
        "an address or network whose X-Forwarded-For and -Proto are believed; may be given again;"
        " default: this machine",
    ),
    (
        "--allowed-host",
        "allowed_hosts",
        "NAME",
        "a name by which it may be reached, besides localhost and addresses; may be given again",
    ),
    (
        "--profile-store",
        "profile_stores",
        "URL",
        "a cluster that profile runs may measure, besides --store; may be given again",
    ),
    (
        "--allowed-store",
        "allowed_stores",
        "STORE",
        "what an environment may name as its store: cql://HOST[/KEYSPACE] or embedded:FOLDER; may be given again",
    ),
    (
        "--allowed-source",
        "allowed_sources",
        "SOURCE",
        "what an application may be made of: a folder's whole path, or https://HOST[/PATH]; may be given again",
    ),
)


def _serve_parser(default: Settings) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="piql serve", description="Start the workbench.")
    parser.add_argument(
        "--host",
        default=default.host,
        help="the address to listen at; another than loopback takes --team or --insecure",
    )
    parser.add_argument("--port", type=int, default=default.port)
    parser.add_argument("--insecure", action="store_true", help=f"listen at any --host: {_RISK}")
    parser.add_argument(
        "--team", action="store_true", help="everybody signs in, and may do what their roles say (`piql user`)"
    )
    parser.add_argument("--metadata", metavar="REFERENCE", help=METADATA_HELP)
    parser.add_argument(
        "--peer-address",
        default=default.peer_address,
        metavar="HOST:PORT",
        help="where the other servers of --metadata reach this one; default: where it listens",
    )
    parser.add_argument(
        "--root-path",
        type=root_path_from,
        default=default.root_path,
        metavar="PATH",
        help="what a proxy puts before all paths, such as /piql",
    )
    parser.add_argument(
        "--trust-proxy-user",
        default=default.trust_proxy_user,
        metavar="HEADER",
        help="the header in which a --trusted-proxy names who is signed in; from elsewhere it is refused",
    )
    parser.add_argument(
        "--oidc-secret-fd",
        type=int,
        metavar="N",
        help="read the secret that the workbench shows its OpenID provider from this file descriptor",
    )
    parser.add_argument("--data", type=Path, default=default.data, metavar="DIR", help="where everything is kept")
    parser.add_argument("--store", default=default.store, metavar="URL", help="as in piql.connect; default: embedded")
    for option, name, value, about in _LISTS:
        listed = list(getattr(default, name))
        parser.add_argument(option, dest=name, action="append", default=listed, metavar=value, help=about)
    parser.add_argument("--frontend", type=Path, default=default.frontend, metavar="DIR", help="the built front end")
    return parser


def slo(argv: Sequence[str] | None = None) -> int:
    """Print whether the deployed queries of a running workbench keep their SLOs; return an exit code."""
    parser = argparse.ArgumentParser(prog="piql slo", description="Show whether the deployed queries keep their SLOs.")
    parser.add_argument(
        "--url",
        default="http://127.0.0.1:8400",
        help=f"the address of a running workbench; put an API token into {TOKEN_VARIABLE} where people sign in",
    )
    parser.add_argument("--application", default="scadr", metavar="ID", help="the folder's name")
    parser.add_argument("--environment", default="development", metavar="NAME", help="of the application")
    parser.add_argument("--deployment", default="live", metavar="ID")
    parser.add_argument("--window", type=float, default=3600.0, metavar="SECONDS")
    parser.add_argument("--output", choices=("table", "json", "rules"), default="table", help="rules: for Prometheus")
    parser.add_argument(
        "--metrics",
        choices=("reported", "client"),
        default="reported",
        help="what rules are about: metrics of the workbench (reported) or of the application (client)",
    )
    parser.add_argument("--job", help="Prometheus' name for where it scrapes these metrics; default: any")
    options = parser.parse_args(argv)
    if options.output == "rules":
        return print_rules(options.url, options.application, options.environment, options.metrics, options.job)
    return report(
        options.url, options.application, options.environment, options.deployment, options.window, options.output
    )
