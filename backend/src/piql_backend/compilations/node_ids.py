"""How a node of a plan is named in an answer."""

from __future__ import annotations

from typing import TypeAlias

Path: TypeAlias = tuple[int, ...]  # child numbers from the root


def node_id(path: Path) -> str:
    """The id of a plan node: `root`, and `0.1` for the second child of the root's first child."""
    return ".".join(map(str, path)) or "root"
