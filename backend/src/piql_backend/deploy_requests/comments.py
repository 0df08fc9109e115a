"""What people say about a request, in DuckDB: about all of it, about a query, or about a line of a file."""

from __future__ import annotations

from collections.abc import Sequence

from piql_backend.database.connection import Database, aware, now
from piql_backend.deploy_requests.schemas import CommentCreate, CommentRead
from piql_backend.web.errors import NotFound
from piql_backend.web.pages import Listing, Page, PageWish

_COMMENTS = Listing[CommentRead, int]("deploy-request-comments", int, lambda comment: comment.number)
_COLUMNS = "number, revision, author, made_at, text, query, path, line, resolved_by, resolved_at"


class CommentTable:
    """The comments of one environment's requests, numbered from 1 in each request."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, request: int, wish: PageWish) -> Page[CommentRead]:
        """A page of the comments of a request, the oldest first."""
        return _COMMENTS.page(wish, lambda after, count: self._behind(request, after or 0, count))

    def add(self, request: int, comment: CommentCreate, author: str | None) -> CommentRead:
        """Add one, with the next number."""
        newest = "SELECT coalesce(max(number), 0) + 1 FROM deploy_request_comments WHERE request = ?"
        with self._database.write() as cursor:
            row = cursor.execute(newest, [request]).fetchone()
            assert row is not None
            said = [comment.text, comment.query, comment.path, comment.line]
            values = [request, row[0], comment.revision, author, now(), *said]
            marks = ", ".join("?" for _ in values)
            cursor.execute(f"INSERT INTO deploy_request_comments VALUES ({marks}, NULL, NULL)", values)
        return self._behind(request, row[0] - 1, 1)[0]

    def resolve(self, request: int, number: int, person: str | None, *, is_resolved: bool) -> CommentRead:
        """Settle a comment, or take it up again; ApiError 404 where the request has none of that number."""
        sql = """
            UPDATE deploy_request_comments SET resolved_by = ?, resolved_at = ? WHERE request = ? AND number = ?
        """
        comments = [comment for comment in self._behind(request, number - 1, 1) if comment.number == number]
        if not comments:
            raise NotFound("unknown-comment", f"Deploy request {request} has no comment {number}.")
        if is_resolved == (comments[0].resolved_at is not None):
            return comments[0]
        with self._database.write() as cursor:
            by, at = (person, now()) if is_resolved else (None, None)
            cursor.execute(sql, [by, at, request, number])
        return self._behind(request, number - 1, 1)[0]

    def _behind(self, request: int, after: int, count: int) -> Sequence[CommentRead]:
        sql = f"""
            SELECT {_COLUMNS} FROM deploy_request_comments
            WHERE request = ? AND number > ? ORDER BY number LIMIT ?
        """
        with self._database.read() as cursor:
            rows = cursor.execute(sql, [request, after, count]).fetchall()
        fields = _COLUMNS.split(", ")
        reads = [dict(zip(fields, row, strict=True)) for row in rows]
        return [
            CommentRead(
                **read
                | {name: None if read[name] is None else aware(read[name]) for name in ("made_at", "resolved_at")}
            )
            for read in reads
        ]
