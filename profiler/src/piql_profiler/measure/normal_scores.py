"""Normal scores: what values would be if they came from a normal distribution, by their ranks alone."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray


def normal_scores(values: ArrayLike) -> NDArray[np.float64]:
    """Return the score of each value, in their order; equal values have the mean of their ranks."""
    _, groups, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(scipy.special.ndtri((mean_ranks[groups] - 0.5) / max(len(groups), 1)))
