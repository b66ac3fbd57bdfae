# SPDX-License-Identifier: MIT
"""A Docker engine as far as skopeo asks one: it hands out one image."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote


@contextmanager
def engine(socket: Path, name: str, saved: bytes) -> Iterator[str]:
    """Serve an image, as ``docker save`` would give it, under a name; yields the value of DOCKER_HOST."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = unquote(self.path)
            if path.endswith("/_ping"):
                self._answer(b"OK")
            elif path.endswith((f"/images/{name}/get", f"/images/get?names={name}")):
                self._answer(saved)
            else:
                self._answer(b'{"message": "No such image"}', 404)

        def _answer(self, body: bytes, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("API-Version", "1.41")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def address_string(self) -> str:
            return "skopeo"

        def log_message(self, *_: object) -> None:
            pass

    with socketserver.ThreadingUnixStreamServer(str(socket), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"unix://{socket}"
        finally:
            server.shutdown()
