"""The papers' subset of TPC-W: a customer looks at six products, and orders three of them (section 6.2).

A transaction reads 1 customer and 6 items, inserts 1 order and 3 order lines, and updates the stock of 3 items: seven
changes. Orders have random keys, as in the paper.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from piql_profiler.experiments.s3_levels.client import Client

READS, CHANGES = 7, 7
_LOOKED_AT, _ORDERED = 6, 3

Rows = Mapping[str, list[dict[str, Any]]]


def records_of(rows: Rows, chance: random.Random) -> dict[str, dict[str, str]]:
    """Return the rows of TPC-W that a transaction needs, as payloads by key."""
    return {
        "customer": {row["c_uname"]: _payload(row) for row in rows["customer"]},
        "item": {row["i_id"]: _payload(row) for row in rows["item"]},
        "orders": {new_key(chance): _payload(row) for row in rows["orders"]},
        "order_line": {new_key(chance): _payload(row) for row in rows["order_line"]},
    }


def order(client: Client, customers: list[str], items: list[str], chance: random.Random) -> None:
    """Do all of a transaction but its commit."""
    customer = chance.choice(customers)
    client.read("customer", customer)
    looked_at = chance.sample(items, _LOOKED_AT)
    payloads = {item: client.read("item", item) for item in looked_at}
    key = new_key(chance)
    client.insert("orders", key, _payload({"o_c_uname": customer, "o_status": "PENDING", "o_ship_type": "AIR"}))
    for line, item in enumerate(looked_at[:_ORDERED]):
        client.insert("order_line", new_key(chance), _payload({"ol_o_id": key, "ol_id": line, "ol_i_id": item}))
        content = json.loads(payloads[item] or "{}")
        content["i_stock"] = content["i_stock"] - 1 or 21  # new ones come when the last is sold
        client.update("item", item, _payload(content))


def new_key(chance: random.Random) -> str:
    """Return a key that nobody else has."""
    return f"{chance.getrandbits(128):032x}"


def _payload(row: Mapping[str, Any]) -> str:
    return json.dumps(row, default=str)
