"""What one write on a store without transactions knows of itself, over all of its tries and in one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from piql.runtime.writing.stepped.backoff import Backoff
from piql.runtime.writing.stepped.folding import Gains, Look
from piql.runtime.writing.stepped.intents import Intent
from piql.runtime.writing.stepped.named_rows import Taken
from piql.store.rows import Row


@dataclass(slots=True)
class Work:
    """One write, over all of its tries.

    looked_at       when the schema's version was last compared, by the clock of the wait policy
    images          the records, before and after each try, whose entries, slots and groups of views were touched
    number          of its intent, once it needs one
    intent          noted in the log; None while nothing but the record changes
    mark            the write by which this one showed the record as COMING or DOUBTFUL
    last            the write that left the record as this try knows it
    is_under_way    a step was sent that others may see
    is_counting     the record stays as it is, and all views shall count it
    least_mark      the mark that it shall have then at least
    """

    key: Row
    backoff: Backoff
    looked_at: float
    images: list[Row] = field(default_factory=list)
    number: str | None = None
    intent: Intent | None = None
    mark: str | None = None
    last: str | None = None
    is_under_way: bool = False
    is_counting: bool = False
    least_mark: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What one try changes: the old image, the new one, and the name of the write that puts it.

    `gains` is what the groups of views gain by it, by the number of the view, and `looks` these groups as they were.
    `mark` is that of the old image. `taken` is what views of several tables are made from, by their names.
    """

    old: Row | None
    new: Row | None
    write: str
    gains: Mapping[int, Gains] = field(default_factory=dict)
    looks: Mapping[int, Look] = field(default_factory=dict)
    mark: int = 0
    taken: Mapping[str, Taken] = field(default_factory=dict)
