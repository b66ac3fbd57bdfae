# SPDX-License-Identifier: MIT
"""The programs of udp-sender and udp-sink: what is in a datagram, and what is told of it."""

from __future__ import annotations

import json
import socket

import pytest

from lab.probes import _udp_program
from lab.probes._udp_program import HEAD, Interval, datagram, report, stamp


def test_a_datagram_tells_its_number_time_and_flow() -> None:
    data = datagram(7, 1_767_225_600_000_000_001, b"load@sta1", 92)
    assert len(data) == 92
    number, sent_ns, length = HEAD.unpack_from(data)
    assert (number, sent_ns) == (7, 1_767_225_600_000_000_001)
    assert data[HEAD.size : HEAD.size + length] == b"load@sta1"
    assert len(datagram(0, 0, b"a" * 40, 16)) == HEAD.size + 40  # never too small for its head


def test_a_time_of_day_keeps_its_last_digit() -> None:
    assert stamp(1_767_225_600_000_000_001) == "1767225600.000000001"


def test_what_is_told_of_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    interval = Interval()
    for number, delay_ns in ((4, 30), (6, 10), (5, 20)):
        interval.add(number, 1000, 1000 + delay_ns, 100)
    flows = {"voice": interval}
    report(flows, 2000)
    assert json.loads(capsys.readouterr().out) == {
        "flow": "voice",
        "end_s": "0.000002000",
        "packets": 3,
        "bytes": 300,
        "next": 7,
        "first_s": "0.000001030",
        "last_s": "0.000001020",
        "delay_ns": [10, 60, 30],
    }
    assert not flows


def test_a_sink_that_is_not_there_is_told() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
    with pytest.raises(SystemExit, match=f"no process listens on UDP port {port} of 127.0.0.1"):
        _udp_program.main(["send", "load", "127.0.0.1", port, "100", "0", "-1", "1", "0", "0"])
