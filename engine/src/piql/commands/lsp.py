"""`piql lsp`: serves the language service to an editor over standard input and output."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import BinaryIO, cast

from piql.compiler import Compiler


def lsp(argv: Sequence[str] | None = None) -> int:
    """Answer an editor until it says that it is done."""
    parser = argparse.ArgumentParser(prog="piql lsp", description="Serve an editor by the Language Server Protocol.")
    parser.add_argument("--stdio", action="store_true", help="use standard input and output, the only way there is")
    parser.parse_args(argv)
    if sys.stdin is None or sys.stdout is None:
        print("piql lsp: standard input and output are closed: let the editor start this command", file=sys.stderr)
        return 2
    try:
        from piql.editor.server.framing import Messages
        from piql.editor.server.requests import make_server
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        print("piql lsp: install piql[lsp] for this command", file=sys.stderr)
        return 2
    with Compiler().at_work():
        make_server().start_io(cast(BinaryIO, Messages(sys.stdin.buffer)))
    return 0
