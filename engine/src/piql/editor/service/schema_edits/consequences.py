"""What the compiler says of texts after a change that it did not say before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from piql.compiler.result import Compilation
from piql.text.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Consequences:
    """Errors that are new, and the queries that became bounded or are refused from now on, by name."""

    new_errors: tuple[Diagnostic, ...]
    now_bounded: tuple[str, ...]
    now_refused: tuple[str, ...]


def consequences(before: Compilation, after: Compilation) -> Consequences:
    """Compare two compilations of one application."""
    known = Counter(map(_key, _errors(before)))
    new_errors: list[Diagnostic] = []
    for error in _errors(after):
        if known[_key(error)] > 0:
            known[_key(error)] -= 1
        else:
            new_errors.append(error)
    was = {name for name, query in before.queries.items() if query.is_bounded}
    is_now = {name for name, query in after.queries.items() if query.is_bounded}
    return Consequences(tuple(new_errors), tuple(sorted(is_now - was)), tuple(sorted(was - is_now)))


def _errors(compilation: Compilation) -> list[Diagnostic]:
    return [finding for finding in compilation.diagnostics if finding.severity == "error"]


def _key(finding: Diagnostic) -> tuple[str, str, str | None]:
    return finding.code, finding.message, finding.query
