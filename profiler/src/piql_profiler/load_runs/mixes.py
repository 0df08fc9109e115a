"""Which queries are called, and how often: weights by name, some of them given for the sample applications.

    piql load-test …                                 every deployed query that reads, equally often
    piql load-test … --mix scadr                     a mix that is given here
    piql load-test … --query findUser=3 --query addUser=1

A query that writes is called only where a user names it, so no mix that is given here has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from piql.compiler.result import CompiledQuery

_SEARCHES = ("searchByAuthor", "searchBySubject", "searchByTitle")
_ORDER = ("orderDisplayCustomer", "orderDisplayLastOrder", "orderDisplayLines")


class UnknownMix(Exception):
    """The mix cannot be called on this store; the message says why, and what to write."""


def _bookshop(
    home: float, new: float, detail: float, search: float, cart: float, buy: float, order: float
) -> dict[str, float]:
    """The pages of TPC-W that read; a search is one of three, and an order is shown by three queries."""
    return {
        "home": home,
        "newProducts": new,
        "productDetail": detail,
        **dict.fromkeys(_SEARCHES, round(search / len(_SEARCHES), 4)),
        "shoppingCart": cart,
        "buyRequest": buy,
        **dict.fromkeys(_ORDER, order),
    }


# SCADr: one page of a user, with each of its queries once. TPC-W: the shares of its pages in percent, from the tables
# of its specification (1.8, clause 5.3.1), for the pages that its queries in `sample-apps/tpcw` read.
MIXES: Mapping[str, Mapping[str, float]] = {
    "scadr": {"findUser": 1, "thoughtstream": 1, "usersFollowedBy": 1, "myThoughts": 1},
    "tpcw-browsing": _bookshop(29.00, 11.00, 21.00, 11.00, 2.00, 0.75, 0.25),
    "tpcw-shopping": _bookshop(16.00, 5.00, 17.00, 17.00, 11.60, 2.60, 0.66),
    "tpcw-ordering": _bookshop(9.12, 0.46, 12.35, 13.08, 13.53, 12.73, 0.22),
}


def weights_of(mix: str | None, named: Mapping[str, float], deployed: Mapping[str, CompiledQuery]) -> dict[str, float]:
    """The weights of the queries to call: those of a mix, and those that are named.

    Without either, every query that reads, equally often. UnknownMix for what is not deployed.
    """
    weights = {**(MIXES[mix] if mix is not None else {}), **named}
    if not weights:
        weights = {name: 1.0 for name, query in deployed.items() if query.kind == "select"}
    if not weights:
        raise UnknownMix("no query that reads is deployed: name what to call by --query NAME=WEIGHT")
    for name in weights:
        if name not in deployed:
            close = get_close_matches(name, deployed, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(deployed))}"
            of_mix = f"the mix {mix} calls {name}, and " if mix is not None and name not in named else ""
            raise UnknownMix(f"{of_mix}no query {name!r} is deployed: {hint}")
    return weights
