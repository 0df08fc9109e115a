"""What each of several processes does to the same sections: it adds, counts, moves and removes their rows.

Each says how many rows it added and counted up, and what the rows that it removed had counted to.
"""

from __future__ import annotations

import random
from typing import Any

import piql

from .jobs import PatientDatabase, Tell, connect

CARTS, TAGS = 3, 2
SOURCE = """
CREATE TABLE line (
  cart INT, item INT, counted INT NOT NULL, tag INT NULL,
  PRIMARY KEY (cart, item), CARDINALITY LIMIT 4 (cart), CARDINALITY LIMIT 5 (tag));
CREATE QUERY add AS INSERT INTO line (cart, item, counted) VALUES ([cart], [item], 0) IF NOT EXISTS;
CREATE QUERY count AS UPDATE line SET counted = counted + 1 WHERE cart = [cart];
CREATE QUERY countTagged AS UPDATE line SET counted = counted + 1 WHERE tag = [tag] AND counted < 5 RETURNING counted;
CREATE QUERY move AS UPDATE line SET tag = [tag] WHERE cart = [cart] AND item IN [items] MAX 3;
CREATE QUERY clear AS DELETE FROM line WHERE cart = [cart] RETURNING counted;
CREATE QUERY clearTagged AS DELETE FROM line WHERE tag = [tag] RETURNING counted;
CREATE QUERY most AS DELETE FROM line WHERE counted > 2 ORDER BY counted DESC LIMIT 2 RETURNING counted;
"""
_KINDS = ("add", "count", "countTagged", "move", "clear", "clearTagged", "most")


def use(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Write to the sections at random, together with the others."""
    chance = random.Random(f"{job['seed']} {number}")
    with connect(job["url"]) as db:
        job["together"].wait()
        for _ in range(job["turns"]):
            (kind,) = chance.choices(_KINDS, (9, 4, 3, 3, 1, 1, 1))
            cart, tag = chance.randrange(CARTS), chance.randrange(TAGS)
            match kind:
                case "add":
                    tell(f"added {_affected(db, kind, cart=cart, item=chance.randrange(6))}")
                case "count":
                    tell(f"counted {_affected(db, kind, cart=cart)}")
                case "countTagged":
                    tell(f"counted {_affected(db, kind, tag=tag)}")
                case "move":
                    items = chance.sample(range(6), 3)
                    _affected(db, kind, cart=cart, tag=chance.choice((None, tag)), items=items)
                case _:
                    rows = _page(db, kind, **{"clear": {"cart": cart}, "clearTagged": {"tag": tag}}.get(kind, {})).rows
                    tell(f"removed {len(rows)} {sum(row['counted'] for row in rows)}")
        tell("done ok")


def _affected(db: PatientDatabase, query: str, **parameters: object) -> int:
    try:
        return _page(db, query, **parameters).rows_affected or 0
    except (piql.CardinalityViolation, piql.DuplicateKey):
        return 0


def _page(db: PatientDatabase, query: str, **parameters: object) -> piql.Page:
    page = db.execute(query, parameters)
    bound = _BOUNDS[query]
    assert page.operations <= bound, f"{query} {parameters} made {page.operations} requests, {bound} are its bound"
    return page


_BOUNDS = {
    name: query.bound.operations for name, query in piql.compile(SOURCE).queries.items() if query.bound is not None
}
