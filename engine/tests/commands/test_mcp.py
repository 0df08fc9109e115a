"""`piql mcp` as an assistant meets it: a process of its own, spoken to by the protocol's own client over its pipes."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from piql.commands import cli

SCHEMA = "CREATE TABLE follows (owner VARCHAR(32), target VARCHAR(32), PRIMARY KEY (owner, target));\n"
QUERIES = "CREATE QUERY followed AS SELECT target FROM follows WHERE owner = [me];\n"
BOUNDED = "CREATE QUERY followed AS SELECT target FROM follows WHERE owner = [me] LIMIT 10;\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.piql").write_text(SCHEMA)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "all.piql").write_text(QUERIES)
    (tmp_path / "notes.txt").write_text("no PIQL")
    return tmp_path


@asynccontextmanager
async def connected(folder: Path) -> AsyncIterator[Client]:
    words = ["-m", "piql.commands.cli", "mcp", str(folder)]
    async with Client(StdioServerParameters(command=sys.executable, args=words)) as client:
        yield client


async def answer(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def refusal(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


async def test_an_assistant_checks_fixes_and_reads_plans_and_no_file_changes(folder: Path) -> None:
    before = contents(folder)
    async with connected(folder) as client:
        assert "PAGINATE" in (client.instructions or "")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"check", "plan", "fix", "translate", "explain"}
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools.values())

        found = await answer(client, "check")
        assert "error[unbounded-scan]" in found
        assert "--> queries/all.piql:1:" in found
        assert "refused" in found
        assert (await answer(client, "explain", code="unbounded-scan")).startswith("unbounded-scan (error): ")

        fixed = await answer(client, "fix")
        assert "--- " in fixed
        assert "would fix unbounded-scan at queries/all.piql:1: " in fixed

        mended = await answer(client, "check", texts={"queries/all.piql": BOUNDED})
        assert "1 query, 0 errors, 0 warnings" in mended
        plan = await answer(client, "plan", query="followed", texts={"queries/all.piql": BOUNDED})
        assert plan.startswith("followed: ≤ 1 ops")
        assert "IndexScan" in plan

        (folder / "queries" / "all.piql").write_text(BOUNDED)  # by the assistant's editor: it is read anew
        assert "0 errors" in await answer(client, "check")
    assert contents(folder) == before | {"queries/all.piql": BOUNDED}


async def test_a_schema_of_another_sql_is_translated_with_what_is_left_out(tmp_path: Path) -> None:
    table = "CREATE TABLE note (id serial PRIMARY KEY, body text);\n"
    sql = f"{table}CREATE TRIGGER t AFTER INSERT ON note EXECUTE FUNCTION f();\n"
    async with connected(tmp_path) as client:
        translated = await answer(client, "translate", text=sql, dialect="postgres")
        assert "CREATE TABLE note" in translated
        assert "text:2: left out: " in translated
        assert "no dialect cobol; there are auto, " in await refusal(client, "translate", text=sql, dialect="cobol")
        assert "line 1: this is not SQL" in await refusal(client, "translate", text="Dear all, hello;")


async def test_what_cannot_be_answered_is_said_and_the_next_question_is_answered(tmp_path: Path) -> None:
    async with connected(tmp_path) as client:
        assert "no .piql files in " in await refusal(client, "check")
        assert "no query named q; there are followed" in await refusal(
            client, "plan", query="q", texts={"a.piql": SCHEMA + QUERIES}
        )
        assert "did you mean unbounded-scan?" in await refusal(client, "explain", code="unbounded-scn")
        assert "did you mean unbounded-scan?" in await refusal(client, "fix", codes=["unbounded-scn"])
        assert "1 query, 1 error" in await answer(client, "check", texts={"a.piql": SCHEMA + QUERIES})


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["mcp", str(tmp_path / "nowhere")])
    assert "nowhere: no such folder" in capsys.readouterr().err


def test_without_the_package_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert cli.main(["mcp", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "piql mcp: install piql[mcp] for this command\n"
