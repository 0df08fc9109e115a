"""A file that comes in parts, as base64 in JSON: each part says how many bytes came before it."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from pydantic import Field

from piql_backend.web.errors import ApiError
from piql_backend.web.schemas import Write

MOST_PART = 4_000_000  # characters of base64: a body is at most 5 MB


class FilePart(Write):
    """The next bytes of the file: `offset` is how many came before."""

    offset: int = Field(ge=0, le=2**40)
    base64: str = Field(max_length=MOST_PART)


def decoded_part(part: FilePart) -> bytes:
    """The bytes of a part; ApiError 422 for what is no base64."""
    try:
        return base64.b64decode(part.base64, validate=True)
    except (binascii.Error, ValueError):
        raise ApiError(422, "invalid-parameter", "The part is not valid base64.", parameter="base64") from None


def append_part(path: Path, offset: int, content: bytes, uploaded: int, size: int) -> int:
    """Write a part behind those that are there, and return how many bytes are there now.

    Raises ApiError 409 for a part that does not begin where they end, 422 for one that goes beyond the size, OSError
    on a full disk: a part that is sent again takes the place of what was written of it.
    """
    if offset != uploaded:
        message = f"{uploaded} of {size} bytes have arrived."
        raise ApiError(409, "import-state", message, "Send the part that begins at that byte.")
    if uploaded + len(content) > size:
        raise ApiError(422, "invalid-parameter", "The file is larger than announced.", parameter="base64")
    with path.open("r+b") as file:
        file.seek(uploaded)
        file.truncate()
        file.write(content)
    return uploaded + len(content)
