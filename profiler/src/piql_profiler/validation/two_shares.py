"""How probable a difference between two shares is by chance alone: the exact test of R. A. Fisher.

If both groups are alike, how the marked ones are shared between them is hypergeometric, whatever their share is.
"""

from __future__ import annotations

import numpy as np
import scipy


def chance_of_so_many(marked: int, group: int, other_group: int, all_marked: int) -> float:
    """The probability that of `all_marked` in both groups at least `marked` fall into the first by chance alone."""
    among = np.arange(marked, min(all_marked, group) + 1)
    among = among[all_marked - among <= other_group]
    logs = (
        _log_ways(group, among)
        + _log_ways(other_group, all_marked - among)
        - _log_ways(group + other_group, np.array([all_marked]))
    )
    return min(1.0, float(np.exp(logs).sum()))


def _log_ways(of: int, chosen: np.ndarray) -> np.ndarray:
    return np.asarray(
        scipy.special.gammaln(of + 1) - scipy.special.gammaln(chosen + 1) - scipy.special.gammaln(of - chosen + 1)
    )
