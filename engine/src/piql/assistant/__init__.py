"""The Performance Insight Assistant: what would bound a refused query, each way compiled before it is offered.

Enters: the gaps of a query and a way to compile edited text. Leaves: fixes, the smallest sets of edits that work.
To add a kind of fix, write a file with a function from gaps to `Remedy`s and add it to REMEDIES.
"""

from __future__ import annotations

from piql.assistant.fixes import Trial, suggest_fixes

__all__ = ["Trial", "suggest_fixes"]
