"""Read policies: what `WITH READ …` of a query asks of a store that keeps several copies, and what its rows may be.

    none written    as the database was opened, or as its address says
    EVENTUAL        any one copy
    QUORUM          a majority of the copies
    SESSION         a majority, but one copy where a session has no need of more

A policy is the least that a read is given. Who executes it may ask for more, never for less. On a cluster the levels
are CQL's (`store.cql.levels`): with one that begins with LOCAL_, the copies are those of one datacentre.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

ReadLevel: TypeAlias = Literal["eventual", "quorum", "session"]


@dataclass(frozen=True, slots=True)
class ReadPolicy:
    """What each request asks of the store, and what may be seen; each a sentence for people."""

    asks: str
    sees: str


READ_POLICIES: Mapping[ReadLevel, ReadPolicy] = {
    "eventual": ReadPolicy(
        "Each request asks one copy: on a cluster LOCAL_ONE, or ONE if its address names a level without LOCAL_.",
        "A row may be old: a write that was acknowledged may be missing, and a later read may show an earlier state. "
        "In a session its guarantees hold all the same.",
    ),
    "quorum": ReadPolicy(
        "Each request waits for a majority of the copies: on a cluster LOCAL_QUORUM, or QUORUM if its address names a "
        "level without LOCAL_.",
        "Every write that was acknowledged before the read is seen, whoever asks. At LOCAL_QUORUM these are the writes "
        "of the same datacentre.",
    ),
    "session": ReadPolicy(
        "Each request waits for a majority of the copies, or asks one where its session needs no more.",
        "A session sees what it wrote, and never less than it has seen before, as far as it guarantees that. Outside "
        "of a session every acknowledged write is seen, as QUORUM sees it.",
    ),
}
