"""Messages in a stream of bytes: what is malformed costs itself alone."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from io import BytesIO

import pytest
from piql.editor.server.framing import MOST_BODY, Messages


def framed(body: bytes, header: bytes = b"Content-Length: %d\r\n\r\n") -> bytes:
    return header % len(body) + body


def bodies(stream: bytes) -> list[bytes]:
    """Read a stream as pygls does."""
    messages, read_bodies = Messages(BytesIO(stream)), []
    while header := messages.readline():
        assert messages.readline() == b"\r\n"
        read_bodies.append(messages.read(int(header.split(b":")[1])))
    return read_bodies


ONE, TWO, THREE = b'{"id": 1}', b'{"id": 2, "text": "a\\nb"}', '{"id": 3, "text": "é"}'.encode()


def test_messages_that_are_right_are_given_as_they_are() -> None:
    assert bodies(framed(ONE) + framed(TWO) + framed(THREE)) == [ONE, TWO, THREE]


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: %d\r\n\r\n",
        b"Content-Length:%d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
    ],
)
def test_a_header_in_another_spelling_is_read(header: bytes) -> None:
    assert bodies(framed(ONE, header) + framed(TWO)) == [ONE, TWO]


@pytest.mark.parametrize(
    "broken",
    [
        b"Content-Length: abc\r\n\r\n" + ONE,
        b"Content-Length: -5\r\n\r\n" + ONE,
        b"Content-Length: \r\n\r\n" + ONE,
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: %d\r\n\r\n" % (MOST_BODY + 1) + ONE,
        b"Content-Lenght: 9\r\n\r\n" + ONE,
        b"\r\n\r\n" + ONE,
        ONE,
        b"\xff\x00 no header at all",
        b"Content-Length: 9\r\nno header\r\n\r\n" + ONE,
        b"x" * 1_000_000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_behind_a_malformed_header_the_next_message_is_read(broken: bytes) -> None:
    assert bodies(framed(ONE) + broken + framed(TWO) + framed(THREE)) == [ONE, TWO, THREE]


def test_behind_any_bytes_all_later_messages_are_read() -> None:
    rng = random.Random(4)
    for _ in range(300):
        noise = bytes(rng.choice(b'{}":,\r\n Content-Length: 19') for _ in range(rng.randint(0, 60)))
        assert bodies(noise + framed(ONE) + framed(TWO))[-1] == TWO, noise


def test_a_stream_that_ends_within_a_header_ends() -> None:
    assert bodies(framed(ONE) + b"Content-Length: 5") == [ONE]
    assert bodies(b"") == []


def test_the_server_answers_behind_a_malformed_header() -> None:
    requests: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    messages = [framed(json.dumps({"jsonrpc": "2.0", **request}).encode()) for request in requests]
    broken = b"Content-Length: many\r\n\r\n" + ONE
    server = subprocess.run(
        [sys.executable, "-m", "piql.commands.cli", "lsp"],
        input=broken.join([b"", *messages]),
        capture_output=True,
        timeout=120,
    )
    answers = [json.loads(body) for body in bodies(server.stdout)]
    assert {1, 2} <= {answer.get("id") for answer in answers}
    assert b"no message" in server.stderr
