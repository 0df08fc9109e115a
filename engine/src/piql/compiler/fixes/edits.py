"""Remedies → edits of the text, with commas, parentheses and AND where the text needs them.

Enters: the remedies of one fix. Leaves: their edits together, in the order of the text, no two overlapping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from piql.compiler.fixes.remedy import NewTest, Remedy
from piql.compiler.fixes.select_text import tests_added, without_comments
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit


def edits_of(remedies: Sequence[Remedy], files: Sequence[ast.ParsedFile]) -> tuple[Edit, ...] | None:
    """Return the edits of several remedies together; None where a table's text cannot be edited."""
    edits = _tests([remedy.test for remedy in remedies if remedy.test is not None])
    edits += [remedy.edit for remedy in remedies if remedy.edit is not None]
    edits += [edit for remedy in remedies for edit in remedy.edits]
    lines: dict[str, list[str]] = {}
    for remedy in remedies:
        if remedy.line is not None:
            lines.setdefault(remedy.line.table, []).append(remedy.line.text)
    for table, texts in lines.items():
        file, statement = next(
            (
                (file, statement)
                for file in files
                for statement in file.statements
                if isinstance(statement, ast.CreateTable | ast.CreateEntity) and statement.name.text == table
            ),
            (None, None),
        )
        if file is None or statement is None or not statement.elements:
            return None
        edits.extend(new_lines(file, statement, texts))
    return _apart(sorted(edits, key=lambda edit: (edit.file, edit.start)))


def _tests(tests: Sequence[NewTest]) -> list[Edit]:
    """Return the edits that add tests to each SELECT, all tests of one SELECT together."""
    selects = {id(test.select): test.select for test in tests}
    texts = {key: [test.text for test in tests if test.select is select] for key, select in selects.items()}
    return [edit for key, select in selects.items() for edit in tests_added(select, texts[key])]


def _apart(edits: Sequence[Edit]) -> tuple[Edit, ...] | None:
    """Return the edits with insertions at one offset joined; None where two edits overlap. They come in order."""
    merged: list[Edit] = []
    for edit in edits:
        last = merged[-1] if merged else None
        if last is not None and last.file == edit.file and edit.start <= last.end:
            is_insertion = edit.start == edit.end == last.start == last.end
            if is_insertion:
                merged[-1] = replace(last, text=last.text + edit.text)
                continue
            if edit.start < last.end:
                return None
        merged.append(edit)
    return tuple(merged)


def new_lines(file: ast.ParsedFile, statement: ast.CreateTable | ast.CreateEntity, texts: Sequence[str]) -> list[Edit]:
    """Return the edits that add lines to a table or entity before its closing parenthesis or brace.

    CREATE TABLE t (                        CREATE TABLE t (
      a INT,                          →       a INT,
      PRIMARY KEY (a)                         PRIMARY KEY (a),
    );                                        CARDINALITY LIMIT 100 (b)
                                            );
    """
    text, name = file.source.text, file.source.name
    last = statement.elements[-1].span.end
    close = statement.span.end - 1  # the parenthesis, or the brace of an ENTITY
    between = without_comments(text[last:close])
    has_comma = "," in between
    if "\n" not in between:
        start = last + between.index(",") + 1 if has_comma else last
        return [
            Edit(
                name,
                start,
                start,
                "".join(f"{'' if has_comma and not at else ','} {line}" for at, line in enumerate(texts)),
            )
        ]
    end_of_line = last + len(between[: between.rindex("\n")].removesuffix("\r"))
    indent = _indent(text, statement.elements[-1].span.start)
    added = ",".join(f"\n{indent}{line}" for line in texts)
    if has_comma:
        return [Edit(name, end_of_line, end_of_line, added)]
    if end_of_line == last:
        return [Edit(name, last, last, "," + added)]
    return [Edit(name, last, last, ","), Edit(name, end_of_line, end_of_line, added)]


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line at an offset."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip())]
