"""What must be true of a database when those who wrote to it have been killed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import piql
from processes.nursery import Life
from promises import broken_promises, records_of

from .workload import MOST_IN_A_TEAM, TEAMS, Operation, Player, Players, after


def players_in(db: piql.Database) -> dict[str, Player]:
    """Return all players by a scan of the table itself."""
    return {record["id"]: record for record in records_of(db.store, db.deployment.tables["players"])}


def possible(players: Players, life: Life, operations: Iterable[Operation], is_alone: bool = True) -> list[Players]:
    """Return the states that may be found: all that was acknowledged, and of the next operation any first pieces.

    Where nobody else wrote, each outcome must be the one that the model foretells.
    """
    stream = iter(operations)
    for number, done in enumerate(life.done):
        operation = next(stream)
        refusals: set[str] = set()
        for accepted, piece in enumerate(operation.pieces()):
            refusals, then = after(players, piece)
            if accepted >= done.pieces and done.outcome != "ok":
                break
            players = then
        if is_alone:
            wanted = refusals or {"ok"}
            assert done.outcome in wanted, f"{number}, {operation}: {done.outcome} instead of {wanted}"
    states = [players]
    for number, piece in enumerate(next(stream).pieces()):
        refusals, players = after(players, piece)
        if refusals and is_alone:
            break
        if number < life.pieces:
            states = []
        states.append(players)
    return states


def hold(db: piql.Database, states: Sequence[Players]) -> Players:
    """Check every promise of the data and that the players are those of a state that may be; give them."""
    broken = broken_promises(db)
    assert broken == [], "; ".join(broken)
    players = players_in(db)
    assert players in states, difference(players, states[-1])
    return players


def difference(found: Players, wanted: Players) -> str:
    lines = [f"lost {row}" for key, row in wanted.items() if found.get(key) != row]
    return "; ".join(lines + [f"found {row}" for key, row in found.items() if wanted.get(key) != row])


def hold_reads(db: piql.Database, players: Players) -> None:
    """Check that every query gives the rows of its group, whichever index it goes through."""
    for team in TEAMS:
        expected_players = [player for player in players.values() if player["team"] == team]
        best = db.execute("best", {"team": team}).rows
        assert [row["score"] for row in best] == sorted((row["score"] for row in expected_players), reverse=True)
        assert _bare(best) == _bare({name: row[name] for name in ("id", "score", "bio")} for row in expected_players)
        of_town = db.execute("ofTown", {"team": team}).rows
        assert _bare(of_town) == _bare({name: row[name] for name in ("id", "score")} for row in expected_players)
    for word in ("fast", "tall", "old", "calm"):
        rows = db.execute("withWord", {"word": word}).rows
        expected_players = [player for player in players.values() if word in player["bio"].split()]
        assert _bare(rows) == _bare({name: row[name] for name in ("id", "team")} for row in expected_players)
    for email in {player["email"] for player in players.values()} - {None}:
        assert len(db.execute("byMail", {"email": email}).rows) == 1


def hold_reads_of_now(db: piql.Database) -> None:
    """Check the same of the players that are there, before what was left half done is settled.

    A request of a writer that was killed may reach a busy node only now. So what differs is looked at again once the
    players have changed.
    """
    players = players_in(db)
    while True:
        try:
            hold_reads(db, players)
            return
        except AssertionError:
            earlier, players = players, players_in(db)
            if players == earlier:
                raise


def _bare(rows: Iterable[Player]) -> list[list[tuple[str, Any]]]:
    return sorted(sorted(row.items()) for row in rows)


def hold_places(db: piql.Database, players: Players) -> None:
    """Check that each team takes as many players as there are places left, and not one more."""
    for team in TEAMS:
        team_size = sum(player["team"] == team for player in players.values())
        for number in range(MOST_IN_A_TEAM - team_size):
            db.execute("putNew", {"id": f"{team}{number}", "team": team, "score": 0, "bio": ""})
        try:
            db.execute("putNew", {"id": f"{team}more", "team": team, "score": 0, "bio": ""})
        except piql.CardinalityViolation:
            continue
        raise AssertionError(f"{team} took more than {MOST_IN_A_TEAM} players")
