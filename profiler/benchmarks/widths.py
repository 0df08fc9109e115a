"""Measures how the time of a foreign-key join depends on its records: how many columns, how many read, of what type.

    python profiler/benchmarks/widths.py --store cql://127.0.0.1,127.0.0.2,127.0.0.3/widths --minutes 3

It prints quantiles in ms, of joins of 1, 10 and 50 records, and of a get of one record for comparison. All queries are
executed in turn, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random
from typing import Any

from in_turns import filled, links, ms_of_last_operator, print_quantiles, take_turns

_RECORDS, _CHILD_ROWS = 200, (1, 10, 50)

# The columns of each table after its key, and how many of them are read.
_TYPES = ("DATE", "DECIMAL(10, 2)", "DOUBLE", "INT", "TIMESTAMP")
_TABLES: Mapping[str, tuple[Sequence[str], int]] = {
    "one_of_24_B": (("VARCHAR(24)",), 1),
    "one_of_184_B": (("VARCHAR(184)",), 1),
    "one_of_684_B": (("VARCHAR(684)",), 1),
    "one_of_24_B_beside_500_B": (("VARCHAR(24)", "VARCHAR(500)"), 1),
    "one_of_ten_of_18_B": (("VARCHAR(18)",) * 10, 1),
    "five_of_ten_of_18_B": (("VARCHAR(18)",) * 10, 5),
    "ten_of_18_B": (("VARCHAR(18)",) * 10, 10),
    "five_of_36_B": (("VARCHAR(36)",) * 5, 5),
    "five_of_five_types": (_TYPES, 5),
}
_VALUES: Mapping[str, Any] = {
    "DATE": date(2020, 1, 1),
    "DECIMAL(10, 2)": Decimal("12.34"),
    "DOUBLE": 0.1,
    "INT": 20,
    "TIMESTAMP": datetime(2020, 1, 1, tzinfo=UTC),
}


def text() -> str:
    """The schema and the queries."""
    parts = [
        "CREATE TABLE links (owner VARCHAR(16), target VARCHAR(16), PRIMARY KEY (owner, target), "
        f"CARDINALITY LIMIT {max(_CHILD_ROWS)} (owner));"
    ]
    for name, (types, read) in _TABLES.items():
        columns = "".join(f", c{at} {type_}" for at, type_ in enumerate(types))
        shown = "".join(f", r.c{at}" for at in range(read))
        parts += [
            f"CREATE TABLE {name} (name VARCHAR(16) PRIMARY KEY{columns});",
            f"CREATE QUERY get_{name} AS SELECT r.name{shown} FROM {name} r WHERE r.name = [1: name];",
            f"CREATE QUERY join_{name} AS SELECT r.name{shown} FROM links l JOIN {name} r ON r.name = l.target "
            "WHERE l.owner = [1: owner];",
        ]
    return "\n".join(parts)


def rows() -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The rows of each table; owner c010-3 has 10 links."""
    random = Random(1)
    names = [f"n{at:015}" for at in range(_RECORDS)]
    yield "links", links(names, _CHILD_ROWS, random)
    for table, (types, _) in _TABLES.items():
        values = {f"c{at}": _VALUES.get(type_) or _text(random, type_) for at, type_ in enumerate(types)}
        yield table, [{"name": name} | values for name in names]


def _text(random: Random, varchar: str) -> str:
    """A random text as long as its type allows, `VARCHAR(24)`."""
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=int(varchar[len("VARCHAR(") : -1])))


def main() -> None:
    """Execute a get and joins of each table in turn, and print their quantiles."""
    random = Random(7)
    with filled(text(), rows, __doc__ or "") as (database, observations, minutes):

        def execution(name: str, level: int) -> Callable[[], Mapping[str, float]]:
            def execute() -> Mapping[str, float]:
                observations.clear()
                if level:
                    database.execute(f"join_{name}", {"owner": f"c{level:03}-{random.randrange(10)}"})
                else:
                    database.execute(f"get_{name}", {"name": f"n{random.randrange(_RECORDS):015}"})
                return {"": ms_of_last_operator(observations[0])}

            return execute

        parts = {
            f"join of {level:2}, {name}" if level else f"get, {name}": execution(name, level)
            for name in _TABLES
            for level in (0, *_CHILD_ROWS)
        }
        print_quantiles(take_turns(parts, minutes, random))


if __name__ == "__main__":
    main()
