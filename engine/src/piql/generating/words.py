"""Words for texts: common ones often, rare ones seldom, and none beyond the limit on rows that hold it."""

from __future__ import annotations

import random

from piql.generating.choices import OpenRanks, zipf
from piql.generating.vocabulary import WORDS

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_VOCABULARY = 2000  # words among which texts choose, before some of them are full
_SHORT = 40  # characters of a title
_LONG = 400  # characters of a text
_SHORTEST = 12  # characters of a text that has room for words of the vocabulary


def in_base_36(number: int) -> str:
    """Return a number in digits and letters: 0 is '0', 36 is '10'."""
    digits = []
    while True:
        number, digit = divmod(number, 36)
        digits.append(_DIGITS[digit])
        if not number:
            return "".join(reversed(digits))


def fitting(text: str, length: int | None) -> str:
    """Return a text cut to a length, at a space where one is near, and without a space at its end."""
    if length is None or len(text) <= length:
        return text
    cut = text[:length]
    space = cut.rfind(" ")
    return (cut[:space] if space > length // 2 else cut).rstrip() or text[:length]


def plain_text(rng: random.Random, length: int | None) -> str:
    """Return a text of some words of the vocabulary, common ones more often."""
    room = _LONG if length is None else min(length, _LONG)
    words = [WORDS[zipf(rng, len(WORDS))] for _ in range(_count(rng, room))]
    return fitting(" ".join(words).capitalize(), length)


def _count(rng: random.Random, room: int) -> int:
    """Return how many words a text has: few, and now and then many."""
    if room <= _SHORT:
        return rng.randint(1, 4)
    return rng.randint(3, 12) if rng.random() < 0.9 else rng.randint(12, 60)


class Words:
    """The words for the texts of some columns under a limit on words. A word that is full is told to `close`.

    There are words without end, for a rank beyond the vocabulary has a number behind it: `river2`.
    """

    def __init__(self) -> None:
        self._open = OpenRanks()
        self._ranks: dict[str, int] = {}

    def word(self, rank: int, length: int | None) -> str | None:
        """Return the word of a rank that fits a length, None where there is none; the words of two ranks differ."""
        if length is not None and length < _SHORTEST:
            text = in_base_36(rank)
            if len(text) > length:
                return None
        else:
            number, place = divmod(rank, len(WORDS))
            text = f"{WORDS[place]}{number + 1}" if number else WORDS[place]
        self._ranks[text] = rank
        return text

    def close(self, word: str) -> None:
        """Give a word no more."""
        rank = self._ranks.get(word)
        if rank is not None:
            self._open.close(rank)

    def first_open(self, length: int | None) -> str | None:
        """Return the most common word that is not full."""
        return self.word(self._open.at_or_after(0), length)

    def text(self, rng: random.Random, length: int | None, first: str | None = None) -> str:
        """Return a text of some words, `first` in front; an empty one where no word is left that fits."""
        words = [] if first is None else [first]
        room = _LONG if length is None else min(length, _LONG)
        for _ in range(_count(rng, room)):
            word = self.word(self._open.at_or_after(zipf(rng, _VOCABULARY)), length)
            if word is None or len(" ".join([*words, word])) > room:
                break
            words.append(word)
        if not words and (lonely := self.first_open(length)) is not None:
            words = [lonely]
        text = " ".join(words)
        return text if length is None or len(text) <= length else text[:length].rstrip()
