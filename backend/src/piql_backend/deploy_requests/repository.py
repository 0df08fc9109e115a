"""The tables of deploy requests: requests, the texts they asked for, and verdicts.

Whether one was deployed stands in the table `deployments`, which follows the store.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from piql_backend.database.connection import Cursor, Database, aware, now
from piql_backend.deploy_requests.schemas import LimitCountRead, RequestState, RevisionRead, Verdict
from piql_backend.web.errors import NotFound
from piql_backend.web.pages import Listing, Page, PageWish
from piql_backend.web.schemas import SourceFile


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request with its present revision; what it was deployed as is None until it was.

    Somebody without a login is None.
    """

    id: str
    number: int
    title: str
    why: str
    author: str | None
    opened_at: datetime
    withdrawn_by: str | None
    withdrawn_at: datetime | None
    revision: int
    changed_at: datetime
    base_version: int
    deployed_version: int | None
    deployed_by: str | None
    deployed_at: datetime | None
    open_comments: int

    @property
    def is_over(self) -> bool:
        return self.deployed_version is not None or self.withdrawn_at is not None


@dataclass(frozen=True, slots=True)
class Text:
    """What a revision asks for; `counts` are the rows under tighter limits."""

    author: str | None
    origin: str
    save: int | None
    base_version: int
    run_id: str | None
    files: Sequence[SourceFile]
    removes: Sequence[str]
    counts: Sequence[LimitCountRead]


@dataclass(frozen=True, slots=True)
class Review:
    """A verdict of a person, empty without a login."""

    person: str
    verdict: Verdict
    note: str
    given_at: datetime


_REQUESTS = Listing[StoredRequest, int]("deploy-requests", int, lambda request: request.number, is_descending=True)
_REVISIONS = Listing[RevisionRead, int](
    "deploy-request-revisions", int, lambda revision: revision.revision, is_descending=True
)
_SELECTION = """
    SELECT asked.id, number, title, why, asked.author, opened_at, withdrawn_by, withdrawn_at,
           revision, made_at, base_version, version, nullif(deployed_by, workspace_id), created_at,
           (SELECT count(*) FROM deploy_request_comments AS said
            WHERE said.request = asked.number AND said.resolved_at IS NULL)
    FROM deploy_requests AS asked
    JOIN (FROM deploy_request_revisions QUALIFY revision = max(revision) OVER (PARTITION BY request)) AS text
      ON text.request = number
    LEFT JOIN (FROM deployments WHERE request IS NOT NULL
               QUALIFY version = min(version) OVER (PARTITION BY request)) AS live ON live.request = asked.id
"""
_IN_STATE = {
    None: "true",
    "open": "withdrawn_at IS NULL AND version IS NULL",
    "closed": "(withdrawn_at IS NOT NULL OR version IS NOT NULL)",
}


class DeployRequestTable:
    """The requests of one environment. Who writes holds the lock of the service."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, wish: PageWish, state: RequestState | None) -> Page[StoredRequest]:
        """A page of the requests, the newest first."""
        sql = f"{_SELECTION} WHERE {_IN_STATE[state]} AND (? IS NULL OR number < ?) ORDER BY number DESC LIMIT ?"

        def fetch(after: int | None, count: int) -> Sequence[StoredRequest]:
            with self._database.read() as cursor:
                return [_request(row) for row in cursor.execute(sql, [after, after, count]).fetchall()]

        return _REQUESTS.page(wish, fetch)

    def request(self, number: int) -> StoredRequest:
        """One request; ApiError 404 where there is none of that number."""
        with self._database.read() as cursor:
            row = cursor.execute(f"{_SELECTION} WHERE number = ?", [number]).fetchone()
        if row is None:
            message = f"There is no deploy request {number}."
            raise NotFound("unknown-deploy-request", message, "The list of deploy requests has their numbers.")
        return _request(row)

    def text(self, number: int, revision: int) -> Text:
        """What a revision of a request asks for."""
        sql = """
            SELECT author, origin, save, base_version, run_id, files, removes, counts
            FROM deploy_request_revisions WHERE request = ? AND revision = ?
        """
        with self._database.read() as cursor:
            row = cursor.execute(sql, [number, revision]).fetchone()
        assert row is not None
        author, origin, save, base_version, run_id, files, removes, counts = row
        return Text(
            author,
            origin,
            save,
            base_version,
            run_id,
            [SourceFile(**file) for file in json.loads(files)],
            json.loads(removes),
            [LimitCountRead(**count) for count in json.loads(counts)],
        )

    def revisions(self, number: int, wish: PageWish) -> Page[RevisionRead]:
        """A page of the texts that a request asked for, the newest first."""
        sql = """
            SELECT revision, author, made_at, origin, save, base_version FROM deploy_request_revisions
            WHERE request = ? AND (? IS NULL OR revision < ?) ORDER BY revision DESC LIMIT ?
        """

        def fetch(after: int | None, count: int) -> Sequence[RevisionRead]:
            with self._database.read() as cursor:
                rows = cursor.execute(sql, [number, after, after, count]).fetchall()
            return [
                RevisionRead(
                    revision=revision,
                    author=author,
                    made_at=aware(made_at),
                    origin=origin,
                    save=save,
                    base_version=base_version,
                )
                for revision, author, made_at, origin, save, base_version in rows
            ]

        return _REVISIONS.page(wish, fetch)

    def authors(self, numbers: Sequence[int]) -> Mapping[int, frozenset[str]]:
        """All who opened each request or gave it a text; somebody without a login is empty."""
        sql = """
            SELECT request, author FROM deploy_request_revisions WHERE list_contains(?, request)
            UNION SELECT number, author FROM deploy_requests WHERE list_contains(?, number)
        """
        people_of: dict[int, set[str]] = defaultdict(set)
        with self._database.read() as cursor:
            for number, author in cursor.execute(sql, [numbers, numbers]).fetchall():
                people_of[number].add(author or "")
        return {number: frozenset(people) for number, people in people_of.items()}

    def reviews(self, requests: Sequence[StoredRequest]) -> Mapping[int, Sequence[Review]]:
        """The last verdict of each person on the present revision of each request, the newest first."""
        present = {request.number: request.revision for request in requests}
        sql = """
            SELECT request, revision, person, verdict, note, given_at FROM deploy_request_reviews
            WHERE list_contains(?, request) ORDER BY given_at DESC, person
        """
        reviews: dict[int, list[Review]] = {number: [] for number in present}
        with self._database.read() as cursor:
            for number, revision, person, verdict, note, given_at in cursor.execute(sql, [list(present)]).fetchall():
                if revision == present[number]:
                    reviews[number].append(Review(person, verdict, note, aware(given_at)))
        return reviews

    def open_request(self, title: str, why: str, text: Text) -> int:
        """Add a request with its first text; return its number."""
        with self._database.write() as cursor:
            row = cursor.execute("SELECT coalesce(max(number), 0) + 1 FROM deploy_requests").fetchone()
            assert row is not None
            number: int = row[0]
            values = [uuid.uuid4().hex, number, title, why, text.author, now()]
            cursor.execute("INSERT INTO deploy_requests VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)", values)
            _add_text(cursor, number, 1, text)
        return number

    def add_revision(self, number: int, revision: int, text: Text) -> None:
        """Add the next text of a request."""
        with self._database.write() as cursor:
            _add_text(cursor, number, revision, text)

    def set_counts(self, number: int, revision: int, counts: Sequence[LimitCountRead]) -> None:
        """Keep what was counted anew."""
        sql = "UPDATE deploy_request_revisions SET counts = ? WHERE request = ? AND revision = ?"
        with self._database.write() as cursor:
            cursor.execute(sql, [_json(counts), number, revision])

    def add_review(self, number: int, revision: int, review: Review) -> None:
        """Keep a verdict, in the place of an earlier one of the same person on the same text."""
        with self._database.write() as cursor:
            cursor.execute(
                "DELETE FROM deploy_request_reviews WHERE request = ? AND revision = ? AND person = ?",
                [number, revision, review.person],
            )
            given_at = review.given_at.replace(tzinfo=None)
            values = [number, revision, review.person, review.verdict, review.note, given_at]
            cursor.execute("INSERT INTO deploy_request_reviews VALUES (?, ?, ?, ?, ?, ?)", values)

    def withdraw(self, number: int, person: str | None) -> None:
        """End a request without a deployment."""
        sql = "UPDATE deploy_requests SET withdrawn_by = ?, withdrawn_at = ? WHERE number = ?"
        with self._database.write() as cursor:
            cursor.execute(sql, [person, now(), number])


def _add_text(cursor: Cursor, number: int, revision: int, text: Text) -> None:
    values = [
        number,
        revision,
        text.author,
        now(),
        text.origin,
        text.save,
        text.base_version,
        text.run_id,
        _json(text.files),
        json.dumps([*text.removes]),
        _json(text.counts),
    ]
    marks = ", ".join("?" for _ in values)
    cursor.execute(f"INSERT INTO deploy_request_revisions VALUES ({marks})", values)


def _request(row: Sequence[Any]) -> StoredRequest:
    values: list[Any] = [aware(value) if isinstance(value, datetime) else value for value in row]
    return StoredRequest(*values)


def _json(values: Sequence[SourceFile] | Sequence[LimitCountRead]) -> str:
    return json.dumps([value.model_dump(mode="json") for value in values])
