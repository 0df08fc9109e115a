"""How many requests to the server one request of the engine takes at most, and a commit takes; pure.

A read asks for the root, and for the catalog where the schema has changed. Then it reads pages, as far as they are not
kept. Each leaf that a range reads has a row of it, but for the first, which may have none.
"""

from __future__ import annotations

ROOT_AND_CATALOG = 2


def most_pages_of_get(height: int) -> int:
    """Return how many pages a get by the whole key reads at most, from a tree of this height."""
    return height


def most_pages_of_range(height: int, limit: int) -> int:
    """Return how many pages a range of at most `limit` rows reads at most: the way to each leaf may be another."""
    return height * (limit + 1)
