"""`piql check --fix`: the files that are read and written, and what is said about the fixes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches, unified_diff
from itertools import pairwise
from pathlib import Path

from piql import compiler
from piql.commands.arguments import require_files
from piql.commands.table import counted
from piql.commands.text_files import BYTE_ORDER_MARK, write_whole
from piql.editor.service.fix_all import FixedTexts, FixStep
from piql.text.diagnostics.report import CODES

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """What was read: contents and texts by the name that findings use, and where each file stands."""

    contents: Mapping[str, bytes]
    texts: Mapping[str, str]
    paths: Mapping[str, Path]

    @property
    def is_standard_input(self) -> bool:
        """Return whether there is one text, which stands in no file."""
        return not self.paths


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the argument PATH: what to compile, perhaps from standard input."""
    about = "a .piql file, a folder of them, or - for standard input"
    parser.add_argument("path", type=Path, nargs="?", default=Path("."), help=about)


def add_fixing(parser: argparse.ArgumentParser) -> None:
    """Add the options --fix and --diff."""
    parser.add_argument(
        "--fix",
        action="append",
        metavar="[=CODE]",
        help="make the first fix of each error, or of each finding with this code, and say what it changes",
    )
    parser.add_argument("--diff", action="store_true", help="write nothing; print what --fix would change")


def with_bare_fix(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> list[str]:
    """Return arguments in which `--fix` without a code has an empty one, so that it never takes the next argument.

    Ends with a usage message where that is a code and no file.
    """
    for option, word in pairwise(arguments):
        if option == "--fix" and word in CODES and not Path(word).exists():
            parser.error(f"a code stands behind an equals sign: --fix={word}")
    return ["--fix=" if argument == "--fix" else argument for argument in arguments]


def codes_of(parser: argparse.ArgumentParser, chosen: Iterable[str]) -> frozenset[str]:
    """Return the codes behind --fix; end with a usage message for one that no finding has."""
    codes = frozenset(code for text in chosen for code in text.split(",") if code)
    for code in sorted(codes - CODES.keys()):
        close = get_close_matches(code, CODES, n=1)
        parser.error(f"--fix={code}: no finding has this code" + (f"; did you mean {close[0]}?" if close else ""))
    return codes


def read_files(parser: argparse.ArgumentParser, path: Path) -> SourceFiles:
    """Read a file, all files of a folder, or standard input; end with a usage message where there is nothing."""
    if str(path) == STANDARD_INPUT:
        contents, paths = {STANDARD_INPUT: sys.stdin.buffer.read()}, {}
    else:
        require_files(parser, path)
        paths = compiler.paths_of(path)
        contents = {name: file.read_bytes() for name, file in paths.items()}
    return SourceFiles(contents, {name: compiler.text_of(content) for name, content in contents.items()}, paths)


def write_fixed(parser: argparse.ArgumentParser, files: SourceFiles, texts: Mapping[str, str]) -> None:
    """Write the files whose text is new; end with a message, and write none, where that would lose something."""
    changed: dict[Path, bytes] = {}
    for name, path in files.paths.items():
        if texts[name] == files.texts[name]:
            continue
        content = files.contents[name]
        mark = BYTE_ORDER_MARK if content.startswith(BYTE_ORDER_MARK.encode()) else ""
        if (mark + files.texts[name]).encode() != content:
            parser.error(f"{path}: not a text in UTF-8; nothing was written")
        if path.read_bytes() != content:
            parser.error(f"{path}: changed while it was checked; nothing was written")
        changed[path] = (mark + texts[name]).encode()
    write_whole(changed)


def difference(files: SourceFiles, texts: Mapping[str, str]) -> str:
    """Return what changes as a unified diff, with the paths that were given."""
    lines: list[str] = []
    for name, before in files.texts.items():
        shown = str(files.paths.get(name, name))
        compared = unified_diff(_lines(before), _lines(texts[name]), shown, shown)
        for line in compared:
            lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their ends; only a line feed ends one, as in `diff`."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [line for line in text.split("\n")[-1:] if line]


def fixed_as_text(fixed: FixedTexts, would: bool = False) -> str:
    """Return each fix with its finding and its consequence, and how many there are."""
    parts = [_step_as_text(step, would) for step in fixed.steps]
    done = sum(not step.refusal for step in fixed.steps)
    skipped = len(fixed.steps) - done
    total = f"{counted(done, 'fix')} {'would be made' if would else 'made'}"
    return "\n".join([*parts, total + (f", {skipped} not made" if skipped else "")])


def _step_as_text(step: FixStep, would: bool) -> str:
    span = step.finding.span
    word = "not fixed" if step.refusal else "would fix" if would else "fixed"
    lines = [f"{word} {step.finding.code} at {span.file}:{span.line}: {step.fix.title}"]
    if step.refusal:
        lines.append(f"    {step.refusal}")
    elif step.fix.price:
        lines.append(f"    {step.fix.price}")
    return "\n".join(lines)


def fixed_as_json(files: SourceFiles, fixed: FixedTexts, would: bool) -> dict[str, object]:
    """Return the steps, whether they are made, and the diff; for standard input the text after them, too."""
    steps = [
        {
            "code": step.finding.code,
            "query": step.finding.query,
            "file": step.finding.span.file,
            "line": step.finding.span.line,
            "title": step.fix.title,
            "consequence": step.fix.consequence,
            "cost": step.fix.cost,
            "edits": [asdict(edit) for edit in step.fix.edits],
            "made": not step.refusal and not would,
            "refusal": step.refusal,
        }
        for step in fixed.steps
    ]
    value: dict[str, object] = {"fixes": steps, "diff": difference(files, fixed.texts)}
    return value | {"text": fixed.texts[STANDARD_INPUT]} if files.is_standard_input else value
