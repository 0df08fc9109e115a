"""Users, passwords and certificates of a cluster: named by its address, read when a connection is opened."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cassandra import AuthenticationFailed
from cassandra.cluster import NoHostAvailable
from piql.errors import CredentialsMissing, StoreUnavailable
from piql.store.cql.address import parse_address
from piql.store.cql.credentials import tls_context, with_credentials
from piql.store.cql.rust.connection import RustConnection
from piql.store.cql.session.failures import unavailable
from piql.store.open import Location, location_of, open_store

_OPTIONS_REQUEST = 5  # the first that a driver sends
_HEADER = 9


class TlsServer:
    """Listens with TLS, keeps the first bytes of each connection that came about, and answers nothing."""

    def __init__(self, certificate: Path, key: Path) -> None:
        self.received: list[bytes] = []
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def _answer(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            try:
                with self._context.wrap_socket(connection, server_side=True) as encrypted:
                    self.received.append(encrypted.recv(_HEADER))
            except OSError:
                connection.close()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that nobody else has signed, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem"
    options = "-days 2 -subj /CN=node -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*command.split(), *options.split()], cwd=folder, check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def server(certificate: tuple[Path, Path]) -> Iterator[TlsServer]:
    started = TlsServer(*certificate)
    yield started
    started.close()


def test_the_login_is_read_from_a_variable_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_USER", "ada")
    (tmp_path / "password").write_text("p@ss:w/rd \nsecond line")
    address = parse_address(f"cql://a/k?user_variable=SHOP_USER&password_file={tmp_path}/password")
    assert (address.user, address.password) == (None, None)
    known = with_credentials(address)
    assert (known.user, known.password) == ("ada", "p@ss:w/rd ")
    assert "ada" not in repr(known)
    assert "p@ss" not in repr(known)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("password_variable=SHOP_NONE", "the environment variable SHOP_NONE, which is not set"),
        ("password_file=/none/here", "the file /none/here, which is not there"),
        ("user_file=/", "the file /, which cannot be read"),
        ("user_file=/dev/null", "the file /dev/null, which is empty"),
        ("user_file=/dev/null&user_variable=HOME", "not both"),
        ("tls_ca=/none/here", "the file /none/here is not there"),
        ("tls_ca=/dev/null", "the file /dev/null is not a certificate"),
        ("tls=on&tls_key=/none/here", "tls_key needs tls_certificate"),
    ],
)
def test_what_cannot_be_read_is_said_before_anything_is_connected(options: str, said: str) -> None:
    with pytest.raises(CredentialsMissing) as refusal:
        open_store(f"cql://127.0.0.1:1/k?{options}")
    assert said in str(refusal.value)


@pytest.mark.parametrize("is_wrapped", [True, False])
def test_a_driver_that_repeats_the_login_is_not_quoted_with_it(
    is_wrapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_USER", "ada_shop")
    monkeypatch.setenv("SHOP_PASSWORD", "hunter22")
    named = parse_address("cql://a/k?user_variable=SHOP_USER&password_variable=SHOP_PASSWORD")
    failure: Exception = AuthenticationFailed("Provided username ada_shop and/or password hunter22 are incorrect")
    if is_wrapped:
        failure = NoHostAvailable("none", {"127.0.0.1": failure})
    said = str(unavailable(failure, with_credentials(named)))
    assert "are incorrect" in said
    assert "ada_shop" not in said
    assert "hunter22" not in said


def test_a_node_is_spoken_to_by_tls_when_its_certificate_is_trusted(
    server: TlsServer, certificate: tuple[Path, Path]
) -> None:
    with pytest.raises(StoreUnavailable):
        open_store(f"cql://127.0.0.1:{server.port}/k?tls_ca={certificate[0]}&timeout=2&retries=0")
    assert server.received[0][4] == _OPTIONS_REQUEST


def test_a_node_whose_certificate_nobody_trusts_is_told_nothing(server: TlsServer) -> None:
    with pytest.raises(StoreUnavailable, match="certificate verify failed"):
        open_store(f"cql://127.0.0.1:{server.port}/k?tls=on&timeout=2&retries=0")
    assert not any(server.received)


def test_names_of_hosts_are_checked_and_a_certificate_of_ones_own_is_loaded(certificate: tuple[Path, Path]) -> None:
    own, key = certificate
    context = tls_context(parse_address(f"cql://a/k?tls_ca={own}&tls_certificate={own}&tls_key={key}"))
    assert context is not None
    assert (context.check_hostname, context.verify_mode) == (True, ssl.CERT_REQUIRED)
    assert tls_context(parse_address("cql://a/k")) is None
    assert tls_context(parse_address("cql://a/k?tls=off")) is None


def test_the_other_driver_does_not_connect_without_the_encryption_that_was_asked_for() -> None:
    with pytest.raises(StoreUnavailable, match="connects without TLS"):
        RustConnection(parse_address("cql://a/k?driver=rust&tls=on"))


def test_where_a_store_lies_is_known_without_opening_it(tmp_path: Path) -> None:
    assert location_of("cql://B,a:9999/shop?prefix=x_") == Location(("b:9999", "a:9999"), "shop/x_")
    assert location_of("cql://me@a/shop") == Location(("a:9042",), "shop/", has_login=True)
    assert location_of(f"embedded:{tmp_path}/x/../shop.db?synchronous=NORMAL") == Location((), f"{tmp_path}/shop.db")
    assert location_of("embedded:") == Location((), "")
    for wrong in ("cql://a", "postgres://a/b", "", "embedded:a?password=b", "stepwise:a?wait_ms=x"):
        with pytest.raises(StoreUnavailable):
            location_of(wrong)
