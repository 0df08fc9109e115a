"""optimizer.md: the rules of Phase I in their order, in the words of their docstrings."""

from __future__ import annotations

from piql.compiler.optimizer import RULES

from reference.markdown import docstring


def pages() -> dict[str, str]:
    """Return the page about the optimizer's rules, by file name."""
    rules = "\n\n".join(f"## {number}. {rule.__name__}\n\n{docstring(rule)}" for number, rule in enumerate(RULES, 1))
    text = f"""
# Optimizer rules

Phase I rewrites the logical plan by these rules, once each, in this order (Algorithm 1 of the VLDB paper is
`insert_data_stops` and `push_stop_down`). The workbench shows the plan after each rule that changed something, and
so does `piql plan --steps`.

{rules}
"""
    return {"optimizer.md": text}
