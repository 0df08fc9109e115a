"""From a checked request to the bytes of its answer: equal reads together, and nothing beyond the deadline."""
