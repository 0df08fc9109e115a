"""The generated rows keep every promise of the schema, so that loading them can only succeed."""

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import piql
import pytest
from tpcw.data import MOST_AUTHORS_OF_A_WORD, MOST_CART_LINES, MOST_ORDER_LINES, author_name, generate

TABLES = piql.compile(Path(__file__).resolve().parent.parent / "schema.piql").tables


def test_rows_come_for_every_table_in_the_order_of_their_foreign_keys() -> None:
    seen: set[str] = set()
    rows = generate(customers=3, items=8)
    for name in rows:
        assert {key.table for key in TABLES[name].foreign_keys} <= seen
        seen.add(name)
    assert seen == set(TABLES)


def test_every_row_names_all_columns_of_its_table() -> None:
    for name, rows in generate(customers=20, items=40).items():
        assert rows
        for row in rows:
            assert set(row) == {column.name for column in TABLES[name].columns}


def test_equal_numbers_give_equal_rows() -> None:
    assert generate(customers=30, items=40) == generate(customers=30, items=40)
    assert generate(customers=30, items=40) != generate(customers=30, items=40, seed=1)


def test_primary_keys_are_unique_and_foreign_keys_name_rows_that_exist() -> None:
    rows = generate(customers=50, items=60, orders_per_customer=2)
    keys = {}
    for name, table in TABLES.items():
        keys[name] = {tuple(row[column] for column in table.primary_key) for row in rows[name]}
        assert len(keys[name]) == len(rows[name])
    for name, table in TABLES.items():
        for key in table.foreign_keys:
            assert {tuple(row[column] for column in key.columns) for row in rows[name]} <= keys[key.table]


def test_texts_fit_their_columns() -> None:
    for name, rows in generate(customers=100, items=200).items():
        for column in TABLES[name].columns:
            if column.type.length is not None:
                assert max(len(str(row[column.name])) for row in rows) <= column.type.length


def test_no_word_is_in_the_names_of_more_authors_than_the_schema_allows() -> None:
    words: Counter[str] = Counter()
    for number in range(2_500):
        words.update({name.lower() for name in author_name(number)})
    assert max(words.values()) <= MOST_AUTHORS_OF_A_WORD
    assert len({author_name(number) for number in range(2_500)}) == 2_500


def test_carts_hold_as_many_lines_as_asked_and_never_more_than_allowed() -> None:
    carts = generate(customers=4, items=120, cart_lines=MOST_CART_LINES)["shopping_cart_line"]
    assert set(Counter(row["scl_c_uname"] for row in carts).values()) == {MOST_CART_LINES}
    with pytest.raises(ValueError, match="100 lines"):
        generate(cart_lines=MOST_CART_LINES + 1)


def test_an_order_costs_what_its_lines_cost_and_is_paid_in_full() -> None:
    rows = generate(customers=20, items=40, orders_per_customer=2)
    prices = {row["i_id"]: Decimal(str(row["i_cost"])) for row in rows["item"]}
    totals: Counter[object] = Counter()
    lines: Counter[object] = Counter()
    for line in rows["order_line"]:
        totals[line["ol_o_id"]] += prices[line["ol_i_id"]] * int(str(line["ol_qty"]))  # type: ignore[assignment]
        lines[line["ol_o_id"]] += 1
    assert max(lines.values()) <= MOST_ORDER_LINES
    assert {row["o_id"]: row["o_total"] for row in rows["orders"]} == totals
    assert {row["cx_o_id"]: row["cx_amt"] for row in rows["cc_xacts"]} == totals


def test_orders_are_dated_in_whole_milliseconds_of_utc_and_no_two_of_a_customer_alike() -> None:
    orders = generate(customers=20, items=8, orders_per_customer=5)["orders"]
    for row in orders:
        at = row["o_date_time"]
        assert isinstance(at, datetime)
        assert at.tzinfo is UTC
        assert at.microsecond % 1_000 == 0
    assert len({(row["o_c_uname"], row["o_date_time"]) for row in orders}) == len(orders)
