"""How the API refuses: one exception, one shape of answer, and the status and code of each error of the engine.

raise ApiError(422, "stale-cursor", "The cursor …", "Start again …")  →  422 {"code", "message", "help", …}

An endpoint raises an `ApiError`, and declares its status by `declared`. Errors of the engine need neither.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from piql import errors as engine
from piql_profiler.measure.store_urls import without_password
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from piql_backend.data_folder.disk import FREE_SOME, FULL, LET_WRITE, advice_on, is_full, is_refused, what_is_refused
from piql_backend.web.schemas import FILE_TWICE, DiagnosticRead, FileRead, Read
from piql_backend.web.security_headers import SECURITY_HEADERS
from piql_backend.web.validation_words import words_of

log = logging.getLogger(__name__)


class BetweenRead(Read):
    """A version that was deployed since the one that a request is based on."""

    id: str
    version: int
    deployed_by: str
    created_at: datetime


class ErrorRead(Read):
    """Why a request was refused: `code` is stable, `message` a sentence, `help` one thing to do about it.

    `current` is a file as it is now, `between` what was deployed meanwhile, the newest first, and `parameter` the name
    of the parameter whose value does not fit.
    """

    code: str
    message: str
    help: str | None
    diagnostics: list[DiagnosticRead] | None
    current: FileRead | None
    between: list[BetweenRead] | None
    parameter: str | None


class ApiError(Exception):
    """A refusal with an HTTP status; its fields are those of `ErrorRead`. Passwords are taken out of the message."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        help: str | None = None,
        diagnostics: Sequence[DiagnosticRead] | None = None,
        current: FileRead | None = None,
        between: Sequence[BetweenRead] | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = ErrorRead(
            code=code,
            message=without_password(message),
            help=help,
            diagnostics=None if diagnostics is None else list(diagnostics),
            current=current,
            between=None if between is None else list(between),
            parameter=parameter,
        )

    @classmethod
    def of(cls, status: int, body: ErrorRead) -> ApiError:
        """The refusal with that body, such as one that a worker process sent as JSON."""
        return cls(status, **{name: getattr(body, name) for name in ErrorRead.model_fields})

    @property
    def code(self) -> str:
        return self.body.code


class NotFound(ApiError):
    """What the URL names does not exist."""

    def __init__(self, code: str, message: str, help: str | None = None) -> None:
        super().__init__(404, code, message, help)


def unknown_application(application_id: str) -> NotFound:
    """There is no application of that id, or none for whoever asks: the two are not told apart."""
    return NotFound("unknown-application", f"There is no application {application_id[:60]}.")


_PUT_BACK = "Put the store back that was there. To go on with this one, choose it as the store of the environment."
_CORRECT = "Correct the address where the workbench is started, or choose another store for the environment."

# The errors of the engine at run time: status, code, and one thing to do, unless the error itself knows better. The
# first class that matches counts.
_ENGINE_ERRORS: tuple[tuple[type[engine.PiqlError], int, str, str | None], ...] = (
    (engine.CardinalityViolation, 422, "cardinality-violation", "Delete a row first, or raise the CARDINALITY LIMIT."),
    (engine.DuplicateKey, 422, "duplicate-key", "Choose another key."),
    (engine.ForeignKeyViolation, 422, "foreign-key-violation", "Insert the referenced row first."),
    (engine.ConstraintViolation, 422, "constraint-violation", None),
    (engine.ConditionFailed, 422, "condition-failed", "Read the row again: it has changed."),
    (engine.InvalidParameter, 422, "invalid-parameter", None),
    (engine.NumberOutOfRange, 422, "number-out-of-range", "Compute with smaller numbers, or as DOUBLE: 1e0 * …"),
    (engine.ConversionFailed, 422, "conversion-failed", "Test the text before the CAST, in a CASE for instance."),
    (engine.StaleCursor, 422, "stale-cursor", "Start again from the first page: the query was deployed anew."),
    (engine.InvalidCursor, 422, "invalid-cursor", "Start again from the first page."),
    (engine.InvalidSession, 422, "invalid-session", "Begin a new session."),
    (engine.NotDeployed, 404, "not-deployed", "Deploy the query first."),
    (engine.DeployedMeanwhile, 409, "deployed-meanwhile", "Check what is live now, then deploy again."),
    (engine.DeploymentInProgress, 409, "deployment-in-progress", "Wait for the version on its way, or cancel it."),
    (engine.CompilationRefused, 422, "compilation-refused", None),
    (engine.RepairPending, 503, "repair-pending", "Try again: each attempt settles more of the interrupted writes."),
    (engine.StoreFull, 507, "disk-full", FREE_SOME),
    (engine.StoreNotWritable, 507, "disk-not-writable", None),
    (engine.NotAStore, 503, "store-unavailable", "Start with --store and the address of a store, or of a new file."),
    (engine.StoreReplaced, 503, "store-replaced", _PUT_BACK),
    (engine.CredentialsMissing, 503, "store-unavailable", "Set it where the workbench is started."),
    (engine.WrongStoreAddress, 503, "store-unavailable", _CORRECT),
    (engine.StoreUnavailable, 503, "store-unavailable", "Check that the store is running; requests work again then."),
    (engine.BoundExceeded, 500, "bound-exceeded", "This is a fault of the compiler: please report it with the query."),
)


def from_engine(error: engine.PiqlError) -> ApiError:
    """The refusal that the API answers for an error of the engine; 500 for one that is not listed."""
    for kind, status, code, advice in _ENGINE_ERRORS:
        if isinstance(error, kind):
            parameter = error.parameter if isinstance(error, engine.InvalidParameter) else None
            message, own_advice = _told_apart(error)
            return ApiError(status, code, message, own_advice or advice, parameter=parameter)
    return ApiError(500, "engine-error", str(error))


def _told_apart(error: engine.PiqlError) -> tuple[str, str | None]:
    """What is the matter, and what the store itself says to do about it: the end of its message, as a sentence."""
    message = str(error)
    if isinstance(error, engine.ForeignKeyViolation):
        return message, error.advice
    advice = error.advice if isinstance(error, engine.StoreUnavailable) else None
    if advice is None or not message.endswith(f": {advice}"):
        return message, None
    return message.removesuffix(f": {advice}"), f"{advice[0].upper()}{advice[1:]}."


def status_of(error: BaseException) -> int:
    """The status that an error is answered with; 0 where the request was broken off."""
    match error:
        case ApiError():
            return error.status
        case engine.PiqlError():
            return from_engine(error).status
        case RequestValidationError():
            return 422
        case HTTPException():
            return error.status_code
        case Exception():
            return 500 if advice_on(error) is None else 507
        case _:
            return 0


def declared(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare error statuses for an endpoint's OpenAPI.

    They are described, not given as a model: FastAPI would make the same model anew for each status of each endpoint,
    which took a tenth of the time to start.
    """
    return {status: described(status) for status in statuses}


def described(status: int) -> dict[str, Any]:
    """Describe an error status as the OpenAPI document does, which knows `ErrorRead`."""
    schema = {"$ref": f"#/components/schemas/{ErrorRead.__name__}"}
    return {"description": _DESCRIPTIONS[status], "content": {"application/json": {"schema": schema}}}


_DESCRIPTIONS = {
    400: "The body is not JSON, or the workbench is not reached by the Host that was named.",
    401: "Nobody is signed in; a workbench of a team needs that.",
    403: "The request comes from another origin or machine, names a store that is not on the list, or needs a role.",
    404: "Nothing of that name.",
    405: "The method does not fit.",
    409: "It has changed meanwhile, or its state does not allow this.",
    413: "The body is larger than 5 MB.",
    415: "The body is not declared to be JSON.",
    422: "The request is refused; the code says why.",
    428: "Something is live, and the request does not say which version was seen.",
    429: "One address makes too many requests.",
    503: "The store, or a part that the request needs, does not answer.",
    507: "The disk is full, or may not be written.",
}


def _answer(status: int, body: BaseModel, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(_without_surrogates(body.model_dump(mode="json")), status, headers)


def _without_surrogates(value: Any) -> Any:
    """Replace halves of characters, which came in as `\\ud800` and cannot go out as UTF-8."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case list():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case _:
            return value


def _first_problem(error: RequestValidationError) -> tuple[str, str]:
    """The type of the first problem, and a message that names the field."""
    problem = error.errors()[0]
    place, *names = problem["loc"] or ("body",)
    field = ".".join(str(part) for part in (names if place in ("body", "query", "path") else problem["loc"]))
    message = words_of(problem)
    return str(problem["type"]), f"{field}: {message}" if field else message


def _http_refusal(status: int, path: str, detail: str) -> ApiError:
    """The refusal for an error of the framework, such as an unknown path."""
    match status:
        case 400:
            return ApiError(400, "invalid-json", "The body is not JSON.")
        case 404:
            return NotFound("not-found", f"There is no {path}.", "The document at /api/openapi.json lists all paths.")
        case 405:
            return ApiError(405, "method-not-allowed", f"{detail}.")
        case _:
            return ApiError(status, "refused", f"{detail}.")


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error in the shape of `ErrorRead`."""

    @app.exception_handler(ApiError)
    async def on_refusal(_: Request, error: ApiError) -> JSONResponse:
        return _answer(error.status, error.body, {"WWW-Authenticate": "Bearer"} if error.status == 401 else None)

    @app.exception_handler(engine.PiqlError)
    async def on_engine_error(_: Request, error: engine.PiqlError) -> JSONResponse:
        refusal = from_engine(error)
        if refusal.status == 500:
            log.error("the engine broke a promise: %s", error)
        return _answer(refusal.status, refusal.body)

    @app.exception_handler(OSError)
    async def on_system_error(request: Request, error: OSError) -> JSONResponse:
        if is_full(error):
            refusal = ApiError(507, "disk-full", FULL, FREE_SOME)
        elif is_refused(error):
            refusal = ApiError(507, "disk-not-writable", what_is_refused(error), LET_WRITE)
        else:
            return await on_fault(request, error)
        log.error("the disk takes nothing at %s %s: %s", request.method, request.url.path, error)
        return _answer(refusal.status, refusal.body)

    @app.exception_handler(RequestValidationError)
    async def on_invalid_request(_: Request, error: RequestValidationError) -> JSONResponse:
        kind, message = _first_problem(error)
        if kind == "json_invalid":
            refusal = ApiError(400, "invalid-json", "The body is not JSON.")
        elif kind == FILE_TWICE:
            refusal = ApiError(422, FILE_TWICE, f"{message}.", "Send each file once.")
        else:
            refusal = ApiError(422, "invalid-request", message, "/api/openapi.json says what is allowed.")
        return _answer(refusal.status, refusal.body)

    @app.exception_handler(HTTPException)
    async def on_http_error(request: Request, error: HTTPException) -> JSONResponse:
        refusal = _http_refusal(error.status_code, request.url.path, str(error.detail))
        return _answer(error.status_code, refusal.body, dict(error.headers or {}))

    @app.exception_handler(Exception)
    async def on_fault(request: Request, error: Exception) -> JSONResponse:
        method = request.scope.get("method", "SOCKET")
        log.error("a fault of the backend at %s %s", method, request.url.path, exc_info=error)
        body = ApiError(500, "internal", "The backend failed; its log says where.", "Please report this.").body
        return _answer(500, body, dict(SECURITY_HEADERS))  # no middleware comes after this one
