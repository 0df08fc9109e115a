"""The consequence of several changes together: each clause once; the answer stays only if every change keeps it.

"writes … are refused; the answer stays the same" + "changes the answer: …"
→ "writes … are refused; changes the answer: …"
"""

from __future__ import annotations

from collections.abc import Iterable

from piql.text.diagnostics.diagnostic import Fix

CHANGES = "changes the answer"  # how such a consequence begins
ANSWER_STAYS = "the answer stays the same"
_BETWEEN = "; "
_KEEPING = (ANSWER_STAYS, "the answers stay the same")


def keeps_answers(fix: Fix) -> bool:
    """Whether all answers stay what they are. A correction of text that did not compile has no consequence."""
    return not fix.consequence or any(words in fix.consequence for words in _KEEPING)


def together(consequences: Iterable[str]) -> str:
    """Return one sentence for the consequences of several changes; empty ones are left out."""
    parts = [text.split(_BETWEEN) for text in consequences if text]
    clauses = [clause for clauses in parts for clause in clauses if clause != ANSWER_STAYS]
    first = next((at for at, clause in enumerate(clauses) if clause.startswith(CHANGES)), None)
    if first is not None:  # said once
        clauses[first + 1 :] = [clause.removeprefix(f"{CHANGES}: ") for clause in clauses[first + 1 :]]
    if parts and all(ANSWER_STAYS in clauses for clauses in parts):
        clauses.append(ANSWER_STAYS)
    return _BETWEEN.join(dict.fromkeys(clauses))
