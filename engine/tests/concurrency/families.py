"""A process that forks others which all write to one file, while it closes, opens, exits and kills in any order.

Whoever has written a row says so in one file, `acks`, after the store has acknowledged it.
"""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

import piql
from piql.store.embedded import fork

from .jobs import Tell

ROWS = 40
HANGS_SECONDS = 600.0  # many times what a busy machine takes from a fork to the last write
_LOOK = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT COUNT(*) FROM settings'); c.close()"


class Family:
    """The head of a family, and what it may do."""

    def __init__(self, url: str, acks: str) -> None:
        fork.PATIENCE_SECONDS = HANGS_SECONDS / 2  # a starved thread may be at work in SQLite for longer than usual
        self._url = url
        self._path = url.partition(":")[2].partition("?")[0]
        self._acks = os.open(acks, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        faulthandler.register(signal.SIGALRM, file=self._acks, chain=True)  # says where a process hangs, then ends it
        self._born = 0
        self._children: list[int] = []
        self._db: piql.Database | None = piql.connect(url)
        self.actions: dict[str, Callable[[], None]] = {
            "fork fresh": lambda: self._fork(self._write_fresh),
            "fork inherited": lambda: self._fork(self._write_inherited),
            "fork twice": lambda: self._fork(self._write_with_child),
            "write": lambda: self._write(self._open(), self._number(), 3),
            "write in a thread": self._write_in_thread,
            "open again": self._open_again,
            "close": self._close,
            "kill": self._kill,
            "look": self._look,
        }

    def _number(self) -> int:
        self._born += 1
        return self._born

    def _open(self) -> piql.Database:
        if self._db is None:
            self._db = piql.connect(self._url)
        return self._db

    def _open_again(self) -> None:
        """Have the file open twice for a moment."""
        before, self._db = self._db, piql.connect(self._url)
        if before is not None:
            before.close()

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _look(self) -> None:
        """Let a process that is no member open and close the file."""
        subprocess.run([sys.executable, "-S", "-E", "-c", _LOOK, self._path], check=True)

    def _kill(self) -> None:
        if self._children:
            pid = self._children.pop(0)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _write_in_thread(self) -> None:
        number = self._number()
        threading.Thread(target=self._try, args=(self._write_inherited, number), daemon=True).start()

    def _fork(self, work: Callable[[int], None]) -> None:
        number = self._number()
        size = os.fstat(self._acks).st_size
        pid = os.fork()
        if pid == 0:
            self._live(work, number)
        self._children.append(pid)
        until = time.monotonic() + HANGS_SECONDS
        while os.fstat(self._acks).st_size < size + 8:  # some writes later, by whomever
            assert time.monotonic() < until, "nobody writes any more"
            time.sleep(0.0005)

    def _live(self, work: Callable[[int], None], number: int) -> NoReturn:
        signal.alarm(int(HANGS_SECONDS))
        self._try(work, number)
        os._exit(0)

    def _try(self, work: Callable[[int], None], number: int) -> None:
        try:
            work(number)
        except BaseException as failure:
            self._say(f"failed {failure!r}")

    def _write_fresh(self, number: int) -> None:
        with piql.connect(self._url) as db:
            self._write(db, number, ROWS)

    def _write_inherited(self, number: int) -> None:
        self._write(self._open(), number, ROWS)

    def _write_with_child(self, number: int) -> None:
        db = self._open()
        self._write(db, number, 3)
        if os.fork() == 0:
            self._live(lambda child: self._write(db, child, ROWS), number + 1000)
        self._write(db, number + 2000, ROWS)

    def _write(self, db: piql.Database, number: int, rows: int) -> None:
        for row in range(rows):
            name = f"{number}.{row}"
            try:
                db.execute("open", {"id": name, "email": f"{name}@x"})
            except piql.StoreUnavailable as failure:
                if str(failure).startswith("the store has been closed"):  # by the head, under its own thread
                    return
                raise
            self._say(f"wrote {name}")

    def _say(self, line: str) -> None:
        os.write(self._acks, f"{line}\n".encode())

    def reap(self) -> None:
        for pid in self._children:
            os.waitpid(pid, 0)


def raise_family(job: dict[str, Any], number: int, tell: Tell) -> None:
    """Do some actions in the order that a seed gives, then exit; `alive` is open for as long as a member lives."""
    os.open(job["alive"], os.O_WRONLY)
    chance = random.Random(job["seed"])
    family = Family(job["url"], job["acks"])
    actions = ["fork fresh", "fork inherited", *chance.choices(list(family.actions), k=job["actions"])]
    chance.shuffle(actions)
    tell(f"plan {', '.join(actions)}")
    for action in actions:
        family.actions[action]()
    if chance.random() < 0.5:
        family.reap()
