"""`piql mcp`: the compiler as tools for an assistant that writes PIQL, by the Model Context Protocol.

    assistant ──▶ check | plan | fix | translate | explain ──▶ the texts of a folder, or those that it gives in place

Everything goes over standard input and output. No tool writes a file, reads one outside the folder, or reaches a store:
what `fix` would change comes back as a diff, and the assistant's own editor shows it to its user.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from piql import __version__, compiler
from piql.commands.check import as_text
from piql.commands.fixing import SourceFiles, difference, fixed_as_text
from piql.commands.import_file import report
from piql.commands.plan import plan_as_text
from piql.compiler.result import Compilation
from piql.editor.service.fix_all import fix_all
from piql.importing import ImportRefused, import_text
from piql.importing.dialects import AUTO, DIALECTS
from piql.text.diagnostics.report import CODES

if TYPE_CHECKING:
    from mcp.server import MCPServer

Texts: TypeAlias = dict[str, str]

INSTRUCTIONS = """\
PIQL is SQL for key/value stores. A query is accepted only with a proof of how many requests it can ever make.

    CREATE TABLE users (name VARCHAR(20) PRIMARY KEY, town TEXT);
    CREATE TABLE follows (follower VARCHAR(20) REFERENCES users, followed VARCHAR(20) REFERENCES users,
      PRIMARY KEY (follower, followed), CARDINALITY LIMIT 100 (follower));
    CREATE QUERY followedBy AS
    SELECT u.name, u.town FROM follows f JOIN users u ON u.name = f.followed WHERE f.follower = [me] LIMIT 50;

Parameters stand in brackets; [ids] MAX 20 is a list. A query is bounded by a key, by LIMIT n, by LIMIT [n] MAX 50, by
PAGINATE n, or by CARDINALITY LIMIT n (columns) of a table: at most n of its rows have the same values there.
Call check after each change, and explain for a code that you do not know. A fix says what it costs. A CARDINALITY LIMIT
refuses writes beyond it: ask the user how many there may be, and do not make one up."""


def mcp(argv: Sequence[str] | None = None) -> int:
    """Answer an assistant until it says that it is done."""
    parser = argparse.ArgumentParser(prog="piql mcp", description="Serve an assistant by the Model Context Protocol.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("."), help="the folder of .piql files to read")
    options = parser.parse_args(argv)
    folder: Path = options.folder
    if not folder.is_dir():
        parser.error(f"{folder}: no such folder")
    if sys.stdin is None or sys.stdout is None:
        print("piql mcp: standard input and output are closed: let the assistant start this command", file=sys.stderr)
        return 2
    try:
        server = make_server(folder)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "mcp":
            raise
        print("piql mcp: install piql[mcp] for this command", file=sys.stderr)
        return 2
    server.run("stdio")
    return 0


def make_server(folder: Path) -> MCPServer:
    """Return a server whose tools read this folder; raises ModuleNotFoundError without the package `mcp`."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    def refusing(tool: Callable[..., str]) -> Callable[..., str]:
        @wraps(tool)
        def answer(**arguments: object) -> str:
            try:
                return tool(**arguments)
            except Refusal as refusal:  # other exceptions are faults, of which the library tells no more
                raise ToolError(str(refusal)) from refusal

        return answer

    server = MCPServer("piql", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    for function in Assistant(folder).tools:
        annotations = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        server.add_tool(refusing(function), annotations=annotations, structured_output=False)
    return server


class Refusal(Exception):
    """A question that cannot be answered; the message says why, for the assistant."""


@dataclass(frozen=True, slots=True)
class Assistant:
    """What an assistant may ask about the .piql files of a folder, which are read anew for each question."""

    folder: Path
    compiling: Lock = field(default_factory=Lock)  # the tools are called in threads

    @property
    def tools(self) -> tuple[Callable[..., str], ...]:
        """The methods that are offered, by their names and their docstrings."""
        return self.check, self.plan, self.fix, self.translate, self.explain

    def check(self, texts: Texts | None = None) -> str:
        """Compile the set, and return every finding with its place, help and fixes, and the bound of every query.

        `texts` are compiled in place of the files of the same name, such as {"queries.piql": "CREATE QUERY …;"}; a
        name that no file has adds one. Leave it out to compile the files as they are.
        """
        return as_text(self._compiled(texts))

    def plan(self, query: str, texts: Texts | None = None) -> str:
        """Return how a query is read: its logical and its physical plan, and what each operator may cost.

        `texts` are compiled in place of the files of the same name.
        """
        compilation = self._compiled(texts)
        if query not in compilation.queries:
            raise Refusal(f"no query named {query}; there are {', '.join(compilation.queries) or 'none'}")
        return plan_as_text(compilation.queries[query])

    def fix(self, codes: list[str] | None = None, texts: Texts | None = None) -> str:
        """Return what the first fix of each error would change, as a diff, with its price. Nothing is written.

        With `codes`, such as ["unbounded-scan"], the findings with one of these codes are fixed, also where that
        changes what a query answers. `texts` are fixed in place of the files of the same name.
        """
        for code in codes or ():
            _require_code(code)
        before = self._texts(texts)
        with self.compiling:
            fixed = fix_all(before, frozenset(codes or ()))
        files = SourceFiles({}, before, {})
        return f"{difference(files, fixed.texts)}{fixed_as_text(fixed, would=True)}"

    def translate(self, text: str, dialect: str = AUTO) -> str:
        """Return a schema of another SQL or CQL as PIQL, and a list of what changed and what is left out, by line.

        `dialect` is auto, postgres, mysql, sqlite, cql, oracle or tsql.
        """
        if dialect not in (AUTO, *DIALECTS):
            raise Refusal(f"no dialect {dialect}; there are {', '.join((AUTO, *DIALECTS))}")
        try:
            imported = import_text(text, dialect, "text")
        except ImportRefused as refused:
            raise Refusal(f"line {refused.line or 1}: {refused.reason}") from refused
        notes = report(imported, Path("text"))
        return f"{imported.text}\n{notes}" if notes else imported.text

    def explain(self, code: str) -> str:
        """Return what a code of a finding means, such as unbounded-scan, with an example that raises it."""
        _require_code(code)
        entry = CODES[code]
        return f"{entry.slug} ({entry.severity}): {entry.title}\n\n{entry.explanation}\n\n{entry.example}"

    def _compiled(self, texts: Texts | None) -> Compilation:
        with self.compiling:
            return compiler.compile(self._texts(texts))

    def _texts(self, given: Texts | None) -> Mapping[str, str]:
        """Return the texts of the folder's files, and in place of some what was given; raises Refusal for none."""
        paths = {name: path for name, path in compiler.paths_of(self.folder).items() if name not in (given or {})}
        try:
            texts = {name: compiler.text_of(path.read_bytes()) for name, path in paths.items()} | (given or {})
        except OSError as error:
            raise Refusal(f"{error.filename}: {error.strerror}") from error
        if not texts:
            raise Refusal(f"no .piql files in {self.folder}: give texts")
        return dict(sorted(texts.items()))


def _require_code(code: str) -> None:
    if code not in CODES:
        close = get_close_matches(code, CODES, n=1)
        raise Refusal(f"no finding has the code {code}" + (f"; did you mean {close[0]}?" if close else ""))
