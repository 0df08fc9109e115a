"""The threads of all applications: who may say, change and remove what."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from piql.compiler.result import CompiledQuery

from piql_backend.applications.repository import Applications
from piql_backend.compilations.reading import read_query
from piql_backend.compilations.service import Compilations
from piql_backend.threads import repository
from piql_backend.threads.anchors import Plans, Texts, keep_queries, keep_text, rename, settle
from piql_backend.threads.lines import lines_of
from piql_backend.threads.nodes import nodes_of
from piql_backend.threads.queries import PlannedQuery, body_of
from piql_backend.threads.repository import NewThread, Reader, ThreadFilter
from piql_backend.threads.schemas import (
    MOST_QUOTE,
    BoundAnchor,
    LineAnchor,
    NodeAnchor,
    ThreadCommentRead,
    ThreadCommentUpdate,
    ThreadCreate,
    ThreadRead,
)
from piql_backend.threads.thread_file import read_threads, write_threads
from piql_backend.web.errors import ApiError, NotFound
from piql_backend.web.pages import Listing, Page, PageWish

log = logging.getLogger(__name__)

_THREADS = Listing[ThreadRead, int]("threads", int, lambda thread: thread.change)
_COMMENTS = Listing[ThreadCommentRead, int]("thread-comments", int, lambda comment: comment.number)


class Threads:
    """What people say about applications; all methods raise ApiError 404 for an unknown application."""

    def __init__(self, applications: Applications, compilations: Compilations) -> None:
        self._applications = applications
        self._compilations = compilations
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def page(
        self, application: str, wish: PageWish, after: int, wanted: ThreadFilter, reader: Reader
    ) -> Page[ThreadRead]:
        """The threads that changed since `after`, in that order, each where what it is about is now."""
        with self._settled(application) as file:

            def fetch(behind: int | None, count: int) -> list[ThreadRead]:
                start = after if behind is None else behind
                return [] if file is None else [*repository.threads_behind(file, start, count, wanted, reader)]

            return _THREADS.page(wish, fetch)

    def read(self, application: str, number: int, reader: Reader) -> ThreadRead:
        with self._settled(application) as file:
            if file is None:
                raise repository.unknown_thread(number)
            return repository.thread_of(file, number, reader)

    def comments(self, application: str, number: int, wish: PageWish, reader: Reader) -> Page[ThreadCommentRead]:
        """A page of what was said in a thread, the oldest first."""
        with self._in_thread(application, number) as file:
            return _COMMENTS.page(
                wish,
                lambda behind, count: repository.comments_behind(file, number, behind or 0, count, reader),
            )

    def start(self, application: str, request: ThreadCreate, reader: Reader) -> ThreadRead:
        """Begin a thread. ApiError 409 where what it is about is not saved as it was seen, 422 for an empty comment."""
        _refuse_blank(request.text)
        folder, texts = self._applications.folder(application), self._applications.texts(application)
        with self._turns[application], write_threads(folder) as file:
            settle(file, texts, lambda: self._plans(texts))
            match request.anchor:
                case LineAnchor() as anchor:
                    thread = _at_line(anchor, texts)
                    keep_text(file, anchor.path, texts[anchor.path])
                case BoundAnchor() | NodeAnchor() as anchor:
                    queries = self._compilations.compile_texts(texts).queries
                    thread = _at_query(anchor, queries)
                    keep_queries(file, {name: body_of(query) for name, query in queries.items()})
            number = repository.add_thread(file, thread)
            repository.add_comment(file, number, reader.name, request.text)
            return repository.thread_of(file, number, reader)

    def resolve(self, application: str, number: int, reader: Reader, *, is_resolved: bool) -> ThreadRead:
        """Settle a thread, or take it up again; nothing changes where it is so already."""
        with self._in_thread(application, number) as file:
            thread = repository.thread_of(file, number, reader)
            if is_resolved != (thread.resolved_at is not None):
                repository.resolve_thread(file, number, reader.name, is_resolved=is_resolved)
            return repository.thread_of(file, number, reader)

    def answer(self, application: str, number: int, text: str, reader: Reader) -> ThreadCommentRead:
        """Say something in a thread, also in one that is resolved: it stays so."""
        _refuse_blank(text)
        with self._in_thread(application, number) as file:
            comment = repository.add_comment(file, number, reader.name, text)
            return repository.comment_of(file, number, comment, reader)

    def edit(
        self, application: str, number: int, comment: int, change: ThreadCommentUpdate, reader: Reader
    ) -> ThreadCommentRead:
        """Change one's own comment. ApiError 403 for somebody else's, 409 where it changed or is removed."""
        _refuse_blank(change.text)
        with self._in_thread(application, number) as file:
            current = repository.comment_of(file, number, comment, reader)
            if current.author != reader.name:
                raise ApiError(403, "not-yours", "Only who wrote a comment may change it.", "Answer it instead.")
            if current.removed_at is not None or current.revision != change.revision:
                message = "This comment has been changed or removed since it was read."
                raise ApiError(409, "comment-changed", message, "Read the thread again.")
            repository.edit_comment(file, number, comment, change.text)
            return repository.comment_of(file, number, comment, reader)

    def remove(self, application: str, number: int, comment: int, reader: Reader, *, may_remove_all: bool) -> None:
        """Remove one's own comment, or with `may_remove_all` any; ApiError 403 for somebody else's."""
        with self._in_thread(application, number) as file:
            current = repository.comment_of(file, number, comment, reader)
            if current.author != reader.name and not may_remove_all:
                message = "Only who wrote a comment, or an administrator of the application, may remove it."
                raise ApiError(403, "not-yours", message, "Ask one of them.")
            if current.removed_at is None:
                repository.remove_comment(file, number, comment, reader.name)

    def rename_file(self, application: str, path: str, new_path: str) -> None:
        """Let the threads of a file that was given another path go with it.

        A fault is logged only: the file is renamed, and its threads find it by its text.
        """
        try:
            with self._turns[application], read_threads(self._applications.folder(application)) as file:
                if file is not None:
                    rename(file, path, new_path)
        except (ApiError, OSError):
            log.exception("the comments on %s in %s are not moved to %s", path, application, new_path)

    @contextmanager
    def _settled(self, application: str) -> Iterator[sqlite3.Connection | None]:
        """The file with all threads where what they are about is now."""
        folder = self._applications.folder(application)
        with self._turns[application], read_threads(folder) as file:
            if file is not None:
                texts = self._applications.texts(application)
                settle(file, texts, lambda: self._plans(texts))
            yield file

    @contextmanager
    def _in_thread(self, application: str, number: int) -> Iterator[sqlite3.Connection]:
        """The file of an application; ApiError 404 where it has no thread of that number."""
        with self._turns[application], read_threads(self._applications.folder(application)) as file:
            if file is None or not repository.has_thread(file, number):
                raise repository.unknown_thread(number)
            yield file

    def _plans(self, texts: Texts) -> Plans | None:
        """What threads need of each query; None where the texts cannot be compiled within the limits."""
        try:
            queries = self._compilations.compile_texts(texts).queries
        except ApiError as error:
            log.warning("comments on plans stay where they were: %s", error)
            return None
        return {
            name: PlannedQuery(body_of(query), nodes_of(read_query(query, has_stages=True)))
            for name, query in queries.items()
        }


def _at_query(anchor: BoundAnchor | NodeAnchor, queries: Mapping[str, CompiledQuery]) -> NewThread:
    """The bound of a saved query, or a node of its plan."""
    query = queries.get(anchor.query)
    if isinstance(anchor, BoundAnchor):
        if query is None:
            raise _not_saved(f"query {anchor.query[:60]}")
        return NewThread("bound", query=anchor.query)
    nodes = [] if query is None else nodes_of(read_query(query, has_stages=True))
    node = next((node for node in nodes if (node.id, node.operator) == (anchor.node, anchor.operator)), None)
    if node is None:
        raise _not_saved(f"node {anchor.operator[:60]} of {anchor.query[:60]}")
    return NewThread("node", query=anchor.query, node=node.id, operator=node.operator, node_table=node.table)


def _at_line(anchor: LineAnchor, texts: Texts) -> NewThread:
    """The line with that text that is nearest to where it was seen."""
    if anchor.path not in texts:
        raise NotFound("unknown-file", f"There is no file {anchor.path}.", "Save it first.")
    lines = [line[:MOST_QUOTE] for line in lines_of(texts[anchor.path])]
    alike = [number for number, line in enumerate(lines, 1) if line == anchor.quote]
    if not alike:
        raise _not_saved(f"line {anchor.line} of {anchor.path}")
    line = min(alike, key=lambda number: abs(number - anchor.line))
    return NewThread("line", path=anchor.path, line=line, quote=anchor.quote)


def _not_saved(what: str) -> ApiError:
    message = f"The {what} is not saved as it was seen."
    return ApiError(409, "not-saved-so", message, "Let the text be saved, then comment on it as it is now.")


def _refuse_blank(text: str) -> None:
    if not text.strip():
        raise ApiError(422, "empty-comment", "The comment is empty.", "Write what is to be said.")
