"""What an endpoint needs of whoever asks: declared once, beside the endpoint, and read by everything else.

    @router.post("", status_code=201)
    @needs(in_application("deployer"))
    def create_deployment(…)

`guarded_routes.py` refuses to build a route without such a declaration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

Role = Literal["viewer", "developer", "reviewer", "deployer", "administrator"]
ROLES: tuple[Role, ...] = get_args(Role)  # each may do what those before it may
Place = Literal["anybody", "signed-in", "in-person", "application", "everywhere"]

_DECLARED = "__need__"


class Undeclared(Exception):
    """A route does not say what it needs, or says what does not fit its path: the application is not built."""


Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def suffices(role: Role, needed: Role) -> bool:
    """Whether who has a role may do what needs another."""
    return ROLES.index(role) >= ROLES.index(needed)


@dataclass(frozen=True, slots=True)
class Need:
    """Who may ask: `role` is needed in the application of the path, or in all applications; None where none is."""

    place: Place
    role: Role | None = None

    @property
    def is_for_changes(self) -> bool:
        """Whether something is changed by what needs this: a viewer, and who is only signed in, changes nothing."""
        return self.place == "in-person" or self.role not in (None, "viewer")

    @property
    def refusals(self) -> tuple[int, ...]:
        """The statuses with which whoever may not is refused."""
        if self.place == "anybody":
            return ()
        return (401, 403, 404) if self.place == "application" else (401, 403)


ANYBODY = Need("anybody")  # also who is not signed in
SIGNED_IN = Need("signed-in")  # every person, whatever their roles
IN_PERSON = Need("in-person")  # the same, but with a session: no token changes passwords, sessions or tokens


def in_application(role: Role) -> Need:
    """A role in the application that the path names; for everybody else that application does not exist."""
    return Need("application", role)


def everywhere(role: Role) -> Need:
    """A role in all applications, also in those to come."""
    return Need("everywhere", role)


def needs(need: Need) -> Callable[[Endpoint], Endpoint]:
    """Declare what an endpoint needs."""

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _DECLARED, need)
        return endpoint

    return declare


def declared_need(endpoint: object) -> Need | None:
    """What an endpoint was declared to need; None where nobody said."""
    need = getattr(endpoint, _DECLARED, None)
    return need if isinstance(need, Need) else None
