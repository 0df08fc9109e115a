"""A store whose process is killed at the n-th thing that it does for a change of the schema."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from piql.store.base import Store, Transaction
from piql.store.wrapper import StoreWrapper

_COUNTED = (
    "read",
    "get_many",
    "put",
    "set_version",
    "set_setting",
    "create_table",
    "add_columns",
    "create_index",
    "drop_index",
)


class DyingTransaction:
    """Counts each call before it is made."""

    def __init__(self, behind: Transaction, count: Callable[[], None]) -> None:
        self._behind = behind
        self._count = count

    def __getattr__(self, name: str) -> Any:
        if name in _COUNTED:
            self._count()
        return getattr(self._behind, name)


class DyingStore(StoreWrapper):
    """Dies at the call number `last` of a transaction, or before or after it is committed."""

    def __init__(self, behind: Store, last: int) -> None:
        super().__init__(behind)
        self._left = last

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        with self.behind.transaction() as transaction:
            yield DyingTransaction(transaction, self._count)
            self._count()
        self._count()


def dies(work: Callable[[], None]) -> bool:
    """Do work in a child process and say whether it was killed."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as failure:
            print("the child failed:", repr(failure), flush=True)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)
