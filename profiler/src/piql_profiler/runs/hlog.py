"""Writes and reads histograms as HdrHistogram logs (`.hlog`, version 1.3), which tools in many languages read.

    Tag=SortedIndexJoin:100:50:200:1:st,0.000,2.000,31.500,HIST…
    operator, child rows, rows, bytes, columns, kind; start and length in s; largest latency in ms; histogram

A point's block has a line of service times (`st`), and one of latencies from the moment each execution was due (`rt`).
Values are microseconds, with 3 significant digits, from 1 µs to a minute; a bin of a `Histogram` is written as the
middle of its range. Lines with such tags are read in any precision; other lines are ignored. A log does not say in
which order executions were made, so nothing is known of their dependence.

The format is HdrHistogram's "V2 compressed" encoding: a header and ZigZag LEB128 counts, compressed by zlib, in base64.
"""

from __future__ import annotations

import base64
import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from piql_profiler.measure.grid import Operator, Point
from piql_profiler.measure.histogram import BINS, EDGES_US, HIGHEST_US, Histogram, bins_of, merge_all
from piql_profiler.measure.measurements import Measurement

_DIGITS = 3
_SUB_BUCKET_BITS = 11  # 2 × 10³ values are told apart, rounded up to a power of two
_HALF = 1 << (_SUB_BUCKET_BITS - 1)
_MOST_BYTES = 1 << 24  # of an unpacked histogram: a damaged log may claim any size
_MOST_SLOTS = 64 << 18  # of a histogram of 64 bits with five digits
_COOKIE, _COMPRESSED_COOKIE = 0x1C849313, 0x1C849314
_HEADER = ">iiiiqqd"
_TAGGED = re.compile(r"Tag=(\w+):(\d+):(\d+):(\d+)(?::(\d+))?:(st|rt),([^,]+),([^,]+),[^,]+,(\S+)")


class TaggedLine(NamedTuple):
    """A line of a log: a tag without commas, start and length in s, and a histogram."""

    tag: str
    started: float
    seconds: float
    histogram: Histogram


class UnreadableLog(Exception):
    """The file is no log of a profile; the message says why."""


def write_hlog(path: Path, cells: Iterable[Measurement]) -> None:
    """Write all measurements, in order of time; those of a point that was measured twice in an interval as one line."""
    ordered = sorted(_one_of_each_interval(cells), key=lambda cell: (cell.started_at, cell.point.sort_key()))
    began = ordered[0].started_at if ordered else 0.0
    lines = []
    for cell in ordered:
        tag = ":".join(map(str, (cell.point.operator.value, *cell.point.coordinates)))
        for kind, histogram in (("st", cell.histogram), ("rt", cell.response)):
            if histogram is not None:
                lines.append(TaggedLine(f"{tag}:{kind}", cell.started_at - began, cell.seconds, histogram))
    write_tagged_lines(path, began, lines)


def write_tagged_lines(path: Path, began: float, lines: Iterable[TaggedLine]) -> None:
    """Write a log of any histograms; `began` is the moment, in s since 1970, from which their starts count."""
    texts = [
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {began:.3f} (seconds since epoch), {datetime.fromtimestamp(began, UTC).isoformat()}]",
        f"#[BaseTime: {began:.3f} (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for line in lines:
        longest_ms = max((_middle(at) for at in line.histogram.sparse()), default=0) / 1000
        times = f"{line.started:.3f},{line.seconds:.3f},{longest_ms:.3f}"
        texts.append(f"Tag={line.tag},{times},{encode(line.histogram)}")
    path.write_text("\n".join(texts) + "\n")


def encode(histogram: Histogram) -> str:
    """The compressed V2 form of HdrHistogram in base64."""
    counts: dict[int, int] = {}
    for at, count in histogram.sparse().items():
        index = _index(_middle(at))
        counts[index] = counts.get(index, 0) + count
    payload = bytearray()
    slot = 0
    for index in sorted(counts):
        if index > slot:
            payload += _zigzag(slot - index)  # a run of empty bins is its negative length
        payload += _zigzag(counts[index])
        slot = index + 1
    header = struct.pack(_HEADER, _COOKIE, len(payload), 0, _DIGITS, 1, int(HIGHEST_US), 1.0)
    packed = zlib.compress(header + bytes(payload))
    return base64.b64encode(struct.pack(">ii", _COMPRESSED_COOKIE, len(packed)) + packed).decode()


def read_hlog(path: Path) -> list[Measurement]:
    """Read measurements; the lines of one point are its intervals, in order of time. UnreadableLog where none is."""
    text = path.read_text(encoding="utf-8")
    base = re.search(r"#\[(?:BaseTime|StartTime): (\d+(?:\.\d*)?)", text)
    began = float(base[1]) if base else 0.0
    services: dict[Point, list[Measurement]] = {}
    responses: dict[tuple[Point, float], Histogram] = {}
    for line in text.splitlines():
        match = _TAGGED.match(line)
        if match is None or match[1] not in {operator.value for operator in Operator}:
            continue
        try:
            point = Point(Operator(match[1]), int(match[2]), int(match[3]), int(match[4]), int(match[5] or 1))
            started, seconds, histogram = _finite(match[7]), _finite(match[8]), decode(match[9])
        except (ValueError, IndexError, OverflowError, struct.error, zlib.error) as error:
            raise UnreadableLog(f"{path.name}: {line[:60]}…: {error}") from None
        if match[6] == "rt":
            responses[point, started] = histogram
        else:
            services.setdefault(point, []).append(Measurement(point, 0, histogram, started, seconds))
    if not services:
        raise UnreadableLog(f"{path.name} has no line of a point, as `Tag=IndexScan:1:10:200:st,…`")
    return [
        replace(
            cell,
            interval=interval,
            started_at=began + cell.started_at,
            response=responses.get((point, cell.started_at)),
        )
        for point, lines in services.items()
        for interval, cell in enumerate(sorted(lines, key=lambda line: line.started_at))
    ]


def decode(text: str) -> Histogram:
    """Read the compressed V2 form of HdrHistogram in base64; ValueError for anything else."""
    packed = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">ii", packed[:8])
    if cookie != _COMPRESSED_COOKIE:
        raise ValueError("not a compressed histogram of version 2")
    content = zlib.decompressobj().decompress(packed[8 : 8 + length], _MOST_BYTES)
    size = struct.calcsize(_HEADER)
    inner, length, offset, digits, lowest, _, _ = struct.unpack(_HEADER, content[:size])
    if inner != _COOKIE or offset or not 1 <= digits <= 5 or not 1 <= lowest <= HIGHEST_US:
        raise ValueError("not a histogram of version 2")
    bits = math.ceil(math.log2(2 * 10**digits))
    unit = int(math.log2(lowest))
    values, counts = [], []
    slot = 0
    for number in _unzigzag(content[size : size + length]):
        if number < 0:
            slot -= number
            if slot > _MOST_SLOTS:
                raise ValueError("a histogram of more values than there can be")
            continue
        values.append(_value(slot, bits, unit))
        counts.append(number)
        slot += 1
    dense = np.zeros(BINS, dtype=np.int64)
    np.add.at(dense, bins_of(np.array(values, dtype=np.float64)), counts)
    return Histogram(dense)


def _one_of_each_interval(cells: Iterable[Measurement]) -> Iterable[Measurement]:
    """The measurements with one for each point and interval: each line of a log is read as an interval of its point."""
    merged: dict[tuple[Point, int], Measurement] = {}
    for cell in cells:
        key = (cell.point, cell.interval)
        merged[key] = cell if key not in merged else _together(merged[key], cell)
    return merged.values()


def _together(first: Measurement, second: Measurement) -> Measurement:
    responses = [cell.response for cell in (first, second) if cell.response is not None]
    return replace(
        first,
        histogram=first.histogram.merge(second.histogram),
        started_at=min(first.started_at, second.started_at),
        seconds=first.seconds + second.seconds,
        response=merge_all(responses) if responses else None,
    )


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no time")
    return number


def _value(slot: int, bits: int, unit: int) -> float:
    """The middle of the values of a slot: the inverse of `_index`, at any precision."""
    half = 1 << (bits - 1)
    bucket = max(0, (slot >> (bits - 1)) - 1)
    step = slot if slot < 2 * half else (slot & (half - 1)) + half
    return float((step << (bucket + unit)) + ((1 << (bucket + unit)) >> 1))


def _unzigzag(payload: bytes) -> Iterator[int]:
    """Read numbers as `_zigzag` writes them."""
    at = 0
    while at < len(payload):
        number = shift = 0
        for count in range(9):
            byte = payload[at]
            at += 1
            number |= (byte if count == 8 else byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield (number >> 1) ^ -(number & 1)


def _middle(at: int) -> int:
    """The middle of a bin of a `Histogram`, in µs."""
    return max(1, min(int(HIGHEST_US), round(float(np.sqrt(EDGES_US[at] * EDGES_US[at + 1])))))


def _index(value: int) -> int:
    """The slot of a value: a bucket for each power of two, 1024 equal steps in each."""
    bucket = max(0, value.bit_length() - _SUB_BUCKET_BITS)
    return ((bucket + 1) << (_SUB_BUCKET_BITS - 1)) + (value >> bucket) - _HALF


def _zigzag(number: int) -> bytes:
    """A signed number in ZigZag LEB128: the sign in the lowest bit, seven bits a byte, eight in a ninth byte."""
    remaining = (number << 1) ^ (number >> 63) if number >= 0 else (-number << 1) - 1
    encoded = bytearray()
    while remaining >= 0x80 and len(encoded) < 8:
        encoded.append((remaining & 0x7F) | 0x80)
        remaining >>= 7
    encoded.append(remaining)
    return bytes(encoded)
