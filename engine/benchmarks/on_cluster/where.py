"""Says where the processor time of a call goes: in the driver's threads, and by file in the thread that calls."""

from __future__ import annotations

import cProfile
import pstats
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import process_time, thread_time

from measuring import Variant

SHOWN = 8


def where(run: Variant, arguments: Sequence[str]) -> list[str]:
    """Give lines for people; the parts by file are those of a profiler, which makes small functions look larger."""
    for each in arguments[:20]:
        run(each)
    whole, mine = process_time(), thread_time()
    for each in arguments:
        run(each)
    whole, mine = process_time() - whole, thread_time() - mine
    profiler = cProfile.Profile(thread_time)
    profiler.enable()
    for each in arguments:
        run(each)
    profiler.disable()
    parts: Counter[str] = Counter()
    for (file, _, name), (_, _, own, _, _) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        parts[_place(file, name)] += own
    total = sum(parts.values())
    calls = len(arguments)
    shown = ", ".join(f"{place} {own / total:.0%}" for place, own in parts.most_common(SHOWN))
    return [
        f"{whole / calls * 1e6:.0f} µs a call, {(whole - mine) / calls * 1e6:.0f} of them in the driver's threads;",
        f"of the {mine / calls * 1e6:.0f} in the caller's: {shown}.",
    ]


def _place(file: str, name: str) -> str:
    if file == "~":
        return "the driver" if "builtins.Session" in name or "builtins.DriverFuture" in name else "built-in functions"
    if file.startswith("<"):
        return "generated code"
    return Path(file).name
