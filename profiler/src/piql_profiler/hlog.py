"""Writes a run's histograms as an HdrHistogram log (`.hlog`, version 1.3), readable by its tools in many languages.

A line for each point and block of service times (`st`), and one of latencies from the moment an execution was due
(`rt`), tagged with the point: `Tag=SortedIndexJoin:100:50:200:st,0.000,2.000,31.5,HIST…`.
Values are microseconds, 3 significant digits, 1 µs to a minute; a bin of ours is written as the middle of its range.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from piql_profiler.histogram import EDGES_US, HIGHEST_US, Histogram
from piql_profiler.measurements import Measurement

_DIGITS = 3
_SUB_BUCKET_BITS = 11  # 2 × 10³ values are told apart, rounded up to a power of two
_HALF = 1 << (_SUB_BUCKET_BITS - 1)
_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314


def write_hlog(path: Path, cells: Iterable[Measurement]) -> None:
    """Write all measurements, in order of time."""
    ordered = sorted(cells, key=lambda each: (each.started_at, each.point.sort_key()))
    began = ordered[0].started_at if ordered else 0.0
    lines = [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {began:.3f} (seconds since epoch), {datetime.fromtimestamp(began, UTC).isoformat()}]",
        f"#[BaseTime: {began:.3f} (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for each in ordered:
        tag = ":".join(map(str, (each.point.operator.value, *each.point.coordinates)))
        for kind, histogram in (("st", each.histogram), ("rt", each.response)):
            if histogram is not None:
                longest_ms = max((_middle(at) for at in histogram.sparse()), default=0) / 1000
                times = f"{each.started_at - began:.3f},{each.seconds:.3f},{longest_ms:.3f}"
                lines.append(f"Tag={tag}:{kind},{times},{encode(histogram)}")
    path.write_text("\n".join(lines) + "\n")


def encode(histogram: Histogram) -> str:
    """Give the compressed V2 form of HdrHistogram in base64."""
    counts: dict[int, int] = {}
    for at, count in histogram.sparse().items():
        index = _index(_middle(at))
        counts[index] = counts.get(index, 0) + count
    payload = bytearray()
    place = 0
    for index in sorted(counts):
        if index > place:
            payload += _zigzag(place - index)  # a run of empty bins is its negative length
        payload += _zigzag(counts[index])
        place = index + 1
    header = struct.pack(">iiiiqqd", _COOKIE, len(payload), 0, _DIGITS, 1, int(HIGHEST_US), 1.0)
    packed = zlib.compress(header + bytes(payload))
    return base64.b64encode(struct.pack(">ii", _COMPRESSED_COOKIE, len(packed)) + packed).decode()


def _middle(at: int) -> int:
    return max(1, min(int(HIGHEST_US), round(float(np.sqrt(EDGES_US[at] * EDGES_US[at + 1])))))


def _index(value: int) -> int:
    """Give the place of a value: a bucket for each power of two, 1024 equal steps in each."""
    bucket = max(0, value.bit_length() - _SUB_BUCKET_BITS)
    return ((bucket + 1) << (_SUB_BUCKET_BITS - 1)) + (value >> bucket) - _HALF


def _zigzag(number: int) -> bytes:
    """Give a signed number in seven bits a byte, the sign in the lowest bit; a ninth byte holds eight."""
    rest = (number << 1) ^ (number >> 63) if number >= 0 else (-number << 1) - 1
    encoded = bytearray()
    while rest >= 0x80 and len(encoded) < 8:
        encoded.append((rest & 0x7F) | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)
