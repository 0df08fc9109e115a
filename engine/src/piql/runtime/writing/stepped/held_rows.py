"""Rows that a view of several tables joins to those that name them, on a store without transactions.

What a view takes of such a row cannot change while a row names it. An UPDATE is checked as a DELETE is (`references`):
the row is marked, then rows that name it are looked for. So of a new line and such an UPDATE, one sees the other.
"""

from __future__ import annotations

from piql.errors import ConstraintViolation
from piql.runtime.deployment import Deployment
from piql.runtime.writing.kept_view import KeptView
from piql.runtime.writing.stepped.references import SteppedReferrer
from piql.runtime.writing.stepped.writer_identity import WriterIdentity
from piql.runtime.writing.table_rules.constraints import Picker, ReferrerCheck
from piql.runtime.writing.transactional import TableWriter
from piql.store.base import Store
from piql.store.rows import Row


class HeldRows(SteppedReferrer):
    """What one view takes of the rows of a table, checked where a write would change it.

    With `is_counted` the requests are in the bound of a write: the view is of the version in force.
    """

    def __init__(
        self,
        check: ReferrerCheck,
        deployment: Deployment,
        store: Store,
        identity: WriterIdentity,
        kept: Picker,
        refusal: str,
        *,
        is_counted: bool,
    ) -> None:
        super().__init__(check, deployment, store, identity)
        self._kept = kept
        self._refusal = refusal
        self.is_counted = is_counted

    def _key_in_question(self, old: Row, new: Row | None) -> Row | None:
        if new is None or self._kept(old) == self._kept(new):
            return None  # a row that goes is held by the foreign key itself
        return self._check.key_of(old)

    def _violation(self, old: Row) -> ConstraintViolation:
        return ConstraintViolation(self._refusal)


def holds(kept: KeptView) -> bool:
    """Return whether a view holds the rows of a table, to which it joins those that name them."""
    return kept.joins is not None and all(start.plan.lookups is None for start in kept.joins.starts)


def held_rows(writer: TableWriter, deployment: Deployment, store: Store, identity: WriterIdentity) -> list[HeldRows]:
    """Return what views take of the rows of a table, those of other versions last."""
    others = zip(writer.other_views, deployment.other_views_of(writer.table), strict=True)
    views = [(kept, deployment, True) for kept in writer.views]
    views += [(kept, view.deployment, False) for kept, view in others]
    held: list[HeldRows] = []
    for kept, declared_in, is_counted in views:
        if kept.joins is None or not holds(kept):
            continue
        for start in kept.joins.starts:
            assert start.guard is not None
            key = start.guard.key.columns, start.guard.referrer.name
            same = (check for check in writer.referrers if (check.key.columns, check.referrer.name) == key)
            check = next(same, None)  # its index is complete, which that of a coming version need not be
            held.append(
                HeldRows(
                    check or start.guard,
                    deployment if check is not None else declared_in,
                    store,
                    identity,
                    start.kept,
                    kept.joins.why_held(start),
                    is_counted=is_counted,
                )
            )
    return held
