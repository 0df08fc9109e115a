"""A workbench as far as reports see it: takes shipments by HTTP, and counts what is in those it has not seen yet."""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

PATH = "/api/applications/shop/environments/production/reports"


@dataclass
class Receiver:
    """Answers `statuses` one after the other, the last one for ever; what it answers 200 to, it has counted."""

    statuses: list[int] = field(default_factory=lambda: [200])
    counts: Counter[tuple[str, int, str]] = field(default_factory=Counter)  # query, version, outcome → executions
    shipments: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    tokens: list[str | None] = field(default_factory=list)

    def __enter__(self) -> Self:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.tokens.append(self.headers["Authorization"])
                status = receiver.statuses.pop(0) if len(receiver.statuses) > 1 else receiver.statuses[0]
                if status == 200:
                    receiver.take(json.loads(gzip.decompress(body)))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{PATH}"

    def take(self, shipment: dict[str, Any]) -> None:
        name = shipment["client"], shipment["sequence"]
        if name in self.shipments:
            return
        self.shipments[name] = shipment
        cells = shipment["cells"]
        for query, version, outcome, executions in zip(
            cells["query"], cells["version"], cells["outcome"], cells["executions"], strict=True
        ):
            self.counts[shipment["queries"][query], version, shipment["outcomes"][outcome]] += executions
