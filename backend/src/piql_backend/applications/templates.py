"""The applications that new ones can be made from: files of a sample application, and the rows that belong to them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from piql_backend.settings import SampleSize

Rows = Mapping[str, Iterable[dict[str, object]]]


@dataclass(frozen=True, slots=True)
class Template:
    """A sample application in the folder of its id; `numbers` are the arguments of `generate` in its data.py."""

    id: str
    title: str
    about: str
    numbers: Callable[[SampleSize], Mapping[str, int]]

    def files(self, samples: Path) -> dict[str, str]:
        """The text of each file by its path, the schema first."""
        folder = samples / self.id
        paths = (folder / "schema.piql", *sorted((folder / "queries").glob("*.piql")))
        return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}

    def rows(self, samples: Path, size: SampleSize) -> Rows:
        """The rows by table, in an order in which they can be loaded."""
        generate: Callable[..., Rows] = _data_module(samples / self.id / "data.py").generate
        return generate(**self.numbers(size))


TEMPLATES: Mapping[str, Template] = {
    template.id: template
    for template in (
        Template(
            "scadr",
            "SCADr",
            "Short thoughts of users who follow each other.",
            lambda size: {
                "users": size.users,
                "thoughts_per_user": size.thoughts_per_user,
                "subscriptions_per_user": size.subscriptions_per_user,
            },
        ),
        Template(
            "tpcw",
            "TPC-W",
            "A bookshop: search, carts, orders and payments.",
            lambda size: {"customers": size.users, "items": size.users},
        ),
        Template(
            "chat",
            "Chat",
            "Rooms, their members and their messages.",
            lambda size: {"people": size.users // 2, "messages": 20 * size.users},
        ),
        Template(
            "shop",
            "Shop",
            "Products, carts, orders and reviews.",
            lambda size: {"customers": size.users // 2, "products": size.users, "reviews": 2 * size.users},
        ),
        Template(
            "leaderboard",
            "Leaderboard",
            "Stories with votes and comments, which views count.",
            lambda size: {
                "people": size.users // 2,
                "stories": size.users,
                "votes": 10 * size.users,
                "comments": 3 * size.users,
            },
        ),
    )
}


def _data_module(file: Path) -> Any:
    """Import a data.py, which is in no package."""
    specification = importlib.util.spec_from_file_location("piql_sample_data", file)
    assert specification is not None
    assert specification.loader is not None
    module: Any = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
