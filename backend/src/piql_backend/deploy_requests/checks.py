"""What a request fulfils of the rules of its environment: pure, from what is known of it.

unbounded    every query has a bound, and the set can be deployed       always blocks
dearer       no query takes more requests than it does live
slo          no saved SLO is predicted to be broken
limit        the rows of now fit under limits that become tighter
approval     as many people as the rules ask for have approved this text, and nobody has refused it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from piql_backend.deploy_requests.schemas import CheckMode, CheckName, CheckRead, LimitCountRead, Outcome, RulesWrite
from piql_backend.deployments.schemas import PreviewRead

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class SloJudgement:
    """What a profile run says of the saved SLOs; `doubt` says why it cannot tell of all, None where it can."""

    broken: Sequence[str]
    doubt: str | None


@dataclass(frozen=True, slots=True)
class Approvals:
    """How many count for the present text, and who has refused it; somebody without a name is empty."""

    count: int
    refused_by: Sequence[str]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a request."""

    preview: PreviewRead
    slos: SloJudgement
    limits: Sequence[LimitCountRead]
    approvals: Approvals


def checks_of(known: Known, rules: RulesWrite) -> list[CheckRead]:
    """The checks in the order of the table above."""
    modes = rules.checks
    results: tuple[tuple[CheckName, CheckMode, tuple[Outcome, str]], ...] = (
        ("unbounded", "block", _unbounded(known.preview)),
        ("dearer", modes.dearer, _dearer(known.preview)),
        ("slo", modes.slo, _slo(known.slos)),
        ("limit", modes.limit, _limit(known.limits)),
        ("approval", modes.approval, _approval(known.approvals, rules.approvals)),
    )
    return [
        CheckRead(check=check, mode=mode, outcome=outcome, message=message)
        for check, mode, (outcome, message) in results
    ]


def is_blocking(check: CheckRead) -> bool:
    """Whether a check keeps its request from being deployed."""
    return check.mode == "block" and check.outcome != "passed"


def _unbounded(preview: PreviewRead) -> tuple[Outcome, str]:
    errors = [diagnostic for diagnostic in preview.diagnostics if diagnostic.severity == "error"]
    if errors:
        more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
        return "failed", f"The text has an error: {errors[0].message}{more}"
    if preview.refusal is not None:
        return "failed", f"The set cannot be deployed: {preview.refusal}"
    refused = next((table.refusal for table in preview.tables if table.refusal is not None), None)
    if refused is not None:
        return "failed", f"A table cannot change like this: {refused}"
    if not preview.can_deploy:
        return "failed", "The text has no table and no query."
    return "passed", "Every query has a bound."


def _dearer(preview: PreviewRead) -> tuple[Outcome, str]:
    dearer = [
        f"{change.query} from {change.before.operations:,} to {change.after.operations:,}"
        for change in preview.bounds_changed
        if change.before is not None and change.after is not None and change.after.operations > change.before.operations
    ]
    if dearer:
        return "failed", f"Bounds grow: {_named(dearer)}."
    return "passed", "No bound grows."


def _slo(slos: SloJudgement) -> tuple[Outcome, str]:
    if slos.broken:
        return "failed", f"SLOs are predicted to be broken: {_named(slos.broken)}."
    if slos.doubt is not None:
        return "unknown", slos.doubt
    return "passed", "No saved SLO is predicted to be broken."


def _limit(limits: Sequence[LimitCountRead]) -> tuple[Outcome, str]:
    tight = [count for count in limits if count.most_rows is not None and count.most_rows > count.most_allowed]
    if tight:
        said = [f"{count.limit} of {count.table}, where a group has {count.most_rows:,} rows" for count in tight]
        return "failed", f"Limits are tighter than the data: {_named(said)}."
    untold = [count for count in limits if count.most_rows is None or not count.is_complete]
    if untold:
        said = [f"{count.limit} of {count.table}" for count in untold]
        return "unknown", f"Not all rows were counted for {_named(said)}: the deployment itself will check them."
    return "passed", "The data fit under all limits." if limits else "No limit becomes tighter."


def _approval(approvals: Approvals, needed: int) -> tuple[Outcome, str]:
    if approvals.refused_by:
        people = _named([person or "the person at this workbench" for person in approvals.refused_by])
        return "failed", f"This text was refused by {people}."
    if approvals.count < needed:
        return "failed", f"{approvals.count} of {needed} approval{'' if needed == 1 else 's'} of this text given."
    return "passed", f"{approvals.count} of {needed} approvals given." if needed else "No approval is needed."


def _named(items: Sequence[str]) -> str:
    """The first items, and how many others there are."""
    more = len(items) - _MOST_NAMED
    return ", ".join(items[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
