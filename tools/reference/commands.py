"""commands.md: the commands of `piql`, from their own argument parsers, and the targets of `make`.

A command builds its parser when it runs. So each is started with a `parse_known_args` that raises, and hands over the
parser before the command does anything. `parse_args` calls it, too.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import patch

from piql.commands import cli

from reference.markdown import block, code, docstring, table

ROOT = Path(__file__).resolve().parents[2]
_EXIT_CODES = (
    "piql.commands",
    "piql_profiler.commands.profile",
    "piql_profiler.commands.predict",
    "piql_profiler.commands.capacity",
    "piql_profiler.commands.validate",
    "piql_profiler.commands.load_test",
    "piql_profiler.commands.experiment",
)
# Defaults that the machine decides.
_COMPUTED = {"--clients": "one less than the processors", "--frontend": "`frontend/dist` of the repository"}
# What the commands leave to the name of an argument.
MEANING = {
    "--output": "how it is printed",
    "--interval": "length of a profile interval",
    "--intervals": "how many profile intervals",
    "--label": "a name for the run",
    "--clients": "how many processes measure at once",
    "--seed": "of the generated rows and of the order of measuring",
    "--progress": "how progress is told",
    "--quantile": "of the latency, between 0 and 1",
    "--model": "how measurements are put together",
    "--port": "the port to listen on",
    "--deployment": "a deployment, or the live one",
    "--window": "how far back to look",
}


class _Described(Exception):
    """Raised in place of parsing, to leave a command once its parser is complete."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


def pages() -> dict[str, str]:
    """Return the page about the commands, by file name."""
    targets = re.findall(r"^([a-z-]+):.* ## (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    commands = "\n\n".join(_command(name, about) for name, about in _commands())
    codes = "\n".join(_exit_codes(name) for name in _EXIT_CODES)
    text = f"""
# Commands

## make

{table(("target", "does"), [(code(f"make {name}"), about) for name, about in targets])}

## piql

After `make setup` the program `piql` is in `.venv/bin`. A PATH is a `.piql` file or a folder of them.

{commands}

## Exit codes

{block(codes)}
"""
    return {"commands.md": text}


def _commands() -> list[tuple[str, str]]:
    return [(name, about) for name, (_, about) in (*cli.OWN.items(), *cli.ELSEWHERE.items())]


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser that a command makes, without running the command."""

    def describe(parser: argparse.ArgumentParser, *_: object) -> object:
        raise _Described(parser)

    command: Callable[[Sequence[str]], int]
    if name in cli.OWN:
        command = cli.command_function(name)
    else:
        (entry,) = entry_points(group=cli.GROUP, name=name)
        command = entry.load()
    with patch.object(argparse.ArgumentParser, "parse_known_args", describe), patch.dict("os.environ", clear=True):
        try:
            command([])
        except _Described as described:
            return described.parser
    raise AssertionError(f"{name} has no arguments")


def _command(name: str, about: str) -> str:
    rows = []
    for action in parser_of(name)._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        about_action = (action.help or MEANING[action.option_strings[0]]).replace("%%", "%")
        rows.append((code(_shown(action)), about_action, _default(action)))
    return f"### piql {name}\n\n{about[0].upper()}{about[1:]}.\n\n{table(('argument', 'is', 'default'), rows)}"


def _shown(action: argparse.Action) -> str:
    """Return an argument as a user writes it: `--port PORT`, `[PATH]`."""
    if action.nargs == 0:
        return action.option_strings[0]
    value = str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper())
    if not action.option_strings:
        return f"[{value}]" if action.nargs == "?" else value
    return f"{action.option_strings[0]}{'' if value.startswith('[=') else ' '}{value}"


def _default(action: argparse.Action) -> str:
    option = action.option_strings[0] if action.option_strings else ""
    if option in _COMPUTED:
        return _COMPUTED[option]
    if action.required and not isinstance(action.default, Path):
        return "must be given"
    if action.default in (None, "", False, []) or action.nargs == 0:
        return "may be repeated" if isinstance(action.default, list) else ""
    return code(str(action.default))


def _exit_codes(module: str) -> str:
    """Return what the docstring of a module says about exit codes: lines with `0 … · 1 …`, or behind `Exit codes:`."""
    text = docstring(import_module(module))
    said = re.search(r"^Exit codes: (.*?)\.?(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    if said is not None:
        return f"{module.rpartition('.')[2].replace('_', '-'):9} {' '.join(said[1].split())}"
    return "\n".join(line for line in text.split("\n") if re.search(r"\b0\b.*·", line))
