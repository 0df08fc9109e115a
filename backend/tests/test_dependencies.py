"""What endpoints are given is given without a thread: threads for its parameters take most of a request's time."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isasyncgenfunction, iscoroutinefunction

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts
from piql_backend.app import create_app
from piql_backend.settings import Settings


def calls_of(dependant: Dependant) -> Iterator[object]:
    for needed in dependant.dependencies:
        yield needed.call
        yield from calls_of(needed)


def test_no_parameter_of_an_endpoint_is_made_in_a_thread(settings: Settings) -> None:
    routes = [context.original_route for context in iter_route_contexts(create_app(settings).routes)]
    calls = {call for route in routes if isinstance(route, APIRoute) for call in calls_of(route.dependant)}
    assert len(calls) >= 5
    assert [call for call in calls if not (iscoroutinefunction(call) or isasyncgenfunction(call))] == []
