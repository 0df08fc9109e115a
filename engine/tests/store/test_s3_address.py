"""The address of a store in a bucket, and the keys that are never part of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from piql.errors import CredentialsMissing, StoreUnavailable, WrongStoreAddress
from piql.store.open import Location, capabilities_of, location_of, open_store
from piql.store.s3.address import Address, parse_address

SECRET = "wJalrXUtnFEMI"


def test_an_address_names_bucket_prefix_and_options() -> None:
    url = "s3://orders/eu/shop?endpoint=http://127.0.0.1:9000/&region=eu-central-1&page_bytes=8000&lease=1.5"
    assert parse_address(url) == Address(
        "orders",
        "eu/shop",
        endpoint="http://127.0.0.1:9000",
        region="eu-central-1",
        page_bytes=8000,
        lease=1.5,
    )
    assert parse_address(url).shown() == "s3://orders/eu/shop"
    assert location_of(url) == Location(("http://127.0.0.1:9000",), "orders/eu/shop")
    assert capabilities_of(url).has_transactions
    assert not capabilities_of(url).is_file


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"s3://AKIA:{SECRET}@orders/shop", "holds no user and no password: set AWS_ACCESS_KEY_ID"),
        (f"s3://AKIA:{SECRET}/x@orders/shop", "holds no user and no password: set AWS_ACCESS_KEY_ID"),
        (f"s3://AKIA:{SECRET}?x@orders/shop", "holds no user and no password: set AWS_ACCESS_KEY_ID"),
        (f"s3://orders/shop?secret={SECRET}", "there is no option of that name; there are level, endpoint"),
        (f"s3://orders/shop?endpoint=https://me:{SECRET}@host", "endpoint: an endpoint holds no user and no password"),
        (f"s3://orders/shop?endpoint={SECRET}", "endpoint: write https://HOST"),
        (f"s3://orders/shop?region={SECRET}", "region: a name such as"),
        ("s3://orders/shop?level=basic", "level: the one level there is is strong"),
        ("s3://Orders", "is not a bucket name"),
        ("s3:orders", "write s3://BUCKET/PREFIX"),
        ("s3://orders/a//b", "is not a prefix of a store"),
        ("s3://orders/a/../b", "is not a prefix of a store"),
        ("s3://orders?page_bytes=0", "page_bytes: a whole number from 1"),
        ("s3://orders?lease=0", "lease: a number of seconds"),
        ("s3://orders?wait=5", "wait (5) must be more than lease (10)"),
        ("s3://orders?lease=nan", "lease: a number of seconds"),
    ],
)
def test_a_wrong_address_is_refused_without_what_may_be_secret(url: str, reason: str) -> None:
    with pytest.raises(WrongStoreAddress) as refusal:
        open_store(url)
    assert reason in str(refusal.value)
    assert SECRET not in str(refusal.value)


def test_missing_keys_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "one")
    with pytest.raises(CredentialsMissing, match=r"s3://orders/shop needs keys .* set AWS_SECRET_ACCESS_KEY$"):
        open_store("s3://orders/shop")


def test_a_bucket_that_is_not_there_is_named(bucket_url: Callable[..., str]) -> None:
    with pytest.raises(StoreUnavailable, match="there is no bucket 'nobody-made-it'"):
        open_store(bucket_url().replace("piql-tests", "nobody-made-it")).version()


def test_a_server_that_is_not_there_is_named_without_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", SECRET)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    store = open_store("s3://orders/shop?endpoint=http://127.0.0.1:1&timeout=0.2")
    with pytest.raises(StoreUnavailable, match="s3://orders/shop does not answer") as failure:
        store.version()
    assert SECRET not in str(failure.value)
    store.close()
