"""Questions that rules ask about a plan: what is equal, what is known, what a predicate says."""
