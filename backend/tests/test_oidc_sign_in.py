"""Sign-in at an OpenID provider over HTTP: the good way, and each mistake, which lets nobody in."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import replace
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from piql_backend.commands.people import user
from piql_backend.data_folder.layout import PEOPLE_FILE
from piql_backend.oidc.attempt import SECONDS, SignInAttempt, local_path
from piql_backend.oidc.refusals import WORDS
from piql_backend.oidc.registration import registration_of
from piql_backend.people.browsers import browser_of
from piql_backend.people.service import People
from piql_backend.settings import ROOT, Settings
from piql_backend.web.visitor import EVERYWHERE
from reference.commands import parser_of

from .conftest import PASSWORD
from .openid_provider import PATIENCE_SECONDS, Claims, OpenIdProvider

Running = Callable[[Settings], AbstractAsyncContextManager[httpx.AsyncClient]]
ADA = "ada@example.org"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(scope="module")
def running_provider() -> Iterator[OpenIdProvider]:
    with OpenIdProvider().running() as provider:
        yield provider


@pytest.fixture
def provider(running_provider: OpenIdProvider) -> OpenIdProvider:
    """The provider, which knows Ada, and bends nothing."""
    running_provider.bend = None
    running_provider.knows("a1", email=ADA, email_verified=True)
    return running_provider


@pytest.fixture
def chosen(settings: Settings, provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A team that Ada administers, who has an account for her e-mail address and no password."""
    monkeypatch.setattr("piql_backend.oidc.provider.SECONDS", PATIENCE_SECONDS)
    with closing(People(settings.data / PEOPLE_FILE)) as people:
        people.accounts.add(ADA, None)
        people.accounts.set_role(ADA, EVERYWHERE, "administrator")
    return replace(
        settings, team=True, oidc_issuer=provider.issuer, oidc_client_id="workbench", oidc_client_secret="s3cret"
    )


@pytest.fixture
async def browser(chosen: Settings, running: Running) -> AsyncIterator[httpx.AsyncClient]:
    async with running(chosen) as client:
        client.headers["user-agent"] = FIREFOX
        yield client


async def begun(browser: httpx.AsyncClient, return_to: str | None = None) -> str:
    """The address at the provider to which a sign-in leads."""
    parameters = {} if return_to is None else {"return_to": return_to}
    answer = await browser.get("/api/sign-in/start", params=parameters)
    assert answer.status_code == 303
    return answer.headers["location"]


async def signed_in(
    browser: httpx.AsyncClient, provider: OpenIdProvider, subject: str = "a1", return_to: str | None = None
) -> httpx.Response:
    """The answer to a whole sign-in of somebody."""
    return await browser.get(provider.sign_in(await begun(browser, return_to), subject))


def changed(url: str, **values: str | None) -> str:
    """An address with other parameters; None leaves one out."""
    parts = urlsplit(url)
    parameters = {name: values[0] for name, values in parse_qs(parts.query).items()} | values
    query = urlencode({name: value for name, value in parameters.items() if value is not None})
    return urlunsplit(parts._replace(query=query))


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


async def refusal(browser: httpx.AsyncClient, answer: httpx.Response) -> str:
    """The code with which nobody was let in."""
    assert (answer.status_code, "piql-session" in answer.headers.get("set-cookie", "")) == (303, False), answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert (await browser.get("/api/session")).json()["person"] is None
    (code,) = parse_qs(urlsplit(answer.headers["location"]).query)["refused"]
    return code


async def test_who_is_known_to_the_provider_signs_in_and_stays_who_they_are(
    browser: httpx.AsyncClient, provider: OpenIdProvider
) -> None:
    browser.cookies.set("piql-session", "chosen-by-somebody-else", domain="127.0.0.1")
    started = await browser.get("/api/sign-in/start", params={"return_to": "/record?day=2026-01-01#x"})
    words = {word.strip().lower() for word in started.headers["set-cookie"].split(";")[1:]}
    assert words == {"httponly", f"max-age={SECONDS}", "path=/", "samesite=lax"}
    asked = parse_qs(urlsplit(started.headers["location"]).query)
    assert (asked["code_challenge_method"], asked["scope"]) == (["S256"], ["openid email profile"])
    answer = await browser.get(provider.sign_in(started.headers["location"], "a1"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/record?day=2026-01-01#x")
    assert "piql-sign-in" not in browser.cookies
    first = browser.cookies["piql-session"]
    assert first != "chosen-by-somebody-else"
    assert (await browser.get("/api/session")).json()["person"] == {
        "name": ADA,
        "roles": [{"application": None, "role": "administrator"}],
        "known_by": "provider",
    }
    (session,) = (await browser.get("/api/sessions")).json()["items"]
    assert (session["browser"], session["provider"], session["is_this"]) == ("Firefox on Linux", "127.0.0.1", True)
    (entry,) = (await browser.get("/api/audit?operation=log_in")).json()["items"]
    assert (entry["person"], entry["by"], entry["status"]) == (ADA, "provider", 200)
    provider.knows("a1", email="ada@elsewhere.example", email_verified=False)  # the subject counts from now on
    assert (await signed_in(browser, provider)).headers["location"] == "/"
    assert browser.cookies["piql-session"] != first
    assert (await browser.get("/api/session")).json()["person"]["name"] == ADA
    assert (await browser.get("/api/health", headers={"cookie": f"piql-session={first}"})).status_code == 401
    assert (await browser.delete("/api/session")).status_code == 204
    provider.knows("a2", email=ADA, email_verified=True)  # somebody else, who has the address now
    assert await refusal(browser, await signed_in(browser, provider, "a2")) == "unknown-person"


async def test_over_tls_the_cookie_of_a_sign_in_is_of_this_host_alone(browser: httpx.AsyncClient) -> None:
    started = await browser.get("https://127.0.0.1/api/sign-in/start")
    name, _, rest = started.headers["set-cookie"].partition("=")
    assert (name, "secure" in rest.lower(), "path=/" in rest.lower()) == ("__Host-piql-sign-in", True, True)
    asked = parse_qs(urlsplit(started.headers["location"]).query)
    assert asked["redirect_uri"] == ["https://127.0.0.1/api/sign-in/callback"]


async def test_each_mistake_of_a_browser_lets_nobody_in(browser: httpx.AsyncClient, provider: OpenIdProvider) -> None:
    async def tried(back: str) -> str:
        return await refusal(browser, await browser.get(back))

    back = provider.sign_in(await begun(browser), "a1")
    assert await tried(changed(back, state="guessed")) == "sign-in-lost"
    assert await tried(back) == "sign-in-lost"  # the cookie was of use once
    assert await tried(changed(provider.sign_in(await begun(browser), "a1"), state=None)) == "sign-in-lost"
    back = provider.sign_in(await begun(browser), "a1")
    browser.cookies.clear()
    assert await tried(back) == "sign-in-lost"
    late = SignInAttempt.begin(None, 0)
    browser.cookies.set("piql-sign-in", late.cookie, domain="127.0.0.1")
    assert await tried(f"/api/sign-in/callback?code=x&state={late.state}") == "sign-in-lost"
    for cookie in ("", "not base64", "YSBi", "w6kgMSAv"):
        browser.cookies.set("piql-sign-in", cookie, domain="127.0.0.1")
        assert await tried("/api/sign-in/callback?code=x&state=y") == "sign-in-lost"
    browser.cookies.clear()

    stolen = parse_qs(urlsplit(provider.sign_in(await begun(browser), "a1")).query)["code"][0]
    back = provider.sign_in(await begun(browser), "a1")
    assert await tried(changed(back, code=stolen)) == "code-refused"  # its verifier is in another cookie
    asked = await begun(browser)
    other = changed(asked, code_challenge="E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    assert await tried(provider.sign_in(other, "a1")) == "code-refused"
    assert await tried(changed(provider.sign_in(await begun(browser), "a1"), code="guessed")) == "code-refused"
    assert await tried(provider.sign_in(changed(await begun(browser), nonce="another"), "a1")) == "token-refused"
    assert await tried(provider.sign_in(changed(await begun(browser), nonce=None), "a1")) == "token-refused"
    back = provider.sign_in(await begun(browser), "a1")
    assert await tried(changed(back, iss="https://evil.example")) == "token-refused"
    back = provider.sign_in(await begun(browser), "a1")
    assert await tried(changed(back, code=None, error="access_denied")) == "cancelled"


async def test_a_code_and_a_cookie_that_were_seen_are_of_no_use_again(
    browser: httpx.AsyncClient, provider: OpenIdProvider
) -> None:
    back = provider.sign_in(await begun(browser), "a1")
    cookie = browser.cookies["piql-sign-in"]
    assert (await browser.get(back)).headers["location"] == "/"
    browser.cookies.clear()
    browser.cookies.set("piql-sign-in", cookie, domain="127.0.0.1")
    assert await refusal(browser, await browser.get(back)) == "code-refused"


async def test_each_wrong_token_lets_nobody_in(browser: httpx.AsyncClient, provider: OpenIdProvider) -> None:
    stranger = RSAKey.generate_key(2048)

    def signed(claims: Claims, key: RSAKey, **header: str) -> str:
        return jwt.encode({"alg": "RS256", **header}, claims, key)

    def unsigned(claims: Claims, _: RSAKey) -> str:
        return jwt.encode({"alg": "none"}, claims, OctKey.import_key("x" * 32), algorithms=["none"])

    def signed_by_what_is_public(claims: Claims, key: RSAKey) -> str:
        header, body = _encoded(b'{"alg": "HS256"}'), _encoded(json.dumps(claims).encode())
        signed_part = f"{header}.{body}"
        mac = hmac.new(key.as_pem(private=False), signed_part.encode(), "sha256").digest()
        return f"{signed_part}.{_encoded(mac)}"

    bends = {
        "another audience": lambda claims, key: signed(claims | {"aud": "another"}, key),
        "two audiences, for another": lambda claims, key: signed(
            claims | {"aud": ["workbench", "another"], "azp": "another"}, key
        ),
        "no audience": lambda claims, key: signed({**claims, "aud": []}, key),
        "expired": lambda claims, key: signed(claims | {"exp": claims["iat"] - 3600}, key),
        "without an end": lambda claims, key: signed({**claims, "exp": None}, key),
        "of the future": lambda claims, key: signed(claims | {"nbf": claims["exp"]}, key),
        "another issuer": lambda claims, key: signed(claims | {"iss": "https://evil.example"}, key),
        "an issuer with a slash": lambda claims, key: signed(claims | {"iss": f"{claims['iss']}/"}, key),
        "another nonce": lambda claims, key: signed(claims | {"nonce": "another"}, key),
        "no subject": lambda claims, key: signed({name: value for name, value in claims.items() if name != "sub"}, key),
        "of another access token": lambda claims, key: signed(claims | {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, key),
        "somebody else than the userinfo": lambda claims, key: signed(
            {name: value for name, value in claims.items() if name != "email"} | {"sub": "a9"}, key
        ),
        "signed by another key": lambda claims, key: signed(claims, stranger),
        "signed by a key that is not there": lambda claims, key: signed(claims, stranger, kid="none"),
        "unsigned": unsigned,
        "signed by what is public": signed_by_what_is_public,
        "no token": lambda claims, key: None,
        "no JWT": lambda claims, key: "a.b.c",
    }
    for name, bend in bends.items():
        provider.bend = bend
        assert await refusal(browser, await signed_in(browser, provider)) == "token-refused", name
        browser._transport.app.state.workbench.team.attempts.give_back("", "127.0.0.1")  # type: ignore[attr-defined]
    provider.bend = signed
    assert (await signed_in(browser, provider)).headers["location"] == "/"


async def test_who_fails_too_often_waits(browser: httpx.AsyncClient, provider: OpenIdProvider) -> None:
    codes = []
    for _ in range(11):
        back = provider.sign_in(await begun(browser), "a1")
        codes.append(await refusal(browser, await browser.get(changed(back, code="guessed"))))
    assert codes == ["code-refused"] * 10 + ["too-many-sign-ins"]


async def test_whom_the_settings_let_in(chosen: Settings, running: Running, provider: OpenIdProvider) -> None:
    provider.knows("b1", email="Ben@Example.org", email_verified=True)
    provider.knows("c1", email="cleo@example.org", email_verified=False)
    provider.knows("d1", email="dan@sub.example.org", email_verified=True)
    provider.knows("e1", email="eve@example.org@evil.example", email_verified=True)
    provider.knows("f1", email="fay+1@example.org", email_verified=True)
    provider.knows("g1", email="gil@example.org", email_verified=True)
    with closing(People(chosen.data / PEOPLE_FILE)) as people:
        people.accounts.add("gil@example.org", PASSWORD)
        people.accounts.set_role("gil@example.org", EVERYWHERE, "administrator")
    async with running(replace(chosen, oidc_domains=("Example.org",), oidc_role="viewer")) as browser:
        expected = {
            "c1": "email-unconfirmed",
            "d1": "unknown-person",
            "e1": "unknown-person",
            "f1": "name-refused",
            "g1": "name-taken",  # an account with a password is nobody's for an e-mail address
            "h1": "email-unconfirmed",
        }
        for subject, code in expected.items():
            assert await refusal(browser, await signed_in(browser, provider, subject)) == code, subject
        assert (await signed_in(browser, provider, "b1")).headers["location"] == "/"
        person = (await browser.get("/api/session")).json()["person"]
        assert (person["name"], person["roles"]) == ("ben@example.org", [{"application": None, "role": "viewer"}])
        with closing(People(chosen.data / PEOPLE_FILE)) as people:
            people.accounts.set_disabled("ben@example.org", True)
        assert await refusal(browser, await signed_in(browser, provider, "b1")) == "shut-out"
        folder = ["--data", str(chosen.data), "--issuer", provider.issuer]
        assert user(["link", "gil@example.org", "g1", *folder]) == 0
        assert user(["link", "gil@example.org", "g2", *folder]) == 1
        assert user(["link", ADA, "g1", *folder]) == 1
        assert (await signed_in(browser, provider, "g1")).headers["location"] == "/"
        assert (await browser.get("/api/session")).json()["person"]["name"] == "gil@example.org"
        assert user(["unlink", "gil@example.org", "--data", str(chosen.data)]) == 0
        assert await refusal(browser, await signed_in(browser, provider, "g1")) == "name-taken"


FOREIGN = (
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "/\t/evil.example/",
    " //evil.example/",
    "/%0d%0aLocation:\n//evil.example",
    "javascript:alert(1)",
    "evil.example",
    "/api/sign-in/start",
    "/é",
    "/" + "x" * 1000,
    "",
)


async def test_a_sign_in_leads_to_no_foreign_page(browser: httpx.AsyncClient, provider: OpenIdProvider) -> None:
    assert [page for page in FOREIGN if local_path(page) != "/"] == []
    assert (await signed_in(browser, provider, return_to="https://evil.example/")).headers["location"] == "/"
    attempt = SignInAttempt("s", 4_000_000_000, "//evil.example/")
    assert SignInAttempt.from_cookie(attempt.cookie, 4_000_000_000) == replace(attempt, return_to="/")
    page = "/applications/scadr/development?query=a%20b#x"
    assert local_path(page) == page


async def test_a_provider_that_is_not_there_is_said_in_words(
    chosen: Settings, running: Running, provider: OpenIdProvider
) -> None:
    for issuer in (f"{provider.issuer}/", f"{provider.issuer}/nowhere", "http://[::1]:9"):
        async with running(replace(chosen, oidc_issuer=issuer, oidc_label="Example")) as browser:
            assert await begun(browser) == "/?refused=provider-away", issuer
            told = (await browser.get("/api/sign-in?refused=provider-away")).json()
    assert told["provider"] == "Example"
    assert told["refusal"]["message"] == "Example does not answer as it should."
    assert all(message.endswith(".") and advice.endswith(".") for message, advice in WORDS.values())


async def test_without_a_provider_there_is_no_such_sign_in(team: httpx.AsyncClient) -> None:
    assert (await team.get("/api/sign-in?refused=shut-out")).json() == {"provider": None, "refusal": None}
    for path in ("start", "callback"):
        answer = await team.get(f"/api/sign-in/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no-provider")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"team": False}, "add --team"),
        ({"oidc_issuer": "http://login.example.org"}, "use https"),
        ({"oidc_issuer": "login.example.org"}, "no address of a provider"),
        ({"oidc_issuer": None}, "but not OIDC_ISSUER"),
        ({"oidc_client_secret": None}, "OIDC_CLIENT_SECRET"),
        ({"oidc_scopes": ("email",)}, "lacks openid"),
        ({"oidc_role": "administrator"}, "no role for new people"),
        ({"oidc_domains": ("*.org",)}, "no domain"),
    ],
)
def test_what_cannot_be_a_provider_is_refused_at_the_start(change: dict[str, object], message: str) -> None:
    good = Settings(team=True, oidc_issuer="https://login.example.org", oidc_client_id="w", oidc_client_secret="s3")
    assert "s3" not in f"{good} {registration_of(good)}"
    with pytest.raises(ValueError, match=message):
        registration_of(replace(good, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/139.0 Safari/537.36", "Chrome on Windows"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/139.0 Safari/537.36 Edg/139.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15", "Safari on macOS"),
        ("curl/8.5.0", ""),
        ("", ""),
    ],
)
def test_a_browser_is_known_by_its_name(user_agent: str, name: str) -> None:
    assert browser_of(user_agent) == name


def test_the_example_of_the_guide_is_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (ROOT / "docs" / "operations.md").read_text()
    lines = [line.split() for line in guide.splitlines() if "OIDC_" in line or "--oidc" in line]
    for command, *assignments in lines:
        for assignment in assignments if command == "export" else ():
            monkeypatch.setenv(*assignment.split("=", 1))
    (arguments,) = [words[2:] for words in lines if words[:2] == ["piql", "serve"]]
    assert parser_of("serve").parse_args(arguments[: arguments.index("3<")]).oidc_secret_fd == 3
    settings = replace(Settings.from_environment(), team=True, oidc_client_secret="from the descriptor")
    registration = registration_of(settings)
    assert registration is not None
    assert (registration.label, registration.domains, registration.role) == ("Example", {"example.org"}, "viewer")
