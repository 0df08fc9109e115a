"""HTTP for threads of comments: list, begin, answer, resolve, edit, remove."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from piql_backend.threads.repository import Reader, ThreadFilter
from piql_backend.threads.schemas import (
    ThreadCommentCreate,
    ThreadCommentRead,
    ThreadCommentUpdate,
    ThreadCreate,
    ThreadRead,
    ThreadState,
    ThreadUpdate,
)
from piql_backend.web.dependencies import AnyVisitor, Id, TheWorkbench
from piql_backend.web.errors import declared
from piql_backend.web.guarded_routes import GuardedRoute
from piql_backend.web.needs import in_application, needs
from piql_backend.web.pages import Page, WishedPage
from piql_backend.web.schemas import FilePath
from piql_backend.web.visitor import Visitor

router = APIRouter(route_class=GuardedRoute, prefix="/applications/{application}/threads", tags=["comments"])

Number = Annotated[int, Path(ge=1, le=2_000_000_000)]


@router.get("", responses=declared(404, 503))
@needs(in_application("viewer"))
def list_threads(
    application: Id,
    wish: WishedPage,
    workbench: TheWorkbench,
    visitor: AnyVisitor,
    state: Annotated[ThreadState | None, Query(description="Only those that are open, or resolved.")] = None,
    path: Annotated[FilePath | None, Query(description="Only those about a line of this file.")] = None,
    query: Annotated[str | None, Query(max_length=200, description="Only those about this query.")] = None,
    after: Annotated[int, Query(ge=0, le=2**53, description="Only those with a greater `change`.")] = 0,
) -> Page[ThreadRead]:
    """The threads in the order of their last change: whoever asks `after` the last one is given what is new since."""
    return workbench.threads.page(application, wish, after, ThreadFilter(state, path, query), _reader(visitor))


@router.post("", status_code=201, responses=declared(404, 409, 503))
@needs(in_application("developer"))
def start_thread(application: Id, request: ThreadCreate, workbench: TheWorkbench, visitor: AnyVisitor) -> ThreadRead:
    """Begin a thread about something that is saved; 409 where it is not saved as it was seen."""
    return workbench.threads.start(application, request, _reader(visitor))


@router.get("/{number}", responses=declared(404, 503))
@needs(in_application("viewer"))
def read_thread(application: Id, number: Number, workbench: TheWorkbench, visitor: AnyVisitor) -> ThreadRead:
    """One thread, with where it is now."""
    return workbench.threads.read(application, number, _reader(visitor))


@router.put("/{number}", responses=declared(404, 503))
@needs(in_application("developer"))
def resolve_thread(
    application: Id, number: Number, wish: ThreadUpdate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ThreadRead:
    """Say that a thread is settled, or that it is not."""
    return workbench.threads.resolve(application, number, _reader(visitor), is_resolved=wish.is_resolved)


@router.get("/{number}/comments", responses=declared(404, 503))
@needs(in_application("viewer"))
def list_thread_comments(
    application: Id, number: Number, wish: WishedPage, workbench: TheWorkbench, visitor: AnyVisitor
) -> Page[ThreadCommentRead]:
    """What was said in a thread, the oldest first; one that was removed is there without its text."""
    return workbench.threads.comments(application, number, wish, _reader(visitor))


@router.post("/{number}/comments", status_code=201, responses=declared(404, 503))
@needs(in_application("developer"))
def answer_thread(
    application: Id, number: Number, request: ThreadCommentCreate, workbench: TheWorkbench, visitor: AnyVisitor
) -> ThreadCommentRead:
    """Say something in a thread; one that is resolved stays so."""
    return workbench.threads.answer(application, number, request.text, _reader(visitor))


@router.put("/{number}/comments/{comment}", responses=declared(403, 404, 409, 503))
@needs(in_application("developer"))
def edit_thread_comment(
    application: Id,
    number: Number,
    comment: Number,
    change: ThreadCommentUpdate,
    workbench: TheWorkbench,
    visitor: AnyVisitor,
) -> ThreadCommentRead:
    """Change one's own comment; 409 where it is not the revision that was read."""
    return workbench.threads.edit(application, number, comment, change, _reader(visitor))


@router.delete("/{number}/comments/{comment}", status_code=204, responses=declared(403, 404, 503))
@needs(in_application("developer"))
def remove_thread_comment(
    application: Id, number: Number, comment: Number, workbench: TheWorkbench, visitor: AnyVisitor
) -> Response:
    """Remove one's own comment, or as an administrator any: its text is forgotten, and that there was one is kept."""
    may_remove_all = visitor is None or visitor.role_in(application) == "administrator"
    workbench.threads.remove(application, number, comment, _reader(visitor), may_remove_all=may_remove_all)
    return Response(status_code=204)


def _reader(visitor: Visitor | None) -> Reader:
    return Reader(None if visitor is None else visitor.name)
