"""`piql app`: makes, lists and changes the applications of a running workbench, over its API.

    piql app list
    piql app new "My shop" schema.piql

Exit codes: 0 done, 1 refused, with the reason on stderr, 2 the workbench does not answer or a file cannot be read.
Each command is a function that takes the workbench and the parsed options, and yields the lines to print.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, build_opener

from piql_backend.commands.application_imports import add_import_commands
from piql_backend.commands.environments import add_environment_commands
from piql_backend.slos.report import TOKEN_VARIABLE, NoRedirects, is_safe

REFUSED = 1
UNREACHABLE = 2
_TIMEOUT_SECONDS = 300  # a template's rows are loaded before the answer


def app(argv: Sequence[str] | None = None) -> int:
    """List, make, change and delete applications and their environments, in a running workbench."""
    options = _parser().parse_args(argv)
    try:
        for line in options.carry_out(_Workbench(options.url, _token(options.token_file)), options):
            print(line)
    except HTTPError as error:
        print(f"piql app: {_message(error)}", file=sys.stderr)
        return REFUSED
    except (OSError, ValueError, HTTPException) as error:
        print(f"piql app: {error}", file=sys.stderr)
        return UNREACHABLE
    return 0


def _token(file: Path | None) -> str | None:
    """The token of a file, or of the environment; None for none. No argument: other users can read these."""
    return (os.environ.get(TOKEN_VARIABLE) if file is None else file.read_text().strip()) or None


class _Workbench:
    """A running workbench by its URL, and the token that a team's asks for; ValueError where others could read it."""

    def __init__(self, url: str, token: str | None = None) -> None:
        if token is not None and not is_safe(url):
            raise ValueError("the token could be read on its way: give an https address in --url")
        self._url = url.rstrip("/")
        self._token = token

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The JSON of an answer below `/api/applications`, as `ask_of` gives it."""
        return self.ask_of(f"applications{path}", method, body)

    def ask_of(self, path: str, method: str, body: object = None) -> Any:
        """The JSON of an answer, None for an empty one. Raises HTTPError for a refusal, OSError without an answer."""
        with self._answered(path, method, body) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def save(self, path: str, file: IO[bytes]) -> None:
        """Write an answer into a file as it arrives; ValueError where the connection ends too early."""
        with self._answered(f"applications{path}", "GET", None) as answer:
            shutil.copyfileobj(answer, file)
            if file.tell() != int(answer.headers["Content-Length"]):
                raise ValueError("the connection ended before the file was whole")

    def _answered(self, path: str, method: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        request = Request(f"{self._url}/api/{path}", data, headers, method=method)
        return build_opener(NoRedirects).open(request, timeout=_TIMEOUT_SECONDS)


def _list(workbench: _Workbench, options: argparse.Namespace) -> Iterator[str]:
    cursor = ""
    while True:
        page = workbench.ask("GET", f"?cursor={quote(cursor)}" if cursor else "")
        for application in page["items"]:
            archived = "  (archived)" if application["is_archived"] else ""
            yield f"{application['id']}  {application['title']}  {', '.join(application['environments'])}{archived}"
        if page["next"] is None:
            return
        cursor = page["next"]


def _new(workbench: _Workbench, options: argparse.Namespace) -> Iterator[str]:
    files = list(_files(options.source))
    body = {"title": options.title, "id": options.id, "template": options.template, "files": files}
    yield f"{workbench.ask('POST', '', body)['id']} is made."


def _files(source: Path | None) -> Iterator[dict[str, str]]:
    """The files of a folder as the API takes them, or one file as the schema; ValueError where there is neither."""
    if source is None:
        return
    if source.is_file():
        yield {"path": "schema.piql", "text": source.read_text(encoding="utf-8")}
        return
    if not source.is_dir():
        raise ValueError(f"there is no {source}")
    for path in sorted(source.rglob("*.piql")):
        yield {"path": path.relative_to(source).as_posix(), "text": path.read_text(encoding="utf-8")}


def _rename(workbench: _Workbench, options: argparse.Namespace) -> Iterator[str]:
    workbench.ask("PATCH", f"/{quote(options.id, safe='')}", {"title": options.title})
    yield f"{options.id} is called {options.title}."


def _duplicate(workbench: _Workbench, options: argparse.Namespace) -> Iterator[str]:
    duplicate = workbench.ask("POST", f"/{quote(options.id, safe='')}/duplicates", {"title": options.title})
    yield f"{duplicate['id']} is made, with the files of {options.id} and an empty store."


def _archive(workbench: _Workbench, options: argparse.Namespace) -> Iterator[str]:
    workbench.ask("PATCH", f"/{quote(options.id, safe='')}", {"is_archived": not options.back})
    yield f"{options.id} is {'back' if options.back else 'in the archive'}."


def _delete(workbench: _Workbench, options: argparse.Namespace) -> Iterator[str]:
    workbench.ask("DELETE", f"/{quote(options.id, safe='')}?name={quote(options.confirm or '', safe='')}")
    yield f"{options.id} is deleted; its files and data are in deleted/ of the data folder."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="piql app", description=app.__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8400", help="the address of a running workbench")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"holds the API token that a team's workbench asks for; default: {TOKEN_VARIABLE} of the environment",
    )
    commands = parser.add_subparsers(
        required=True, metavar="COMMAND", help="list, new, export, import, rename, duplicate, archive, delete or env"
    )

    def command(name: str, carry_out: Any, about: str) -> argparse.ArgumentParser:
        subparser = commands.add_parser(name, help=about, description=about)
        subparser.set_defaults(carry_out=carry_out)
        return subparser

    command("list", _list, "list the applications")
    new = command("new", _new, "make an application")
    new.add_argument("title", help="the name that is shown")
    new.add_argument("source", type=Path, nargs="?", help="a folder of .piql files, or a schema file")
    new.add_argument("--id", help="the name of its folder; default: made of the title")
    new.add_argument("--template", help="scadr, tpcw, chat or shop, with data")
    rename = command("rename", _rename, "change the name that is shown; the id stays")
    rename.add_argument("id")
    rename.add_argument("title")
    duplicate = command("duplicate", _duplicate, "make an application with the same files")
    duplicate.add_argument("id")
    duplicate.add_argument("title")
    archive = command("archive", _archive, "close an application, or bring it back")
    archive.add_argument("id")
    archive.add_argument("--back", action="store_true", help="out of the archive")
    delete = command("delete", _delete, "move an application and its data to deleted/")
    delete.add_argument("id")
    delete.add_argument("--confirm", metavar="ID", help="the id again, to be sure")
    add_import_commands(command)
    env = commands.add_parser("env", help="list, add, change, rename, promote or remove environments of an application")
    add_environment_commands(env)
    return parser


def _message(error: HTTPError) -> str:
    """What the workbench says of a refusal; the status line where another server answered."""
    try:
        content = json.load(error)
        return f"{content['message']} {content['help'] or ''}".strip()
    except (ValueError, KeyError, TypeError):
        return str(error)
