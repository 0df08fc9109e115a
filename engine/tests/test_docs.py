"""Every ```piql block of the documentation is what it says: it compiles, or is refused where its fence says `refused`.

A fence may add `with scadr`: then the block is compiled together with the schema of that sample application.
"""

import re
from pathlib import Path

import piql
import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```piql(?P<says>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    return [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("sample-apps/*/README.md")]


def blocks() -> list[tuple[str, str, str]]:
    found = []
    for document in documents():
        text = document.read_text()
        for block in FENCE.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            found.append((f"{document.relative_to(ROOT)}:{line}", block["says"], block["text"]))
    return found


def test_the_documentation_shows_piql() -> None:
    assert len(blocks()) >= 5


@pytest.mark.parametrize(("says", "text"), [pytest.param(says, text, id=where) for where, says, text in blocks()])
def test_a_block_of_the_documentation_is_what_it_says(says: str, text: str) -> None:
    words = says.split()
    files = {"block.piql": text}
    if "with" in words:
        application = words[words.index("with") + 1]
        files["schema.piql"] = (ROOT / "sample-apps" / application / "schema.piql").read_text()
    errors = [found.message for found in piql.compile(files).diagnostics if found.severity == "error"]
    assert bool(errors) == ("refused" in words), errors
