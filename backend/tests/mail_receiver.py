"""A mail server of a test: it speaks as much SMTP as is needed to take mails over the wire."""

from __future__ import annotations

import base64
import socketserver
import ssl
import threading
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast


@dataclass(frozen=True)
class Taken:
    """A mail that was taken, and for whom."""

    recipients: list[str]
    message: EmailMessage


class MailReceiver:
    """Takes mails of one user. `answers` are given to the next mails instead, one each.

    With a `certificate` it encrypts: from the start, or `later`, by STARTTLS; then it takes nothing before that.
    `in_the_clear` has what came before.
    """

    def __init__(
        self, user: str, password: str, certificate: ssl.SSLContext | None = None, later: bool = False
    ) -> None:
        self.taken: list[Taken] = []
        self.answers: list[str] = []
        self.in_the_clear: list[str] = []
        receiver, credentials = self, base64.b64encode(f"\0{user}\0{password}".encode()).decode()

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                recipients: list[str] = []
                is_encrypted = certificate is not None and not later
                try:
                    if certificate is not None and is_encrypted:
                        self._encrypt(certificate)
                    self._converse(recipients, is_encrypted)
                except (ssl.SSLError, ConnectionError):
                    return  # the client does not trust the certificate

            def _encrypt(self, context: ssl.SSLContext) -> None:
                self.connection = context.wrap_socket(self.connection, server_side=True)
                self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

            def _converse(self, recipients: list[str], is_encrypted: bool) -> None:
                self._say("220 ready")
                is_known = False
                while line := self.rfile.readline().decode().strip():
                    verb = line.split()[0].upper()
                    if not is_encrypted:
                        receiver.in_the_clear.append(verb)
                    if verb == "EHLO":
                        offer = "STARTTLS" if certificate is not None and not is_encrypted else "AUTH PLAIN"
                        self._say(f"250-here\r\n250 {offer}")
                    elif verb == "STARTTLS" and certificate is not None:
                        self._say("220 go on")
                        self._encrypt(certificate)
                        is_encrypted = True
                    elif verb == "AUTH":
                        is_known = line.split()[-1] == credentials
                        self._say("235 known" if is_known else "535 unknown")
                    elif verb == "RCPT":
                        recipients.append(line.partition("<")[2].partition(">")[0])
                        self._say("250 ok" if is_known else "530 who are you")
                    elif verb == "DATA":
                        self._say("354 go on")
                        self._say(receiver.take(recipients, self._data()))
                    elif verb == "QUIT":
                        self._say("221 bye")
                        return
                    else:
                        self._say("250 ok")

            def _data(self) -> bytes:
                lines = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line.removeprefix(b"."))
                return b"".join(lines)

            def _say(self, answer: str) -> None:
                self.wfile.write(f"{answer}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]

    def take(self, recipients: list[str], data: bytes) -> str:
        """Keep a mail and return the answer."""
        if self.answers:
            return self.answers.pop(0)
        message = message_from_bytes(data, policy=policy.default)
        self.taken.append(Taken(recipients, cast(EmailMessage, message)))
        return "250 taken"

    def __enter__(self) -> MailReceiver:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
