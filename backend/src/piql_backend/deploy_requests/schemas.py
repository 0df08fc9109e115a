"""Deploy requests: what is asked for, what is still missing, and what people say about it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from piql_backend.canaries.schemas import CanaryEventRead, Share, ThresholdsWrite, Why
from piql_backend.deployments.schemas import EnvironmentId, PreviewRead, QueryNames, Version
from piql_backend.web.errors import BetweenRead
from piql_backend.web.schemas import FilePath, Read, ShownLine, SourceFiles, Write

Status = Literal["open", "approved", "refused", "outdated", "deploying", "tried", "deployed", "withdrawn"]
Verdict = Literal["approve", "refuse"]
CheckMode = Literal["block", "warn", "off"]
LoadRunsBy = Literal["developer", "deployer", "nobody"]  # the role that it takes at least
CheckName = Literal["unbounded", "dearer", "slo", "limit", "approval"]
Outcome = Literal["passed", "failed", "unknown"]
RequestState = Literal["open", "closed"]
Revision = Annotated[int, Field(ge=1, le=1_000_000)]


class CheckModesWrite(Write):
    """What a failed check does. A set with an unbounded query is never deployed, so that check has no choice."""

    dearer: CheckMode = "warn"
    slo: CheckMode = "warn"
    limit: CheckMode = "block"
    approval: CheckMode = "block"


class RulesWrite(Write):
    """What an environment asks of requests; with `needs_request` nothing is deployed to it without one.

    `excludes_author`: whoever wrote the text of a request does not approve it. `load_runs_by` may start load runs.
    """

    needs_request: bool = False
    load_runs_by: LoadRunsBy = "developer"
    approvals: int = Field(default=0, ge=0, le=10)
    excludes_author: bool = True
    checks: CheckModesWrite = CheckModesWrite()


class CheckModesRead(Read):
    dearer: CheckMode
    slo: CheckMode
    limit: CheckMode
    approval: CheckMode


class RulesRead(Read):
    """What an environment asks of requests, and who may start load runs there."""

    needs_request: bool
    load_runs_by: LoadRunsBy
    approvals: int
    excludes_author: bool
    checks: CheckModesRead


class LiveElsewhere(Write):
    """What is live in another environment of the application, as the `version` that the reader saw."""

    environment: EnvironmentId
    version: Version


class TextWrite(Write):
    """Which text is asked for, one of four, and by default the saved files.

    `files`: what the editor shows. `version`: an earlier version of this environment, to return to. `live_in`: what is
    live in another environment. `run_id` names the profile run by which SLOs are judged; without one it is the newest.
    `removes` names the queries of others that may be removed.
    """

    files: SourceFiles | None = None
    version: Annotated[int, Field(ge=1, le=2_000_000_000)] | None = None
    live_in: LiveElsewhere | None = None
    run_id: str | None = Field(default=None, max_length=100)
    removes: QueryNames = Field(default_factory=list)


class DeployRequestCreate(Write):
    """A request with its title and why it is needed."""

    title: ShownLine = Field(max_length=200)
    why: str = Field(default="", max_length=10_000)
    text: TextWrite = TextWrite()


class RevisionCreate(Write):
    """Another text in the place of `revision`, which the reader saw. What is live now becomes the base."""

    revision: Revision
    text: TextWrite = TextWrite()


class ReviewCreate(Write):
    """A verdict on a revision; a later one of the same person takes its place."""

    revision: Revision
    verdict: Verdict
    note: str = Field(default="", max_length=5_000)


class RequestDeploymentCreate(Write):
    """Deploys a revision, whose indexes are built while the live version runs."""

    revision: Revision
    rows_per_second: float | None = Field(default=None, gt=0, le=1_000_000)


class RequestCanaryCreate(RequestDeploymentCreate):
    """Tries a revision on a share of the executions, from 0 to 1, before it is live."""

    share: Share
    why: Why = ""
    thresholds: ThresholdsWrite = ThresholdsWrite()


class CommentCreate(Write):
    """Says something about a revision: about all of it, about a query, or about a line of a file."""

    revision: Revision
    text: str = Field(min_length=1, max_length=5_000)
    query: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    path: FilePath | None = None
    line: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class CommentUpdate(Write):
    """Whether what was said is settled."""

    is_resolved: bool


class CommentRead(Read):
    """What somebody said; `author` and `resolved_by` are null where nobody signs in."""

    number: int
    revision: int
    author: str | None
    made_at: datetime
    text: str
    query: str | None
    path: str | None
    line: int | None
    resolved_by: str | None
    resolved_at: datetime | None


class RevisionRead(Read):
    """A text that a request asked for: who gave it when, from where, and on which live version it was based.

    `origin` is `files` (those saved, with the number of the save, where they were saved as they are), `version 3` of
    this environment, or `staging 4`: what was live in another one.
    """

    revision: int
    author: str | None
    made_at: datetime
    origin: str
    save: int | None
    base_version: int


class ReviewRead(Read):
    """A verdict; `person` is null where nobody signs in. `counts`: the rules count it as an approval."""

    person: str | None
    verdict: Verdict
    note: str
    given_at: datetime
    counts: bool


class CheckRead(Read):
    """A check of a request. It keeps the request from being deployed where its mode is `block` and it has not passed.

    `unknown`: it cannot be told, as the message says.
    """

    check: CheckName
    mode: CheckMode
    outcome: Outcome
    message: str


class LimitCountRead(Read):
    """A limit that is tighter than the live one, with the most rows that are in a group of it; null: not counted.

    `is_complete` is false where the table has more rows than are counted for a request.
    """

    table: str
    limit: str
    most_allowed: int
    most_rows: int | None
    is_complete: bool


class WorstBoundRead(Read):
    """The most requests of a query of the set, and what the dearest query takes that is live now."""

    query: str
    operations: int
    live_query: str | None
    live_operations: int | None


class NumbersRead(Read):
    """What a request changes, in three numbers; `slos_at_risk` is null where no profile run can tell."""

    queries: int
    worst_bound: WorstBoundRead | None
    slos_at_risk: int | None


class DeployRequestRead(Read):
    """A request. `approvals` are those that count for its present `revision`, of `approvals_needed`.

    `deployed_version` is null until it was deployed. Without a login nobody is named.
    """

    number: int
    title: str
    author: str | None
    opened_at: datetime
    status: Status
    revision: int
    changed_at: datetime
    base_version: int
    approvals: int
    approvals_needed: int
    open_comments: int
    withdrawn_by: str | None
    withdrawn_at: datetime | None
    deployed_version: int | None
    deployed_by: str | None
    deployed_at: datetime | None


class DeployRequestDetailRead(DeployRequestRead):
    """A request with all that is known of it. `missing` are sentences: it may be deployed where there is none.

    `between` are versions that were deployed since its base, the newest first. `preview` compares with what is live;
    of a request that is over, with its base. `run_id` is the profile run by which SLOs were judged. `canaries` is
    what was decided when it was tried.
    """

    why: str
    origin: str
    save: int | None
    authors: list[str]
    files: SourceFiles
    removes: list[str]
    run_id: str | None
    may_be_deployed: bool
    missing: list[str]
    checks: list[CheckRead]
    numbers: NumbersRead
    limits: list[LimitCountRead]
    reviews: list[ReviewRead]
    canaries: list[CanaryEventRead]
    between: list[BetweenRead]
    preview: PreviewRead
