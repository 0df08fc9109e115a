"""Every route says what it needs: one that does not is never served."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, FastAPI
from piql_backend.app import create_app
from piql_backend.web.guarded_routes import GuardedRoute, Undeclared, needs_of, refuse_undeclared
from piql_backend.web.needs import ANYBODY, ROLES, SIGNED_IN, Need, in_application, needs, suffices
from piql_backend.web.same_origin import SAFE_METHODS

OPEN_TO_ANYBODY = {
    "GET /api/openapi.json",
    "GET /healthz",
    "GET /readyz",
    "GET /{path}",
    "HEAD /{path}",
    "GET /api/session",
    "POST /api/session",
    "GET /api/sign-in",
    "GET /api/sign-in/start",
    "GET /api/sign-in/callback",
}
FOR_FEW = {"GET /api/tokens", "GET /api/audit", "GET /api/sessions", "GET /api/people"}  # not for everybody to read


def answer() -> None:
    """What an endpoint does."""


def built(path: str, need: Need | None) -> FastAPI:
    """An application with one route below an included router, as `create_app` makes them."""
    router = APIRouter(route_class=GuardedRoute)
    router.get(path)(answer if need is None else needs(need)(lambda: None))
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(router, prefix="/api")
    refuse_undeclared(app)
    return app


def test_every_operation_of_the_document_has_a_need_and_nothing_else_is_served() -> None:
    app = create_app()
    declared = needs_of(app)
    documented = {
        f"{method.upper()} {path}" for path, operations in app.openapi()["paths"].items() for method in operations
    }
    assert documented - set(declared) == set()
    assert {operation for operation, need in declared.items() if need == ANYBODY} == OPEN_TO_ANYBODY


def test_nothing_is_changed_by_a_safe_method_or_by_who_only_looks() -> None:
    for operation, need in needs_of(create_app()).items():
        method = operation.partition(" ")[0]
        if operation in FOR_FEW:
            continue
        assert not (method in SAFE_METHODS and need.is_for_changes), operation
        assert not (method in {"PUT", "PATCH", "DELETE"} and not need.is_for_changes), operation


@pytest.mark.parametrize(
    ("path", "need", "says"),
    [
        ("/things", None, "does not say what it needs"),
        ("/applications/{application}/things", SIGNED_IN, "is about one application, and needs no role in it"),
        ("/things", in_application("viewer"), "names no application, and needs a role in it"),
    ],
)
def test_an_application_is_not_built_with_a_route_that_says_nothing_or_the_wrong_thing(
    path: str, need: Need | None, says: str
) -> None:
    with pytest.raises(Undeclared, match=says):
        built(path, need)


def test_an_application_is_not_built_with_a_route_that_nobody_guards() -> None:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.add_api_route("/things", needs(SIGNED_IN)(lambda: None))
    with pytest.raises(Undeclared, match="is not guarded"):
        refuse_undeclared(app)


def test_a_route_that_says_what_fits_is_served() -> None:
    path = "/applications/{application}/things"
    assert needs_of(built(path, in_application("viewer"))) == {f"GET /api{path}": in_application("viewer")}


def test_a_role_may_do_what_those_before_it_may() -> None:
    allowed = [[suffices(role, needed) for needed in ROLES] for role in ROLES]
    assert allowed == [[column <= row for column in range(len(ROLES))] for row in range(len(ROLES))]
