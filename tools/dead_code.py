"""Lists the Python code that nobody uses; what stands in `[tool.vulture]` of pyproject.toml is left out.

A field of a schema of the HTTP API is used where the front end reads it. Exits with 1 when there is anything.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from vulture import Vulture
from vulture.config import make_config

FRONT_END = Path("frontend/src")
GENERATED = "schema.d.ts"


def unused() -> list[str]:
    """One line for each name that is never used, with its file and line."""
    config = make_config([])
    vulture = Vulture(ignore_names=config["ignore_names"], ignore_decorators=config["ignore_decorators"])
    vulture.scavenge(config["paths"], exclude=config["exclude"])
    read = words_of_front_end()
    return [
        item.get_report()
        for item in vulture.get_unused_code()
        if not (item.filename.name == "schemas.py" and item.name in read)
    ]


def words_of_front_end() -> frozenset[str]:
    """Every word in the sources of the front end, but for the types that are generated from the schemas."""
    sources = (file for file in FRONT_END.rglob("*.ts*") if file.name != GENERATED)
    return frozenset(word for file in sources for word in re.findall(r"\w+", file.read_text(encoding="utf-8")))


if __name__ == "__main__":
    lines = unused()
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)
