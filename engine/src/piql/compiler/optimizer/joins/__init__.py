"""Orders in which the legs of a join can be read, and how each leg meets those before it."""
