"""Measures whether a sorted join takes longer backwards than forwards: queries of each way are executed in turn.

    python profiler/benchmarks/directions.py --store cql://127.0.0.1,127.0.0.2,127.0.0.3/directions --minutes 3

    forwards     ORDER BY posted         along the order of a table that is read from both ends
    against      ORDER BY posted DESC    against it
    backwards    ORDER BY posted DESC    of a table that is read from its end alone, and kept so

It prints quantiles in ms for partitions of several lengths, which lie in files. Of a join only the last operator is
timed, without the scan before it. A get of one key and a foreign-key join of one row are printed for comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from in_turns import filled, links, ms_of_last_operator, print_quantiles, take_turns

_OWNERS, _CHILD_ROWS, _ROWS = 100, (1, 10, 50), (1, 10, 50)
_LENGTHS = (10, 100, 300)  # rows of a partition
_PAYLOAD = 176  # bytes, for rows of about 200
_WAYS = (
    ("forwards", "both", ""),
    ("against", "both", " DESC"),
    ("backwards", "newest", " DESC"),
)  # query, table, order
_START = datetime(2026, 1, 1, tzinfo=UTC)

_TABLES = (
    "CREATE TABLE links (owner VARCHAR(16), target VARCHAR(16), PRIMARY KEY (owner, target), "
    f"CARDINALITY LIMIT {max(_CHILD_ROWS)} (owner));"
    f"CREATE TABLE records (name VARCHAR(16) PRIMARY KEY, payload VARCHAR({_PAYLOAD}));"
    "CREATE QUERY get AS SELECT name, payload FROM records WHERE name = [1: name];"
    "CREATE QUERY fk_join AS SELECT r.name, r.payload FROM links l JOIN records r ON r.name = l.target "
    "WHERE l.owner = [1: owner];"
)


def text() -> str:
    """The schema and the queries."""
    parts = [_TABLES]
    for length in _LENGTHS:
        parts += [
            f"CREATE TABLE {kind}_{length} (owner VARCHAR(16), posted TIMESTAMP, payload VARCHAR({_PAYLOAD}), "
            "PRIMARY KEY (owner, posted));"
            for kind in ("both", "newest")
        ]
        parts += [
            f"CREATE QUERY {way}_{length} AS SELECT r.owner, r.posted, r.payload "
            f"FROM links l JOIN {kind}_{length} r ON r.owner = l.target WHERE l.owner = [1: owner] "
            f"ORDER BY r.posted{order} LIMIT [2: most] MAX {max(_ROWS)};"
            for way, kind, order in _WAYS
        ]
    return "\n".join(parts)


def rows() -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The rows of each table; the owners `c010-…` have 10 links each, and so on."""
    random = Random(1)
    names = [f"n{at:03}" for at in range(_OWNERS)]
    yield "links", links(names, _CHILD_ROWS, random)
    payload = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=_PAYLOAD))
    yield "records", [{"name": name, "payload": payload} for name in names]
    for length in _LENGTHS:
        times = [_START + timedelta(minutes=at) for at in range(length)]
        rows_of_owners = [{"owner": name, "posted": at, "payload": payload} for name in names for at in times]
        yield from ((f"{kind}_{length}", rows_of_owners) for kind in ("both", "newest"))


def main() -> None:
    """Execute every way, length and size in turn, and print their quantiles."""
    random = Random(7)
    with filled(text(), rows, __doc__ or "") as (database, observations, minutes):

        def execution(name: str, level: int, most: int) -> Callable[[], Mapping[str, float]]:
            def execute() -> Mapping[str, float]:
                owner = {"owner": f"c{level:03}-{random.randrange(10)}"}
                key = {"name": f"n{random.randrange(_OWNERS):03}"}
                observations.clear()
                database.execute(name, key if name == "get" else owner | ({"most": most} if most else {}))
                return {"": ms_of_last_operator(observations[0])}

            return execute

        sizes = [
            (f"{way}_{length}", level, most)
            for length in _LENGTHS
            for way, _, _ in _WAYS
            for level in _CHILD_ROWS
            for most in _ROWS
        ]
        sizes += [("fk_join", level, 0) for level in _CHILD_ROWS] + [("get", 1, 0)]
        parts = {f"{level:2} × {most or 1:2} {name}": execution(name, level, most) for name, level, most in sizes}
        print_quantiles(take_turns(parts, minutes, random))


if __name__ == "__main__":
    main()
