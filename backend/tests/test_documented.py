"""The OpenAPI document is held against the workbench, and the workbench against the document.

Nothing fails, no answer is one that is not declared, and what the document allows is never refused as no request.
"""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from piql_backend.app import create_app
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi import checks

# A stream without end, what measures for a while, and what would leave nothing for the others to ask about.
LEFT_OUT = [
    "stream_profile_run",
    "stream_load_run",
    "create_load_run",
    "run_experiment",
    "create_profile_run",
    "look_at_profile_run",
    "update_application",
    "delete_application",
]
EXAMPLES, LONG_EXAMPLES = 1, 20
CHECKS: list[CheckFunction] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
SETTINGS = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


DOCUMENT = schemathesis.openapi.from_dict(create_app().openapi()).exclude(operation_id=LEFT_OUT)
DOCUMENT.config.generation.update(modes=[GenerationMode.POSITIVE])


def ask(case: schemathesis.Case, address: str) -> None:
    for name, value in (("application", "scadr"), ("environment", "development")):
        if name in case.path_parameters:
            case.path_parameters[name] = value
    answer = case.call_and_validate(base_url=address, checks=CHECKS)
    assert b'"invalid-request"' not in answer.content, answer.content[:500]


@DOCUMENT.parametrize()
@settings(SETTINGS, max_examples=EXAMPLES)
def test_what_the_document_allows_is_taken_and_answered_as_it_says(case: schemathesis.Case, address: str) -> None:
    ask(case, address)


@pytest.mark.long
@DOCUMENT.parametrize()
@settings(SETTINGS, max_examples=LONG_EXAMPLES)
def test_much_of_what_the_document_allows_is_answered_as_it_says(case: schemathesis.Case, address: str) -> None:
    ask(case, address)
