"""Every ```piql block of the documentation is what it says: it compiles, or is refused where its fence says `refused`.

A fence may add `with scadr`: then the block is compiled together with the schema of that sample application. Every
```python block runs, in a folder that holds the sample applications and nothing else.
"""

import re
from pathlib import Path

import piql
import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?P<language>piql|python)(?P<says>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


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
    (tmp_path / "sample-apps").symlink_to(ROOT / "sample-apps")
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "documentation", "exec"), {"__name__": "documentation"})
