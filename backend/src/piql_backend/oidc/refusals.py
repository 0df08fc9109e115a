"""Why somebody is not let in: a code, which stands in the address of the page, and the words that it stands for."""

from __future__ import annotations

from typing import Literal

Code = Literal[
    "cancelled",
    "sign-in-lost",
    "provider-away",
    "code-refused",
    "token-refused",
    "unknown-person",
    "email-unconfirmed",
    "name-taken",
    "name-refused",
    "shut-out",
    "too-many-sign-ins",
]

# A sentence, and one thing to do; {provider} is what the button calls it.
WORDS: dict[Code, tuple[str, str]] = {
    "cancelled": ("{provider} did not sign you in.", "Sign in there, and allow it for this workbench."),
    "sign-in-lost": ("This sign-in was begun in another browser, or too long ago.", "Sign in again from this page."),
    "provider-away": ("{provider} does not answer as it should.", "Try again in a minute."),
    "code-refused": ("{provider} did not confirm the sign-in.", "Sign in again from this page."),
    "token-refused": (
        "What {provider} sent does not prove who you are, so it was not used.",
        "Sign in again, and tell an administrator if that does not help.",
    ),
    "unknown-person": ("You have no account in this workbench.", "Ask an administrator to add you."),
    "email-unconfirmed": (
        "{provider} does not say that your e-mail address is confirmed.",
        "Confirm it there, and sign in again.",
    ),
    "name-taken": (
        "There is an account of your name already, and it is not known to be yours.",
        "Ask an administrator to link it to you.",
    ),
    "name-refused": (
        "{provider} sends no name for you that an account can have.",
        "Ask an administrator to add you under another name.",
    ),
    "shut-out": ("Your account is shut out.", "Ask an administrator to let you in again."),
    "too-many-sign-ins": ("Too many sign-ins failed from your address.", "Try again in a minute."),
}


class Refused(Exception):
    """Somebody is not let in. `person` is the name of their account, where it is known; `reason` is for the log."""

    def __init__(self, code: Code, reason: str = "", person: str | None = None) -> None:
        super().__init__(f"{code}: {reason}" if reason else code)
        self.code = code
        self.person = person
