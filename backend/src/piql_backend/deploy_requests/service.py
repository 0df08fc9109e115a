"""The deploy requests of one environment: opened, given other texts, reviewed, withdrawn, deployed.

open       →  refused, approved    by verdicts on the present text; another text makes it open again
           →  outdated             something else was deployed since its base: it takes what is live as its base
           →  deploying            its version is being built
           →  tried                on a share of the executions; then deployed, or what it was before
           →  deployed             the store says so: the version names the request
           →  withdrawn

What changes a request takes turns under a lock. A kill at any time loses nothing that was acknowledged: texts and
verdicts are in DuckDB, and whether a request was deployed is read from the history, which follows the store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from piql.errors import PiqlError
from piql.versions.change.state import Canary

from piql_backend.applications.repository import Applications
from piql_backend.canaries.repository import CanaryTable
from piql_backend.canaries.service import canary_of
from piql_backend.compilations.service import Compilations
from piql_backend.database.connection import Database
from piql_backend.deploy_requests.comments import CommentTable
from piql_backend.deploy_requests.counting import count_tighter_limits
from piql_backend.deploy_requests.reading import RequestReader
from piql_backend.deploy_requests.repository import DeployRequestTable, Review, StoredRequest, Text
from piql_backend.deploy_requests.rules import DeployRules, may_approve
from piql_backend.deploy_requests.schemas import (
    CommentCreate,
    CommentRead,
    CommentUpdate,
    DeployRequestCreate,
    DeployRequestDetailRead,
    DeployRequestRead,
    LimitCountRead,
    RequestCanaryCreate,
    RequestDeploymentCreate,
    RequestState,
    ReviewCreate,
    RevisionCreate,
    RevisionRead,
    TextWrite,
)
from piql_backend.deploy_requests.texts import asked_text
from piql_backend.deployments.schemas import PERSON, REQUEST, BuildCreate, BuildRead
from piql_backend.deployments.service import Deployments, OnItsWay
from piql_backend.profile_runs.service import ProfileRuns
from piql_backend.slos.service import Slos
from piql_backend.stores.connection import StoreConnection
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import Page, PageWish
from piql_backend.web.schemas import SourceFile


class DeployRequests:
    """The requests of one environment."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        applications: Applications,
        compilations: Compilations,
        deployments: Deployments,
        slos: Slos,
        profile_runs: ProfileRuns,
        store: StoreConnection,
        canaries: CanaryTable,
        may_review: Callable[[str], bool],
    ) -> None:
        """Keep requests in the database, and the rules in the folder of the environment.

        `may_review` says of somebody's name whether they may review now: the approvals of others do not count.
        """
        self._application = folder.parent.name
        self._table = DeployRequestTable(database)
        self._comments = CommentTable(database)
        self._applications = applications
        self._compilations = compilations
        self._deployments = deployments
        self._store = store
        self._changing = threading.Lock()
        self.rules = DeployRules(folder)
        self._reader = RequestReader(
            self._table, self.rules, compilations, deployments, slos, profile_runs, canaries, may_review
        )

    def page(self, wish: PageWish, state: RequestState | None) -> Page[DeployRequestRead]:
        """A page of the requests, the newest first."""
        on_its_way = self._on_its_way()
        return self._reader.page(wish, state, self._deployments.live_version(), on_its_way)

    def read(self, number: int) -> DeployRequestDetailRead:
        """One request with what it changes and what is missing; ApiError 404 for an unknown number."""
        on_its_way = self._on_its_way()
        live = self._deployments.live_version()
        return self._reader.detail(self._table.request(number), live, on_its_way)

    def revisions(self, number: int, wish: PageWish) -> Page[RevisionRead]:
        self._table.request(number)
        return self._table.revisions(number, wish)

    def open_request(
        self, wish: DeployRequestCreate, person: str | None, source: Deployments | None
    ) -> DeployRequestDetailRead:
        """Open a request for a text on what is live now; `source` is the environment that the text is to come from."""
        text = self._text(wish.text, person, source)
        with self._changing:
            number = self._table.open_request(wish.title, wish.why, text)
        return self.read(number)

    def revise(
        self, number: int, wish: RevisionCreate, person: str | None, source: Deployments | None
    ) -> DeployRequestDetailRead:
        """Give a request another text, or what is live now as its base: verdicts on the one before hold no more.

        The same text on the same base changes nothing. ApiError 409 for a request that is over or was changed.
        """
        text = self._text(wish.text, person, source)
        with self._changing:
            request = self._open(number, wish.revision)
            before = self._table.text(number, request.revision)
            if _asks_for(before) != _asks_for(text):
                self._table.add_revision(number, request.revision + 1, text)
        return self.read(number)

    def review(self, number: int, wish: ReviewCreate, person: str | None) -> DeployRequestDetailRead:
        """Approve or refuse the present text; ApiError 403 for an author where the rules want others to approve."""
        with self._changing:
            self._open(number, wish.revision)
            authors = self._table.authors([number])[number]
            if wish.verdict == "approve" and not may_approve(self.rules.current(), person or "", authors):
                message = f"Somebody else has to approve deploy request {number}: its text is yours."
                raise ApiError(403, "own-request", message, "Ask another reviewer.")
            review = Review(person or "", wish.verdict, wish.note, datetime.now(UTC))
            self._table.add_review(number, wish.revision, review)
        return self.read(number)

    def withdraw(self, number: int, person: str | None) -> DeployRequestDetailRead:
        """End a request that is not to be deployed; ApiError 409 for one that is over."""
        with self._changing:
            self._open(number, None)
            self._table.withdraw(number, person)
        return self.read(number)

    def count_again(self, number: int) -> DeployRequestDetailRead:
        """Count the rows under tighter limits anew, after rows were added or deleted."""
        with self._changing:
            request = self._open(number, None)
            files = self._table.text(number, request.revision).files
            self._table.set_counts(number, request.revision, self._counts(files))
        return self.read(number)

    def try_out(self, number: int, wish: RequestCanaryCreate, person: str | None) -> BuildRead:
        """Begin to try a request on a share of the executions; it is deployed once the version is promoted.

        Raises as `deploy`, and ApiError 422 where the two versions cannot share rows or callers.
        """
        return self._begin(number, wish, person, canary_of(wish.share, wish.thresholds, wish.why))

    def deploy(self, number: int, wish: RequestDeploymentCreate, person: str | None) -> BuildRead:
        """Begin to deploy a request; the version names it, so that it counts as deployed once that is live.

        Raises ApiError 409 where something is missing, where another version is live than its base, and where the
        request was changed or is over.
        """
        return self._begin(number, wish, person, None)

    def _begin(
        self, number: int, wish: RequestDeploymentCreate, person: str | None, canary: Canary | None
    ) -> BuildRead:
        with self._changing:
            request = self._open(number, wish.revision)
            self._deployments.refuse_unseen(request.base_version)
            detail = self._reader.detail(request, request.base_version, None)
            if detail.missing:
                more = f" ({len(detail.missing) - 1} more)" if len(detail.missing) > 1 else ""
                message = f"Nothing was changed: {detail.missing[0]}{more}"
                raise ApiError(409, "request-blocked", message, "Look at the checks of the request.")
            build = BuildCreate(
                files=detail.files,
                run_id=detail.run_id,
                base_version=request.base_version,
                removes=detail.removes,
                rows_per_second=wish.rows_per_second,
            )
            details = {REQUEST: request.id} | ({PERSON: person} if person else {})
            return self._deployments.begin(build, details, canary)

    def comments(self, number: int, wish: PageWish) -> Page[CommentRead]:
        self._table.request(number)
        return self._comments.page(number, wish)

    def comment(self, number: int, wish: CommentCreate, person: str | None) -> CommentRead:
        """Say something about a request, also about one that is over."""
        if wish.line is not None and wish.path is None:
            raise ApiError(422, "line-without-file", "A line is named, but no file.", "Name the file of the line.")
        request = self._table.request(number)
        if wish.revision > request.revision:
            message = f"Deploy request {number} has no revision {wish.revision}."
            raise ApiError(422, "unknown-revision", message, f"Its present one is {request.revision}.")
        return self._comments.add(number, wish, person)

    def resolve(self, number: int, comment: int, wish: CommentUpdate, person: str | None) -> CommentRead:
        """Say that a comment is settled, or that it is not."""
        self._table.request(number)
        return self._comments.resolve(number, comment, person, is_resolved=wish.is_resolved)

    def _text(self, wish: TextWrite, person: str | None, source: Deployments | None) -> Text:
        asked = asked_text(wish, self._application, self._applications, self._deployments, source)
        base_version = self._deployments.live_version()
        counts = self._counts(asked.files)
        return Text(person, asked.origin, asked.save, base_version, wish.run_id, asked.files, wish.removes, counts)

    def _counts(self, files: Sequence[SourceFile]) -> Sequence[LimitCountRead]:
        """Count the rows under tighter limits; without an answer of the store there is no request."""
        live = self._deployments.history.live
        if live is None or live.deployment is None:
            return ()
        compilation = self._compilations.compile(files)
        stored = {name: live.deployment.kept_as_declared(name) for name in live.deployment.kept}
        return count_tighter_limits(self._store.database(), stored, compilation)

    def _open(self, number: int, seen: int | None) -> StoredRequest:
        """A request that may be changed: neither over nor being deployed, and in the revision that was seen."""
        on_its_way = self._deployments.request_on_its_way()
        self._deployments.live_version()  # a version that has come since is in the history now
        request = self._table.request(number)
        if on_its_way is not None and request.id == on_its_way.request:
            if on_its_way.is_tried:
                message = f"Deploy request {number} is tried on a share of the executions."
                raise ApiError(409, "request-tried", message, "Promote or withdraw it first.")
            message = f"Deploy request {number} is being deployed."
            raise ApiError(409, "request-deploying", message, "Wait for the version on its way, or cancel it.")
        if request.is_over:
            how = (
                "was withdrawn"
                if request.deployed_version is None
                else f"was deployed as version {request.deployed_version}"
            )
            raise ApiError(409, "request-over", f"Deploy request {number} {how}.", "Open another one.")
        if seen not in (None, request.revision):
            message = f"Deploy request {number} has another text by now: revision {request.revision}, and not {seen}."
            raise ApiError(409, "request-changed", message, "Look at it again.")
        return request

    def _on_its_way(self) -> OnItsWay | None:
        try:
            return self._deployments.request_on_its_way()
        except (PiqlError, ApiError):  # to read what is asked for, the store need not answer
            return None


def _asks_for(text: Text) -> object:
    """What a verdict is about: a text on a base."""
    return text.base_version, text.run_id, text.files, text.removes
