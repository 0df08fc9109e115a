"""The histograms of a run as an HdrHistogram log, to be downloaded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import Response
from piql_profiler.runs.hlog import write_hlog
from piql_profiler.runs.run_files import read_cells

from piql_backend.web.downloads import download

LOG_MEDIA_TYPE = "text/plain"


async def log_of(measurements: Path, name: str) -> Response:
    """The answer that sends the log of a run that is done."""
    scratch = TemporaryDirectory(prefix="piql-log-")
    file = Path(scratch.name) / name
    try:
        await asyncio.to_thread(lambda: write_hlog(file, read_cells(measurements)))
    except BaseException:
        scratch.cleanup()
        raise
    return download(file, name, LOG_MEDIA_TYPE, scratch)
