"""`piql service-token`: makes a token for `piql service`, prints it once, and keeps only its hash."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from piql_service.admission.tokens import TokensInvalid, line_of, new_token, read_tokens


def service_token(argv: Sequence[str] | None = None) -> int:
    """Make a token; return 0, or 1 where the file cannot take it."""
    parser = argparse.ArgumentParser(
        prog="piql service-token", description="Make a token for piql service: print it once, and append its hash."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="made, readable by this user alone, if there is none")
    parser.add_argument("name", metavar="NAME", help="whom the token is for, as refusals name it")
    parser.add_argument(
        "--budget", type=float, default=math.inf, metavar="N", help="requests a second by bounds; none if left out"
    )
    options = parser.parse_args(argv)
    if not re.fullmatch(r"[^\s#]\S*", options.name):
        parser.error(f"{options.name!r}: write a name without spaces that does not begin with #")
    if not options.budget > 0:
        parser.error("--budget: give a number above 0, or leave it out")
    token = new_token()
    try:
        text = options.file.read_text() if options.file.exists() else ""
        if options.name in {caller.name for caller in read_tokens(text, str(options.file)).values()}:
            print(
                f"piql service-token: {options.file} has a token for {options.name}; remove its line first",
                file=sys.stderr,
            )
            return 1
        descriptor = os.open(options.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "a") as file:
            file.write("\n" * bool(text and not text.endswith("\n")) + line_of(options.name, options.budget, token))
    except TokensInvalid as error:
        print(f"piql service-token: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"piql service-token: {options.file}: {error.strerror}", file=sys.stderr)
        return 1
    print(token)
    return 0
