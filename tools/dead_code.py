"""Lists the Python code that nobody uses; what stands in `[tool.vulture]` of pyproject.toml is left out.

A test is no use of what it tests: the packages are held against themselves, the benchmarks and the tools alone. A field
of the HTTP API is used where the front end reads it. Exits with 1 when there is anything.
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
    files = [file for folder in config["paths"] for file in Path(folder).rglob("*.py")]
    vulture.scavenge([file for file in files if not is_test(file)])
    of_packages = [item for item in vulture.get_unused_code() if "src" in item.filename.parts]
    vulture.scavenge(filter(is_test, files))
    elsewhere = [item for item in vulture.get_unused_code() if "src" not in item.filename.parts]
    read = words_of_front_end()
    return [
        item.get_report()
        for item in (*of_packages, *elsewhere)
        if not ("piql_backend" in item.filename.parts and item.name in read)
    ]


def is_test(file: Path) -> bool:
    """Whether a file only tests others."""
    return "tests" in file.parts or file.name.startswith("test_") or file.name == "conftest.py"


def words_of_front_end() -> frozenset[str]:
    """Every word in the sources of the front end, but for the types that are generated from the schemas."""
    sources = (file for file in FRONT_END.rglob("*.ts*") if file.name != GENERATED)
    return frozenset(word for file in sources for word in re.findall(r"\w+", file.read_text(encoding="utf-8")))


if __name__ == "__main__":
    lines = unused()
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)
