"""The messages of an editor, cut out of its stream of bytes so that nothing malformed costs more than itself.

    Content-Length: 47\r\n          what stands before the body of a message; other headers may follow, then an
    \r\n                            empty line and as many bytes as were named
    {"jsonrpc": "2.0", …}

A header that cannot be read leaves its body in the stream, and the next header behind it on the same line. All up to
the next header that can be read is skipped, and said on standard error.
"""

from __future__ import annotations

import logging
import re
from typing import BinaryIO

MOST_BODY = 64 * 1024 * 1024  # bytes of one message
_PIECE = 64 * 1024  # of a line that is skipped
_HEADER = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?\n\Z", re.IGNORECASE)
_OTHER = re.compile(rb"[!-9;-~]+[ \t]*:[^\r\n]*\r?\n\Z")  # a name, a colon and a value
_LONGEST = 64  # bytes that a header of the length may take

_log = logging.getLogger(__name__)


class Messages:
    """A stream that gives whole messages, each with one well-formed header; read as pygls reads its input."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: list[bytes] = []  # of the header that is being given

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
        """Skip to the next header that can be read, and give the length that it names."""
        length, skipped, before = None, 0, b""
        while True:
            line = before + self._stream.readline(_PIECE)
            if line == before:
                self._say(skipped)
                return None
            before = b"" if line.endswith(b"\n") else line[-_LONGEST:]
            header = _HEADER.search(line)
            if header is not None and int(header.group(1)) <= MOST_BODY:
                length = int(header.group(1))
                skipped += header.start()
            elif length is not None and line in (b"\r\n", b"\n"):
                self._say(skipped)
                if length:
                    return length
                length, skipped = None, 0  # a message without a body is none
            elif length is None or not _OTHER.match(line):
                length = None
                skipped += len(line.strip())

    @staticmethod
    def _say(skipped: int) -> None:
        if skipped:
            _log.warning("skipped %d bytes that are no message", skipped)
