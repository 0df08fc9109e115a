"""What an experiment is, and what comes of it: data only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from piql_profiler.experiments.stage import Stage
from piql_profiler.experiments.verdicts import Claim, Verdict, all_of

Value: TypeAlias = str | int | float | None
Row: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart, or the bars of one colour: its name and its points."""

    label: str
    points: tuple[tuple[float | str, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """What a figure shows: lines over two axes, or bars by name where the first value of each point is a text."""

    title: str
    across: str
    up: str
    series: tuple[Series, ...]
    scale: Literal["linear", "logarithmic"] = "logarithmic"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has found: `how` says on which store, by which law and with which seed, for who repeats it."""

    how: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    chart: Chart | None
    claims: tuple[Claim, ...]

    @property
    def verdict(self) -> Verdict:
        """Return one verdict for all claims: `agrees` only if each of them does."""
        return all_of([claim.verdict for claim in self.claims])


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment of a paper: `name` is what is typed, `about` one sentence of what it shows."""

    name: str
    paper: str  # "VLDB 2012, figure 7"
    title: str
    about: str
    minutes: float  # about how long it takes on a small machine
    run: Callable[[Stage], Outcome]
    not_on_stores: str | None = None  # why it cannot run on a store of the user; None where it can

    def on(self, stage: Stage) -> Outcome:
        """Run it; raise NotOnThisStore where the user has named a store and it cannot run on one."""
        if stage.store is not None and self.not_on_stores is not None:
            raise NotOnThisStore(self.not_on_stores)
        return self.run(stage)


class NotOnThisStore(Exception):
    """An experiment cannot run on the store that the user has named; the message says why."""
