"""How often somebody may try to log in.

An attempt is counted before its password is looked at, so that many at once are counted, too. One that succeeds is
given back. Nobody can shut a person out by wrong passwords from elsewhere: what is refused is counted for a name and a
client together, and for a client. A name that many clients try at once only makes each of them slower: the first
attempt of a client that tried nothing before is always taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from piql_backend.web.allowances import Allowance, Allowances

BY_BOTH = Allowance(at_once=10, seconds=30.0)  # for a name and a client together
BY_CLIENT = Allowance(at_once=30, seconds=10.0)
BY_NAME = Allowance(at_once=100, seconds=30.0)  # of all clients together; once it is used up, SLOWED holds as well
SLOWED = Allowance(at_once=1, seconds=60.0)  # for a name and a client together

Key = tuple[str, str, str]


class Attempts:
    """The attempts to log in of all names and clients, on the event loop alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._allowances = Allowances[Key](clock)

    def take(self, name: str, client: str) -> float:
        """Count an attempt, and return 0; or count none, and return the seconds until one is free."""
        refusing, by_name, slowed = _keys(name, client)
        is_slowed = self._allowances.wait(by_name, BY_NAME) > 0
        wait = self._allowances.take(refusing | ({slowed: SLOWED} if is_slowed else {}))
        if not wait:
            self._allowances.count(by_name, BY_NAME)
            if not is_slowed:
                self._allowances.count(slowed, SLOWED)
        return wait

    def give_back(self, name: str, client: str) -> None:
        """Count an attempt as none: it succeeded."""
        refusing, by_name, slowed = _keys(name, client)
        for key, allowance in (refusing | {by_name: BY_NAME, slowed: SLOWED}).items():
            self._allowances.give_back(key, allowance)


def _keys(name: str, client: str) -> tuple[dict[Key, Allowance], Key, Key]:
    refusing = {("both", name, client): BY_BOTH, ("client", "", client): BY_CLIENT}
    return refusing, ("name", name, ""), ("slowed", name, client)
