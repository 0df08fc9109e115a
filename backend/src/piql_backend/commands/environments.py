"""`piql app env`: lists, adds, changes and removes environments of an application of a running workbench."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any, Protocol, get_args
from urllib.parse import quote

from piql_backend.environments.schemas import Colour, Consistency

_SECONDS_BETWEEN_LOOKS = 0.2


class Asked(Protocol):
    """A running workbench."""

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The JSON of an answer, None for an empty one."""
        ...


def add_environment_commands(env: argparse.ArgumentParser) -> None:
    """Add the commands below `piql app env`; each sets `carry_out`, which gives the lines to print."""
    commands = env.add_subparsers(required=True, metavar="COMMAND", help="list, add, change, rename, promote or remove")

    def command(name: str, carry_out: Any, about: str, *, names_one: bool = True) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(carry_out=carry_out)
        added.add_argument("application", help="the id of the application")
        if names_one:
            added.add_argument("environment", help="the id of the environment")
        return added

    command("list", _list, "list the environments of an application", names_one=False)
    add = command("add", _add, "add an environment, without connecting to its store", names_one=False)
    add.add_argument("title", help="the name that is shown")
    add.add_argument("--id", help="the name in addresses; default: made of the title")
    _add_settings(add)
    change = command("change", _change, "change the store of an environment, or how it is shown")
    _add_settings(change)
    rename = command("rename", _rename, "change the name that is shown; the id stays")
    rename.add_argument("title")
    promote = command("promote", _promote, "deploy what is live in an environment to another one")
    promote.add_argument("target", help="the id of the environment that gets it")
    remove = command("remove", _remove, "move an environment to deleted/; a store outside of its folder stays")
    remove.add_argument("--confirm", metavar="ID", help="the id of the environment again, to be sure")
    remove.add_argument("--delete-data", action="store_true", help="delete its store, too, where that is a file")


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", metavar="URL", help="embedded, embedded:/PATH or cql://HOST/KEYSPACE?prefix=…")
    parser.add_argument("--consistency", choices=get_args(Consistency), help="how many replicas must answer")
    add_store_references(parser)
    parser.add_argument("--colour", choices=get_args(Colour), help="in the header")
    parser.add_argument(
        "--slo-ms", type=float, metavar="MS", help="the default SLO: the most that 99 % of executions take"
    )


def add_store_references(parser: argparse.ArgumentParser) -> None:
    """Add options that say where the login and the certificates for a cluster are read from."""
    for secret in ("user", "password"):
        parser.add_argument(
            f"--{secret}-variable", metavar="NAME", help=f"the server's variable that holds the {secret}"
        )
        parser.add_argument(f"--{secret}-file", metavar="PATH", help=f"the server's file that holds the {secret}")
    parser.add_argument("--tls", action="store_true", help="encrypt, and check the certificate of each node")
    parser.add_argument("--tls-ca", metavar="PATH", help="the server's file of certificates that are trusted")
    parser.add_argument("--tls-certificate", metavar="PATH", help="the certificate that is shown to the nodes")
    parser.add_argument("--tls-key", metavar="PATH", help="the key of that certificate")


def store_references(options: argparse.Namespace) -> dict[str, Any]:
    """What these options say, as the API takes it."""
    return {"user": _reference(options, "user"), "password": _reference(options, "password"), "tls": _tls(options)}


def _path(options: argparse.Namespace) -> str:
    return f"/{quote(options.application, safe='')}/environments"


def _path_of_one(options: argparse.Namespace) -> str:
    return f"{_path(options)}/{quote(options.environment, safe='')}"


def _list(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    cursor = ""
    while True:
        page = workbench.ask("GET", f"{_path(options)}{f'?cursor={quote(cursor)}' if cursor else ''}")
        for environment in page["items"]:
            store = environment["problem"] or environment["store"]["url"]
            yield f"{environment['id']}  {environment['title']}  {store}"
        if page["next"] is None:
            return
        cursor = page["next"]


def _add(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    body = {"title": options.title, "id": options.id, **_settings_of(options)}
    yield f"{workbench.ask('POST', _path(options), body)['id']} is added; nothing is written into its store."


def _change(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    workbench.ask("PATCH", _path_of_one(options), _settings_of(options))
    yield f"{options.environment} is changed."


def _rename(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    workbench.ask("PATCH", _path_of_one(options), {"title": options.title})
    yield f"{options.environment} is called {options.title}."


def _promote(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    deployments = f"{_path(options)}/{quote(options.target, safe='')}/deployments"
    preview = workbench.ask("POST", f"{deployments}/promotions/preview", {"environment": options.environment})
    versions = {"version": preview["version"], "base_version": preview["base_version"]}
    build = workbench.ask("POST", f"{deployments}/promotions", {"environment": options.environment, **versions})
    while build["deployment_id"] is None and build["phase"] in ("filling", "checking", "in force"):
        time.sleep(_SECONDS_BETWEEN_LOOKS)
        build = workbench.ask("GET", f"{deployments}/builds/latest")
    if build["deployment_id"] is None:
        raise ValueError(f"nothing was changed: {build['reason'] or 'the deployment was cancelled'}")
    yield (
        f"Version {preview['version']} of {options.environment} is live in {options.target},"
        f" as version {build['deployment_id'].removeprefix('d')}."
    )


def _remove(workbench: Asked, options: argparse.Namespace) -> Iterator[str]:
    deletion = "&deletes_data=true" if options.delete_data else ""
    workbench.ask("DELETE", f"{_path_of_one(options)}?name={quote(options.confirm or '', safe='')}{deletion}")
    yield f"{options.environment} is removed; its folder is in deleted/ of the data folder."


def _settings_of(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that were given; a store is given whole. Raises ValueError for credentials without a store."""
    settings: dict[str, Any] = {}
    if options.colour is not None:
        settings["colour"] = options.colour
    if options.slo_ms is not None:
        settings["slo"] = {"threshold_ms": options.slo_ms}
    store = {"consistency": options.consistency, **store_references(options)}
    if options.store is not None:
        settings["store"] = {"url": options.store, **store}
    elif any(value is not None for value in store.values()):
        raise ValueError("a store is changed as a whole: give its --store, too")
    return settings


def _reference(options: argparse.Namespace, setting: str) -> dict[str, str | None] | None:
    variable, file = (getattr(options, f"{setting}_{kind}") for kind in ("variable", "file"))
    return {"variable": variable, "file": file} if variable or file else None


def _tls(options: argparse.Namespace) -> dict[str, str | None] | None:
    files = {"ca_file": options.tls_ca, "certificate_file": options.tls_certificate, "key_file": options.tls_key}
    return files if options.tls or any(files.values()) else None
