"""The URL of a cluster: what it may contain, and the messages for what it may not."""

import re

import pytest
from piql.errors import StoreUnavailable, WrongStoreAddress
from piql.store.cql.address import Address, parse_address
from piql.store.open import open_store


def test_hosts_and_keyspace_are_enough() -> None:
    assert parse_address("cql://127.0.0.1/scadr") == Address(("127.0.0.1",), 9042, "scadr")


def test_hosts_port_login_and_options_are_read() -> None:
    address = parse_address(
        "cql://me:p%40ss@a,b:9142/Shop?replication_factor=3&consistency=quorum&timeout=1.5&prefix=c1_&speculative=0"
    )
    assert (address.hosts, address.port, address.keyspace) == (("a", "b"), 9142, "Shop")
    assert (address.user, address.password) == ("me", "p@ss")
    assert (address.replication_factor, address.consistency, address.timeout) == (3, "QUORUM", 1.5)
    assert (address.prefix, address.speculative) == ("c1_", 0)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("cql://127.0.0.1", "the keyspace after the hosts must be a name"),
        ("cql:///scadr", "write cql://host"),
        ("cql://a:99999/scadr", "write cql://host"),
        ("cql://a/my-space", "the keyspace after the hosts must be a name"),
        ("cql://a/s?consistency=MOST", "consistency: it is one of ONE, LOCAL_ONE"),
        ("cql://a/s?timeout=soon", "timeout: a number is needed"),
        ("cql://a/s?timeout=0", "more than 0 seconds"),
        ("cql://a/s?replication_factor=0", "a whole number from 1 is needed"),
        ("cql://a/s?prefix=C-", "begins with a letter"),
        ("cql://me:se/cret@a/s", "in a user or password write / as %2F"),
        ("cql://me:x@se/cret@a/s?x=1", "and @ as %40"),
        ("cql://me:se/c?ret@a/s", "write / as %2F, ? as %3F and @ as %40"),
        ("cql://me:se/c?timeout=x@a/s", "write / as %2F, ? as %3F and @ as %40"),
        ("cql://me:se/c?x=1&ret@a/s", "write / as %2F, ? as %3F and @ as %40"),
        ("cql://me:x@ret@a/s", "write / as %2F, ? as %3F and @ as %40"),
        ("cql://a:1/s?tls_ca=/x@y&colour=red", "there is no option of that name"),
        ("cql://a/s?user=me&password=se@cret", "there is no option 'user'"),
        ("cql://a/s?tiemout=1", "there is no option 'tiemout': did you mean timeout?"),
        ("cql://a/s?colour=red", "there is no option of that name: docs/reference/settings.md lists the 18"),
    ],
)
def test_a_wrong_url_says_what_is_wrong(url: str, said: str) -> None:
    with pytest.raises(WrongStoreAddress, match="is not the address of a cluster") as refusal:
        open_store(url)
    assert said in str(refusal.value)


def test_a_password_is_shown_nowhere() -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        parse_address("cql://me:secret@a/s?colour=red")
    assert "secret" not in str(refusal.value)
    address = parse_address("cql://me:secret@a/s")
    assert "secret" not in repr(address) + address.shown()
    with pytest.raises(StoreUnavailable, match="is not the address of a store") as refusal:
        open_store("postgres://me:secret@a/s")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("scheme", ["cql", "postgres"])
@pytest.mark.parametrize(
    "rest",
    [
        "me:se/cret@a/s",
        "me:se/c?ret@a/s",
        "me:se/c?timeout=ret@a/s",
        "me:x@cret@a/s",
        "me:x@se/cret@a/s?x=1",
        "a/s?password=secret",
        "a/s?password=se@cret",
    ],
)
def test_a_password_in_a_wrong_url_is_shown_nowhere(scheme: str, rest: str) -> None:
    with pytest.raises(StoreUnavailable, match="is not the address of a") as refusal:
        open_store(f"{scheme}://{rest}")
    assert not re.search("cret|ret@", str(refusal.value))


def test_a_cluster_that_is_not_there_is_said_to_be_unreachable() -> None:
    with pytest.raises(StoreUnavailable, match=r"the cluster cql://127\.0\.0\.1:1/s cannot be reached"):
        open_store("cql://127.0.0.1:1/s?timeout=2")


def test_a_host_that_has_no_address_is_said_to_be_unreachable() -> None:
    said = r"the cluster cql://nowhere\.invalid:9042/s cannot be reached: no address is known for nowhere\.invalid"
    with pytest.raises(StoreUnavailable, match=said):
        open_store("cql://nowhere.invalid/s")
