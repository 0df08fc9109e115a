"""Finds above which sets of legs a stop may stand: all other legs must keep every row, and the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from piql.compiler.logical.expressions import columns_in
from piql.compiler.logical.operators import SortKey
from piql.compiler.optimizer.analysis.keeps_rows import keeps_every_row
from piql.compiler.optimizer.analysis.region import Leg
from piql.compiler.optimizer.joins.joining import Joining
from piql.compiler.optimizer.joins.leg_sets import Legs, leg_set, positions_in

MOST_VISITS = 100_000  # legs visited to find where a stop may stand; after that only foreign keys are looked at


class StopPlaces:
    """Where a stop may stand among some legs, over the order of `keys`; every answer is kept.

    `home` has the position of each relation's leg. By position, `needs` are the legs that must stand before a leg, and
    `related` those that change how it is joined.
    """

    def __init__(
        self,
        joining: Joining,
        legs: Sequence[Leg],
        keys: Sequence[SortKey],
        home: Mapping[str, int],
        needs: Sequence[Legs],
        related: Sequence[Legs],
        *,
        is_page: bool,
    ) -> None:
        self._joining = joining
        self._legs = legs
        self._needs = needs
        self._related = related
        self._is_page = is_page
        self._everything: Legs = (1 << len(legs)) - 1
        self._holders = tuple(  # for each column of the order, the legs that have it or an equal one
            leg_set(home[equal.relation] for equal in joining.equal.equal_to(column) if equal.relation in home)
            for column in dict.fromkeys(column for key in keys for column in columns_in(key.expression))
        )
        self._stoppable: dict[Legs, bool] = {}  # the answers of `may_stand_above`
        self._leading: dict[int, Legs] = {}  # the answers of `_leads_to`
        self._reached: dict[int, Legs] = {}  # by leg, all that foreign keys reach from it
        self._kept: dict[tuple[int, Legs], bool] = {}  # the answers of `_is_kept`
        self._visits = 0

    def may_stand_above(self, joined: Legs) -> bool:
        """Whether the stop may stand above these legs: all others keep every row and the order."""
        is_stoppable = self._stoppable.get(joined)
        if is_stoppable is None:
            is_stoppable = self._stoppable[joined] = self._find_stoppable(joined)
        return is_stoppable

    def _find_stoppable(self, joined: Legs) -> bool:
        """Add the legs that keep every row, one after the other, and tell whether all are reached so."""
        if not self._have_order(joined) or not self._may_reach_all(joined):
            return False
        return self._visits > MOST_VISITS or joined.bit_count() + len(self.kept_above(joined)) == len(self._legs)

    def kept_above(self, joined: Legs) -> list[int]:
        """Return the legs that can be joined to these one after the other, in an order in which each keeps all rows."""
        before, order = joined, list[int]()
        ready = [at for at in positions_in(self._everything & ~joined) if self._is_kept(at, before)]
        heapify(ready)
        while ready:
            at = heappop(ready)
            if not before >> at & 1 and self._is_kept(at, before):
                before |= 1 << at
                order.append(at)
                for neighbour in positions_in(self._related[at] & ~before):
                    if self._is_kept(neighbour, before):
                        heappush(ready, neighbour)
        return order

    def _have_order(self, joined: Legs) -> bool:
        """Whether these legs have the columns of the order, but for those that only order the matches of one row.

        An order tells any two rows apart. So if later columns are all of left-joined legs, the columns before them tell
        the rows of these legs apart. A page's stop stays above such a join.
        """
        are_held = [bool(joined & holders) for holders in self._holders]
        if all(are_held):
            return True
        first = are_held.index(False)
        missing = positions_in(self._everything & ~joined)
        return (
            not self._is_page
            and first > 0
            and not any(are_held[first:])
            and all(self._legs[at].kind == "left" for at in missing)
        )

    def _is_kept(self, at: int, joined: Legs) -> bool:
        """Whether joining a leg to these keeps every row; only related legs matter."""
        if not self._leads_to(at) & joined:
            return False
        related_legs = self._related[at] & joined
        is_kept = self._kept.get((at, related_legs))
        self._visits += 1
        if is_kept is None:
            leg = self._legs[at]
            before = [self._legs[position] for position in positions_in(related_legs)]
            self._visits += len(before)
            bare = leg._replace(filters=self._joining.filters(leg, before))
            is_kept = not self._needs[at] & ~related_legs and keeps_every_row(
                bare,
                self._joining.conditions(leg, before),
                before,
                lambda column: self._joining.is_equated(column, before),
            )
            self._kept[at, related_legs] = is_kept
        return is_kept

    def _may_reach_all(self, joined: Legs) -> bool:
        """Whether all other inner legs are reached from these along foreign keys; a quick test before the exact one."""
        reached = joined
        for at in positions_in(joined):
            if at not in self._reached:
                self._reached[at] = self._reached_from(1 << at)
            reached |= self._reached[at]
        return reached == self._everything

    def _reached_from(self, reached: Legs) -> Legs:
        """Return some legs with all that foreign keys reach from them."""
        while True:
            more = leg_set(at for at in positions_in(self._everything & ~reached) if self._leads_to(at) & reached)
            if not more:
                return reached
            reached |= more

    def _leads_to(self, at: int) -> Legs:
        """Return the legs with a foreign key to this one."""
        leading = self._leading.get(at)
        if leading is None:
            leg = self._legs[at]
            positions = (position for position, candidate in enumerate(self._legs) if leg is not candidate)
            leading = leg_set(
                position for position in positions if self._joining.may_be_followed(leg, self._legs[position])
            )
            self._leading[at] = leading
        return leading
