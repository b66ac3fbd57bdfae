# SPDX-License-Identifier: MIT
"""LIHD: its rules step by step, its client's RPC, and the probe."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
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
            stats: dict[str, Any] = {"current-stats": {"secondsActive": 5, "downloadedBytes": 7, "uploadedBytes": 3}}
            stats["torrents"] = [{"id": 1, "startDate": 90, "status": 4}, {"id": 2, "startDate": 80, "status": 0}]
            known = body["method"] != "other"
            self.wfile.write(json.dumps({"result": "success" if known else "no", "arguments": stats}).encode())

    def log_message(self, *_: object) -> None:
        pass


def test_its_session_gets_the_key_and_sets_whole_kilobytes(monkeypatch: pytest.MonkeyPatch) -> None:
    server = HTTPServer(("127.0.0.1", 0), Rpc)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(program, "RPC", f"http://127.0.0.1:{server.server_port}/")
    session = program.Session()
    assert session.bytes()[1:] == (5, 7, 3, frozenset({(1, 90)}))
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


RULE = {"rule": "window", "alpha": 10, "beta": 10, "start": 20, "least": 10, "most": 1000}
TASK, AGAIN = (1, 2), (1, 37)  # number and start of a task; the same that was stopped and started


def at(second: int, kbyte: int, *tasks: tuple[int, int], up: int = 0, since: int = 0) -> program.Look:
    return program.Look(second * 1_000_000_000, second - since, kbyte * 1000, up * 1000, frozenset(tasks))


class Scripted:
    """A client with these looks; None: it does not answer. It may be away when it is to get its limit."""

    def __init__(self, looks: list[program.Look | None], away: int = 0) -> None:
        self.looks, self.away = looks, away  # away: when so many looks are left
        self.limits: list[float | None] = []

    def bytes(self) -> program.Look:
        if not self.looks:
            raise SystemExit
        look = self.looks.pop(0)
        if look is None:
            raise ConnectionRefusedError
        return look

    def limit(self, kbyte_s: float) -> None:
        if self.away and len(self.looks) == self.away:
            self.limits.append(None)
            raise ConnectionResetError
        self.limits.append(kbyte_s)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Any]]:
    """Run with a client, on a node whose addresses change in these windows; return the lines."""

    class Addresses:
        window = -1

        def changed(self) -> bool:
            self.window += 1
            return self.window in self.changes

        changes: tuple[int, ...] = ()

    def run(client: Scripted, *changes: int) -> list[Any]:
        Addresses.changes = changes
        monkeypatch.setattr(program, "Session", lambda: client)
        monkeypatch.setattr(program, "Addresses", Addresses)
        monkeypatch.setattr(time, "sleep", lambda seconds: None)
        with pytest.raises(SystemExit):
            program.run({"control": True, "window_s": 10, **RULE})
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_each_client_gets_the_limit_at_once_and_a_restart_is_no_window(windows: Callable[..., list[Any]]) -> None:
    """It is started anew twice: once between two looks, once while lihd looks."""
    client = Scripted(
        [
            at(0, 0),
            at(10, 200, up=70),
            at(20, 500, up=70),
            at(30, 9, since=27),  # another one
            at(30, 9, since=27),
            at(40, 109, up=80, since=27),
            at(50, 309, up=80, since=27),
            None,
            None,
            at(62, 0, since=61),
            at(62, 0, since=61),  # the first one ended before it got its limit
            at(72, 0, since=61),
            at(82, 100, since=61),
        ],
        away=3,
    )
    lines = windows(client)
    assert [[line[key] for key in ("down", "up", "limit", "next", "restarts", "counts")] for line in lines] == [
        [20, 7, 20, 20, 0, True],
        [30, 0, 20, 30, 0, True],
        [10, 8, 30, 30, 1, True],  # less than before the restart, which does not matter
        [20, 0, 30, 40, 1, True],
        [0, 0, 40, 40, 2, False],  # the new client has nothing yet
        [10, 0, 40, 40, 2, True],
    ]
    assert client.limits == [20, 20, 30, 30, 30, 40, None, 40, 40]


@pytest.mark.parametrize(
    ("tasks", "changes"),
    [
        pytest.param([(TASK,), (TASK,), (AGAIN,), (AGAIN,)], (), id="stopped and started"),
        pytest.param([(TASK,), (TASK,), ((2, 37),), ((2, 37),)], (), id="removed and added"),
        pytest.param([(TASK,), (TASK,), (), (AGAIN,)], (), id="stopped for longer"),
        pytest.param([(TASK,)] * 4, (2,), id="another address, and a client that does not notice"),
    ],
)
def test_a_move_does_not_lower_the_limit(
    windows: Callable[..., list[Any]], tasks: list[tuple[tuple[int, int], ...]], changes: tuple[int, ...]
) -> None:
    """Less arrives in its window, nothing in the next one, and little when data flows again."""
    arrived = (200, 500, 510, 510)
    looks = [at(0, 0), *(at(10 * (n + 1), kbyte, *tasks[n]) for n, kbyte in enumerate(arrived))]
    looks += [at(50, 530, *tasks[-1]), at(60, 560, *tasks[-1]), at(70, 570, *tasks[-1])]
    lines = windows(Scripted([*looks]), *changes)
    assert [(line["down"], line["next"], line["counts"]) for line in lines] == [
        (20, 20, True),
        (30, 30, True),
        (1, 30, False),
        (0, 30, False),
        (2, 30, True),
        (3, 40, True),
        (1, 30, True),
    ]


def test_a_task_that_is_added_is_no_move(windows: Callable[..., list[Any]]) -> None:
    lines = windows(Scripted([at(0, 0), at(10, 10, TASK), at(20, 30, TASK, (2, 15))]))
    assert [(line["next"], line["counts"]) for line in lines] == [(20, True), (30, True)]


@pytest.mark.parametrize(
    ("kind", "after", "changed"),
    [
        (20, ["10.0.0.1"], False),  # a lease that is renewed
        (20, ["10.0.0.1", "2001:db8::1"], True),
        (21, ["10.0.0.1"], True),  # it was lost, and is back
        (None, ["10.0.0.1"], False),
        (None, ["10.0.0.2"], True),
    ],
)
def test_the_addresses_of_a_node_change(
    monkeypatch: pytest.MonkeyPatch, kind: int | None, after: list[str], changed: bool
) -> None:
    kernel, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ours.setblocking(False)
    monkeypatch.setattr(program.Addresses, "__init__", lambda self: None)
    addresses = program.Addresses()
    addresses._changes, addresses._known = ours, {"10.0.0.1"}
    shown = json.dumps([{}, {"addr_info": [{}, *({"local": one} for one in after)]}]).encode()
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, shown))
    if kind is not None:
        kernel.send(struct.pack("=IHHII", 16, kind, 0, 0, 0))
    assert addresses.changed() is changed
    assert not addresses.changed()
    kernel.close()
    ours.close()


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
    out = '{"t_s": "10.000000000", "down": 20.5, "up": 9, "limit": 50, "next": 40, "restarts": 0, "counts": true}\n'
    parsed = typed("lihd", out=out + out.replace("40, ", "60, ").replace('s": 0', 's": 1').replace("true", "false"))
    assert parsed.values == {"windows": 2, "cutdowns": 1, "limit": 60, "restarts": 1, "uncounted": 1}
    assert parsed.series_of("downloaded_rate").values == [164_000] * 2
    assert parsed.series_of("limit").values == [400_000] * 2
    measured = typed("lihd", out='{"t_s": "10.000000000", "down": 20.5, "up": 9, "restarts": 0, "counts": true}\n')
    assert measured.values == {"windows": 1, "cutdowns": 0, "restarts": 0, "uncounted": 0} and len(measured.series) == 2


@pytest.mark.parametrize(("out", "message"), [("{}", "x.out:1: 't_s' is missing"), ("x", "x.out:1: not JSON")])
def test_lines_that_are_not_its(typed: Callable[..., Parsed], out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("lihd", out=out)
