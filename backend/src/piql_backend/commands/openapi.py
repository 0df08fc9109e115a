"""`python -m piql_backend.commands.openapi` prints the OpenAPI document.

The front end's types are generated from it.
"""

from __future__ import annotations

import json
import sys

from piql_backend.app import create_app


def document() -> str:
    """The OpenAPI document as JSON."""
    return json.dumps(create_app().openapi(), indent=1)


if __name__ == "__main__":
    sys.stdout.write(document() + "\n")
