"""Sends one alert as an e-mail. A retry has the Message-ID of the first try, so that a mailbox may tell them apart."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime

from piql_backend.alerts.mailbox import Mailbox

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 5.0
_MOST_SUBJECT = 150


def mail(mailbox: Mailbox, content: Mapping[str, str], timestamp: int) -> str | None:
    """Send an alert; return why no mailbox took it, None where one did."""
    message = _message(mailbox, content, timestamp)
    is_encrypted = not mailbox.is_encrypted_later
    try:
        with _connected(mailbox) as server:
            if mailbox.is_encrypted_later:
                server.starttls(context=ssl.create_default_context())
                is_encrypted = True
            if mailbox.user is not None and mailbox.password is not None:
                server.login(mailbox.user, mailbox.password)
            refused = server.send_message(message, mailbox.sender, mailbox.recipients)
    except smtplib.SMTPResponseException as error:
        return f"{mailbox} answers {error.smtp_code}"
    except smtplib.SMTPNotSupportedError:
        missing = "STARTTLS" if not is_encrypted else "AUTH"
        return f"{mailbox} offers no {missing}, so nothing was sent"
    except ssl.SSLCertVerificationError as error:
        return f"{mailbox} is not trusted: {error.verify_message}"
    except (OSError, smtplib.SMTPException) as error:
        return f"{mailbox} does not take the mail: {type(error).__name__}"
    if refused:
        log.warning("%s refuses %d of %d recipients of an alert", mailbox, len(refused), len(mailbox.recipients))
    return None


def _connected(mailbox: Mailbox) -> smtplib.SMTP:
    if mailbox.scheme == "smtps":
        context = ssl.create_default_context()
        return smtplib.SMTP_SSL(mailbox.host, mailbox.port, timeout=TIMEOUT_SECONDS, context=context)
    return smtplib.SMTP(mailbox.host, mailbox.port, timeout=TIMEOUT_SECONDS)


def _message(mailbox: Mailbox, content: Mapping[str, str], timestamp: int) -> EmailMessage:
    """The mail: what is wrong in its subject, everything that the webhook is told in its text."""
    place = f"{content['application']}/{content['environment']}"
    subject = " ".join(f"[{place}] {content['state']}: {content['message']}".split())
    message = EmailMessage()
    message["From"] = mailbox.sender
    message["To"] = ", ".join(mailbox.recipients)
    message["Subject"] = subject[:_MOST_SUBJECT]
    message["Date"] = format_datetime(datetime.fromtimestamp(timestamp, UTC))
    message["Message-ID"] = f"<{content['id']}@piql-workbench>"
    message["Auto-Submitted"] = "auto-generated"  # nobody's absence is answered
    message.set_content("\n".join([content["message"], "", *(f"{name}: {content[name]}" for name in content)]) + "\n")
    return message
