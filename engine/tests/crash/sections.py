"""Writes of several rows drawn from a seed, and the states that they go through, foretold by a plain model.

Write ──steps──▶ the rows before it, after its first row, its second … and the refusal that ends it, if any

With transactions only the first and the last of these may be found, without any of them.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, TypeAlias

import piql

Tell: TypeAlias = Callable[[str], None]
Key: TypeAlias = tuple[int, int]

MOST_IN_A_CART, MOST_WITH_A_TAG = 4, 5
SOURCE = f"""
CREATE TABLE line (
  cart INT, item INT, counted INT NOT NULL, tag INT NULL, code INT NULL UNIQUE,
  PRIMARY KEY (cart, item), CARDINALITY LIMIT {MOST_IN_A_CART} (cart), CARDINALITY LIMIT {MOST_WITH_A_TAG} (tag));
CREATE TABLE pins (cart INT, item INT, PRIMARY KEY (cart, item), FOREIGN KEY (cart, item) REFERENCES line);
CREATE QUERY put AS INSERT INTO line (cart, item, counted, code) VALUES
([cart], [a], 0, [code]), ([cart], [b], 0, NULL), ([cart], [c], 0, NULL)
ON CONFLICT (cart, item) DO UPDATE SET counted = counted + 1;
CREATE QUERY pin AS INSERT INTO pins (cart, item) VALUES ([cart], [item]);
CREATE QUERY unpin AS DELETE FROM pins WHERE cart = [cart] AND item IN [items] MAX 3;
CREATE QUERY mark AS UPDATE line SET tag = [tag], counted = counted + 1 WHERE cart = [cart];
CREATE QUERY clear AS DELETE FROM line WHERE cart = [cart] RETURNING item;
CREATE QUERY clearTagged AS DELETE FROM line WHERE tag = [tag];
CREATE QUERY most AS DELETE FROM line WHERE counted > 1 ORDER BY counted DESC, cart DESC, item DESC LIMIT 2;
CREATE QUERY inCart AS SELECT cart, item, counted, tag, code FROM line WHERE cart IN (0, 1, 2);
CREATE QUERY tagged AS SELECT cart, item, counted, tag, code FROM line WHERE tag IN (0, 1);
CREATE QUERY pinned AS SELECT cart, item FROM pins WHERE cart IN (0, 1, 2) AND item IN (0, 1, 2, 3, 4);
"""
_KINDS = {"put": 8, "pin": 2, "unpin": 2, "mark": 6, "clear": 1, "clearTagged": 1, "most": 2}


@dataclass(frozen=True)
class Line:
    """A row of `line` beside its key."""

    counted: int = 0
    tag: int | None = None
    code: int | None = None


@dataclass(frozen=True)
class Shop:
    """All rows: those of `line` by their key, and the keys of `pins`."""

    lines: Mapping[Key, Line] = field(default_factory=dict)
    pins: frozenset[Key] = frozenset()


@dataclass(frozen=True)
class Write:
    """An execution of a query."""

    query: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Steps:
    """What a write comes to by itself: the states from the one before it, and the refusals that may end it there."""

    states: list[Shop]
    refusals: frozenset[str] = frozenset()


def writes(seed: int) -> Iterator[Write]:
    """Return writes without end."""
    chance = random.Random(seed)
    while True:
        (kind,) = chance.choices(list(_KINDS), list(_KINDS.values()))
        cart, tag = {"cart": chance.randrange(3)}, {"tag": chance.randrange(2)}
        a, b, c = chance.sample(range(5), 3)
        match kind:
            case "put":
                code = chance.choice((None, chance.randrange(3)))
                yield Write(kind, {**cart, "a": a, "b": b, "c": c, "code": code})
            case "pin":
                yield Write(kind, {**cart, "item": a})
            case "unpin":
                yield Write(kind, {**cart, "items": [a, b, c]})
            case "mark":
                yield Write(kind, {**cart, **tag})
            case _:
                yield Write(kind, {"clear": cart, "clearTagged": tag}.get(kind, {}))


def steps(shop: Shop, write: Write) -> Steps:
    """Return what a write does to the rows when nobody else writes."""
    states = [shop]
    for change in _changes(shop, write):
        then = change(states[-1])
        refusals = _refusals(then)
        if refusals:
            return Steps(states, refusals)
        states.append(then)
    return Steps(states)


def _changes(shop: Shop, write: Write) -> Iterator[Callable[[Shop], Shop]]:
    """Yield the change of each row that a write means, in its order: that of a list is the order of its values."""
    parameters, lines = write.parameters, shop.lines
    match write.query:
        case "put":
            for name, code in (("a", parameters["code"]), ("b", None), ("c", None)):
                yield partial(_put, key=(parameters["cart"], parameters[name]), code=code)
        case "pin":
            yield partial(_pinned, key=(parameters["cart"], parameters["item"]))
        case "unpin":
            yield from (partial(_unpinned, key=(parameters["cart"], item)) for item in parameters["items"])
        case "mark":
            keys = sorted(key for key in lines if key[0] == parameters["cart"])
            yield from (partial(_marked, key=key, tag=parameters["tag"]) for key in keys)
        case "clear":
            keys = sorted(key for key in lines if key[0] == parameters["cart"])
            yield from (partial(_without, key=key) for key in keys)
        case "clearTagged":
            keys = sorted(key for key, line in lines.items() if line.tag == parameters["tag"])
            yield from (partial(_without, key=key) for key in keys)
        case "most":
            most = sorted(((line.counted, *key) for key, line in lines.items() if line.counted > 1), reverse=True)
            yield from (partial(_without, key=(cart, item)) for _, cart, item in most[:2])


def _put(shop: Shop, key: Key, code: int | None) -> Shop:
    old = shop.lines.get(key)
    return _with(shop, key, Line(0, None, code) if old is None else replace(old, counted=old.counted + 1))


def _marked(shop: Shop, key: Key, tag: int) -> Shop:
    line = shop.lines[key]
    return _with(shop, key, replace(line, counted=line.counted + 1, tag=tag))


def _pinned(shop: Shop, key: Key) -> Shop:
    return replace(shop, pins=shop.pins | {key})


def _unpinned(shop: Shop, key: Key) -> Shop:
    return replace(shop, pins=shop.pins - {key})


def _without(shop: Shop, key: Key) -> Shop:
    return replace(shop, lines={kept: line for kept, line in shop.lines.items() if kept != key})


def _with(shop: Shop, key: Key, line: Line) -> Shop:
    return replace(shop, lines={**shop.lines, key: line})


def _refusals(shop: Shop) -> frozenset[str]:
    lines = shop.lines.values()
    refusals: set[str] = set()
    if max(Counter(cart for cart, _ in shop.lines).values(), default=0) > MOST_IN_A_CART:
        refusals.add("CardinalityViolation")
    if max(Counter(line.tag for line in lines if line.tag is not None).values(), default=0) > MOST_WITH_A_TAG:
        refusals.add("CardinalityViolation")
    if max(Counter(line.code for line in lines if line.code is not None).values(), default=0) > 1:
        refusals.add("DuplicateKey")
    if not shop.pins <= shop.lines.keys():
        refusals.add("ForeignKeyViolation")
    return frozenset(refusals)


def execute(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Execute writes without end, or `count` of them; each makes no more requests than its bound."""
    with piql.connect(job["url"]) as db:
        for write in itertools.islice(writes(job["seeds"][number]), job.get("count")):
            try:
                page = db.execute(write.query, write.parameters)
            except piql.PiqlError as refusal:
                tell(f"done {type(refusal).__name__}")
            else:
                assert page.operations <= bounds()[write.query], f"{write} made {page.operations} requests"
                tell("done ok")


@cache
def bounds() -> Mapping[str, int]:
    """Return the most requests of each query."""
    queries = piql.compile(SOURCE).queries.values()
    return {query.name: query.bound.operations for query in queries if query.bound is not None}


def shop_in(db: piql.Database, line: Iterable[Mapping[str, Any]], pins: Iterable[Mapping[str, Any]]) -> Shop:
    """Return the model of rows that were read."""
    return Shop(
        {(row["cart"], row["item"]): Line(row["counted"], row["tag"], row["code"]) for row in line},
        frozenset((row["cart"], row["item"]) for row in pins),
    )
