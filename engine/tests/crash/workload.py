"""Mixed writes drawn from a seed, and what they must come to: the engine's answers are foretold by a plain model.

Operation ──pieces──▶ parts that are each there whole or not at all ──after──▶ the refusals that fit, the rows then
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import piql
from piql.schema.words import words_of

PATIENT = "?wait_ms=120000"  # of an embedded store: writers may wait for each other longer on a busy machine
TEAMS = ("reds", "blues", "greens", "whites")
NO_TEAM = "nowhere"
MOST_IN_A_TEAM, MOST_WITH_A_WORD = 5, 9
BATCH = 3

SCHEMA = f"""
CREATE TABLE teams (team VARCHAR(8) PRIMARY KEY, town VARCHAR(16));
CREATE TABLE players (
  id VARCHAR(12) PRIMARY KEY, team VARCHAR(8) REFERENCES teams, email VARCHAR(24) NULL UNIQUE,
  score INT, bio VARCHAR(60),
  CARDINALITY LIMIT {MOST_IN_A_TEAM} (team), CARDINALITY LIMIT {MOST_WITH_A_WORD} (TOKEN(bio)));
CREATE QUERY put AS INSERT INTO players (id, team, email, score, bio) VALUES ([id], [team], [email], [score], [bio]);
CREATE QUERY putNew AS
INSERT INTO players (id, team, score, bio) VALUES ([id], [team], [score], [bio]) IF NOT EXISTS;
CREATE QUERY gain AS
INSERT INTO players (id, team, email, score, bio) VALUES ([id], [team], [email], [score], [bio])
ON CONFLICT (id) DO UPDATE SET score = score + EXCLUDED.score, team = EXCLUDED.team;
CREATE QUERY retell AS UPDATE players SET bio = [bio] WHERE email = [email];
CREATE QUERY move AS UPDATE players SET team = [team] WHERE id = [id];
CREATE QUERY rate AS UPDATE players SET score = [score] WHERE id = [id] IF score = [was];
CREATE QUERY tell AS UPDATE players SET bio = [bio], email = [email] WHERE id = [id];
CREATE QUERY remove AS DELETE FROM players WHERE id = [id];
"""
READS = """
CREATE QUERY best AS SELECT id, score, bio FROM players WHERE team = [team] ORDER BY score DESC LIMIT 5;
CREATE QUERY withWord AS SELECT id, team FROM players WHERE bio LIKE [word] LIMIT 9;
CREATE QUERY byMail AS SELECT id, team, score FROM players WHERE email = [email];
CREATE QUERY ofTown AS
SELECT p.id, p.score FROM players p JOIN teams t ON t.team = p.team WHERE p.team = [team] ORDER BY p.score LIMIT 5;
"""
SOURCE = SCHEMA + READS
VIEW = """
CREATE VIEW strength AS
SELECT team, COUNT(*) AS players, COUNT(score) AS scores, SUM(score) AS total FROM players GROUP BY team;
CREATE VIEW scorers AS
SELECT team, COUNT(*) AS players, SUM(score) AS total, AVG(score) AS mean FROM players
WHERE score IS NOT NULL AND (score > 2 OR team = 'reds') GROUP BY team;
CREATE VIEW spread AS
SELECT team, COUNT(*) AS players, COUNT(score) AS scores, SUM(score) AS total FROM players GROUP BY team STRIPES 3;
CREATE QUERY strongest AS SELECT team, total FROM strength ORDER BY total DESC LIMIT 4;
"""

Player = Mapping[str, Any]
Players = Mapping[str, Player]
_WORDS = ("fast", "tall", "old", "calm")


@dataclass(frozen=True, slots=True)
class Operation:
    """A call of the engine: the execution of a query, or the load of rows."""

    query: str
    parameters: Mapping[str, Any]
    rows: tuple[Player, ...] = ()

    def run(self, db: piql.Database, piece_done: piql.client.database.Progress) -> None:
        if self.query == "load":
            db.load("players", self.rows, piece_done, batch_rows=BATCH)
        else:
            db.execute(self.query, self.parameters)

    def pieces(self) -> list[Operation]:
        """Return the parts that are each atomic: the batches of a load."""
        if self.query != "load":
            return [self]
        return [Operation("load", {}, self.rows[at : at + BATCH]) for at in range(0, len(self.rows), BATCH)]


def operations(seed: int, writer: str = "p", players: int = 16, loads: int = 2) -> Iterator[Operation]:
    """Return operations without end; writers have players of their own, but share teams and words."""
    chance = random.Random(seed)
    while True:
        player = _random_player(chance, writer, players)
        kinds = ("put", "putNew", "gain", "move", "rate", "tell", "retell", "remove", "load")
        kind = chance.choices(kinds, (4, 3, 4, 5, 4, 3, 3, 3, loads))[0]
        match kind:
            case "load":
                rows = tuple(_random_player(chance, writer, players) for _ in range(chance.randint(1, 3 * BATCH)))
                yield Operation("load", {}, rows)
            case "rate":
                yield Operation(kind, {"id": player["id"], "score": player["score"], "was": chance.randrange(3)})
            case _:
                names = {"put": "id team email score bio", "putNew": "id team score bio", "move": "id team"}
                names |= {"gain": names["put"], "tell": "id bio email", "retell": "email bio", "remove": "id"}
                parameters = {name: player[name] for name in names[kind].split()}
                if parameters.get("email", "") is None:
                    parameters["email"] = f"{player['id']}@own"
                yield Operation(kind, parameters)


def _random_player(chance: random.Random, writer: str, players: int) -> dict[str, Any]:
    return {
        "id": f"{writer}{chance.randrange(players)}",
        "team": NO_TEAM if chance.random() < 0.05 else chance.choice(TEAMS),
        "email": chance.choice((None, f"{writer}{chance.randrange(6)}@x")),
        "score": chance.randrange(3),
        "bio": " ".join(chance.sample(_WORDS, chance.randrange(3))),
    }


def new_database(url: str) -> str:
    """Make a database with teams and no players."""
    with piql.connect(url) as db:
        db.deploy(piql.compile(SOURCE + VIEW))
        db.load("teams", [{"team": team, "town": "Oslo"} for team in TEAMS])
    return url


def after(players: Players, piece: Operation) -> tuple[set[str], Players]:
    """Return the refusals that a piece must meet when nobody else writes, and the players once it is in."""
    changed = dict(players)
    parameters = piece.parameters
    old = players.get(parameters.get("id", ""))
    match piece.query:
        case "load":
            changed |= {row["id"]: row for row in piece.rows}
        case "put":
            changed[parameters["id"]] = parameters
        case "putNew":
            if old is not None:
                return {"DuplicateKey"}, players
            changed[parameters["id"]] = {**parameters, "email": None}
        case "rate":
            if old is None or old["score"] != parameters["was"]:
                return {"ConditionFailed"}, players
            changed[old["id"]] = {**old, "score": parameters["score"]}
        case "gain" if old is not None:
            changed[old["id"]] = {**old, "score": old["score"] + parameters["score"], "team": parameters["team"]}
        case "gain":
            changed[parameters["id"]] = parameters
        case "retell":
            named = [player for player in players.values() if player["email"] == parameters["email"]]
            changed |= {player["id"]: {**player, "bio": parameters["bio"]} for player in named}
        case "remove":
            changed.pop(parameters["id"], None)
        case _ if old is not None:
            changed[old["id"]] = {**old, **parameters}
    return _refusals(changed), changed


def after_all(players: Players, done: Iterable[Operation]) -> Players:
    """Return the players after operations that nobody disturbed; a load ends at the batch that is refused."""
    for operation in done:
        for piece in operation.pieces():
            refusals, then = after(players, piece)
            if refusals:
                break
            players = then
    return players


def _refusals(players: Players) -> set[str]:
    teams = Counter(player["team"] for player in players.values())
    words = Counter(word for player in players.values() for word in words_of(player["bio"]))
    emails = Counter(player["email"] for player in players.values() if player["email"] is not None)
    refusals: set[str] = set()
    if NO_TEAM in teams:
        refusals.add("ForeignKeyViolation")
    if max(teams.values(), default=0) > MOST_IN_A_TEAM or max(words.values(), default=0) > MOST_WITH_A_WORD:
        refusals.add("CardinalityViolation")
    if max(emails.values(), default=0) > 1:
        refusals.add("DuplicateKey")
    return refusals
