"""The guide's example: the PIQL that it shows is what its SQL becomes."""

import re
from pathlib import Path

import pytest
from piql.importing import import_text

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "importing.md"
FENCE = re.compile(r"^```(?:sql|piql)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_guide_shows_what_the_import_writes(request: pytest.FixtureRequest) -> None:
    guide = GUIDE.read_text()
    sql, piql = list(FENCE.finditer(guide))[:2]
    written = import_text(sql["text"], file="shop.sql").text
    if request.config.getoption("--update-golden"):
        GUIDE.write_text(guide[: piql.start("text")] + written + guide[piql.end("text") :])
    assert GUIDE.read_text()[piql.start("text") :].startswith(written + "```")
