"""Says where the processor time of a call goes: to the driver's own work, and by file in the thread that calls.

What is the driver's own is measured, where it is the Rust one: the requests of the engine, with the values that it
gave, are sent again by the driver alone, each awaited and its rows taken. The rest is the engine's.
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

SHOWN = 8
ROUNDS = 7


class _Recording:
    """Stands before a session of the Rust driver and keeps what is sent."""

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
    for argument in arguments[:20]:
        run(argument)
    worked = dict.fromkeys(variants, (0.0, 0.0))
    for _ in range(ROUNDS):
        for label, variant in variants.items():
            part = arguments[:: ROUNDS - 1]
            whole, mine = process_time(), thread_time()
            for call in part:
                variant(call)
            before = worked[label]
            worked[label] = before[0] + process_time() - whole, before[1] + thread_time() - mine
    calls = ROUNDS * len(arguments[:: ROUNDS - 1])
    whole, mine = (seconds / calls * 1e6 for seconds in worked["all"])
    summary = f"{whole:.0f} µs a call, {whole - mine:.0f} of them in the driver's threads;"
    if rust is not None:
        alone, taken = (seconds / calls * 1e6 for seconds in worked["driver"])
        summary = (
            f"{whole:.0f} µs a call. Its requests sent by the driver alone take {alone:.0f}, of which"
            f" {alone - taken:.0f} in the driver's threads and {taken:.0f} in the caller's; the other"
            f" {whole - alone:.0f} are the engine's."
        )
    return [summary, f"Of the {mine:.0f} in the caller's thread: {_by_file(run, arguments)}."]


def _requests_alone(run: Variant, arguments: Sequence[str], rust: Any) -> Variant:
    """Return what sends the requests of a call again, without the engine."""
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
    profiler = cProfile.Profile(thread_time)
    profiler.enable()
    for argument in arguments:
        run(argument)
    profiler.disable()
    parts: Counter[str] = Counter()
    for (file, _, name), (_, _, seconds_alone, _, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        parts[_place(file, name)] += seconds_alone
    total = sum(parts.values())
    return ", ".join(f"{part} {seconds_alone / total:.0%}" for part, seconds_alone in parts.most_common(SHOWN))


def _place(file: str, name: str) -> str:
    """Say what a part is called; the Rust driver makes rows while generated code goes over them."""
    if file == "~":
        return "the driver" if "builtins.Session" in name or "builtins.DriverFuture" in name else "built-in functions"
    if file.startswith("<"):
        return "generated code"
    return Path(file).name
