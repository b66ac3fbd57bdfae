# SPDX-License-Identifier: MIT
"""LIHD: its rules step by step, its client's RPC, and the probe."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from lab.errors import ParameterError
from lab.probes.base import Parsed, ProbeOutputError, Target, load

from ...probes import _lihd_program as program

TARGET = Target("sta1", "sta1-wlan0", None, "10.0.0.2/8")


def limits(rule: str, downloads: list[float], start: float = 50, least: float = 10, most: float = 1000) -> list[float]:
    lihd = program.Lihd(rule, 10, 10, start, least, most)
    return [lihd.window(downloaded) for downloaded in downloads]


@pytest.mark.parametrize(
    ("downloads", "wanted"),
    [
        ([5], [50]),  # nothing to compare with
        ([5, 6, 7, 8], [50, 60, 70, 80]),  # linear increase
        ([9, 8, 7, 6], [50, 40, 20, 10]),  # 10, 20, 30 less, but not below the least
        ([9, 8, 9, 8, 7], [50, 40, 50, 40, 20]),  # an increase ends the row of cut-downs
        ([9, 8, 8, 7], [50, 40, 40, 30]),  # so does a window without a change
        ([0, 0, 0], [50, 50, 50]),
    ],
)
def test_rule_of_windows(downloads: list[float], wanted: list[float]) -> None:
    """“greater than in the preceding time window … increments”; “less … decremented by a value proportional to …”."""
    assert limits("window", downloads) == wanted


@pytest.mark.parametrize(
    ("downloads", "wanted"),
    [
        ([5, 5], [50, 60]),  # it begins with an increase
        ([5, 5, 6, 7], [50, 60, 70, 80]),  # uploads and downloads increase
        ([5, 5, 5, 5, 5, 5], [50, 60, 50, 30, 10, 10]),  # without effect: less and less
        ([5, 5, 5, 6, 7], [50, 60, 50, 30, 10]),  # fewer uploads do not cause fewer downloads
        ([5, 5, 5, 4, 5], [50, 60, 50, 60, 70]),  # they do: an increase
    ],
)
def test_rule_of_correlation(downloads: list[float], wanted: list[float]) -> None:
    """“when there is a positive correlation”; “when decreasing the uploads does not cause a decrease”."""
    assert limits("correlation", downloads) == wanted


def test_cut_downs_are_counted_at_the_least_limit_too() -> None:
    assert limits("window", [9, 8, 7, 6, 7, 6], start=20) == [20, 10, 10, 10, 20, 10]
    assert limits("window", [1, 2, 3], start=995) == [995, 1000, 1000]


class Rpc(BaseHTTPRequestHandler):
    """A client whose session gets a new key now and then."""

    key, calls = "one", list[Any]()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        right = self.headers["X-Transmission-Session-Id"] == self.key
        self.send_response(200 if right else 409)
        self.send_header("X-Transmission-Session-Id", self.key)
        self.end_headers()
        if right:
            self.calls.append(body)
            stats = {"current-stats": {"secondsActive": 5, "downloadedBytes": 7, "uploadedBytes": 3}}
            known = body["method"] != "other"
            self.wfile.write(json.dumps({"result": "success" if known else "no", "arguments": stats}).encode())

    def log_message(self, *_: object) -> None:
        pass


def test_its_session_gets_the_key_and_sets_whole_kilobytes(monkeypatch: pytest.MonkeyPatch) -> None:
    server = HTTPServer(("127.0.0.1", 0), Rpc)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(program, "RPC", f"http://127.0.0.1:{server.server_port}/")
    session = program.Session()
    assert session.bytes()[1:] == (5, 7, 3)
    Rpc.key = "two"
    session.limit(12.6)
    assert Rpc.calls[-1]["arguments"] == {"speed-limit-up": 13, "speed-limit-up-enabled": True}
    with pytest.raises(OSError, match="transmission-daemon refuses other: no"):
        session.call("other")
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("after_s", "active_s", "another"),
    [
        (10, 15, False),
        (10, 14, False),  # it tells whole seconds
        (10, 9, True),
        (10, 13, True),  # it was away for two seconds
        (10.9, 14, False),
    ],
)
def test_a_client_that_is_younger_than_it_should_be_is_another_one(
    after_s: float, active_s: int, another: bool
) -> None:
    before = program.Look(0, 5, 7, 3)
    assert program.Look(round(after_s * 1e9), active_s, 9, 9).is_of_another(before) is another


class Restarting:
    """A client that is started anew twice: once between two looks, once while lihd looks."""

    def __init__(self) -> None:
        second = 1_000_000_000
        self.looks: list[program.Look | None] = [  # None: it does not answer
            program.Look(0, 0, 0, 0),
            program.Look(10 * second, 10, 200_000, 70_000),
            program.Look(20 * second, 3, 9_000, 0),  # another one
            program.Look(20 * second, 3, 9_000, 0),
            program.Look(30 * second, 13, 309_000, 80_000),
            None,
            None,
            program.Look(42 * second, 1, 0, 0),
            program.Look(42 * second, 1, 0, 0),  # the first one ended before it got its limit
            program.Look(52 * second, 11, 100_000, 0),
        ]
        self.limits: list[float | None] = []

    def bytes(self) -> program.Look:
        if not self.looks:
            raise SystemExit
        look = self.looks.pop(0)
        if look is None:
            raise ConnectionRefusedError
        return look

    def limit(self, kbyte_s: float) -> None:
        if len(self.looks) == 2:
            self.limits.append(None)
            raise ConnectionResetError
        self.limits.append(kbyte_s)


def test_each_client_gets_the_limit_at_once_and_a_restart_is_no_window(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Restarting()
    monkeypatch.setattr(program, "Session", lambda: client)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    rule = {"rule": "window", "alpha": 10, "beta": 10, "start": 20, "least": 10, "most": 1000}
    with pytest.raises(SystemExit):
        program.run({"control": True, "window_s": 10, **rule})
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["down"], line["up"], line["limit"], line["next"], line["restarts"]) for line in lines] == [
        (20, 7, 20, 20, 0),
        (30, 8, 20, 30, 1),
        (10, 0, 30, 20, 2),
    ]
    assert client.limits == [20, 20, 20, 30, None, 30, 20]


def argv(**params: Any) -> Any:
    probe = load("lihd")
    filled = probe.defaults(params)
    probe.check(filled)
    return json.loads(probe.argv(TARGET, filled, "/lab/raw/x")[-1])


def test_its_settings_are_in_kilobytes() -> None:
    found = argv(alpha=160_000, window=5_000_000_000)
    assert (found["alpha"], found["beta"], found["start"], found["window_s"]) == (20, 10, 10, 5)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rule": "both"}, 'rule: "both" is not valid; write window or correlation'),
        ({"start": 8000, "least": 80_000}, "start: must not be below least or above most"),
    ],
)
def test_settings_that_it_does_not_have(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        argv(**params)


def test_its_windows(typed: Callable[..., Parsed]) -> None:
    out = '{"t_s": "10.000000000", "down": 20.5, "up": 9, "limit": 50, "next": 40, "restarts": 0}\n'
    parsed = typed("lihd", out=out + out.replace("40, ", "60, ").replace('s": 0', 's": 1'))
    assert parsed.values == {"windows": 2, "cutdowns": 1, "limit": 60, "restarts": 1}
    assert parsed.series_of("downloaded_rate").values == [164_000] * 2
    assert parsed.series_of("limit").values == [400_000] * 2
    measured = typed("lihd", out='{"t_s": "10.000000000", "down": 20.5, "up": 9, "restarts": 0}\n')
    assert measured.values == {"windows": 1, "cutdowns": 0, "restarts": 0} and len(measured.series) == 2


@pytest.mark.parametrize(("out", "message"), [("{}", "x.out:1: 't_s' is missing"), ("x", "x.out:1: not JSON")])
def test_lines_that_are_not_its(typed: Callable[..., Parsed], out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("lihd", out=out)
