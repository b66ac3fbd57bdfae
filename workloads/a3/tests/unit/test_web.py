# SPDX-License-Identifier: MIT
"""The emulated browser: what it asks a server for, in which order, and what it says of a load."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from lab.probes import _web_site_program as site

from ... import web

SETTINGS = {"seed": 1, "html": 2048, "objects": 6, "object": 512, "on_screen": 2, "order": "mixed"}


@contextmanager
def served(files: dict[str, bytes], each: int = 1000) -> Iterator[tuple[str, list[tuple[Any, str]]]]:
    """A server of these files on the loopback interface: its address, and who has asked for what.

    It ends each connection after so many answers, without a word.
    """
    asked: list[tuple[Any, str]] = []

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked.append((self.client_address, self.path))
            content = files.get(self.path)
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")
            self.close_connection = sum(one == self.client_address for one, _ in asked) >= each

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def test_a_page_comes_over_two_connections_in_the_order_of_the_html() -> None:
    files = site.site(SETTINGS)
    with served(files) as (address, asked):
        done = web.Load(address, 2, 2).run()
    assert done["failures"] == 0
    assert done["sha256"] == site.digest(files)
    paths = [path for _, path in asked]
    assert paths[0] == "/" and sorted(paths) == sorted(files)
    assert 1 <= len({connection for connection, _ in asked}) <= 2
    for connection in {connection for connection, _ in asked}:
        mine = [path for one, path in asked if one == connection and path != "/"]
        assert mine == sorted(mine)  # 1.png, 2.png, … are in this order in the HTML


def test_the_screen_is_complete_when_its_pictures_are() -> None:
    files = site.site(SETTINGS)
    with served(files) as (address, _):
        load = web.Load(address, 2, 2)
        done = load.run()
    places = site.places(6, 2, "mixed")
    visible = [f"/{number}.png" for number, place in enumerate(places, 1) if place < 2]
    assert len(visible) == 2
    assert load.visible == {"/", *visible}
    latest = max(load.came_ns[path] for path in load.visible)
    began_ns = max(load.came_ns.values()) - float(str(done["all"])) * 1e6
    assert float(str(done["screen"])) == pytest.approx((latest - began_ns) / 1e6, abs=0.01)
    assert float(str(done["screen"])) <= float(str(done["all"]))


def test_a3d_is_told_what_is_on_the_screen() -> None:
    datagram = web.told([(1, "/1.png"), (2, "/22.png")], 2)
    assert datagram == b"A3s1\x02" + b"\x01\x00\x06/1.png" + b"\x00\x00\x07/22.png"


def test_what_does_not_come_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    files = site.site(SETTINGS)
    del files["/3.png"]
    with served(files) as (address, _):
        monkeypatch.setattr(sys, "argv", ["web.py", address, "2", "2", "2"])
        web.main()
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["pages"], first["failures"]) == (1, 1)
    assert (second["pages"], second["failures"]) == (2, 2)
    assert first["sha256"] == second["sha256"] == site.digest(files)


def test_a_connection_that_the_server_ends_is_opened_again() -> None:
    files = site.site(SETTINGS)
    with served(files, each=2) as (address, asked):
        done = web.Load(address, 2, 2).run()
    assert (done["failures"], done["sha256"]) == (0, site.digest(files))
    assert len({connection for connection, _ in asked}) > 2


def test_a_server_that_is_not_there_is_a_failure() -> None:
    with served({}) as (address, _):
        pass
    done = web.Load(address, 2, 2).run()
    assert done["failures"] == 1
