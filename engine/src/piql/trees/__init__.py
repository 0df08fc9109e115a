"""Values that are walked, transformed, copied and remembered: what all trees of the compiler are made of."""
