"""The messages of an editor, cut out of its stream of bytes so that nothing malformed costs more than itself.

    Content-Length: 47\r\n          what stands before the body of a message; other headers may follow, then an
    \r\n                            empty line and as many bytes as were named
    {"jsonrpc": "2.0", …}

The body of a message whose header cannot be read has no known end, and the next header may follow it on the same line.
So all bytes up to the next readable header are skipped, and counted in a warning.
"""

from __future__ import annotations

import logging
import re
from typing import BinaryIO

MOST_BODY = 64 * 1024 * 1024  # bytes of one message
_PIECE = 64 * 1024  # bytes of a line that are read at a time
_HEADER = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?\n\Z", re.IGNORECASE)
_ANY_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:[^\r\n]*\r?\n\Z")  # a name, a colon and a value
_LONGEST_HEADER = 64  # bytes that the header of the length may take

_log = logging.getLogger(__name__)


class Messages:
    """A stream that yields whole messages, each with one well-formed header; it has the methods that pygls calls."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: list[bytes] = []  # of the header that is being read by pygls

    def readline(self) -> bytes:
        """Return the next line of a header; nothing at the end of the stream."""
        if not self._lines:
            length = self._next_length()
            if length is None:
                return b""
            self._lines = [b"Content-Length: %d\r\n" % length, b"\r\n"]
        return self._lines.pop(0)

    def read(self, size: int) -> bytes:
        """Return the body behind a header."""
        return self._stream.read(size)

    def _next_length(self) -> int | None:
        """Skip to the next readable header, and return the length that it names; None at the end of the stream."""
        length, skipped, before = None, 0, b""
        while True:
            line = before + self._stream.readline(_PIECE)
            if line == before:
                self._warn(skipped)
                return None
            before = b"" if line.endswith(b"\n") else line[-_LONGEST_HEADER:]
            header = _HEADER.search(line)
            if header is not None and int(header.group(1)) <= MOST_BODY:
                length = int(header.group(1))
                skipped += header.start()
            elif length is not None and line in (b"\r\n", b"\n"):
                self._warn(skipped)
                if length:
                    return length
                length, skipped = None, 0  # a message without a body is none
            elif length is None or not _ANY_HEADER.match(line):
                length = None
                skipped += len(line.strip())

    @staticmethod
    def _warn(skipped: int) -> None:
        if skipped:
            _log.warning("skipped %d bytes that are no message", skipped)
