"""The test of whether an SLO is kept as often as predicted."""

import numpy as np
import pytest
from piql_profiler.validation.agreement import ERROR
from piql_profiler.validation.compliance import (
    MARGIN,
    Expected,
    Kept,
    PredictedShare,
    expected_of,
    expected_together,
    judge_compliance,
    samples_needed,
)

PROMISE = 0.99
MARGIN_OF_IT = MARGIN * (1 - PROMISE)
REGION = Expected(0.97, 0.99, 0.97, 0.99)


def outcome(kept: int, executions: int, expected: Expected = REGION, unsure: int = 0) -> str:
    return judge_compliance(Kept(executions, kept, unsure), expected, PROMISE).outcome


@pytest.mark.parametrize(
    ("share", "said"), [(0.90, "worse"), (0.98, "agrees"), (0.9999, "better"), (0.968, "undecided")]
)
def test_many_executions_decide(share: float, said: str) -> None:
    assert outcome(round(share * 10_000), 10_000) == said


def test_nothing_is_said_before_the_quantile_can_be_shown() -> None:
    assert samples_needed(PROMISE) == 100
    assert outcome(0, 99) == "too few"
    assert outcome(0, 100) == "worse"


def test_it_says_how_many_executions_could_show_agreement() -> None:
    surely = Expected(1.0, 1.0, 1.0, 1.0)  # all are predicted to be within the threshold
    verdict = judge_compliance(Kept(1_000, 1_000, 0), surely, PROMISE)
    assert verdict.outcome == "too few"
    assert verdict.needed is not None
    assert outcome(verdict.needed - 1, verdict.needed - 1, surely) == "too few"
    assert outcome(verdict.needed, verdict.needed, surely) == "agrees"
    assert verdict.least == pytest.approx(1 - MARGIN_OF_IT)
    assert verdict.most == 1.0


def test_what_may_have_been_within_the_threshold_is_counted_against_every_statement() -> None:
    assert outcome(900, 1_000) == "worse"
    assert outcome(900, 1_000, unsure=80) != "worse"
    assert outcome(9_990, 10_000) == "better"
    assert outcome(9_900, 10_000, unsure=90) != "better"


def test_of_a_class_of_sizes_only_what_is_so_for_all_is_said() -> None:
    smallest, largest = PredictedShare(0.995, 0.99, 0.999), PredictedShare(0.95, 0.93, 0.97)
    apart = expected_of(smallest, largest)
    assert apart == Expected(least=0.93, most=0.999, common_least=0.99, common_most=0.97)
    assert outcome(9_800, 10_000, apart) == "undecided"  # within what some size has, and not what all have
    assert outcome(9_200, 10_000, apart) == "worse"


def test_executions_of_several_sizes_are_held_against_the_mean_by_how_many_they_are() -> None:
    together = expected_together([(300, Expected(0.9, 0.9, 0.9, 0.9)), (100, Expected(0.5, 0.5, 0.5, 0.5))])
    assert together.least == pytest.approx(0.8)
    assert together.common_most == pytest.approx(0.8)


def test_verdicts_at_the_very_ends_are_wrong_as_rarely_as_they_say() -> None:
    # Two sizes with far different chances; their true shares lie at the ends of their regions, where a test errs most.
    random = np.random.default_rng(11)
    counts = np.array([700, 300])
    ends = np.array([[0.99, 0.999], [0.80, 0.95]])
    expected = expected_together(
        [(int(count), Expected(*end, *end)) for count, end in zip(counts, ends.tolist(), strict=True)]
    )
    for at, margin, wrong in ((0, -MARGIN_OF_IT, {"worse"}), (1, MARGIN_OF_IT, {"better"})):
        kept = random.binomial(counts, np.clip(ends[:, at] + margin, 0, 1), (2_000, 2)).sum(axis=1)
        said = [outcome(int(count), int(counts.sum()), expected) for count in kept]
        assert sum(verdict in wrong for verdict in said) <= ERROR * len(said)
        assert "too few" not in said


def test_counts_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="no counts of parts"):
        judge_compliance(Kept(10, 9, 2), REGION, PROMISE)
