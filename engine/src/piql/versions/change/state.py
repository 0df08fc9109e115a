"""What a store keeps of the versions of its schema: one document, replaced as a whole, numbered by the epoch.

{"version": 3, "deployed_at": …, "texts": {…},                       in force
 "id": "5f3a…", "by": "scadr", "details": {…}, "owners": {…},        who deployed it (see Origin), in every version
 "before": {"version": 2, …}, "before_is_held": false,               the version that a rollback returns to
 "left_views": ["totals"],                                           its views that could not hold a write since
 "change": {"version": 4, …, "phase": "filling", "indexes": […],     the version on its way, or null
            "canary": {"share": 0.05, "stage": "open", …}},          how it is tried before it is in force, or null
 "last_tried": 4,                                                    the highest number that a canary has had
 "counted_from": {"totals": 9}, "last_filling": 9,                   marks of views that were added to tables with rows
 "tables": {"users": {"key": […], "columns": [["name", "VARCHAR(32)", false], …]}}}
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import lru_cache, partial
from time import time
from typing import Any, Literal

from piql.compiler import compile as compile_set
from piql.compiler.physical.unit_by_steps import tables_held
from piql.compiler.physical.unit_plan import UnitPlan
from piql.compiler.result import Compilation
from piql.runtime.deployment import Counting, Deployment, Origin, OtherIndex, OtherView
from piql.schema.catalog import Column, JoinedTable, Kind, RowTest, SqlType, StandIn, Table, View, ViewAggregate
from piql.schema.view_stripes import ViewStripes
from piql.schema.view_windows import ViewWindow
from piql.store.base import Store, Transaction
from piql.versions.change.progress import SETTING as PROGRESS
from piql.versions.change.progress import filled_part, read_progress, refuse_view

SETTING = "deployment"  # the name of the setting that holds the document

Phase = Literal["announced", "filling", "checking"]
Stage = Literal["building", "made", "open", "closing"]

_COUNTS: Mapping[Phase, Counting] = {"announced": "not yet", "filling": "if it can", "checking": "always"}
"""What the views of a coming version count of new rows, on a store without transactions."""


@dataclass(frozen=True, slots=True)
class Version:
    """One deployment: its files by name, and the numbers of versions before it that had the same files."""

    number: int
    deployed_at: datetime | None
    texts: Mapping[str, str]
    origin: Origin = field(default_factory=Origin)
    earlier_numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Canary:
    """How a version on its way is tried before it is in force. `share`, from 0 to 1, is that of the executions it gets.

    building    its indexes are filled and rows are checked, as for any change
    made        its new tables are there, and writers learn of them
    open        executions go to it; it stays so until it is promoted or withdrawn
    closing     no new execution goes to it, and those that have begun end

    `details` are kept for whoever began it, unread. `since` is when executions got this share, None before. `reason`
    says why it was withdrawn.
    """

    share: float
    details: Mapping[str, str] = field(default_factory=dict)
    stage: Stage = "building"
    since: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A version on its way. `indexes` are the stored names of the indexes that are made for it.

    Without a `canary` it is in force as soon as it can be.
    """

    version: Version
    phase: Phase
    indexes: tuple[str, ...]
    canary: Canary | None = None

    @property
    def open_canary(self) -> Canary | None:
        """Return the canary that executions go to now; None where there is none."""
        return self.canary if self.canary is not None and self.canary.stage == "open" else None

    @property
    def is_closing(self) -> bool:
        """Return whether a canary was withdrawn whose last executions may not have ended."""
        return self.canary is not None and self.canary.stage == "closing"

    def closing(self, reason: str | None) -> Change:
        """Return the change with its canary withdrawn."""
        assert self.canary is not None
        return replace(self, canary=replace(self.canary, stage="closing", reason=reason))


@dataclass(frozen=True, slots=True)
class SchemaState:
    """All versions on a store. Frozen: a step of a change returns the next state, and the store compares the epoch.

    `tables` are the tables that the store keeps, of whatever version, with all their columns. `is_before_held` says
    that constraints of the version before still hold, because somebody may read by that version. `left_views` are views
    of the version before that no writer keeps up any more: they could not hold a write that the one in force allows.
    `last_tried` is the highest number that a canary has had. `counted_from` and `last_filling` are those of Deployment.
    """

    in_force: Version = field(default_factory=lambda: Version(0, None, {}))
    before: Version | None = None
    change: Change | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    epoch: int = 0
    is_before_held: bool = False
    left_views: tuple[str, ...] = ()
    last_tried: int = 0
    counted_from: Mapping[str, int] = field(default_factory=dict)
    last_filling: int = 0

    @property
    def next_number(self) -> int:
        """Return the number of the next version: that of a withdrawn canary is not used again."""
        return max(self.in_force.number, self.last_tried) + 1

    def as_text(self) -> str:
        """Return the document; the epoch is kept beside it, by the store."""
        change = self.change
        return json.dumps(
            {
                **_version_document(self.in_force),
                "before": self.before and _version_document(self.before),
                "change": change
                and {
                    **_version_document(change.version),
                    "phase": change.phase,
                    "indexes": change.indexes,
                    "canary": change.canary and _canary_document(change.canary),
                },
                "before_is_held": self.is_before_held,
                "left_views": self.left_views,
                "last_tried": self.last_tried,
                "counted_from": dict(self.counted_from),
                "last_filling": self.last_filling,
                "tables": {
                    name: {
                        "key": table.primary_key,
                        "columns": [[column.name, str(column.type), column.nullable] for column in table.columns],
                        **({"view": _view_document(table.view)} if table.view is not None else {}),
                    }
                    for name, table in self.tables.items()
                },
            }
        )


def read_state(store: Store) -> SchemaState:
    """Read the state of a store. If it changes meanwhile, the epoch is the older one, which no transaction accepts."""
    epoch = store.version()
    return state_in(store.settings(), epoch)


def state_in(settings: Mapping[str, str], epoch: int = 0) -> SchemaState:
    """Return the state that settings hold."""
    text = settings.get(SETTING)
    if text is None:
        return SchemaState(epoch=epoch)
    document: dict[str, Any] = json.loads(text)
    change, before = document.get("change"), document.get("before")
    return SchemaState(
        _version(document),
        _version(before) if before else None,
        _change(change) if change else None,
        {name: _table(name, table) for name, table in _tables_document(document).items()},
        epoch,
        document.get("before_is_held", False),
        tuple(document.get("left_views", ())),
        document.get("last_tried", 0),
        document.get("counted_from", {}),
        document.get("last_filling", 0),
    )


def leave_view(store: Store, view: str, transaction: Transaction, violation: str) -> None:
    """Let no writer keep up a view of the version before: a write, which the one in force allows, does not fit it.

    A later version that has the view fills it anew. One on its way that relied on it is refused. The other writers look
    again, since the epoch is another one.
    """
    state = read_state(store)
    if view in state.left_views:
        return
    refuse_view(store, view, transaction, violation)
    state = replace(state, left_views=(*state.left_views, view), epoch=state.epoch + 1)
    transaction.set_setting(SETTING, state.as_text())
    transaction.set_version(state.epoch)


def _refuse_coming(store: Store, view: str, transaction: Transaction, violation: str) -> None:
    """Have the version on its way refused, whose view cannot hold a write; where it is tried, no more goes to it."""
    refuse_view(store, view, transaction, violation)
    state, progress = read_state(store), read_progress(store)
    if progress is None or state.change is None or state.change.canary is None or state.change.is_closing:
        return
    if state.change.canary.stage != "building":
        state = replace(state, change=state.change.closing(None), epoch=state.epoch + 1)
        transaction.set_setting(SETTING, state.as_text())
        transaction.set_setting(PROGRESS, replace(progress, since=time()).as_text())
        transaction.set_version(state.epoch)


def deployment_of(state: SchemaState, store: Store) -> Deployment:
    """Return the version in force, with what its writers must do for the version before and the one on its way.

    Those are the indexes of these versions that the one in force does not have, and the constraints of one of them.
    """
    current = compiled(state.in_force, state)
    coming = compiled(state.change.version, state) if state.change else None
    before = compiled(state.before, state) if state.before else None
    other_indexes: dict[str, OtherIndex] = {}
    if state.change is not None and coming is not None:
        deletes_only = state.change.phase == "announced"
        indexes = _indexes_beside(current, coming, store, deletes_only)
        other_indexes |= {name: index for name, index in indexes.items() if name in state.change.indexes}
    if before is not None:
        other_indexes = _indexes_beside(current, before, store) | other_indexes
    is_checking = state.change is not None and state.change.phase == "checking"
    also_held = coming if is_checking else before if state.is_before_held else None
    other_views = _other_views(state, store, current, coming, before)
    return replace(
        current,
        others=tuple(other_indexes.values()),
        other_views=other_views,
        also_held=also_held,
        counted_from=state.counted_from,
        last_filling=state.last_filling,
        by_units=tables_of_units(current, coming, before),
    )


def tables_of_units(*versions: Deployment | None) -> frozenset[str]:
    """Return the tables whose records the units of any of these versions hold."""
    return frozenset(
        table
        for version in versions
        if version is not None
        for query in version.compilation.queries.values()
        if isinstance(query.plan, UnitPlan)
        for table in tables_held(query.plan.statements)
    )


def canary_of(state: SchemaState, store: Store) -> Deployment | None:
    """Return the version that executions try, with what its writers must do for the others; None where there is none.

    They keep the indexes of the version in force and of the one before it, and the constraints of the one in force.
    So the same rows are right for both. (`canary_rules` has refused what two versions cannot share.)
    """
    if state.change is None or state.change.open_canary is None:
        return None
    tried, current = compiled(state.change.version, state), compiled(state.in_force, state)
    before = compiled(state.before, state) if state.before else None
    other_indexes = _indexes_beside(tried, before, store) if before is not None else {}
    other_indexes |= _indexes_beside(tried, current, store)
    other_views = _other_views(state, store, tried, None, before)
    return replace(
        tried,
        others=tuple(other_indexes.values()),
        other_views=other_views,
        also_held=current,
        counted_from=state.counted_from,
        last_filling=state.last_filling,
        by_units=tables_of_units(tried, current, before),
    )


def _indexes_beside(
    current: Deployment, other: Deployment, store: Store, deletes_only: bool = False
) -> dict[str, OtherIndex]:
    """Return the indexes of another version that one does not have, on tables that it has, by their stored names."""
    own_names = {store.stored_name(current.tables[index.table], index) for index in current.indexes.values()}
    tables = [(other.tables[index.table], index) for index in other.indexes.values()]
    return {
        name: OtherIndex(table, index, deletes_only)
        for table, index in tables
        if table.name in current.tables and (name := store.stored_name(table, index)) not in own_names
    }


def _other_views(
    state: SchemaState, store: Store, current: Deployment, coming: Deployment | None, before: Deployment | None
) -> tuple[OtherView, ...]:
    """Return the views of the version before and the one on its way that the one in force does not have.

    Where the version before has a view, the coming one may have another index on it, which is being filled.
    """
    views: dict[str, OtherView] = {}
    for name, view in before.tables.items() if before is not None else ():
        if view.view is None or name in current.tables or name in state.left_views:
            continue
        assert before is not None
        own_indexes = {store.stored_name(view, index) for index in before.indexes_of(view)}
        new_indexes = tuple(
            OtherIndex(coming.tables[name], index)
            for index in (coming.indexes.values() if coming is not None else ())
            if coming is not None
            and index.table == name
            and (stored_name := store.stored_name(coming.tables[name], index)) not in own_indexes
            and state.change is not None
            and stored_name in state.change.indexes
        )
        views[name] = OtherView(view, replace(before, others=new_indexes), refuse=partial(leave_view, store, name))
    for name, view in coming.tables.items() if coming is not None else ():
        if view.view is not None and name in state.tables and name not in current.tables and name not in views:
            assert coming is not None
            assert state.change is not None
            refuse, is_filled = partial(_refuse_coming, store, name), partial(filled_part, store, name)
            views[name] = OtherView(view, coming, refuse, is_filled, _COUNTS[state.change.phase])
    return tuple(views.values())


def load_deployment(store: Store) -> Deployment:
    """Return what is deployed in a store; version 0 when nothing is."""
    return deployment_of(read_state(store), store)


def compiled(version: Version, state: SchemaState) -> Deployment:
    """Return one version of a state as a deployment of its own."""
    compilation = _compilation(tuple(version.texts.items()))
    return Deployment(
        version.number,
        version.deployed_at,
        version.texts,
        compilation,
        state.epoch,
        state.tables,
        origin=version.origin,
        earlier_numbers=version.earlier_numbers,
    )


@lru_cache(maxsize=8)  # the living versions of two stores, and some
def _compilation(texts: tuple[tuple[str, str], ...]) -> Compilation:
    return compile_set(dict(texts))


def _version_document(version: Version) -> dict[str, Any]:
    at, origin = version.deployed_at, version.origin
    return {
        "version": version.number,
        "deployed_at": at and at.isoformat(),
        "texts": dict(version.texts),
        "id": origin.id,
        "by": origin.by,
        "details": dict(origin.details),
        "owners": dict(origin.owners),
        "earlier_numbers": version.earlier_numbers,
    }


def _version(document: Mapping[str, Any]) -> Version:
    at = document["deployed_at"]
    owners: Mapping[str, Sequence[str]] = document.get("owners", {})
    origin = Origin(
        document.get("id") or _id_of(document),
        document.get("by", ""),
        document.get("details", {}),
        {query: tuple(names) for query, names in owners.items()},
    )
    return Version(
        document["version"],
        datetime.fromisoformat(at) if at else None,
        document["texts"],
        origin,
        tuple(document.get("earlier_numbers", ())),
    )


def _change(document: Mapping[str, Any]) -> Change:
    canary = document.get("canary")
    return Change(
        _version(document), document["phase"], tuple(document["indexes"]), _canary(canary) if canary else None
    )


def _canary_document(canary: Canary) -> dict[str, Any]:
    since = canary.since
    return {
        "share": canary.share,
        "details": dict(canary.details),
        "stage": canary.stage,
        "since": since and since.isoformat(),
        "reason": canary.reason,
    }


def _canary(document: Mapping[str, Any]) -> Canary:
    since = datetime.fromisoformat(document["since"]) if document["since"] else None
    return Canary(document["share"], document["details"], document["stage"], since, document["reason"])


def _id_of(document: Mapping[str, Any]) -> str:
    """Return an id for a version of an older format, which keeps none: of its number and time. Version 0 has none."""
    if not document["version"]:
        return ""
    return hashlib.sha256(f"{document['version']} {document['deployed_at']}".encode()).hexdigest()[:16]


def _tables_document(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the tables of a document; stores of the first format list columns and keys apart."""
    if "tables" in document:
        tables: Mapping[str, Any] = document["tables"]
        return tables
    return {name: {"key": document["keys"][name], "columns": columns} for name, columns in document["columns"].items()}


def _table(name: str, document: Mapping[str, Any]) -> Table:
    columns = tuple(Column(column, _type(text), nullable) for column, text, nullable in document["columns"])
    return Table(name, columns, tuple(document["key"]), view=_view(document["view"]) if "view" in document else None)


def _view_document(view: View) -> dict[str, Any]:
    condition = view.condition
    return {
        "table": view.table,
        "keys": view.keys,
        "aggregates": [asdict(part) for part in view.aggregates],
        "where": condition and {"text": condition.text, "constants": condition.constants, "columns": condition.columns},
        "stand_ins": [(stand_in.column, stand_in.shown) for stand_in in view.stand_ins],
        **(
            {"joins": [[join.table, join.pairs, *((True,) if join.is_left else ())] for join in view.joins]}
            if view.joins
            else {}
        ),
        **({"window": asdict(view.window)} if view.window is not None else {}),
        **({"stripes": [view.stripes.count, view.stripes.by]} if view.stripes is not None else {}),
    }


def _view(document: Mapping[str, Any]) -> View:
    keys = tuple((name, column) for name, column in document["keys"])
    where = document.get("where")
    condition = (
        RowTest(where["text"], tuple(where["constants"]), tuple(where["columns"])) if where is not None else None
    )
    aggregates = tuple(ViewAggregate(**part) for part in document["aggregates"])
    stand_ins = tuple(StandIn(column, shown) for column, shown in document.get("stand_ins", ()))
    joins = tuple(
        JoinedTable(table, tuple((number, theirs, ours) for number, theirs, ours in pairs), bool(is_left))
        for table, pairs, *is_left in document.get("joins", ())
    )
    window = ViewWindow(**document["window"]) if "window" in document else None
    stripes = ViewStripes(document["stripes"][0], tuple(document["stripes"][1])) if "stripes" in document else None
    return View(document["table"], keys, aggregates, condition, stand_ins, joins, window, stripes)


def _type(text: str) -> SqlType:
    """Return the type that `str(type)` wrote: `VARCHAR(32)`, `DECIMAL(10, 2)`."""
    match = re.fullmatch(r"(\w+)(?:\((\d+)(?:, (\d+))?\))?", text)
    assert match is not None
    kind, first, second = Kind(match[1]), match[2], match[3]
    if kind is Kind.DECIMAL and first:
        return SqlType(kind, precision=int(first), scale=int(second))
    return SqlType(kind, length=int(first)) if first else SqlType(kind)
