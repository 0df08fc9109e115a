"""Names of PIQL as names of a language. A quoted name of PIQL may hold any character.

users                  Users, for a type
findUser               findUser, for a function
class                  class_, where the language has taken the word
"a b", "a-b"           a_b, a_b_
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Names:
    """Names of one scope of a program: none is given twice, and none that is in `taken`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def function(self, name: str) -> str:
        """Return the name of a function, parameter or field."""
        return self._free(_identifier(name))

    def type(self, name: str) -> str:
        """Return the name of a type: it begins with a capital letter."""
        identifier = _identifier(name)
        return self._free(identifier[0].upper() + identifier[1:])

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def is_plain(name: str) -> bool:
    """Return whether a name is one in every language, if it is no word of the language."""
    return _PLAIN.fullmatch(name) is not None


def _identifier(name: str) -> str:
    """Return letters, digits and underscores, not beginning with an underscore: such names are the client's own."""
    words = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name)).lstrip("_")
    if not words:
        return "unnamed"
    return words if words.isidentifier() else re.sub(r"[^A-Za-z0-9_]", "_", f"n{words}")
