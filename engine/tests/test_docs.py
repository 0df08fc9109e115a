"""Every ```piql block of the documentation is what it says: it compiles, or is refused where its fence says `refused`.

A fence may add `with scadr`: then the block is compiled together with the schema of that sample application. Every
```python block runs, and so do the `piql` commands of ```sh blocks, in a folder that holds the sample applications and
nothing else.
"""

import re
import shlex
from pathlib import Path

import piql
import pytest
from piql.commands import cli
from reference.commands import parser_of

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?P<language>piql|python|sh)(?P<says>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    return [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("sample-apps/*/README.md")]


def blocks(language: str) -> list[tuple[str, str, str]]:
    found = []
    for document in documents():
        text = document.read_text()
        for block in FENCE.finditer(text):
            if block["language"] == language:
                line = text.count("\n", 0, block.start()) + 1
                found.append((f"{document.relative_to(ROOT)}:{line}", block["says"], block["text"]))
    return found


def test_the_documentation_shows_piql() -> None:
    assert len(blocks("piql")) >= 100
    assert len(blocks("python")) >= 2
    assert len(blocks("sh")) >= 3


@pytest.mark.parametrize(("says", "text"), [pytest.param(says, text, id=where) for where, says, text in blocks("piql")])
def test_a_block_of_the_documentation_is_what_it_says(says: str, text: str) -> None:
    words = says.split()
    files = {"block.piql": text}
    if "with" in words:
        application = words[words.index("with") + 1]
        files["schema.piql"] = (ROOT / "sample-apps" / application / "schema.piql").read_text()
    errors = [found.message for found in piql.compile(files).diagnostics if found.severity == "error"]
    assert bool(errors) == ("refused" in words), errors


@pytest.mark.parametrize("text", [pytest.param(text, id=where) for where, _, text in blocks("python")])
def test_a_program_of_the_documentation_runs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _enter(tmp_path, monkeypatch)
    exec(compile(text, "documentation", "exec"), {"__name__": "documentation"})


@pytest.mark.parametrize("text", [pytest.param(text, id=where) for where, _, text in blocks("sh")])
def test_the_commands_of_the_documentation_are_understood(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _enter(tmp_path, monkeypatch)
    for line in text.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == ".venv/bin/piql" and arguments[0] in cli.OWN:
            assert cli.main(arguments) == 0, line
        elif program == ".venv/bin/piql":
            parser_of(arguments[0]).parse_args(arguments[1:])  # measuring and serving take longer than a test may


def test_the_architecture_names_every_part_of_the_engine() -> None:
    described = (ROOT / "docs" / "architecture.md").read_text()
    parts = [each.name for each in Path(piql.__file__).parent.iterdir() if each.suffix == ".py" or each.is_dir()]
    assert [name for name in parts if not name.startswith("__pycache__") and name not in described] == []


def _enter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sample-apps").symlink_to(ROOT / "sample-apps")
    monkeypatch.chdir(folder)
