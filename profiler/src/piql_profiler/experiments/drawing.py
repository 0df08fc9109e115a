"""What draws the parameters of TPC-W's queries of Table 1, from the rows that were loaded."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Parameters: TypeAlias = Mapping[str, object]


def drawing(data: Mapping[str, list[dict[str, Any]]]) -> dict[str, Callable[[random.Random], Parameters]]:
    """Return what draws the parameters of one execution, for each query of Table 1."""
    customers = [row["c_uname"] for row in data["customer"]]
    items = [row["i_id"] for row in data["item"]]
    subjects = sorted({row["i_subject"] for row in data["item"]})
    words = sorted({row["i_title"].split()[0] for row in data["item"]})
    names = sorted({row["a_lname"] for row in data["author"]})
    orders = sorted({row["ol_o_id"] for row in data["order_line"]})

    def one_of(name: str, values: Sequence[object], **more: object) -> Callable[[random.Random], Parameters]:
        return lambda chance: {name: chance.choice(values), **more}

    return {
        "home": one_of("uname", customers),
        "newProducts": one_of("subject", subjects, count=20),
        "productDetail": one_of("item", items),
        "searchByAuthor": one_of("name", names, count=20),
        "searchByTitle": one_of("word", words, count=20),
        "orderDisplayCustomer": one_of("uname", customers),
        "orderDisplayLastOrder": one_of("uname", customers),
        "orderDisplayLines": one_of("order", orders, count=100),
        "buyRequest": one_of("uname", customers),
        "shoppingCart": one_of("uname", customers),
    }
