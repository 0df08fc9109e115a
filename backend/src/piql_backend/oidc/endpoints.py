"""HTTP for signing in at a provider: two addresses that the browser is led through, and what the page says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse

from piql_backend.oidc.attempt import SECONDS
from piql_backend.oidc.refusals import WORDS, Refused
from piql_backend.oidc.schemas import RefusalRead, SignInRead
from piql_backend.people.cookie import SESSION, Cookie, origin_of
from piql_backend.people.endpoints import ThePeople
from piql_backend.web.dependencies import TheWorkbench
from piql_backend.web.errors import NotFound, declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import ANYBODY, needs
from piql_backend.web.prefix import prefix_of

if TYPE_CHECKING:
    from piql_backend.oidc.service import SignIns
else:
    SignIns = Any  # the API document is made without SQLAlchemy and Authlib

router = APIRouter(route_class=GuardedRoute, prefix="/sign-in", tags=["people"])
ATTEMPT = Cookie("piql-sign-in", SECONDS, "lax")  # the provider's page leads back here, and has to send it

_Text = Annotated[str | None, Query(max_length=4000)]
_LED_ON: dict[int | str, dict[str, Any]] = {303: {"description": "Where the browser goes on."}}


async def sign_ins_of(workbench: TheWorkbench, _: ThePeople) -> SignIns:
    """The sign-ins at the provider; ApiError 404 where there is none."""
    if workbench.sign_ins is None:
        message = "This workbench knows no OpenID provider."
        raise NotFound("no-provider", message, "Sign in by a password, or start it with OIDC_ISSUER.")
    return workbench.sign_ins


TheSignIns = Annotated[SignIns, Depends(sign_ins_of)]


@router.get("", responses=declared(404))
@needs(ANYBODY)
def read_ways_to_sign_in(workbench: TheWorkbench, _: ThePeople, refused: str | None = None) -> SignInRead:
    """The ways to sign in, and the words for the code of a refusal, which the address of the page has."""
    sign_ins: SignIns | None = workbench.sign_ins
    if sign_ins is None:
        return SignInRead(provider=None, refusal=None)
    words = WORDS.get(refused)  # type: ignore[call-overload]
    if words is None:
        return SignInRead(provider=sign_ins.label, refusal=None)
    message, advice = (text.format(provider=sign_ins.label) for text in words)
    return SignInRead(provider=sign_ins.label, refusal=RefusalRead(code=str(refused), message=message, help=advice))


@router.get("/start", status_code=303, response_class=RedirectResponse, responses=_LED_ON | declared(404))
@needs(ANYBODY)
async def begin_sign_in(request: Request, sign_ins: TheSignIns, return_to: _Text = None) -> RedirectResponse:
    """Lead the browser to the provider, and afterwards to `return_to`, a page of this workbench."""
    try:
        attempt, url = await sign_ins.begin(_without_prefix(return_to, request), _redirect_uri(request))
    except Refused as refused:
        return _led_to(prefix_of(request) + _page_of(refused, "/"))
    response = _led_to(url)
    ATTEMPT.give(request, response, attempt.cookie)
    return response


@router.get("/callback", status_code=303, response_class=RedirectResponse, responses=_LED_ON | declared(404))
@needs(ANYBODY)
async def complete_sign_in(
    request: Request,
    sign_ins: TheSignIns,
    state: _Text = None,
    code: _Text = None,
    error: _Text = None,
    iss: _Text = None,
) -> RedirectResponse:
    """Take what the provider answers, and set a cookie with a new session, or lead to the page that says why not."""
    from piql_backend.oidc.service import ProviderAnswer  # the API document is made without SQLAlchemy and Authlib

    attempt = sign_ins.attempt_of(ATTEMPT.of(request))
    answer = ProviderAnswer(state, code, error, iss)
    origin = origin_of(request, sign_ins.label)
    try:
        secret = await sign_ins.complete(attempt, answer, _redirect_uri(request), SESSION.of(request), origin)
    except Refused as refused:
        response = _led_to(prefix_of(request) + _page_of(refused, "/" if attempt is None else attempt.return_to))
    else:
        response = _led_to(prefix_of(request) + ("/" if attempt is None else attempt.return_to))
        SESSION.give(request, response, secret)
    ATTEMPT.take(request, response)  # it is of use once
    return response


def _without_prefix(page: str | None, request: Request) -> str | None:
    """A page as this workbench knows it, which the browser names by its whole path."""
    prefix = prefix_of(request)
    return page[len(prefix) :] if page is not None and page.startswith(f"{prefix}/") else page


def _redirect_uri(request: Request) -> str:
    """Where the provider leads the browser back to: the address by which this workbench was asked."""
    return str(request.url_for("complete_sign_in"))


def _page_of(refused: Refused, page: str) -> str:
    """A page with the code of a refusal, which it shows while nobody is signed in."""
    path, mark, fragment = page.partition("#")
    code = urlencode({"refused": refused.code})
    return f"{path}{'&' if '?' in path else '?'}{code}{mark}{fragment}"


def _led_to(url: str) -> RedirectResponse:
    return RedirectResponse(url, 303, headers={"Cache-Control": "no-store"})
