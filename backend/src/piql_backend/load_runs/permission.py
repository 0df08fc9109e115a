"""Who may start load runs in an environment: its rules say so, and the endpoint that it takes a developer at least."""

from __future__ import annotations

from piql_backend.deploy_requests.rules import DeployRules
from piql_backend.web.errors import ApiError
from piql_backend.web.needs import in_application
from piql_backend.web.visitor import Visitor, refuse


def refusal_of(rules: DeployRules, visitor: Visitor | None, application: str) -> str | None:
    """Why whoever asks may start no run, in a sentence; None where they may."""
    try:
        if visitor is not None:
            refuse(in_application("developer"), visitor, application)
        refuse_load(rules, visitor, application)
    except ApiError as error:
        return error.body.message
    return None


def refuse_load(rules: DeployRules, visitor: Visitor | None, application: str) -> None:
    """Raise ApiError 403 where the rules let nobody start a run, or only somebody with another role."""
    allowed = rules.current().load_runs_by
    if allowed == "nobody":
        message = "Nothing was started: the rules of this environment allow no load runs."
        raise ApiError(403, "load-runs-not-allowed", message, "Choose another environment, or change its rules.")
    if visitor is not None:
        refuse(in_application(allowed), visitor, application)
