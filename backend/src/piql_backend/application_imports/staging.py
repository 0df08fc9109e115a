"""Starts a process that stages an application, waits for it, and says why it did not.

The process gets none of the server's variables that may hold a secret: only those that name places and proxies.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from piql_backend.web.errors import ApiError

log = logging.getLogger(__name__)

SECONDS = 120.0
_TOO_COSTLY = "It takes too long, or too much memory, to read."
_VARIABLES = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"),
)


async def stage(order: Mapping[str, Any], into: Path, seconds: float = SECONDS) -> None:
    """Stage what an order says, within so many seconds. Raises ApiError 422 where that is refused."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "piql_backend.application_imports.process",
        env={name: os.environ[name] for name in _VARIABLES if name in os.environ},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        text = json.dumps({**order, "into": str(into)}).encode()
        said, complaint = await asyncio.wait_for(process.communicate(text), seconds)
    except TimeoutError:
        raise ApiError(422, "import-too-costly", _TOO_COSTLY, "Import a part of it.") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if said:
        answer = json.loads(said)
        raise refusal_of(answer["refused"], answer["help"])
    if process.returncode != 0:
        log.error("an import ended with %s: %s", process.returncode, complaint.decode("utf-8", "replace")[-2000:])
        raise ApiError(422, "import-too-costly", _TOO_COSTLY, "Import a part of it; see the log.")


def refusal_of(reason: str, help: str) -> ApiError:
    """What the API answers where staging is refused."""
    return ApiError(422, "import-refused", f"Nothing was imported: {reason.rstrip('.?')}.", help or None)
