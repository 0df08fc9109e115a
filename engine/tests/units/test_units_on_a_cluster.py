"""Units on a cluster, beside units, writes and reads of the same rows, and behind one that was stopped half-way."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import piql
import pytest
from cluster.fixture import cluster, cluster_keyspace, cluster_url
from piql.client.database import Database
from piql.runtime.writing.stepped.intents import processes
from piql.runtime.writing.stepped.unit_record import UnitRecord, units_under_way
from promises import broken_promises

__all__ = ["cluster", "cluster_keyspace", "cluster_url"]
pytestmark = pytest.mark.cluster

SOURCE = """
CREATE TABLE goods (id BIGINT PRIMARY KEY, price INT NOT NULL, stock INT NOT NULL, CHECK (stock >= 0));
CREATE TABLE purchases (id INT PRIMARY KEY, buyer VARCHAR(8) NOT NULL, total INT NOT NULL);
CREATE TABLE lines (
  purchase INT REFERENCES purchases, item BIGINT REFERENCES goods, price INT NOT NULL, n INT NOT NULL,
  PRIMARY KEY (purchase, item), CARDINALITY LIMIT 5 (purchase)
);
CREATE UNIT buy AS BEGIN
  LET price = (SELECT price FROM goods WHERE id = [item]);
  INSERT INTO purchases (id, buyer, total) VALUES ([purchase], [buyer], [price] * [n]) IF NOT EXISTS;
  INSERT INTO lines (purchase, item, price, n) VALUES ([purchase], [item], [price], [n]);
  UPDATE goods SET stock = stock - [n] WHERE id = [item] AND stock >= [n];
END;
CREATE UNIT swap AS BEGIN
  LET a = (SELECT stock FROM goods WHERE id = [x]);
  LET b = (SELECT stock FROM goods WHERE id = [y]);
  UPDATE goods SET stock = [b] WHERE id = [x];
  UPDATE goods SET stock = [a] WHERE id = [y];
END;
CREATE QUERY raise AS UPDATE goods SET price = price + 1 WHERE id = [id];
CREATE QUERY item AS SELECT price, stock FROM goods WHERE id = [id];
CREATE QUERY bought AS SELECT item, price, n FROM lines WHERE purchase = [purchase];
CREATE QUERY purchase AS SELECT total FROM purchases WHERE id = [purchase];
CREATE QUERY ofBuyer AS SELECT id, total FROM purchases WHERE buyer = [buyer] ORDER BY id LIMIT 50;
"""
CARTS = """
CREATE TABLE carts (id INT PRIMARY KEY);
CREATE TABLE cart_lines (
  cart INT REFERENCES carts, n INT, v INT NOT NULL, PRIMARY KEY (cart, n), CARDINALITY LIMIT 20 (cart)
);
CREATE TABLE receipts (id INT PRIMARY KEY, total INT NOT NULL);
CREATE UNIT checkOut AS BEGIN
  LET total = COALESCE((SELECT SUM(v) FROM cart_lines WHERE cart = [cart]), 0);
  INSERT INTO receipts (id, total) VALUES ([receipt], [total]) IF NOT EXISTS;
  DELETE FROM cart_lines WHERE cart = [cart];
END;
CREATE QUERY addLine AS INSERT INTO cart_lines (cart, n, v) VALUES ([cart], [n], [v]) IF NOT EXISTS;
"""
ITEMS, STOCK = 3, 60


def write_some(url: str, writer: int) -> int:
    """Make units beside other writers, of which all want the same rows; return how many items were bought."""
    bought = 0
    with piql.connect(url) as db:
        for turn in range(10):
            number = 100 * (1 + writer) + turn
            given = {"purchase": number, "buyer": f"b{writer}", "item": turn % ITEMS, "n": 1 + turn % 2}
            with suppress(piql.StoreUnavailable):
                page = db.execute("buy", given)
                assert page.operations <= db.deployment.compilation.queries["buy"].bound.operations  # type: ignore[union-attr]
                bought += 1 + turn % 2
            if turn % 3 == 0:
                with suppress(piql.StoreUnavailable):
                    db.execute("swap", {"x": turn % ITEMS, "y": (turn + 1) % ITEMS})
            with suppress(piql.StoreUnavailable):
                db.execute("raise", {"id": turn % ITEMS})
    return bought


def read_some(url: str) -> None:
    """Look for purchases of which a part is there: who has seen the total sees the line."""
    with piql.connect(url) as db:
        for turn in range(60):
            number = 100 * (1 + turn % 4) + turn % 10
            with suppress(piql.RepairPending):
                total = db.execute("purchase", {"purchase": number}, consistency="quorum").rows
                lines = db.execute("bought", {"purchase": number}, consistency="quorum").rows
                if total:
                    assert [int(line["price"]) * int(line["n"]) for line in lines] == [int(total[0]["total"])]


def check(db: Database, bought: int) -> None:
    """Hold purchases, lines and stocks against each other; nothing may be under way."""
    db.sweep(older_than=-1)
    row_writes = db.store.row_writes
    assert row_writes is not None
    assert [unit for process in processes(row_writes) for unit in units_under_way(row_writes, process)] == []
    assert broken_promises(db) == []
    stocks = sum(int(stock) for (stock,) in db.some_rows("goods", ("stock",), 99))
    lines = db.some_rows("lines", ("purchase", "price", "n"), 999)
    totals = dict(db.some_rows("purchases", ("id", "total"), 999))
    assert totals == {purchase: price * n for purchase, price, n in lines}
    assert stocks == ITEMS * STOCK - sum(int(n) for _, _, n in lines)
    assert sum(int(n) for _, _, n in lines) >= bought


def test_units_beside_each_other_and_behind_a_stopped_one(
    cluster_url: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE))
        db.load("goods", [{"id": number, "price": 7 + number, "stock": STOCK} for number in range(ITEMS)])
        with ThreadPoolExecutor(5) as pool:
            readers = [pool.submit(read_some, url)]
            writers = [pool.submit(write_some, url, writer) for writer in range(4)]
            bought = sum(writer.result() for writer in writers)
            for reader in readers:
                reader.result()
        assert bought > 0
        check(db, bought)
        for is_made in (False, True):
            stop(db, monkeypatch, is_made=is_made)
            with piql.connect(url) as second:
                read = second.execute("purchase", {"purchase": 1}, consistency="quorum").rows
                assert bool(read) == is_made
                assert bool(second.execute("bought", {"purchase": 1}, consistency="quorum").rows) == is_made
                second.run("UPDATE goods SET price = 1 WHERE id = 1")  # out of patience after a second
                check(second, bought)


def shop(url: str, writer: int) -> tuple[int, int]:
    """Put lines into two carts and check them out, beside others; return what was put in for certain, and perhaps."""
    certain = perhaps = 0
    with piql.connect(url) as db:
        for turn in range(15):
            number = 100 * writer + turn
            try:
                if turn % 4 == 3:
                    page = db.execute("checkOut", {"cart": turn % 2, "receipt": number})
                    assert page.operations <= db.deployment.compilation.queries["checkOut"].bound.operations  # type: ignore[union-attr]
                else:
                    db.execute("addLine", {"cart": turn % 2, "n": number, "v": 1 + turn})
                    certain += 1 + turn
            except piql.CardinalityViolation:
                pass  # the cart is full
            except piql.StoreUnavailable:
                perhaps += 0 if turn % 4 == 3 else 1 + turn
    return certain, perhaps


def test_what_is_checked_out_was_in_the_cart_once(cluster_url: Callable[..., str]) -> None:
    url = cluster_url()
    with piql.connect(url) as db:
        db.deploy(piql.compile(CARTS))
        db.load("carts", [{"id": number} for number in range(2)])
        with ThreadPoolExecutor(4) as pool:
            amounts = [writer.result() for writer in [pool.submit(shop, url, writer) for writer in range(4)]]
        certain, perhaps = (sum(of_writers) for of_writers in zip(*amounts, strict=True))
        db.sweep(older_than=-1)
        assert broken_promises(db) == []
        receipts = [int(total) for (total,) in db.some_rows("receipts", ("total",), 999)]
        left = [int(v) for (v,) in db.some_rows("cart_lines", ("v",), 999)]
        assert any(receipts)
        assert certain <= sum(receipts) + sum(left) <= certain + perhaps


def stop(db: Database, monkeypatch: pytest.MonkeyPatch, *, is_made: bool) -> None:
    """End a unit right before it is decided, or right behind that."""
    units = db._identity.units  # type: ignore[union-attr]
    swap = units.swap

    def stopping(unit: UnitRecord, after: UnitRecord) -> tuple[bool, str | None]:
        if is_made:
            swap(unit, after)
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(units, "swap", stopping)
        with pytest.raises(Stopped):
            db.execute("buy", {"purchase": 1, "buyer": "z", "item": 1, "n": 1})


class Stopped(BaseException):
    """The process ends here."""
