"""The words of a text, as token indexes hold them and token searches compare them."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")


def words_of(*texts: object) -> frozenset[str]:
    """Return the distinct words of some texts, case-folded; values that are not texts, such as NULL, have none."""
    return frozenset(word for text in texts if isinstance(text, str) for word in _WORD.findall(text.casefold()))


def folded(word: str) -> str:
    """Return a search word in the form in which `words_of` returns it."""
    return word.casefold().strip()
