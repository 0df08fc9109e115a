"""Names in "…", `…` and […]: any text, compared exactly, and parted from parameters by where they stand."""

from __future__ import annotations

import piql
import pytest
from piql.compiler.syntax.parser import parse
from piql.compiler.syntax.pieces import cut
from piql.compiler.syntax.printer import print_file
from piql.text.source import Source

TABLE = 'CREATE TABLE "two words" (`id` INT PRIMARY KEY, [Line No] INT, "a;b" INT, `select` INT);\n'
READ = "CREATE QUERY q AS SELECT "


@pytest.mark.parametrize("table", ['"two words"', "`two words`", "[two words]"])
@pytest.mark.parametrize("column", ['t."Line No"', "t.`Line No`", "t.[Line No]", "[t].[Line No]"])
def test_each_kind_of_quotes_names_the_same(table: str, column: str) -> None:
    compilation = piql.compile(f"{TABLE}{READ}{column} FROM {table} AS t WHERE t.id = [id];")
    assert [finding for finding in compilation.diagnostics if finding.severity == "error"] == []
    assert [parameter.name for parameter in compilation.queries["q"].parameters] == ["id"]


@pytest.mark.parametrize("table", ['"Two words"', "`two Words`", "[TWO WORDS]"])
def test_a_quoted_name_is_compared_exactly(table: str) -> None:
    codes = [finding.code for finding in piql.compile(f"{TABLE}{READ}id FROM {table} WHERE id = 1;").diagnostics]
    assert codes == ["unknown-table"]


def test_brackets_in_an_expression_are_a_parameter() -> None:
    query = piql.compile(f'{TABLE}{READ}id FROM "two words" WHERE id = [select];').queries["q"]
    assert [parameter.name for parameter in query.parameters] == ["select"]


def test_a_semicolon_in_a_quoted_name_ends_no_statement() -> None:
    text = TABLE.replace('"a;b"', "`a;b`")
    assert [file.source.text for file in cut(Source(text)).files] == [text.rstrip("\n"), "\n"]
    assert parse(Source(text)).diagnostics == ()


def test_what_is_printed_says_the_same() -> None:
    text = f"{TABLE}{READ}[t].[Line No], `select`, [t].* FROM [two words] AS [t] WHERE `id` = [id];"
    tree = parse(Source(text))
    printed = print_file(tree)
    assert "`" not in printed
    assert parse(Source(printed)).statements == tree.statements


def test_rows_have_the_names_as_they_are_quoted() -> None:
    with piql.connect("embedded:") as db:
        db.deploy(piql.compile(TABLE))
        db.run('INSERT INTO [two words] (id, [Line No], "a;b") VALUES (1, 2, 3)')
        assert db.run("SELECT `Line No`, [two words].`a;b` FROM `two words` WHERE id = 1").rows == [
            {"Line No": 2, "a;b": 3}
        ]
