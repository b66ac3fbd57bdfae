# SPDX-License-Identifier: MIT
"""tcp-sink and tcp-source: their options, their program on this machine, and how its lines are parsed."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.probes.base import Delivery, Parsed, ProbeOutputError, Raw, Retransmissions, Target, TimeSeries, Transfer, load

from ...probes import _tcp_program

PROGRAM = [sys.executable, _tcp_program.__file__]
STATION = Target("sta1", "sta1-wlan0", "sta1-wlan0", "10.0.0.2")
Find = Callable[[Parsed, str], TimeSeries]


def words(probe: str, **params: Any) -> list[str]:
    """What follows the program's name in the probe's command."""
    found = load(probe)
    filled = found.defaults(params)
    found.check(filled)
    return found.argv(STATION, filled, "/lab/raw/x")[1:]


def test_commands() -> None:
    name = "/run/lab/programs/tcp.py"
    assert words("tcp-sink") == [name, "sink", "5301", "0", "1000000000", "0", "0"]
    every_second = words("tcp-sink", acknowledges="every second segment", omit=5_000_000_000, port=7)
    assert every_second == [name, "sink", "7", "1", "1000000000", "5000000000", str(1 << 20)]
    assert words("tcp-sink", acknowledges="every second segment", window=100_000)[-1] == "100000"
    assert words("tcp-sink", window=100_000)[-1] == "100000"
    assert words("tcp-source", to="10.0.0.2") == [name, "source", "10.0.0.2", "5301", "10000000000", "0"]
    given = words("tcp-source", to="10.0.0.2", bytes=9, congestion="reno")
    assert given == [name, "source", "10.0.0.2", "5301", "10000000000", "9", "reno"]


def test_another_way_to_acknowledge() -> None:
    with pytest.raises(ValueError, match='acknowledges: "each" is not one of every second segment, as Linux does'):
        words("tcp-sink", acknowledges="each")


class Pair:
    """A sink on this machine, and sources that send to it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = str(free.getsockname()[1])

    def sink(self, second: str = "1", every_ns: str = "50000000", omit_ns: str = "0") -> subprocess.Popen[bytes]:
        with (self.place / "sink.out").open("wb") as out:
            sink = subprocess.Popen([*PROGRAM, "sink", self.port, second, every_ns, omit_ns, "100000"], stdout=out)
        return sink

    def source(self, duration_ns: str, size: str = "0") -> subprocess.CompletedProcess[str]:
        """Run a source, once the sink listens."""
        command = [*PROGRAM, "source", "127.0.0.1", self.port, duration_ns, size, "reno"]
        for _ in range(200):
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if ran.returncode == 0:
                (self.place / "flow.out").write_text(ran.stdout)
                break
            time.sleep(0.05)
        return ran

    def parsed(self, probe: str, name: str) -> tuple[Parsed, list[object]]:
        raw = Raw(self.place, name)
        parsed = load(probe).parse(raw)
        return parsed, list(load(probe).found(raw, parsed))


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


@pytest.mark.parametrize("second", ["0", "1"])
def test_all_bytes_arrive(pair: Pair, second: str, series: Find) -> None:
    sink = pair.sink(second)
    assert pair.source("1", "3000001").returncode == 0
    assert pair.source("1", "2000000").returncode == 0
    sink.send_signal(signal.SIGINT)
    assert sink.wait(10) == 0
    received, (delivery,) = pair.parsed("tcp-sink", "sink")
    assert received.values["connections"] == 2 and received.values["complete"]
    assert isinstance(delivery, Delivery) and (delivery.bytes, delivery.name) == (2_000_000, "sink")
    rates, lines = series(received, "goodput"), (pair.place / "sink.out").read_text().splitlines()
    assert delivery.rate is not None and delivery.rate.values == rates.values
    assert sum(json.loads(line).get("bytes", 0) for line in lines) == 5_000_001
    sent, (transfer, again) = pair.parsed("tcp-source", "flow")
    assert isinstance(transfer, Transfer) and transfer.complete and transfer.bytes == sent.values["sent"] == 2_000_000
    assert transfer.duration_ns == round(sent.values["seconds"] * 1e9) > 0
    assert isinstance(again, Retransmissions) and again.connection == "flow"


def test_what_comes_first_can_be_left_out(pair: Pair) -> None:
    sink = pair.sink(omit_ns="200000000")
    assert pair.source("500000000").returncode == 0
    sink.send_signal(signal.SIGINT)
    assert sink.wait(10) == 0
    values = pair.parsed("tcp-sink", "sink")[0].values
    sent = pair.parsed("tcp-source", "flow")[0].values
    assert min(values["bytes"], values["omitted"]) > 0
    assert values["bytes"] + values["omitted"] == sent["bytes"] == sent["sent"]
    assert 0.1 < values["seconds"] < 0.9 * sent["seconds"]


def test_a_sink_that_is_ended_reports_what_had_arrived(pair: Pair) -> None:
    sink = pair.sink()
    for _ in range(200):
        try:
            channel = socket.create_connection(("127.0.0.1", int(pair.port)))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    with channel:
        channel.sendall(bytes(70_000))
        deadline = time.monotonic() + 10
        while not (pair.place / "sink.out").stat().st_size and time.monotonic() < deadline:
            time.sleep(0.01)
        sink.send_signal(signal.SIGINT)
        assert sink.wait(10) == 0
    values = pair.parsed("tcp-sink", "sink")[0].values
    assert (values["bytes"], values["complete"]) == (70_000, False)


def test_a_source_without_a_sink(pair: Pair) -> None:
    ran = subprocess.run([*PROGRAM, "source", "127.0.0.1", pair.port, "1", "1"], capture_output=True, text=True)
    assert ran.returncode == 1 and ran.stdout == ""
    assert f"no tcp-sink waits at TCP port {pair.port} of 127.0.0.1; it serves one source at a time" in ran.stderr


def test_a_congestion_control_that_the_kernel_lacks(pair: Pair) -> None:
    command = [*PROGRAM, "source", "127.0.0.1", pair.port, "1", "1", "nosuch"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 1 and 'the kernel has no congestion control "nosuch"' in ran.stderr


def test_a_source_that_was_cut_off_is_no_whole_transfer(typed: Callable[..., Parsed]) -> None:
    line = {"begin_s": "1.5", "end_s": "3", "sent": 100, "arrived": 0, "retransmits": 2, "timeouts": 1}
    parsed = typed("tcp-source", out=json.dumps(line))
    expected = {"sent": 100, "bytes": 0, "retransmits": 2, "timeouts": 1, "seconds": 1.5, "complete": False}
    assert parsed.values == expected
    assert typed("tcp-source", out="").values == {}


def test_a_sink_that_counted_nothing_has_no_goodput_rather_than_0(typed: Callable[..., Parsed]) -> None:
    assert typed("tcp-sink", out="").values == {"connections": 0}
    parsed = typed("tcp-sink", out='{"total": 0, "omitted": 9, "complete": true}')
    assert parsed.values == {"connections": 1, "bytes": 0, "omitted": 9, "complete": True}
    assert list(load("tcp-sink").found(Raw(Path(), "x"), parsed)) == []
    assert list(load("tcp-source").found(Raw(Path(), "x"), Parsed())) == []


@pytest.mark.parametrize(
    ("out", "complaint"),
    [
        ('{"since_s": "1", "until_s": "1", "bytes": 5}', r"x\.out:1: an interval must end after it begins"),
        ('{"since_s": "1", "until_s": "soon", "bytes": 5}', r"x\.out:1: until_s: 'soon' is not a time stamp"),
        ('{"since_s": "1", "until_s": "2"}', r"x\.out:1: 'bytes' is missing"),
        ('{"total": 5, "omitted": 0, "complete": 1}', r"complete: must be true or false, not 1"),
    ],
)
def test_what_it_does_not_understand(typed: Callable[..., Parsed], out: str, complaint: str) -> None:
    with pytest.raises(ProbeOutputError, match=complaint):
        typed("tcp-sink", out=out)
