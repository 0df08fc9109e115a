"""Any text may be given as an address: it is split, or it is none."""

import random

import pytest
from piql.text.web_addresses import web_address_of


@pytest.mark.parametrize(
    "text",
    ["https://[", "https://[x@h/r", "https://h]/r", "file://[", "https://[::1", "https://[x]/", "https://h:x/r",
     "https://h:99999/r", "https://h\u2100/r"],
)  # fmt: skip
def test_a_text_that_cannot_be_split_is_no_address(text: str) -> None:
    assert web_address_of(text) is None


def test_an_address_is_split_into_its_parts() -> None:
    parts = web_address_of("https://ada:secret@[::1]:8443/a/b?x=1#top")
    assert parts == ("https", "ada:secret@[::1]:8443", "::1", 8443, "/a/b", "x=1", "top")
    assert parts.has_login
    shorter = web_address_of("http://Host/")
    assert shorter == ("http", "Host", "host", None, "/", "", "")
    assert not shorter.has_login


def test_no_text_at_all_raises_an_error() -> None:
    dice = random.Random(1)
    pieces = [
        "https",
        "file",
        ":",
        "//",
        "/",
        "[",
        "]",
        "@",
        "?",
        "#",
        "%",
        "h",
        "::1",
        "99999",
        "\x00",
        "\n",
        "\ud800",
    ]
    for _ in range(5000):
        web_address_of("".join(dice.choices(pieces, k=dice.randrange(9))))
