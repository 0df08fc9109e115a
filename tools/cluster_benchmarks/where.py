"""Says where the processor time of a call goes: to the driver, to the engine, and to which of its files.

With the Rust driver, its share is measured: the requests that the engine sent are sent again by the driver alone, each
awaited and its rows read. The rest of the time is the engine's.
"""

from __future__ import annotations

import cProfile
import pstats
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import process_time, thread_time
from typing import Any

from measuring import Variant

SHOWN = 8  # files
ROUNDS = 7
WARM_UP_CALLS = 20


class _Recording:
    """A session of the Rust driver that remembers the statements and values that are sent by it."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.sent: list[tuple[Any, Any]] = []

    def execute(self, statement: Any, values: Any, paged: bool) -> Any:
        self.sent.append((statement, list(values)))
        return self._session.execute(statement, values, paged=paged)


def where(run: Variant, arguments: Sequence[str], rust: Any = None) -> list[str]:
    """Return lines for people; `rust` is the engine's connection by the Rust driver, if it is one.

    The parts by file are those of a profiler, which makes small functions look larger.
    """
    variants = {"all": run}
    if rust is not None:
        variants["driver"] = _requests_alone(run, arguments, rust)
    for argument in arguments[:WARM_UP_CALLS]:
        run(argument)
    worked = dict.fromkeys(variants, (0.0, 0.0))  # seconds of the process, and of the caller's thread
    for _ in range(ROUNDS):
        for label, variant in variants.items():
            part = arguments[:: ROUNDS - 1]
            process_began, thread_began = process_time(), thread_time()
            for call in part:
                variant(call)
            in_process, in_thread = worked[label]
            in_process += process_time() - process_began
            worked[label] = in_process, in_thread + thread_time() - thread_began
    calls = ROUNDS * len(arguments[:: ROUNDS - 1])
    in_process, in_thread = (seconds / calls * 1e6 for seconds in worked["all"])
    summary = f"{in_process:.0f} µs a call, {in_process - in_thread:.0f} of them in the driver's threads;"
    if rust is not None:
        alone, alone_in_thread = (seconds / calls * 1e6 for seconds in worked["driver"])
        summary = (
            f"{in_process:.0f} µs a call. Its requests sent by the driver alone take {alone:.0f}, of which"
            f" {alone - alone_in_thread:.0f} in the driver's threads and {alone_in_thread:.0f} in the caller's; the"
            f" other {in_process - alone:.0f} are the engine's."
        )
    return [summary, f"Of the {in_thread:.0f} in the caller's thread: {_by_file(run, arguments)}."]


def _requests_alone(run: Variant, arguments: Sequence[str], rust: Any) -> Variant:
    """Return a variant that sends the requests of the same call again, without the engine."""
    session = rust.session
    requests: dict[str, list[tuple[Any, Any]]] = {}
    for user in dict.fromkeys(arguments):
        rust.session = recording = _Recording(session)
        try:
            run(user)
        finally:
            rust.session = session
        requests[user] = recording.sent

    def send(argument: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for statement, values in requests[argument]:
            rows = list(session.execute(statement, values, paged=False).result().iter_current_page())
        return rows

    return send


def _by_file(run: Variant, arguments: Sequence[str]) -> str:
    """Return the shares of the files in the time of the caller's thread, the largest first."""
    profiler = cProfile.Profile(thread_time)
    profiler.enable()
    for argument in arguments:
        run(argument)
    profiler.disable()
    parts: Counter[str] = Counter()
    for (file, _, name), (_, _, seconds_alone, _, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        parts[_part_of(file, name)] += seconds_alone
    total = sum(parts.values())
    return ", ".join(f"{part} {seconds_alone / total:.0%}" for part, seconds_alone in parts.most_common(SHOWN))


def _part_of(file: str, name: str) -> str:
    """Return the name of the part that a function is counted to.

    The Rust driver makes rows while generated code iterates over them, so its time is in both.
    """
    if file == "~":
        return "the driver" if "builtins.Session" in name or "builtins.DriverFuture" in name else "built-in functions"
    if file.startswith("<"):
        return "generated code"
    return Path(file).name
