"""A unit in an editor: what may be typed in it, its outline, its names, and its bound above it. `|` is the cursor."""

from __future__ import annotations

import piql
import pytest
from piql.editor.service.completion import complete
from piql.editor.service.hover import hover
from piql.editor.service.lenses import lenses
from piql.editor.service.outline import folds, outline
from piql.editor.service.renaming import rename
from piql.editor.service.semantic_tokens import semantic_tokens
from piql.text.edits import apply_edits

SCHEMA = "CREATE TABLE items (id INT PRIMARY KEY, stock INT NOT NULL);\n"
UNIT = """CREATE UNIT take AS BEGIN
  UPDATE items SET stock = stock - [n] WHERE id = [it|em] AND stock >= [n];
  DELETE FROM items WHERE id = [item] AND stock = 0;
END;
CREATE QUERY stockOf AS SELECT stock FROM items WHERE id = [item];
"""


def labels(text: str) -> list[str]:
    texts = {"schema.piql": SCHEMA, "u.piql": text.replace("|", "")}
    return [item.label for item in complete(texts, "u.piql", text.index("|"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("|", ["CREATE QUERY", "CREATE TABLE", "CREATE INDEX", "CREATE VIEW", "CREATE UNIT"]),
        ("CREATE |", ["QUERY", "TABLE", "INDEX", "VIEW", "UNIT"]),
        ("CREATE UNIT u |", ["AS BEGIN"]),
        ("CREATE UNIT u AS |", ["BEGIN"]),
        ("CREATE UNIT u AS BEGIN |", ["LET", "INSERT INTO", "UPDATE", "DELETE FROM", "END"]),
        ("CREATE UNIT u AS BEGIN DELETE FROM items WHERE id = 1; |", ["LET", "INSERT INTO", "UPDATE"]),
        ("CREATE UNIT u AS BEGIN DELETE FROM items WHERE id = 1; END; |", ["CREATE QUERY"]),
        ("CREATE UNIT u AS BEGIN LET |", []),
        ("CREATE UNIT u AS BEGIN LET x |", ["="]),
        ("CREATE UNIT u AS BEGIN LET x = |", ["(SELECT"]),
        ("CREATE UNIT u AS BEGIN LET x = (SELECT stock FROM items WHERE st|", ["stock"]),
        ("CREATE UNIT u AS BEGIN LET x = 1; UPDATE items SET stock = |", ["id", "stock", "[x]"]),
        ("CREATE UNIT u AS BEGIN LET x = 1; DELETE FROM items WHERE id = [|", ["x"]),
        ("CREATE UNIT u AS BEGIN UPDATE |", ["items"]),
        ("CREATE UNIT u AS BEGIN UPDATE items SET st|", ["stock"]),
        ("CREATE UNIT u AS BEGIN DELETE FROM items WHERE id = 1; DELETE FROM items WHERE st|", ["stock"]),
    ],
)
def test_what_may_be_typed_in_a_unit(text: str, expected: list[str]) -> None:
    assert labels(text)[: len(expected)] == expected


def test_the_outline_and_the_folds_have_a_unit_as_a_whole() -> None:
    text = UNIT.replace("|", "")
    assert [(item.name, item.kind, item.detail) for item in outline(text)] == [
        ("take", "query", "unit"),
        ("stockOf", "query", "select"),
    ]
    assert [(fold.start_line, fold.end_line) for fold in folds(text)] == [(1, 4)]


def test_a_parameter_is_renamed_in_all_statements_of_its_unit_and_nowhere_else() -> None:
    texts = {"schema.piql": SCHEMA, "u.piql": UNIT.replace("|", "")}
    edits = rename(texts, "u.piql", UNIT.index("|"), "id_of")
    renamed = apply_edits(texts, edits)["u.piql"]
    assert renamed.count("[id_of]") == 2
    assert renamed.endswith("WHERE id = [item];\n")


def test_the_value_of_a_let_is_renamed_with_its_uses_and_shown_with_its_type() -> None:
    text = (
        "CREATE UNIT u AS BEGIN LET n = (SELECT stock FROM items WHERE id = [item]);"
        " UPDATE items SET stock = [n] WHERE id = [n]; END;"
    )
    texts = {"schema.piql": SCHEMA, "u.piql": text}
    renamed = apply_edits(texts, rename(texts, "u.piql", text.index("[n]") + 1, "left_over"))["u.piql"]
    assert renamed.count("[left_over]") == 2
    assert "LET left_over = (" in renamed
    shown = hover(piql.compile(texts), "u.piql", text.index("[n]") + 1)
    assert shown is not None
    assert "[n] INT" in shown.markdown
    assert "a value of this unit, read by at most 1 request" in shown.markdown
    tokens = semantic_tokens(texts, "u.piql")
    assert [token.type for token in tokens if text[token.start : token.end] in ("LET", "n")] == [
        "keyword",
        *["parameter"] * 3,
    ]


def test_the_bound_stands_above_a_unit() -> None:
    compilation = piql.compile({"schema.piql": SCHEMA, "u.piql": UNIT.replace("|", "")})
    assert [lens.text for lens in lenses(compilation, "u.piql")] == [
        "≤ 9 ops · 9 trips · class I",
        "≤ 1 op · 1 trip · class I",
    ]
