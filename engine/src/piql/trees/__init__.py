"""Values that are walked, transformed, shared and cached: the base of all trees of the compiler."""
