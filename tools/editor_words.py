"""`python tools/editor_words.py` prints what the browser knows of the language by itself, as a TypeScript module.

The words that the editor colours are the compiler's own: its keywords, the names of its column types, its functions and
aggregates. MAX is a keyword and a function. JSON_OF_TYPE says how the values of a type travel: by the `format` of their
JSON, or by its type.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from piql.compiler.binding.functions import AGGREGATES, USAGES
from piql.compiler.binding.view_windows import FUNCTION
from piql.compiler.syntax.cursor import RESERVED
from piql.editor.service.semantic_tokens import SOFT_KEYWORDS
from piql.schema.types import COLUMN_TYPES, KIND_OF_NAME, json_form

_HEAD = "/** Made from the code of the engine by `make api-types`; changes here are lost. */\n"


def module() -> str:
    """Return the text of the TypeScript module: a sorted list of words in capital letters for each colour."""
    lists = {
        "KEYWORDS": RESERVED | SOFT_KEYWORDS,
        "TYPES": KIND_OF_NAME,
        "FUNCTIONS": {*AGGREGATES, *USAGES, FUNCTION} - RESERVED,
    }
    forms = "".join(f"  {kind.value}: '{json_form(kind)}',\n" for kind in COLUMN_TYPES)
    return (
        _HEAD
        + "".join(_constant(name, words) for name, words in lists.items())
        + f"\nexport const JSON_OF_TYPE: Readonly<Record<string, string>> = {{\n{forms}}}\n"
    )


def _constant(name: str, words: Iterable[str]) -> str:
    lines = "".join(f"  '{word}',\n" for word in sorted(words))
    return f"\nexport const {name} = [\n{lines}]\n"


if __name__ == "__main__":
    sys.stdout.write(module())
