"""The charts and the page of a validation's report."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from piql_profiler.measure.grid import GRIDS
from piql_profiler.measure.histogram import Histogram
from piql_profiler.measure.precision import Precision
from piql_profiler.runs.run_files import RunSettings
from piql_profiler.validation.charts import errors_by_query, predicted_over_actual, ticks
from piql_profiler.validation.report import as_json, as_page, as_table
from piql_profiler.validation.scores import Row
from piql_profiler.validation.validate import Validation


def row(query: str, predicted_us: float, high_us: float = 2_400.0) -> Row:
    actual = Precision(2_000.0, 1_800.0, high_us)
    predicted = {"paper": 3_000.0, "surface": predicted_us}
    return Row(query, 2, actual, Histogram.of([2_000.0] * 400), predicted, None)


def dots(chart: str) -> dict[str, tuple[float, float]]:
    """The place of each dot by the title that is shown over it."""
    circles = re.findall(r"<title>(.*?)</title>.*?<circle cx=\"([\d.]+)\" cy=\"([\d.]+)\"", chart, re.DOTALL)
    return {title: (float(x), float(y)) for title, x, y in circles}


def test_a_right_prediction_is_on_the_diagonal_and_in_the_middle() -> None:
    rows = [row("right", 2_000.0), row("high", 2_200.0), row("low", 1_500.0)]
    by_query = predicted_over_actual(rows)
    line = re.search(r'x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)" stroke="#999"', by_query)
    assert line is not None
    left, bottom, right, top = map(float, line.groups())
    places = dots(by_query)

    def above(title: str) -> float:
        x, y = places[title]
        return bottom + (x - left) / (right - left) * (top - bottom) - y

    assert above("right: surface +0.0%") == pytest.approx(0.0, abs=0.2)
    assert above("high: surface +10.0%") > 1.0
    assert above("low: surface -25.0%") < -1.0

    errors = {title: x for title, (x, _) in dots(errors_by_query(rows)).items()}
    middle, high = errors["right: surface +0.0%"], errors["high: surface +10.0%"]
    assert high - middle == pytest.approx(0.4 * (middle - errors["low: surface -25.0%"]), abs=0.2)


def test_an_actual_without_an_upper_end_is_drawn_as_open() -> None:
    drawn = errors_by_query([row("wide", 2_000.0, math.inf)])
    assert not re.search(r'"(nan|-?inf)"', drawn)
    assert "stroke-dasharray" in predicted_over_actual([row("wide", 2_000.0, math.inf)])
    assert "stroke-dasharray" not in predicted_over_actual([row("known", 2_000.0)])


@pytest.mark.parametrize(("low", "high"), [(1_100.0, 9_000.0), (300.0, 800.0), (40.0, 2e6)])
def test_an_axis_has_marks_whatever_its_range(low: float, high: float) -> None:
    marks = list(ticks(low, high))
    assert len(marks) >= 1
    assert marks == sorted(marks)
    assert all(low <= item <= high for item in marks)


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href", "xlink:href", "srcset")]


def test_a_page_needs_nothing_else_and_a_name_is_only_text_in_it() -> None:
    name = "<script>alert(1)</script><img src=x onerror=alert(1)>&\"'"
    page = as_page(Validation(RunSettings("embedded:", GRIDS["small"]), (row(name, 2_100.0),), ((name, name),)))
    parsed = Page(page)
    assert parsed.addresses == []
    assert not {"script", "img", "link", "iframe", "object"} & set(parsed.tags)
    assert parsed.tags.count("svg") == 2
    assert "url(" not in page
    assert "@import" not in page
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert ElementTree.fromstring(svg).tag == "svg"


def test_an_estimate_and_its_verdict_are_said_as_on_the_dashboard() -> None:
    close = replace(row("close", 2_100.0), conservative_us=3_000.0)
    rows = (close, row("slow", 1_000.0), row("fast", 4_000.0))
    validation = Validation(RunSettings("embedded:", GRIDS["small"]), rows, ())
    for text in (as_table(validation), as_page(validation)):
        assert "p99 ≈ 2.1 ms (9 of 10 ≤ 3 ms)" in text
        assert "slower than predicted" in text
        assert "faster than predicted" in text
        assert not re.search(r"(?<!9 of 10 )≤", text)
    assert [query["agreement"]["outcome"] for query in as_json(validation)["queries"]] == ["agrees", "slower", "faster"]
