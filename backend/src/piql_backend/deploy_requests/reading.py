"""Reads a request: what it changes against what is live now, and what is still missing before it may be deployed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from piql.compiler.result import Compilation

from piql_backend.canaries.repository import CanaryTable
from piql_backend.comparisons.schemas import ChangesRead
from piql_backend.comparisons.service import changes_between
from piql_backend.compilations.reading import read_diagnostics
from piql_backend.compilations.service import Compilations
from piql_backend.deploy_requests.checks import Approvals, Known, SloJudgement, checks_of, is_blocking
from piql_backend.deploy_requests.numbers import numbers_of
from piql_backend.deploy_requests.repository import DeployRequestTable, Review, StoredRequest, Text
from piql_backend.deploy_requests.rules import DeployRules, may_approve
from piql_backend.deploy_requests.schemas import (
    DeployRequestDetailRead,
    DeployRequestRead,
    RequestState,
    ReviewRead,
    RulesWrite,
    Status,
)
from piql_backend.deployments.comparing import is_deployable
from piql_backend.deployments.schemas import PreviewCreate, PreviewRead
from piql_backend.deployments.service import Deployments, OnItsWay
from piql_backend.predictions.schemas import SloAtRiskRead
from piql_backend.profile_runs.service import ProfileRuns
from piql_backend.slos.service import Slos
from piql_backend.web.errors import ApiError
from piql_backend.web.pages import Page, PageWish

_MOST_REVIEWS = 100  # that are shown


class RequestReader:
    """Reads the requests of one environment."""

    def __init__(
        self,
        table: DeployRequestTable,
        rules: DeployRules,
        compilations: Compilations,
        deployments: Deployments,
        slos: Slos,
        profile_runs: ProfileRuns,
        canaries: CanaryTable,
        may_review: Callable[[str], bool],
    ) -> None:
        self._table = table
        self._may_review = may_review
        self._canaries = canaries
        self._rules = rules
        self._compilations = compilations
        self._deployments = deployments
        self._slos = slos
        self._profile_runs = profile_runs

    def page(
        self, wish: PageWish, state: RequestState | None, live: int, on_its_way: OnItsWay | None
    ) -> Page[DeployRequestRead]:
        """A page of the requests, the newest first; `on_its_way` is the one that is built."""
        page = self._table.page(wish, state)
        rules, reviews = self._rules.current(), self._table.reviews(page.items)
        authors = self._table.authors([request.number for request in page.items])
        reviewers = self._reviewers(review for number in reviews for review in reviews[number])
        reads = []
        for request in page.items:
            approvals = _approvals(reviews[request.number], rules, authors[request.number], reviewers)
            reads.append(_read(request, rules, approvals, live, on_its_way))
        return Page(items=reads, next=page.next)

    def detail(self, request: StoredRequest, live: int, on_its_way: OnItsWay | None) -> DeployRequestDetailRead:
        """All that is known of a request."""
        rules, text = self._rules.current(), self._table.text(request.number, request.revision)
        reviews = self._table.reviews([request])[request.number]
        authors = self._table.authors([request.number])[request.number]
        reviewers = self._reviewers(reviews)
        approvals = _approvals(reviews, rules, authors, reviewers)
        read = _read(request, rules, approvals, live, on_its_way)
        wanted, before = self._compilations.compile(text.files), self._before(request)
        preview = self._preview(request, text, wanted, before)
        run_id = text.run_id or self._profile_runs.newest_done()
        at_risk, judgement = self._judged(text, wanted, run_id)
        checks = checks_of(Known(preview, judgement, text.counts, approvals), rules)
        missing = [*_hindrances(read), *(check.message for check in checks if is_blocking(check))]
        return DeployRequestDetailRead(
            **{name: getattr(read, name) for name in DeployRequestRead.model_fields},
            why=request.why,
            origin=text.origin,
            save=text.save,
            authors=sorted(filter(None, authors)),
            files=list(text.files),
            removes=list(text.removes),
            run_id=run_id,
            may_be_deployed=not missing,
            missing=[] if request.is_over else missing,
            checks=checks,
            numbers=numbers_of(preview, wanted, before, None if judgement.doubt else len(at_risk)),
            limits=list(text.counts),
            reviews=[_review(review, rules, authors, reviewers) for review in reviews[:_MOST_REVIEWS]],
            canaries=list(self._canaries.of_request(request.id)),
            between=[] if request.is_over else list(self._deployments.between(request.base_version)),
            preview=preview.model_copy(update={"slos_at_risk": list(at_risk)}),
        )

    def _reviewers(self, reviews: Iterable[Review]) -> Collection[str]:
        """Who of those that gave reviews may still give one: they may have lost their role, or be shut out."""
        return {person for person in {review.person for review in reviews} if self._may_review(person)}

    def _before(self, request: StoredRequest) -> Compilation | None:
        """What a request is compared with: what is live, or its base once it is over."""
        if not request.is_over:
            live = self._deployments.history.live
            return None if live is None else live.compilation
        return self._deployments.compilation(request.base_version) if request.base_version else None

    def _preview(
        self, request: StoredRequest, text: Text, wanted: Compilation, before: Compilation | None
    ) -> PreviewRead:
        if not request.is_over:
            return self._deployments.preview(PreviewCreate(files=[*text.files], removes=[*text.removes]))
        changes = changes_between(before, wanted)
        return PreviewRead(
            **{name: getattr(changes, name) for name in ChangesRead.model_fields},
            can_deploy=is_deployable(wanted),
            diagnostics=read_diagnostics(wanted),
            base_version=request.base_version,
            kept=[],
            replaced=[],
            refusal=None,
        )

    def _judged(
        self, text: Text, wanted: Compilation, run_id: str | None
    ) -> tuple[Sequence[SloAtRiskRead], SloJudgement]:
        """What a profile run says of the SLOs of the queries of a text, as far as it can."""
        promised = sorted(self._slos.names() & wanted.queries.keys())
        if not promised:
            return (), SloJudgement((), None)
        if run_id is None:
            none = f"No profile run is there to predict the SLOs of {', '.join(promised[:3])} by."
            return (), SloJudgement((), none)
        try:
            judged = self._slos.judged(text.files, run_id)
        except ApiError as error:
            return (), SloJudgement((), f"The SLOs cannot be predicted: {error.body.message}")
        untold = [name for name in judged.not_predicted if name in promised]
        doubt = f"{run_id} cannot predict {', '.join(untold[:3])}." if untold else None
        return judged.at_risk, SloJudgement([slo.query for slo in judged.at_risk], doubt)


def _read(
    request: StoredRequest, rules: RulesWrite, approvals: Approvals, live: int, on_its_way: OnItsWay | None
) -> DeployRequestRead:
    return DeployRequestRead(
        number=request.number,
        title=request.title,
        author=request.author,
        opened_at=request.opened_at,
        status=_status(request, rules, approvals, live, on_its_way),
        revision=request.revision,
        changed_at=request.changed_at,
        base_version=request.base_version,
        approvals=approvals.count,
        approvals_needed=rules.approvals,
        open_comments=request.open_comments,
        withdrawn_by=request.withdrawn_by,
        withdrawn_at=request.withdrawn_at,
        deployed_version=request.deployed_version,
        deployed_by=request.deployed_by,
        deployed_at=request.deployed_at,
    )


def _status(
    request: StoredRequest, rules: RulesWrite, approvals: Approvals, live: int, on_its_way: OnItsWay | None
) -> Status:
    if request.deployed_version is not None:
        return "deployed"
    if request.withdrawn_at is not None:
        return "withdrawn"
    if on_its_way is not None and request.id == on_its_way.request:
        return "tried" if on_its_way.is_tried else "deploying"
    if request.base_version != live:
        return "outdated"
    if approvals.refused_by:
        return "refused"
    return "approved" if approvals.count and approvals.count >= rules.approvals else "open"


def _hindrances(read: DeployRequestRead) -> list[str]:
    """What keeps a request from being deployed whatever its checks say."""
    match read.status:
        case "deployed":
            return [f"It was deployed as version {read.deployed_version}."]
        case "withdrawn":
            return ["It was withdrawn."]
        case "deploying":
            return ["It is being deployed."]
        case "tried":
            return ["It is tried on a share of the executions."]
        case "outdated":
            return [f"Version {read.base_version} was live when it was based on it, and is not any more."]
        case _:
            return []


def _approvals(
    reviews: Sequence[Review], rules: RulesWrite, authors: Collection[str], reviewers: Collection[str]
) -> Approvals:
    counted = [review for review in reviews if _counts(review, rules, authors, reviewers)]
    return Approvals(len(counted), [review.person for review in reviews if review.verdict == "refuse"])


def _counts(review: Review, rules: RulesWrite, authors: Collection[str], reviewers: Collection[str]) -> bool:
    is_standing = review.person in reviewers and may_approve(rules, review.person, authors)
    return review.verdict == "approve" and is_standing


def _review(review: Review, rules: RulesWrite, authors: Collection[str], reviewers: Collection[str]) -> ReviewRead:
    return ReviewRead(
        person=review.person or None,
        verdict=review.verdict,
        note=review.note,
        given_at=review.given_at,
        counts=_counts(review, rules, authors, reviewers),
    )
