"""A store's answer to one request, for stores that have no shorter way than to answer a batch of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from piql.store.base import Answers, Batch, Consistency, Reader
from piql.store.rows import PreparedRead, Row

ReadMany = Callable[[Sequence[Batch], Consistency | None], Answers]


def reader_of(
    read_many: ReadMany, statements_sent: Callable[[], int], read: PreparedRead, consistency: Consistency | None
) -> Reader:
    """Return the function that answers one request by `read_many`, and counts the statements that it was sent as."""

    def answer(arguments: Row) -> tuple[list[Row], int]:
        before = statements_sent()
        ((rows,),) = read_many([Batch(read, [arguments])], consistency)
        return rows, statements_sent() - before

    return answer
