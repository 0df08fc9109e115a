"""Lists are sent in pages: at most `limit` elements, and a cursor to where the next page begins.

    GET /api/deployments?limit=2                 {"items": [{"id": "d9", …}, {"id": "d8", …}], "next": "WyJkZXB…"}
    GET /api/deployments?limit=2&cursor=WyJkZXB… {"items": [{"id": "d7", …}], "next": null}

A cursor holds the key of the last element that was sent, not how many came before. So elements that are added or
removed between two pages make no other element come twice, and leave none out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Query

from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import Read

USUAL = 100
MOST = 500
_MOST_CURSOR = 2_000  # characters; a key is the name of a query or a path
_MOST_NUMBER = 2**53  # beyond it a number in JSON is not exact

Item = TypeVar("Item")
Key = TypeVar("Key", int, str)


class Page(Read, Generic[Item]):
    """Some elements of a list; `next` is the cursor of the page behind them, null on the last."""

    items: list[Item]
    next: str | None


@dataclass(frozen=True, slots=True)
class PageWish:
    """Which page is asked for: `limit` elements at most, behind those of the page that gave `cursor`."""

    limit: int = USUAL
    cursor: str | None = None


async def _wish(
    limit: Annotated[int, Query(ge=1, le=MOST, description="Elements at most.")] = USUAL,
    cursor: Annotated[str | None, Query(max_length=_MOST_CURSOR, description="`next` of the page before.")] = None,
) -> PageWish:
    return PageWish(limit, cursor)


WishedPage = Annotated[PageWish, Depends(_wish)]


@dataclass(frozen=True)
class Listing(Generic[Item, Key]):
    """A list in the order of a key that no two elements share; `name` keeps its cursors apart from other lists'."""

    name: str
    kind: type[Key]
    key: Callable[[Item], Key]
    is_descending: bool = False

    def page(self, wish: PageWish, fetch: Callable[[Key | None, int], Sequence[Item]]) -> Page[Item]:
        """A page; `fetch(after, count)` returns the `count` next elements behind a key, from the start for None.

        Raises ApiError 422 for a cursor that does not belong to this list.
        """
        after = None if wish.cursor is None else self._key_of(wish.cursor)
        items = fetch(after, wish.limit + 1)
        sent = list(items[: wish.limit])
        return Page(items=sent, next=self._cursor_behind(sent[-1]) if len(items) > wish.limit else None)

    def page_of(self, wish: PageWish, items: Iterable[Item]) -> Page[Item]:
        """A page of elements that are all at hand, in any order; ApiError 422 as `page`."""
        ordered = sorted(items, key=self.key, reverse=self.is_descending)

        def fetch(after: Key | None, count: int) -> Sequence[Item]:
            return [item for item in ordered if after is None or self._is_behind(self.key(item), after)][:count]

        return self.page(wish, fetch)

    def _is_behind(self, key: Key, after: Key) -> bool:
        return key < after if self.is_descending else key > after

    def _cursor_behind(self, item: Item) -> str:
        return base64.urlsafe_b64encode(json.dumps([self.name, self.key(item)]).encode()).decode().rstrip("=")

    def _key_of(self, cursor: str) -> Key:
        """The key in a cursor; ApiError 422 for a text that is no cursor of this list."""
        try:
            content: Any = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
            name, key = content
            if name == self.name and type(key) is self.kind and _is_comparable(key):
                return key
        except (ValueError, TypeError, RecursionError):
            pass
        raise ApiError(
            422, "invalid-cursor", "The cursor does not belong to this list.", "Start again from the first page."
        )


def _is_comparable(key: int | str) -> bool:
    """Whether the database can compare the key; ValueError for text with halves of characters (lone surrogates)."""
    if isinstance(key, int):
        return abs(key) <= _MOST_NUMBER
    key.encode()
    return True
