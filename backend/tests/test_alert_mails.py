"""Alerts as e-mail over the wire: encrypted from the start or by STARTTLS, or not at all."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from piql_backend.alerts import mailing
from piql_backend.alerts.mailbox import Mailbox, MailSettings, mailbox_of
from piql_backend.alerts.mailing import mail

from .mail_receiver import MailReceiver

HOST = "mail.example"
CONTENT = {
    "id": "0123",
    "application": "shop",
    "environment": "production",
    "kind": "burning",
    "query": "cart",
    "state": "firing",
    "message": "cart: over the last 1 h, 20.0 times as many executions broke 10 ms as the SLO of 99 % allows",
    "at": "2026-06-05T12:00:00+00:00",
}


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mail server of the tests is on this machine, under the name of another one."""
    look_up = socket.getaddrinfo

    def look_up_here(host: Any, *rest: Any, **more: Any) -> Any:
        return look_up("127.0.0.1" if host in (HOST, "other.example") else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate of HOST, which the workbench trusts by SSL_CERT_FILE."""
    file = tmp_path / "mail.pem"
    file.write_bytes(certified(HOST))
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def certified(host: str) -> bytes:
    """A key and a certificate of a host, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8
    return key.private_bytes(pem, plain, serialization.NoEncryption()) + signed.public_bytes(pem)


def mailbox(url: str) -> Mailbox:
    """A mailbox of the user that the receiver knows."""
    settings = MailSettings(url, "piql@shop.example", ("ops@shop.example",), "ops", "a word")
    opened = mailbox_of(settings, [HOST, "other.example"])
    assert opened is not None
    return opened


@contextmanager
def receiving(certificate: ssl.SSLContext | None, later: bool) -> Iterator[MailReceiver]:
    with MailReceiver("ops", "a word", certificate, later) as receiver:
        yield receiver


@pytest.mark.parametrize(
    ("scheme", "later", "in_the_clear"), [("smtps", False, []), ("smtp", True, ["EHLO", "STARTTLS"])]
)
def test_a_mail_to_another_machine_is_encrypted_before_anything_is_said(
    certificate: ssl.SSLContext, scheme: str, later: bool, in_the_clear: list[str]
) -> None:
    with receiving(certificate, later) as receiver:
        assert mail(mailbox(f"{scheme}://{HOST}:{receiver.port}"), CONTENT, 1_780_660_800) is None
        (taken,) = receiver.taken
        assert receiver.in_the_clear == in_the_clear
    assert taken.recipients == ["ops@shop.example"]
    assert taken.message["Subject"] == f"[shop/production] firing: {CONTENT['message']}"
    assert "query: cart" in taken.message.get_content()


@pytest.mark.parametrize(("scheme", "later"), [("smtps", False), ("smtp", True)])
def test_nothing_is_sent_to_a_server_whose_certificate_is_of_another_name(
    certificate: ssl.SSLContext, scheme: str, later: bool
) -> None:
    with receiving(certificate, later) as receiver:
        wrong = mailbox(f"{scheme}://other.example:{receiver.port}")
        problem = mail(wrong, CONTENT, 1_780_660_800)
        assert problem == f"{wrong} is not trusted: Hostname mismatch, certificate is not valid for 'other.example'."
        assert receiver.taken == []


def test_nothing_is_sent_to_a_server_whose_certificate_nobody_vouches_for(
    certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with receiving(certificate, later=True) as receiver:
        problem = mail(mailbox(f"smtp://{HOST}:{receiver.port}"), CONTENT, 1_780_660_800)
        assert problem == f"smtp://{HOST}:{receiver.port} is not trusted: self-signed certificate"
        assert (receiver.taken, receiver.in_the_clear) == ([], ["EHLO", "STARTTLS"])


def test_nothing_is_sent_to_a_server_that_cannot_encrypt() -> None:
    with receiving(None, later=False) as receiver:
        problem = mail(mailbox(f"smtp://{HOST}:{receiver.port}"), CONTENT, 1_780_660_800)
        assert problem == f"smtp://{HOST}:{receiver.port} offers no STARTTLS, so nothing was sent"
        assert (receiver.taken, "AUTH" in receiver.in_the_clear) == ([], False)


def test_a_server_that_encrypts_from_the_start_is_not_waited_for_in_the_clear(
    certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailing, "TIMEOUT_SECONDS", 0.5)
    with receiving(certificate, later=False) as receiver:
        problem = mail(mailbox(f"smtp://{HOST}:{receiver.port}"), CONTENT, 1_780_660_800)
        assert (problem or "").startswith(f"smtp://{HOST}:{receiver.port} does not take the mail: ")
        assert receiver.taken == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"server": "mail.example"}, "is not the address of a mail server"),
        ({"server": "smtp://mail.example:99999"}, "is not the address of a mail server"),
        ({"server": "smtp://elsewhere.example"}, "goes to elsewhere.example, which ALERT_HOSTS does not list"),
        ({"server": "smtp://me:word@mail.example"}, "name or password"),
        ({"sender": "nobody"}, "ALERT_MAIL_FROM is not a mail address"),
        ({"recipients": ()}, "ALERT_MAIL_TO is not a mail address"),
        ({"recipients": ("a@b.example\nBcc: c@d.example",)}, "ALERT_MAIL_TO is not a mail address"),
        ({"user": "ops"}, "belong together"),
    ],
)
def test_a_mailbox_that_may_not_be_used_is_refused_at_the_start(change: dict[str, Any], complaint: str) -> None:
    settings = MailSettings("smtp://mail.example", "piql@shop.example", ("ops@shop.example",))
    with pytest.raises(ValueError, match=complaint):
        mailbox_of(replace(settings, **change), ["mail.example"])
    opened = mailbox_of(settings, ["mail.example"])
    assert opened is not None
    assert (opened.port, opened.is_encrypted_later) == (587, True)
