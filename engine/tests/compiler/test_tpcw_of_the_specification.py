"""What TPC-W asks of a database, as SQL implementations of its specification write it: what has a bound is accepted.

One of their texts is two here: the country of the shipping address is read before the payment is inserted, since a
write reads no other table.
"""

from __future__ import annotations

from pathlib import Path

import piql

TEXTS = Path(__file__).parent / "tpcw_of_the_specification.piql"
REQUESTS = {
    "home": 1,
    "promotions": 6,
    "newProducts": 51,
    "productDetail": 2,
    "searchBySubject": 51,
    "searchByTitle": 51,
    "searchByAuthor": 51,
    "createCart": 2,
    "findCartLine": 1,
    "updateCartLine": 2,
    "addCartLine": 11,
    "removeCartLine": 8,
    "countCart": 1,
    "relatedItem": 1,
    "touchCart": 2,
    "cart": 101,
    "register": 16,
    "refreshSession": 6,
    "findCountry": 1,
    "findAddress": 1,
    "addAddress": 16,
    "buyRequest": 3,
    "discount": 1,
    "addressOfCustomer": 1,
    "addOrder": 19,
    "addOrderLine": 13,
    "stock": 1,
    "setStock": 68,
    "pay": 11,
    "emptyCart": 801,
    "password": 1,
    "userName": 1,
    "lastOrder": 2,
    "orderLines": 101,
    "updateItem": 72,
    "setRelated": 68,
    "orderDisplay": 7,
    "countryOfAddress": 2,
}
WITHOUT_A_BOUND = {"bestSellers", "relatedSales"}  # over the last 3,333 and 10,000 orders


def test_all_that_has_a_bound_is_accepted_as_written() -> None:
    queries = piql.compile(TEXTS).queries
    assert {name: query.bound.operations for name, query in queries.items() if query.bound is not None} == REQUESTS
    assert queries.keys() - REQUESTS.keys() == WITHOUT_A_BOUND


def test_the_two_lists_of_what_sells_best_are_refused_since_nothing_limits_what_they_count() -> None:
    compilation = piql.compile(TEXTS)
    errors = [finding for finding in compilation.diagnostics if finding.severity == "error"]
    assert {finding.code for finding in errors} == {"unbounded-aggregate"}
    assert {finding.query for finding in errors} == WITHOUT_A_BOUND
