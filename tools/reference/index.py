"""README.md: what the reference holds."""

from __future__ import annotations

_PAGES = (
    ("statements.md", "Statements", "the grammar of both dialects, keywords, names, what is left out"),
    ("types.md", "Types", "column types, their values in Python, what compares with what"),
    ("functions.md", "Functions and operators", "arithmetic, scalar functions, aggregates, with their results"),
    ("codes/README.md", "Diagnostics", "every code of the compiler: why it is raised and what mends it"),
    ("operators.md", "Operators", "the logical and physical operators of a plan"),
    ("optimizer.md", "Optimizer rules", "what each rule of Phase I does, in their order"),
    ("commands.md", "Commands", "`piql` and `make`"),
    ("settings.md", "Settings", "of the server, of stores, of tests"),
    ("python.md", "Python", "the public names of the package `piql`, and its errors"),
)


def pages() -> dict[str, str]:
    """Return the first page of the reference, by file name."""
    listed = "\n".join(f"- [{title}]({name}): {about}" for name, title, about in _PAGES)
    text = f"""
# Reference

The code writes these pages from its own tables, so they say what it does. The [guide](../language.md) explains
the language in order, the [glossary](../glossary.md) the terms of this project.

{listed}
"""
    return {"README.md": text}
