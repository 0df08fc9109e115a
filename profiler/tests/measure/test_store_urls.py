"""Passwords in URLs of stores are shown nowhere, also where the URL is wrong."""

import pytest
from piql_profiler.measure.store_urls import has_password, without_password

LONG = 400_000  # characters, for which a search that begins anew at each of them would take minutes


@pytest.mark.parametrize("password", ["secret", "se/cret", "se@cret", "se?cret", 'se"cret', "9042/se@cret"])
def test_a_password_is_left_out_whatever_it_holds(password: str) -> None:
    assert without_password(f"at cql://me:{password}@a,b:9042/shop now") == "at cql://me:…@a,b:9042/shop now"


@pytest.mark.parametrize(
    "text",
    ["cql:me:secret@a/shop", "cql:/me:secret@a/shop", "CQL//me:secret@a/shop", "cql://a/shop?PASSWORD=secret&x=1"],
)
def test_a_password_is_left_out_of_a_url_that_is_wrong(text: str) -> None:
    assert "secret" not in without_password(f"at {text} now")
    assert without_password(f"at {text} now").endswith(" now")


@pytest.mark.parametrize(
    "text",
    ["cql://a:9042/shop?tls_ca=/x@y", "cql://me@a/shop", "see http://a:80/x and me@a", '["cql://a:9042/s","me@a"]'],
)
def test_what_is_no_password_stays(text: str) -> None:
    assert without_password(text) == text
    assert not has_password(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text", ["//:" * LONG, "//" * LONG, "/" * LONG, "//:@" + "//:" * LONG, "//:?" * LONG, "cql:" * LONG, "?key=" * LONG]
)
def test_a_long_text_of_a_user_is_read_at_once(text: str) -> None:
    without_password(text)
