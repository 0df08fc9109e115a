"""The OpenAPI document is held against the workbench, and the workbench against the document.

Nothing fails, no answer is one that is not declared, and what the document allows is never refused as no request.
"""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from piql_backend.app import create_app
from piql_backend.settings import Settings
from piql_backend.workbench import Workbench
from piql_backend.workers.pool import WorkerPool
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi import checks

# A stream without end, and what measures for a while.
LEFT_OUT = ["stream_profile_run", "create_profile_run", "look_at_profile_run"]
EXAMPLES = 3
CHECKS: list[CheckFunction] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
bounded = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


DOCUMENT = schemathesis.openapi.from_dict(create_app().openapi()).exclude(operation_id=LEFT_OUT)
DOCUMENT.config.generation.update(modes=[GenerationMode.POSITIVE])


@pytest.fixture(scope="module")
def address(first_start: Path, tmp_path_factory: pytest.TempPathFactory, workers: WorkerPool) -> Iterator[str]:
    """A workbench that is served to others."""
    data = tmp_path_factory.mktemp("documented") / "data"
    shutil.copytree(first_start, data)
    chosen = Settings(data=data, frontend=data.parent / "dist", sample_applications=("scadr",), profile_runner="local")
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(chosen, Workbench(chosen, workers)), log_level="critical", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    server.should_exit = True
    thread.join()


@DOCUMENT.parametrize()
@bounded
def test_what_the_document_allows_is_taken_and_answered_as_it_says(case: schemathesis.Case, address: str) -> None:
    for name, value in (("application", "scadr"), ("environment", "development")):
        if name in case.path_parameters:
            case.path_parameters[name] = value
    answer = case.call_and_validate(base_url=address, checks=CHECKS)
    assert b'"invalid-request"' not in answer.content, answer.content[:500]
