"""The text of a file as a Y document (a CRDT): edits that were made at the same time merge into one text.

state  →  a document, whole, as bytes            what is kept on disk
update →  some edits of one, as bytes            what is sent over the socket

Positions are bytes of UTF-8. Only the thread that made a document may use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from pycrdt import Doc, Text

MOST_CHARACTERS = 1_000_000  # of a text, as of one that is saved
MOST_STATE_BYTES = 12_000_000  # of a document, with the traces of what was deleted
NO_CHANGE = b"\x00\x00"  # the update without any edit
_TEXT = "text"
_MOST_COMPARED_LINES = 400  # more lines between the first and the last that differ are replaced as a whole


class UpdateRefused(Exception):
    """An update that is none, or that would make the text too long; the document is as it was."""


class LiveDocument:
    """One text that several people edit."""

    def __init__(self, state: bytes | None = None, text: str = "") -> None:
        """Take a state, or begin a new document with a text."""
        self._doc: Doc[Text] = Doc()
        self._doc[_TEXT] = Text()
        self._most_state_bytes = len(state or b"") + len(text.encode())  # its state is not longer, or not by much
        if state is not None:
            self._doc.apply_update(state)
        elif text:
            self._text.insert(0, text)

    @property
    def _text(self) -> Text:
        return self._doc.get(_TEXT, type=Text)

    @property
    def text(self) -> str:
        return str(self._text)

    @property
    def state(self) -> bytes:
        return self._doc.get_update()

    @property
    def vector(self) -> bytes:
        """Which edits are in it, but for deletions: by this, another document tells what is missing."""
        return self._doc.get_state()

    def missing_in(self, vector: bytes) -> bytes:
        """The update for a document with that vector. Raises UpdateRefused where it is none."""
        try:
            return self._doc.get_update(vector)
        except ValueError as error:
            raise UpdateRefused("it is no state of a document") from error

    def apply(self, update: bytes) -> None:
        """Take edits. Raises UpdateRefused, and takes none of them, where it cannot take all."""
        longest = len(self._text) + len(update)  # in bytes, of which a character has at least one
        self._most_state_bytes += len(update)
        if longest > MOST_CHARACTERS or self._most_state_bytes > MOST_STATE_BYTES:
            self._most_state_bytes = len(self.state) + len(update)
            trial = LiveDocument(self.state)
            trial.merge(update)
            if len(trial.text) > MOST_CHARACTERS:
                raise UpdateRefused(f"the text would be longer than {MOST_CHARACTERS:,} characters")
            if len(trial.state) > MOST_STATE_BYTES:
                raise UpdateRefused("the document would be too large")
        self.merge(update)

    def merge(self, update: bytes) -> None:
        """Take edits however long the text becomes: those of a text that is saved already."""
        try:
            self._doc.apply_update(update)
        except ValueError as error:
            raise UpdateRefused("it is no update of a document") from error

    def become(self, text: str) -> bytes:
        """Edit the text until it is another; the update with these edits."""
        vector = self.vector
        with self._doc.transaction():
            for start, end, replacement in reversed([*changes_between(self.text, text)]):
                if end > start:
                    del self._text[start:end]
                if replacement:
                    self._text.insert(start, replacement)
        return self.missing_in(vector)


def changes_between(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """Yield what turns one text into another, in order: a range of the first, in bytes, and what replaces it.

    "a\\nb\\nc\\n", "a\\nB\\nc\\nd\\n"  →  (2, 3, "B"), (6, 6, "d\\n")
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    start = len("".join(old[:head]).encode())
    if max(len(old_middle), len(new_middle)) > _MOST_COMPARED_LINES:
        yield from _narrowed(start, "".join(old_middle), "".join(new_middle))
        return
    offsets = [start]
    for line in old_middle:
        offsets.append(offsets[-1] + len(line.encode()))
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old_middle, new_middle, autojunk=False).get_opcodes():
        if tag != "equal":
            yield from _narrowed(offsets[i1], "".join(old_middle[i1:i2]), "".join(new_middle[j1:j2]))


def _narrowed(start: int, old: str, new: str) -> Iterator[tuple[int, int, str]]:
    """One replacement without what both texts begin and end with."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    first = start + len(old[:head].encode())
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    if removed or added:
        yield first, first + len(removed.encode()), added


def _common(one: list[str] | str, another: list[str] | str) -> int:
    """How many items two sequences begin with in common."""
    shortest = min(len(one), len(another))
    return next((index for index in range(shortest) if one[index] != another[index]), shortest)
