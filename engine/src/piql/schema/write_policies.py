"""Write policies: what `WITH WRITE …` of a query asks before a write is acknowledged, and what reads then see of it.

    none written    a majority of the copies
    QUORUM          the same, said in the text
    ALL             all copies of what the write changes

No write is acknowledged by less than a majority: what one copy alone has, it may lose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

WriteLevel: TypeAlias = Literal["quorum", "all"]


@dataclass(frozen=True, slots=True)
class WritePolicy:
    """What acknowledges a write, and what may be seen of it; each a sentence for people."""

    asks: str
    sees: str


WRITE_POLICIES: Mapping[WriteLevel, WritePolicy] = {
    "quorum": WritePolicy(
        "The write is acknowledged by a majority of the copies, as it is without a policy.",
        "Every later QUORUM read sees it. An EVENTUAL read may miss it for a while.",
    ),
    "all": WritePolicy(
        "The write is acknowledged when all copies have the row and the index entries that it changes: on a cluster "
        "ALL. While a copy cannot be reached, it fails, and may have been made or not.",
        "Every later read of the row by its key, or by an index that the write changes, sees it, an EVENTUAL one too. "
        "Views are not covered.",
    ),
}
