"""Where lines of a text are in a later one. Pure.

1  CREATE QUERY cart AS            1  -- what is in it
2  SELECT item FROM carts    →     2  CREATE QUERY cart AS                 1 → 2   moved
3  WHERE owner = [me]              3  SELECT item, price FROM carts        2 → 3   edited, and still alike
4  LIMIT 10;                       4  WHERE owner = [me]; -- all           4 → None   gone
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_END_OF_LINE = re.compile(r"\r\n|\n|\r")  # as the editor counts lines
_LEAST_ALIKE = 0.6  # of 1: below it, an edited line is another one
_MOST_PAIRS = 1_000_000  # of changed lines that are compared: beyond it, only lines that are as they were are found
_MOST_CANDIDATES = 40  # changed lines that one line is compared with
_MOST_COMPARED = 300  # characters of a line that are compared


def lines_of(text: str) -> Sequence[str]:
    """The lines of a text, as the editor counts them."""
    return _END_OF_LINE.split(text)


def lines_that_come_once(lines: Sequence[str]) -> Mapping[str, int]:
    """The lines that come once, apart from space around them, with their numbers."""
    texts = [line.strip() for line in lines]
    counts = Counter(texts)
    return {text: number for number, text in enumerate(texts, 1) if text and counts[text] == 1}


def moved_lines(before: Sequence[str], after: Sequence[str], wanted: Collection[int]) -> Mapping[int, int | None]:
    """Where each line that is wanted is by now, by its number from 1; None for one that is gone."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    blocks = _blocks(before[start : len(before) - end], after[start : len(after) - end])
    once_before, once_after = lines_that_come_once(before), lines_that_come_once(after)

    def now(number: int) -> int | None:
        at = number - 1
        if not 0 <= at < len(before):
            return None
        if at < start:
            return number
        if at >= len(before) - end:
            return number + len(after) - len(before)
        block = next(block for block in blocks if block.holds(at - start))
        if block.is_kept:
            return number - block.start + block.new_start
        text = before[at].strip()
        if text in once_before and text in once_after:
            return once_after[text]
        candidates = range(start + block.new_start, start + block.new_end)
        return _most_alike(before[at], after, candidates, at - start - block.start)

    return {number: now(number) for number in wanted}


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of one text from `start` on that became lines of another."""

    is_kept: bool
    start: int
    end: int
    new_start: int
    new_end: int

    def holds(self, at: int) -> bool:
        return self.start <= at < self.end


def _blocks(before: Sequence[str], after: Sequence[str]) -> Sequence[_Block]:
    """Which lines are kept, in their order, and which became which others."""
    if len(before) * len(after) > _MOST_PAIRS:
        return [_Block(False, 0, len(before), 0, 0)]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [_Block(tag == "equal", *ranges) for tag, *ranges in matcher.get_opcodes()]


def _most_alike(line: str, after: Sequence[str], candidates: range, offset: int) -> int | None:
    """The number of the line among candidates that is most alike, the nearest of equals; None where none is enough."""
    nearest = sorted(candidates, key=lambda at: abs(at - candidates.start - offset))[:_MOST_CANDIDATES]
    wanted, best, alike = _compared(line), None, _LEAST_ALIKE
    for at in nearest:
        matcher = SequenceMatcher(None, _compared(after[at]), wanted, autojunk=False)
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) <= alike:  # it is no more alike than that
            continue
        if (ratio := matcher.ratio()) > alike:
            best, alike = at + 1, ratio
    return best


def _compared(line: str) -> str:
    return line.strip()[:_MOST_COMPARED]


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    """How many lines are the same at the start."""
    count = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        count += 1
    return count
