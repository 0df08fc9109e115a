"""Clients that read and write a cluster while its nodes fail, and a ledger of what each of them was told.

What a client was told must be true in the end: a write that was acknowledged is there, and once; one that ended in an
error is there or not; a read shows no less than what had been acknowledged before it began.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import piql
from promises import broken_promises

TEAMS, ACCOUNTS = ("reds", "blues", "greens", "whites"), 64
SOURCE = """
CREATE TABLE accounts (id INT PRIMARY KEY, team VARCHAR(8), n INT, CARDINALITY LIMIT 40 (team));
CREATE TABLE events (account INT REFERENCES accounts, number INT, note VARCHAR(20), PRIMARY KEY (account, number));
CREATE QUERY increase AS UPDATE accounts SET n = n + 1 WHERE id = [id];
CREATE QUERY move AS UPDATE accounts SET team = [team] WHERE id = [id];
CREATE QUERY note AS INSERT INTO events (account, number, note) VALUES ([account], [number], [note]) IF NOT EXISTS;
CREATE QUERY balance AS SELECT n FROM accounts WHERE id = [id];
CREATE QUERY team AS SELECT id FROM accounts WHERE team = [team] ORDER BY id LIMIT 40;
CREATE QUERY stream AS SELECT e.account, e.number FROM accounts a JOIN events e ON e.account = a.id
WHERE a.team = [team] ORDER BY e.number DESC LIMIT 100;
CREATE QUERY events AS SELECT number FROM events WHERE account = [account] ORDER BY number DESC PAGINATE 100;
"""
_PAUSE_SECONDS = 0.004


@dataclass(frozen=True, slots=True)
class Call:
    """One execution, as its client saw it; `error` is empty where it succeeded."""

    query: str
    began: float
    ms: float
    error: str


@dataclass(slots=True)
class Ledger:
    """What all clients were told; `increased` and `unsure` count by account."""

    calls: list[Call] = field(default_factory=list)
    increased: Counter[int] = field(default_factory=Counter)
    unsure: Counter[int] = field(default_factory=Counter)
    noted: set[tuple[int, int]] = field(default_factory=set)
    lies: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def failed(self) -> list[Call]:
        return [call for call in self.calls if call.error]

    def acknowledged(self) -> int:
        return self.increased.total() + len(self.noted)

    def between(self, since: float, until: float) -> list[Call]:
        return [call for call in self.calls if since <= call.began < until]

    def within(self, since: float, until: float) -> list[Call]:
        """Return the calls that began and ended in a span."""
        return [call for call in self.between(since, until) if call.began + call.ms / 1000 < until]


class Load:
    """Some clients at work from `with` to the end of the block; those of two connections change the same rows."""

    def __init__(self, databases: Sequence[piql.Database], clients: int = 6) -> None:
        self.ledger = Ledger()
        self._is_over = threading.Event()
        self._numbers = count(1)
        self._threads = [
            threading.Thread(target=self._work, args=(databases[at % len(databases)], at), name=f"client {at}")
            for at in range(clients)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def run(self, seconds: float) -> tuple[float, float]:
        """Let the clients work; give when that began and ended."""
        began = time.monotonic()
        time.sleep(seconds)
        return began, time.monotonic()

    def _work(self, db: piql.Database, number: int) -> None:
        chance = random.Random(number)
        kinds = (self._increase, self._note, self._move, self._balance, self._team, self._stream)
        while not self._is_over.is_set():
            kind = chance.choices(kinds, (6, 3, 1, 4, 4, 2))[0]
            try:
                kind(db, chance.randrange(ACCOUNTS), chance.choice(TEAMS))
            except Exception as fault:  # neither an answer nor a typed error
                self.ledger.lies.append(f"{type(fault).__name__}: {fault}")
            time.sleep(_PAUSE_SECONDS)

    def _call(self, db: piql.Database, query: str, parameters: dict[str, object]) -> piql.Page | None:
        began, error, page = time.monotonic(), "", None
        try:
            page = db.execute(query, parameters, consistency="quorum")
        except (piql.StoreUnavailable, piql.RepairPending) as failure:
            error = f"{type(failure).__name__}: {failure}"
        self.ledger.calls.append(Call(query, began, (time.monotonic() - began) * 1000, error))
        return page

    def _increase(self, db: piql.Database, account: int, team: str) -> None:
        is_done = self._call(db, "increase", {"id": account}) is not None
        with self.ledger.lock:
            (self.ledger.increased if is_done else self.ledger.unsure)[account] += 1

    def _note(self, db: piql.Database, account: int, team: str) -> None:
        """Insert what was never there before; where nobody says whether it is, once more."""
        number, is_told = next(self._numbers), True
        while True:
            try:
                if self._call(db, "note", {"account": account, "number": number, "note": team}) is not None:
                    self.ledger.noted.add((account, number))
                    return
                is_told = False
            except piql.DuplicateKey:
                if is_told:
                    self.ledger.lies.append(f"the event {account}, {number} was there before it was inserted")
                self.ledger.noted.add((account, number))
                return
            if self._is_over.is_set():
                return

    def _move(self, db: piql.Database, account: int, team: str) -> None:
        self._call(db, "move", {"id": account, "team": team})

    def _balance(self, db: piql.Database, account: int, team: str) -> None:
        with self.ledger.lock:
            known = self.ledger.increased[account]
        page = self._call(db, "balance", {"id": account})
        if page is not None and not (page.rows and page.rows[0]["n"] >= known):
            self.ledger.lies.append(f"account {account} was read as {page.rows} after {known} increases")

    def _team(self, db: piql.Database, account: int, team: str) -> None:
        page = self._call(db, "team", {"team": team})
        if page is not None:
            ids = [row["id"] for row in page.rows]
            if ids != sorted(set(ids)):
                self.ledger.lies.append(f"the {team} were read as {ids}")

    def _stream(self, db: piql.Database, account: int, team: str) -> None:
        self._call(db, "stream", {"team": team})


def fill(db: piql.Database) -> None:
    """Deploy the schema and load the accounts."""
    db.deploy(piql.compile(SOURCE))
    db.load("accounts", [{"id": at, "team": TEAMS[at % len(TEAMS)], "n": 0} for at in range(ACCOUNTS)])


def untrue(db: piql.Database, ledger: Ledger) -> list[str]:
    """Return a sentence for each thing that a client was told and that is not so; none when all is well."""
    sentences = list(ledger.lies)
    for account in range(ACCOUNTS):
        n = db.execute("balance", {"id": account}).rows[0]["n"]
        sure, unsure = ledger.increased[account], ledger.unsure[account]
        if n < sure:
            sentences.append(f"account {account}: {sure - n} of {sure} acknowledged increases are lost")
        if n > sure + unsure:
            sentences.append(f"account {account}: {n} increases of {sure} acknowledged ones and {unsure} unsure ones")
        noted, cursor = set[int](), None
        while True:
            page = db.execute("events", {"account": account}, cursor)
            noted |= {row["number"] for row in page.rows}
            cursor = page.cursor
            if cursor is None:
                break
        lost = {number for of, number in ledger.noted if of == account} - noted
        if lost:
            sentences.append(f"account {account}: the acknowledged events {sorted(lost)} are lost")
    db.sweep(older_than=-1)
    return sentences + broken_promises(db)


def until_it_works(ask: Callable[[], object], seconds: float = 60) -> None:
    """Ask again and again until there is an answer; the last error is raised when the time is over."""
    until = time.monotonic() + seconds
    while True:
        try:
            ask()
            return
        except piql.StoreUnavailable:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
