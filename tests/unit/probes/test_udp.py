# SPDX-License-Identifier: MIT
"""The programs of udp-sender and udp-sink: what is in a datagram, and what is reported about it."""

from __future__ import annotations

import errno
import json
import socket
from itertools import pairwise
from unittest.mock import Mock

import pytest

from lab.probes import _udp_program
from lab.probes._udp_program import HEAD, SECOND, Interval, OnOff, datagram, report, stamp


def test_a_datagram_reports_its_number_time_and_flow() -> None:
    data = datagram(7, 1_767_225_600_000_000_001, b"load@sta1", 92)
    assert len(data) == 92
    number, sent_ns, length = HEAD.unpack_from(data)
    assert (number, sent_ns) == (7, 1_767_225_600_000_000_001)
    assert data[HEAD.size : HEAD.size + length] == b"load@sta1"
    assert len(datagram(0, 0, b"a" * 40, 16)) == HEAD.size + 40  # never too small for its head


def test_a_time_of_day_keeps_its_last_digit() -> None:
    assert stamp(1_767_225_600_000_000_001) == "1767225600.000000001"


def test_what_is_reported_about_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
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


def test_a_sink_that_is_not_there_is_reported() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
    with pytest.raises(SystemExit, match=f"no process listens on UDP port {port} of 127.0.0.1"):
        _udp_program.main(["send", "load", "127.0.0.1", port, "100", "0", "-1", "1", "0", "0", "0", "0"])


@pytest.mark.parametrize(("to", "answers"), [("127.0.0.1", True), ("127.255.255.255", False), ("127.1", True)])
def test_nobody_answers_for_a_group(to: str, answers: bool) -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to_it,
    ):
        sink.bind(("", 0))
        assert _udp_program.connect(to_it, to, sink.getsockname()[1]) is answers
        to_it.send(b"x")
        assert sink.recv(10) == b"x"


class Clock:
    """Virtual time."""

    def __init__(self) -> None:
        self.now_ns = 0

    def time_ns(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * SECOND)


def test_a_sender_without_a_route_tries_again_until_there_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock, tried_ns = Clock(), []

    def connect(_address: tuple[str, int]) -> None:
        tried_ns.append(clock.now_ns)
        if clock.now_ns < 1.25 * SECOND:
            raise OSError(errno.ENETUNREACH, "Network is unreachable")

    channel = Mock(family=socket.AF_INET)
    channel.connect.side_effect = connect
    channel.getpeername.return_value = ("224.0.0.9", 9)  # nobody answers
    monkeypatch.setattr(socket, "socket", lambda *_: channel)
    monkeypatch.setattr(_udp_program, "time", clock)
    _udp_program.send("load", "224.0.0.9", 9, 100, SECOND, 0, 2, 0, 0, on_off=OnOff("load", 0, 0))
    assert tried_ns == [number * SECOND // 10 for number in range(14)], "every 100 ms"
    assert [HEAD.unpack_from(call.args[0])[:2] for call in channel.send.call_args_list] == [
        (0, 2 * SECOND),
        (1, 3 * SECOND),
    ]
    assert json.loads(capsys.readouterr().out) == {"sent": 2, "unanswered": 13}


class Medium:
    """A network that sends a datagram a millisecond; ``keeps``: what its socket holds blocks the sender, nothing drops.

    Its clock moves by 256 ns whenever it is read, as the guest's does.
    """

    TRUE_SIZE, ROOM, AIR_NS = 2304, 212_992, 1_000_000

    def __init__(self, keeps: bool) -> None:
        self.keeps = keeps
        self.now_ns = self.held_bytes = 0
        self.sleeps: list[float] = []
        self.sent = self.without_a_wait = 0

    def time_ns(self) -> int:
        self.now_ns += 256
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.without_a_wait = 0
        self.now_ns += round(seconds * SECOND)

    def send(self, _data: bytes) -> None:
        self.sent += 1
        self.without_a_wait += 1
        assert self.without_a_wait < 1000, "it spins"
        if not self.keeps:
            self.held_bytes = self.ROOM - 1
            return
        if self.held_bytes >= self.ROOM:  # it blocks until half of the buffer is free
            sent = (self.ROOM // 2) // self.TRUE_SIZE
            self.now_ns += sent * self.AIR_NS
            self.held_bytes -= sent * self.TRUE_SIZE
            self.without_a_wait = 0
        self.held_bytes += self.TRUE_SIZE


def saturate(monkeypatch: pytest.MonkeyPatch, keeps: bool) -> Medium:
    """Send 2000 datagrams without a pace."""
    medium = Medium(keeps)
    channel = Mock(family=socket.AF_INET)
    channel.getpeername.return_value = ("224.0.0.9", 9)  # nobody answers
    channel.send.side_effect = medium.send
    channel.getsockopt.return_value = medium.ROOM
    monkeypatch.setattr(socket, "socket", lambda *_: channel)
    monkeypatch.setattr(_udp_program, "time", medium)
    monkeypatch.setattr(_udp_program, "unsent_bytes", lambda _channel: medium.held_bytes)
    _udp_program.send("load", "224.0.0.9", 9, 1470, 0, 0, 2000, 0, 0, on_off=OnOff("load", 0, 0))
    return medium


def test_a_sender_without_a_pace_waits_where_the_network_drops_what_it_holds_for_what_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A neighbour whose address is being resolved: the queue is never empty, and never full."""
    _until_the_second, *pauses = saturate(monkeypatch, keeps=False).sleeps
    assert pauses == [_udp_program.IDLE_S] * len(pauses)
    assert 15 <= len(pauses) <= 20, "after as many as could fill the buffer: 108, less what the kernel adds to each"


def test_a_sender_that_its_socket_blocks_does_not_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    medium = saturate(monkeypatch, keeps=True)
    assert medium.sent == 2000 and len(medium.sleeps) == 1, "until the full second"


def test_a_burst_is_over_after_a_wait() -> None:
    burst = _udp_program.Burst(2048)
    full = [burst.overflows(at_ns, 512) for at_ns in (0, 5_000, 10_000, 15_001, 15_100)]
    assert full == [False, False, True, False, False]


def test_times_on_and_off_have_their_means_and_heavy_tails() -> None:
    on_off = OnOff("load", 10**9, 2 * 10**9)
    times = [on_off.pareto(10**9) for _ in range(100_000)]
    assert min(times) == pytest.approx(10**9 / 3, rel=1e-3)
    assert sorted(times)[50_000] == pytest.approx(10**9 / 3 * 2 ** (1 / 1.5), rel=0.01)
    assert sum(time > 10**10 for time in times) / len(times) == pytest.approx(30**-1.5, rel=0.1)


def test_a_flow_that_comes_and_goes_keeps_its_pace_while_it_is_on() -> None:
    on_off = OnOff("load", 10**9, 2 * 10**9)
    on_off.begin(5 * 10**9)
    due_ns, sent = 5 * 10**9, []
    while due_ns < 10_000 * 10**9:
        due_ns = on_off.due(due_ns)
        sent.append(due_ns)
        due_ns += 10**7
    steps = [later - one for one, later in pairwise(sent)]
    assert min(steps) == 10**7
    assert sum(step == 10**7 for step in steps) / len(steps) > 0.98
    assert len(sent) * 10**7 / (10_000 * 10**9) == pytest.approx(1 / 3, rel=0.25)  # the variance is infinite


def test_flows_have_their_share_of_the_time_from_the_start() -> None:
    """In 2000 flows, of the first half second; beginning each with a time on, it would be 61 % instead of 20 %."""
    window_ns, every_ns = 5 * 10**8, 10**7
    sent = 0
    for number in range(2000):
        on_off = OnOff(f"load{number}", 5 * 10**8, 2 * 10**9)
        on_off.begin(10**12)
        due_ns = on_off.due(10**12)
        while due_ns < 10**12 + window_ns:
            sent += 1
            due_ns = on_off.due(due_ns + every_ns)
    assert sent * every_ns / (2000 * window_ns) == pytest.approx(0.2, abs=0.03)


def test_a_flow_without_breaks_is_always_on() -> None:
    on_off = OnOff("load", 0, 0)
    on_off.begin(5)
    assert [on_off.due(time) for time in (5, 10**12)] == [5, 10**12]
