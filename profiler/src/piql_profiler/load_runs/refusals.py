"""Which errors of calls are refusals: the store or the service works, and says no.

a row under the same key, a limit that is reached, a budget that is used up    refusals
a store that does not answer, a service that is away                            no refusals
"""

from __future__ import annotations

import inspect
from functools import cache

from piql import errors
from piql.errors import OUR_FAULT, PiqlError

from piql_profiler.load_runs.calls import kind_of

_OF_THE_SERVICE = frozenset({"budget-used-up", "unknown-token", "too-many-connections"})


def is_refusal(kind: str) -> bool:
    """Whether calls that are counted under this kind of error were refused."""
    return kind in _OF_THE_SERVICE or kind in _of_the_engine()


@cache
def _of_the_engine() -> frozenset[str]:
    classes = (member for _, member in inspect.getmembers(errors, inspect.isclass))
    return frozenset(
        kind_of(error("")) for error in classes if issubclass(error, PiqlError) and not issubclass(error, OUR_FAULT)
    )
