"""Remedy: both ends of a range of whole numbers by one parameter, so that their distance is known.

WHERE o >= [from] AND o < [to]   →   WHERE o >= [to] - 20 AND o < [to]
"""

from __future__ import annotations

from piql.compiler.fixes.remedy import Change, RefusedQuery, Remedy
from piql.compiler.logical.expressions import Expression, FunctionCall, Parameter
from piql.compiler.optimizer.analysis.restrictions import Range
from piql.compiler.physical.planner.findings import NUMBERS_OF_A_RANGE
from piql.text.diagnostics.diagnostic import Edit
from piql.text.source import Span


def give_one_parameter(query: RefusedQuery) -> list[Remedy]:
    """Return, for each range whose ends have no known distance, the edit of the end that is given up."""
    remedies: list[Remedy] = []
    for gap in query.gaps:
        if gap.countable is None:
            continue
        ends = _ends(gap.countable)
        if ends is not None:
            kept, given_up, number = ends
            text = f"{kept.text} {'-' if number < 0 else '+'} {abs(number)}"
            edit = Edit(given_up.file, given_up.start, given_up.end, text if number else kept.text)
            consequence = (
                f"changes the answer: the range holds {NUMBERS_OF_A_RANGE} numbers of {gap.countable.column}, counted "
                f"from {kept.text}, and {given_up.text} is left out"
            )
            title = f"Write {edit.text} instead of {given_up.text}"
            remedies.append(
                Remedy(title, consequence, Change.FEWER_PARAMETERS, edit=edit, excludes=f"end {given_up.start}")
            )
    return remedies


def _ends(range_: Range) -> tuple[Span, Span, int] | None:
    """Return the end that is kept, the one that is given up, and what is added to the first to make the second.

    The later end is kept where it is a parameter: `o >= [to] - 20 AND o < [to]`. None where a text has no such ends.
    """
    low, high = range_.low, range_.high
    excluded = 1 - range_.is_low_included + (1 - range_.is_high_included)
    distance = NUMBERS_OF_A_RANGE - 1 + excluded
    is_high_kept = isinstance(high, Parameter)
    kept, given_up = (high, low) if is_high_kept else (low, high)
    kept_span, given_up_span = _span_of(kept), _span_of(given_up)
    if kept_span is None or given_up_span is None or kept_span.text == "?":
        return None
    return kept_span, given_up_span, -distance if is_high_kept else distance


def _span_of(end: Expression | None) -> Span | None:
    """Return where an end stands in the text; None for two ends that were combined."""
    is_combined = isinstance(end, FunctionCall) and end.name in ("HIGHER_END", "LOWER_END", "NEXT", "PREVIOUS")
    return None if end is None or is_combined else end.span
