"""SCADr on the command line; everything it knows of the database is the public `piql` package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import piql
from data import generate

HERE = Path(__file__).parent
WRITES = {
    "join": "addUser",
    "follow": "subscribe",
    "approve": "approve",
    "unfollow": "unsubscribe",
    "post": "postThought",
}


def load(db: piql.Database, users: int, subscriptions: int) -> None:
    """Deploys the schema with its queries, and loads generated rows."""
    db.deploy(piql.compile(HERE))
    for table, rows in generate(users=users, subscriptions_per_user=subscriptions).items():
        db.load(table, rows)
        print(f"{table}: {len(rows):,} rows")


def show(db: piql.Database, query: str, parameters: Mapping[str, object], pages: int = 1) -> None:
    """Prints the rows of as many pages as asked, and what they cost."""
    cursor = None
    for _ in range(pages):
        page = db.execute(query, parameters, cursor=cursor)
        for row in page.rows:
            print("  ".join(str(value) for value in row.values()))
        print(f"-- {query}: {page.operations} requests in {page.elapsed_ms:.1f} ms")
        cursor = page.cursor
        if cursor is None:
            break


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="embedded:scadr.db", help="where the rows are kept (%(default)s)")
    commands = parser.add_subparsers(dest="command", required=True)
    loading = commands.add_parser("load", help="deploy the queries and load generated data")
    loading.add_argument("--users", type=int, default=1_000)
    loading.add_argument("--subscriptions", type=int, default=10, help="of each user")
    stream = commands.add_parser("stream", help="the newest thoughts of those a user follows")
    stream.add_argument("me")
    stream.add_argument("--count", type=int, default=10)
    thoughts = commands.add_parser("thoughts", help="what a user wrote, ten a page")
    thoughts.add_argument("me")
    thoughts.add_argument("--pages", type=int, default=1)
    commands.add_parser("following", help="everyone a user follows").add_argument("me")
    join = commands.add_parser("join", help="add a user")
    join.add_argument("username")
    join.add_argument("hometown")
    for command, does in (("follow", "subscribe"), ("approve", "let a follower read"), ("unfollow", "unsubscribe")):
        pair = commands.add_parser(command, help=does)
        pair.add_argument("owner")
        pair.add_argument("target")
    post = commands.add_parser("post", help="write a thought")
    post.add_argument("me")
    post.add_argument("text")
    return parser


def main(words: list[str] | None = None) -> int:
    chosen = vars(arguments().parse_args(words))
    database, command = chosen.pop("database"), chosen.pop("command")
    try:
        with piql.connect(database) as db:
            if command == "load":
                load(db, chosen["users"], chosen["subscriptions"])
            elif command == "stream":
                show(db, "thoughtstream", chosen)
            elif command == "thoughts":
                show(db, "myThoughts", {"me": chosen["me"]}, chosen["pages"])
            elif command == "following":
                show(db, "usersFollowedBy", chosen)
            else:
                now = {"posted": datetime.now(UTC)} if command == "post" else {}
                show(db, WRITES[command], chosen | now)
    except piql.PiqlError as refusal:
        print(f"{command}: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
