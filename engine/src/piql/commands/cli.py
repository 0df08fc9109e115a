"""The `piql` program: finds the command and hands it the rest of the arguments.

Commands of the other packages are found through the entry-point group `piql.commands`; one whose package is missing
says which to install.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from io import TextIOWrapper
from keyword import iskeyword

GROUP = "piql.commands"

# The commands of this package: the module of the function, which has the command's name, and what it does.
OWN: dict[str, tuple[str, str]] = {
    "check": ("piql.commands.check", "print findings and bounds of .piql files"),
    "plan": ("piql.commands.plan", "print how queries are read"),
    "diff": ("piql.commands.diff", "compare the bounds of two states of a set"),
    "deploy": ("piql.commands.deploy", "deploy a set of queries to a store"),
    "deployments": ("piql.commands.deployments", "list versions; pause, resume or cancel the one on its way"),
    "rollback": ("piql.commands.rollback", "return to the version before; all rows stay"),
    "fmt": ("piql.commands.fmt", "format .piql files, or write ENTITY and FETCH as SQL"),
    "run": ("piql.commands.run", "execute a deployed query or a statement"),
    "load": ("piql.commands.load", "put the rows of a file into a table (CSV and Parquet need piql[files])"),
    "dump": ("piql.commands.dump", "write the rows of a table into a file (Parquet needs piql[files])"),
    "generate": ("piql.commands.generate", "make rows for all tables, up to each limit"),
    "headroom": ("piql.commands.headroom", "show how full the groups under each limit are"),
    "verify": ("piql.commands.verify", "count views again, tell differences, and repair them"),
    "import": ("piql.commands.importing", "write a schema of another SQL, or of a CQL keyspace, as PIQL"),
    "lsp": ("piql.commands.lsp", "serve an editor by the Language Server Protocol (needs piql[lsp])"),
    "mcp": ("piql.commands.mcp", "serve an assistant by the Model Context Protocol (needs piql[mcp])"),
}
# The commands of other packages: the package to install, and what it does.
ELSEWHERE: dict[str, tuple[str, str]] = {
    "profile": ("piql-profiler", "measure the operators of a store"),
    "predict": ("piql-profiler", "predict the p99 of a query"),
    "capacity": ("piql-profiler", "say how much load breaks an SLO, and what breaks first"),
    "validate": ("piql-profiler", "compare predictions with what deployed queries take"),
    "experiment": ("piql-profiler", "run experiments of the papers, each with its verdict"),
    "load-test": ("piql-profiler", "call deployed queries at a stated rate, and say what came of it"),
    "serve": ("piql-backend", "start the workbench"),
    "slo": ("piql-backend", "say whether deployed queries keep their SLOs"),
    "service": ("piql-service", "offer deployed queries over HTTP, to servers in any language"),
    "service-token": ("piql-service", "make a token for the query service"),
    "client": ("piql-service", "write a typed client of the query service, in Python, TypeScript, Java or Go"),
    "app": ("piql-backend", "list, make, change and delete applications and their environments"),
    "user": ("piql-backend", "add people to a workbench of a team, and say what they may do"),
}


# Names that other programs use for the same: suggested when one of them is typed.
OTHER_WORDS: dict[str, str] = {
    "explain": "plan",
    "compile": "check",
    "lint": "check",
    "format": "fmt",
    "query": "run",
    "start": "serve",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0 well, 1 findings or a refusal, 2 wrong arguments or a failure."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # arguments and files may hold what no terminal can show
            stream.reconfigure(errors="backslashreplace")
    try:
        return _flushed(lambda: _run(arguments))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        _leave_output()
        return 1
    except OSError as error:  # the disk is full, a file cannot be written
        print(" ".join(["piql", *arguments[:1]]) + f": {error}", file=sys.stderr)
        _leave_output()
        return 2


def _run(words: Sequence[str]) -> int:
    """Run the command that the first word names with the others; print the usage where there is none."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0 if words else 2
    name, *arguments = words
    if name in ("-V", "--version"):
        from piql import __version__

        print(f"piql {__version__}")
        return 0
    command = _find(name)
    if command is None:
        if name in ELSEWHERE:
            print(f"piql {name}: install the package {ELSEWHERE[name][0]} for this command", file=sys.stderr)
        else:
            print(f"piql: no command {name!r}; {_instead_of(name)}", file=sys.stderr)
        return 2
    return command(arguments)


def _flushed(work: Callable[[], int]) -> int:
    """Do work and flush its output, so that an output that cannot be written is an error here, not at exit."""
    try:
        return work()
    finally:  # also before argparse exits, which has printed its help
        if sys.stdout is not None:
            sys.stdout.flush()


def _leave_output() -> None:
    """Give up the output: Python would otherwise try to write it again at exit, and fail again."""
    sys.stdout = None
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.flush()


def command_function(name: str) -> Callable[[Sequence[str]], int]:
    """Return the function of a command in `OWN`. That of `import`, a keyword of Python, is called `import_`."""
    command: Callable[[Sequence[str]], int] = getattr(
        import_module(OWN[name][0]), f"{name}_" if iskeyword(name) else name
    )
    return command


def _instead_of(name: str) -> str:
    """Return a hint for a name that no command has: the command that was probably meant."""
    close = get_close_matches(name.lower(), [*OWN, *ELSEWHERE, *OTHER_WORDS], n=1)
    meant = OTHER_WORDS.get(close[0], close[0]) if close else None
    return f"did you mean `piql {meant}`?" if meant else "`piql --help` lists them"


def _find(name: str) -> Callable[[Sequence[str]], int] | None:
    """Return the function of a command; None where there is none, or its package is not installed."""
    if name in OWN:
        return command_function(name)
    for entry in entry_points(group=GROUP, name=name):
        try:
            loaded: Callable[[Sequence[str]], int] = entry.load()
        except ModuleNotFoundError:
            return None
        return loaded
    return None


def _usage() -> str:
    installed = {entry.name for entry in entry_points(group=GROUP)}
    lines = ["usage: piql COMMAND …", ""]
    lines += [f"  {name:<13} {text}" for name, (_, text) in OWN.items()]
    for name, (package, text) in ELSEWHERE.items():
        lines.append(f"  {name:<13} {text}" + ("" if name in installed else f" (needs {package})"))
    lines += ["", "`piql COMMAND --help` says more."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
