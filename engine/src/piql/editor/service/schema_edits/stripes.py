"""How many stripes the groups of a view have, with the queries that read them mended.

    STRIPES 8 behind the view    SELECT likes FROM likesOfPost …  ──▶  SELECT SUM(likes) AS likes FROM likesOfPost …

A query that took one row for a group would get parts of it, so no edits are given that leave one behind.
"""

from __future__ import annotations

from collections.abc import Mapping

from piql.compiler import compile  # noqa: A004
from piql.compiler.result import Compilation
from piql.compiler.syntax import ast
from piql.compiler.syntax.parser import parse_once
from piql.editor.service.renaming import RenameRefused, rename
from piql.editor.service.schema_edits.changes import SchemaEditRefused, SetStripes
from piql.text.diagnostics.diagnostic import Diagnostic, Edit
from piql.text.edits import apply_edits, line_edits
from piql.text.source import Source

_PARTS = "parts-of-groups"
_MOST_ROUNDS = 5  # of fixes: a query may read a view in several SELECTs, and is told of one at a time


def set_stripes(texts: Mapping[str, str], change: SetStripes) -> tuple[Edit, ...]:
    """Return the edits that give a view so many stripes, add them up where they are read, and rename the view.

    Raises SchemaEditRefused where there is no such view, or where a query would take stripes for groups.
    """
    file, view = _view_of(texts, change.view)
    known = set(map(_part, _parts(compile(texts))))
    after = apply_edits(texts, [edit] if (edit := _clause(file, view, change.stripes)) is not None else [])
    rounds = 0
    while parts := [finding for finding in _parts(compile(after)) if _part(finding) not in known]:
        rounds += 1
        sums = [_sums(finding, change.view) if rounds <= _MOST_ROUNDS else () for finding in parts]
        if () in sums:
            finding = parts[sums.index(())]
            raise SchemaEditRefused(
                f"the query {finding.query} would get parts of groups at {finding.span.text}, and no edit is known "
                "that adds them up"
            )
        after = apply_edits(after, _apart(sums))
    if change.new_name is not None:
        after = _renamed(after, change.view, change.new_name)
    return tuple(edit for name, text in texts.items() for edit in line_edits(text, after[name], name))


def _view_of(texts: Mapping[str, str], name: str) -> tuple[ast.ParsedFile, ast.CreateView]:
    for file_name, text in texts.items():
        file = parse_once(Source(text, file_name))
        for statement in file.statements:
            if isinstance(statement, ast.CreateView) and statement.name.text == name:
                if statement.is_broken:
                    raise SchemaEditRefused(f"the text of {name} has an error: correct it first")
                return file, statement
    raise SchemaEditRefused(f"there is no view {name} in the texts")


def _clause(file: ast.ParsedFile, view: ast.CreateView, stripes: int) -> Edit | None:
    """Return the edit of the clause STRIPES: another number, added or taken away; None where nothing changes."""
    name, text = file.source.name, file.source.text
    end = (view.window or view.query).span.end
    if view.stripes_span is None:
        line_break = "\r\n" if "\r\n" in text else "\n"
        gap = line_break if "\n" in view.span.text else " "
        return Edit(name, end, end, f"{gap}STRIPES {stripes}") if stripes > 1 else None
    if stripes == 1:
        return Edit(name, end, view.stripes_span.end, "")
    if stripes == view.stripes:
        return None
    return Edit(name, view.stripes_span.start, view.stripes_span.end, str(stripes))


def _parts(compilation: Compilation) -> list[Diagnostic]:
    return [finding for finding in compilation.diagnostics if finding.code == _PARTS and not finding.allowed]


def _part(finding: Diagnostic) -> tuple[str | None, str]:
    """Return the query, the part that it gets and of which view, whatever the number of stripes."""
    return finding.query, finding.message.partition(" is up to ")[0]


def _sums(finding: Diagnostic, view: str) -> tuple[Edit, ...]:
    """Return the edits that add the stripes up and do nothing else, such as cutting what nothing bounds then."""
    titles = (f"Add up the stripes of {view}", f"Take each group of {view} once")
    return next((fix.edits for fix in finding.fixes if not fix.consequence and fix.title in titles), ())


def _apart(fixes: list[tuple[Edit, ...]]) -> list[Edit]:
    """Return the edits of all fixes that touch no other one; the rest is for the next round."""
    taken: list[Edit] = []
    for edits in fixes:
        if not any(
            edit.file == before.file and edit.start <= before.end and before.start <= edit.end
            for edit in edits
            for before in taken
        ):
            taken += edits
    return taken


def _renamed(texts: Mapping[str, str], view: str, new_name: str) -> dict[str, str]:
    file, statement = _view_of(texts, view)
    try:
        return apply_edits(texts, rename(texts, file.source.name, statement.name.span.start, new_name))
    except RenameRefused as reason:
        raise SchemaEditRefused(str(reason)) from None
