"""A table with rows, and versions of a schema that follow one another."""

from __future__ import annotations

import piql

ITEMS = """CREATE TABLE items (
  id INT PRIMARY KEY, kind VARCHAR(20), price INT, title VARCHAR(60){more});
"""
GET = "CREATE QUERY item AS SELECT id, kind, price FROM items WHERE id = [id];\n"
ADD = "CREATE QUERY add AS INSERT INTO items (id, kind, price, title) VALUES ([id], [kind], [price], [title]);\n"
PRICE = "CREATE QUERY reprice AS UPDATE items SET price = [price] WHERE id = [id];\n"
REMOVE = "CREATE QUERY remove AS DELETE FROM items WHERE id = [id];\n"
BY_KIND = "CREATE QUERY byKind AS SELECT id, price FROM items WHERE kind = [kind] ORDER BY price DESC LIMIT 5;\n"
BY_WORD = "CREATE QUERY byWord AS SELECT id FROM items WHERE title LIKE [word] LIMIT 5;\n"

FIRST = ITEMS.format(more="") + GET + ADD + PRICE + REMOVE
LIMITED = ITEMS.format(more=", CARDINALITY LIMIT {limit} (kind)")


def limited(limit: int) -> str:
    return LIMITED.format(limit=limit)


def row(at: int) -> dict[str, object]:
    return {"id": at, "kind": f"k{at % 7}", "price": at, "title": f"a thing number {at}"}


def filled(url: str, rows: int) -> piql.Database:
    """Return a database with the first version and some rows."""
    db = piql.connect(url)
    db.deploy(piql.compile(FIRST))
    db.load("items", [row(at) for at in range(rows)])
    return db
