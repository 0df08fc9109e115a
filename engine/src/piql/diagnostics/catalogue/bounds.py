"""What the optimizer, the planner and the index design find: why no bound exists, and what is costly though bounded."""

from piql.diagnostics.code import Code

CODES: tuple[Code, ...] = ()
