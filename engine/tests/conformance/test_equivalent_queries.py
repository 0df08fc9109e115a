"""Queries that say the same have the same bound: `equivalent.json` holds groups of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import piql
import pytest

GROUPS: list[Mapping[str, Any]] = json.loads((Path(__file__).parent / "equivalent.json").read_text())


@pytest.mark.parametrize("group", [pytest.param(group, id=group["title"]) for group in GROUPS])
def test_each_way_to_say_it_has_the_same_bound(group: Mapping[str, Any]) -> None:
    bounds = {}
    for query in group["queries"]:
        compiled = piql.compile(f"{group['ddl']}\nCREATE QUERY q AS {query};").queries["q"]
        bounds[query] = (compiled.bound.operations, compiled.bound.rows) if compiled.bound else None
    assert {query: bound for query, bound in bounds.items() if bound != (group["operations"], group["rows"])} == {}


def test_there_are_many_ways() -> None:
    assert sum(len(group["queries"]) for group in GROUPS) >= 100
