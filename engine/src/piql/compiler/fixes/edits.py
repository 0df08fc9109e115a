"""Remedies → edits of the text: a line in a CREATE TABLE stands before its closing parenthesis, commas in place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from piql.compiler.fixes.remedy import NewTest, Remedy
from piql.compiler.fixes.select_text import tests_added
from piql.compiler.syntax import ast
from piql.text.diagnostics.diagnostic import Edit

_COMMENT = re.compile(r"--[^\n]*|//[^\n]*|/\*.*?\*/", re.DOTALL)


def edits_of(remedies: Sequence[Remedy], files: Sequence[ast.ParsedFile]) -> tuple[Edit, ...] | None:
    """Return the edits of several remedies together; None where a table's text cannot be edited."""
    edits = _tests([remedy.test for remedy in remedies if remedy.test is not None])
    edits += [remedy.edit for remedy in remedies if remedy.edit is not None]
    lines: dict[str, list[str]] = {}
    for remedy in remedies:
        if remedy.line is not None:
            lines.setdefault(remedy.line.table, []).append(remedy.line.text)
    for table, texts in lines.items():
        definition = next(
            (
                (file, statement)
                for file in files
                for statement in file.statements
                if isinstance(statement, ast.CreateTable | ast.CreateEntity) and statement.name.text == table
            ),
            None,
        )
        if definition is None or not definition[1].elements:
            return None
        edits.extend(_new_lines(*definition, texts))
    return _apart(sorted(edits, key=lambda edit: (edit.file, edit.start)))


def _tests(tests: Sequence[NewTest]) -> list[Edit]:
    """Add tests to each SELECT, all of one together."""
    selects = {id(test.select): test.select for test in tests}
    texts = {key: [test.text for test in tests if test.select is select] for key, select in selects.items()}
    return [edit for key, select in selects.items() for edit in tests_added(select, texts[key])]


def _apart(edits: Sequence[Edit]) -> tuple[Edit, ...] | None:
    """Make one edit of insertions in one place; None where two edits overlap."""
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


def _new_lines(file: ast.ParsedFile, statement: ast.CreateTable | ast.CreateEntity, texts: Sequence[str]) -> list[Edit]:
    """
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
    end_of_line = last + between.rindex("\n")
    indent = _indent(text, statement.elements[-1].span.start)
    added = ",".join(f"\n{indent}{line}" for line in texts)
    if has_comma:
        return [Edit(name, end_of_line, end_of_line, added)]
    if end_of_line == last:
        return [Edit(name, last, last, "," + added)]
    return [Edit(name, last, last, ","), Edit(name, end_of_line, end_of_line, added)]


def without_comments(text: str) -> str:
    """Return a text with spaces for its comments: offsets stay the same."""
    return _COMMENT.sub(lambda comment: " " * len(comment.group()), text)


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line at an offset."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip())]
