"""Tells whether a sorted join takes longer backwards than forwards: all ways to read executed in turn, one at a time.

    python profiler/benchmarks/directions.py --store cql://127.0.0.1,127.0.0.2,127.0.0.3/directions --minutes 3

Partitions of 10 and of 50 rows; what is read is a table's own rows, or the entries of an index that hold all of them.
A get of one key stands beside a foreign-key join of one, whose time is that of its query less the scan before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from in_turns import filled, links, print_quantiles, take_turns

_OWNERS, _LONGEST, _CHILD_ROWS = 100, 50, (1, 10, 50)
_LENGTHS, _MOST = (10, 50), (1, 10)
_PAYLOAD = 176

_TABLES = (
    "CREATE TABLE links (owner VARCHAR(16), target VARCHAR(16), PRIMARY KEY (owner, target), "
    f"CARDINALITY LIMIT {max(_CHILD_ROWS)} (owner));"
    f"CREATE TABLE records (name VARCHAR(16) PRIMARY KEY, payload VARCHAR({_PAYLOAD}));"
    "CREATE QUERY get AS SELECT name, payload FROM records WHERE name = [1: name];"
    "CREATE QUERY fk_join AS SELECT r.name, r.payload FROM links l JOIN records r ON r.name = l.target "
    "WHERE l.owner = [1: owner];"
)


def text() -> str:
    """Give the schema and the queries."""
    parts = [_TABLES]
    for length in _LENGTHS:
        parts.append(
            f"CREATE TABLE rows_{length} (owner VARCHAR(16), posted VARCHAR(16), payload VARCHAR({_PAYLOAD}), "
            f"PRIMARY KEY (owner, posted));"
            f"CREATE TABLE items_{length} (id VARCHAR(16) PRIMARY KEY, owner VARCHAR(16), title VARCHAR({_PAYLOAD}));"
        )
        for way, order in (("forwards", ""), ("backwards", " DESC")):
            joined = "FROM links l JOIN {table} r ON r.owner = l.target WHERE l.owner = [1: owner]"
            parts.append(
                f"CREATE QUERY rows_{length}_{way} AS SELECT r.owner, r.posted, r.payload "
                f"{joined.format(table=f'rows_{length}')} ORDER BY r.posted{order} LIMIT [2: most] MAX {_LONGEST};"
                f"CREATE QUERY entries_{length}_{way} AS SELECT r.id, r.title "
                f"{joined.format(table=f'items_{length}')} ORDER BY r.title{order} LIMIT [2: most] MAX {_LONGEST};"
            )
    return "\n".join(parts)


def rows() -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Give the rows of each table; owner c000 … has as many links as its level says."""
    random = Random(1)
    names = [f"n{at:03}" for at in range(_OWNERS)]
    yield "links", links(names, _CHILD_ROWS, random)
    payload = "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=_PAYLOAD))
    yield "records", [{"name": name, "payload": payload} for name in names]
    for length in _LENGTHS:
        places = [(name, at) for name in names for at in range(length)]
        yield f"rows_{length}", [{"owner": name, "posted": f"p{at:03}", "payload": payload} for name, at in places]
        titles = [(name, at, f"t{at:03}{payload}"[:_PAYLOAD]) for name, at in places]
        yield f"items_{length}", [{"id": f"{name}{at:03}", "owner": name, "title": title} for name, at, title in titles]


def main() -> None:
    random = Random(7)
    with filled(text(), rows, __doc__ or "") as (database, seen, minutes):

        def execution(name: str, level: int, most: int) -> Callable[[], Mapping[str, float]]:
            def execute() -> Mapping[str, float]:
                owner = {"owner": f"c{level:03}-{random.randrange(10)}"}
                key = {"name": f"n{random.randrange(_OWNERS):03}"}
                seen.clear()
                database.execute(name, key if name == "get" else owner | ({"most": most} if most else {}))
                return {"": seen[0].elapsed_ms - sum(each.elapsed_ms for each in seen[0].operators[:-1])}

            return execute

        chosen = [
            (f"{what}_{length}_{way}", level, most)
            for what in ("rows", "entries")
            for length in _LENGTHS
            for way in ("forwards", "backwards")
            for level in _CHILD_ROWS
            for most in _MOST
        ]
        chosen += [("fk_join", level, 0) for level in _CHILD_ROWS] + [("get", 1, 0)]
        parts = {f"{name}, {level} × {most or 1}": execution(name, level, most) for name, level, most in chosen}
        print_quantiles(take_turns(parts, minutes, random))


if __name__ == "__main__":
    main()
