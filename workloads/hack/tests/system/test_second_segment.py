# SPDX-License-Identifier: MIT
"""tcp-sink: which segments of an A-MPDU it acknowledges, in the place of the paper's simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.probes.base import Delivery, Raw, load
from tests.system.conftest import Ran
from workloads.hack.tests.acknowledged import Ack, acks

pytestmark = pytest.mark.guest

SEGMENT = 1460
STARTED_NS = 1_000_000_000  # after 0.2 s the window overflows the access point's queue; this is well after that
CAPTURE = "workload.probes=[{on: client-1, probe: tcpdump, interface: sta1-wlan0, filter: tcp, as: capture}]"
SHORT = ("workload.duration=5 s", "processes.flow.run.duration=3 s")
# nothing is lost: after a loss, one ACK is for all that waited behind the gap
NO_LOSS = "nodes.ap1.drop_tail=4096"
CLIENTS = [f"client-{number}" for number in range(1, 4)]  # so many windows have room in the queue: none is full


def histogram(found: list[Ack]) -> dict[int, float]:
    """The share of ACKs for each number of segments, rounded up."""
    counts = Counter(-(-ack.bytes // SEGMENT) for ack in found)
    return {segments: count / len(found) for segments, count in counts.items()}


def split(found: list[Ack], at_ns: int) -> tuple[list[Ack], list[Ack]]:
    """Those before that time, and those after."""
    return [ack for ack in found if ack.t_ns < at_ns], [ack for ack in found if ack.t_ns >= at_ns]


def of(ran: Ran, name: str = "capture") -> list[Ack]:
    """The ACKs in a capture, in which no segments are merged (GRO)."""
    found, lengths = acks(ran.directory / "raw" / f"{name}.pcap", 5301)
    assert max(lengths) == SEGMENT
    return found


def test_every_second_segment(boot_own: Callable[..., Ran]) -> None:
    ran = boot_own("downloads-n", "hack/download-second-segment", *SHORT, NO_LOSS, CAPTURE)
    start, rest = split(of(ran), STARTED_NS)
    assert len(start) > 1000 and histogram(start)[2] > 0.98
    assert len(rest) > 5000 and histogram(rest)[2] > 0.98


def test_as_linux_does(boot_own: Callable[..., Ran]) -> None:
    """Each segment in slow start, then whole A-MPDUs of 42."""
    keys = (*SHORT, NO_LOSS, CAPTURE, "processes.sink.run.acknowledges=as Linux does")
    start, rest = split(of(boot_own("downloads-n", "hack/download-second-segment", *keys)), STARTED_NS)
    slow, _ = split(start, 50_000_000)
    assert len(slow) > 100 and histogram(slow)[1] > 0.9
    shares = histogram(rest)
    assert len(rest) > 400 and shares[42] > 0.8 and shares.get(2, 0) < 0.05


def several() -> Iterator[str]:
    """Downloads at once, as the lines of a workload."""
    yield f"name: several\nroles: {{server: 1, {', '.join(f'{client}: 1' for client in CLIENTS)}}}\nduration: 6 s"
    yield "probes:\n  - {on: client-1, probe: tcpdump, interface: sta1-wlan0, filter: tcp, as: capture}"
    yield "processes:"
    for client in CLIENTS:
        sink = "{probe: tcp-sink, acknowledges: every second segment}"
        yield f"  - {{on: {client}, run: {sink}, as: sink-{client}, ready: {{listening: tcp/5301}}}}"
        source = f'{{probe: tcp-source, to: "{{{client}.ip}}", duration: 3 s}}'
        yield f"  - {{on: server, at: 1 s, run: {source}, as: flow-{client}}}"


def test_with_several_clients_at_once(boot_own: Callable[..., Ran], tmp_path: Path) -> None:
    """Their A-MPDUs are shorter."""
    workload = tmp_path / "several.yaml"
    workload.write_text("\n".join(several()))
    ran = boot_own("downloads-n", str(workload), NO_LOSS)
    found = of(ran)
    assert len(found) > 500 and histogram(found)[2] > 0.95
    for client in CLIENTS:
        raw = Raw(ran.directory / "raw", f"sink-{client}", epoch_ns=ran.guest()["epoch_ns"])
        parsed = load("tcp-sink").parse(raw)
        (delivery,) = load("tcp-sink").found(raw, parsed)
        assert parsed.values["complete"] and isinstance(delivery, Delivery) and delivery.goodput_bps() > 1e6


def test_a_file_has_a_time(boot_own: Callable[..., Ran]) -> None:
    """Virtual time continues while it is sent."""
    ran = boot_own("downloads-n", "hack/download-second-segment", "processes.flow.run.bytes=10 MB")
    raw = Raw(ran.directory / "raw", "flow", epoch_ns=ran.guest()["epoch_ns"])
    values = load("tcp-source").parse(raw).values
    assert values["complete"] and values["bytes"] == 10_000_000
    assert 8 * 10_000_000 / 150e6 < values["seconds"] < 3


@pytest.mark.parametrize("acknowledges", ["every second segment", "as Linux does"])
def test_its_window(boot_own: Callable[..., Ran], acknowledges: str) -> None:
    """No more is on its way than that: 60 ms of the wire there and back leave 8 * 100 kB / 61 ms."""
    keys = (
        f"processes.sink.run.acknowledges={acknowledges}",
        "processes.sink.run.window=100 kB",
        "links.0.delay=30 ms",
    )
    ran = boot_own("downloads-n", "hack/download-second-segment", *SHORT, *keys)
    raw = Raw(ran.directory / "raw", "sink", epoch_ns=ran.guest()["epoch_ns"])
    (delivery,) = load("tcp-sink").found(raw, load("tcp-sink").parse(raw))
    assert isinstance(delivery, Delivery) and 10e6 < delivery.goodput_bps() < 13.2e6


def test_timeouts_are_counted(boot_own: Callable[..., Ran]) -> None:
    """For a while, nothing arrives."""
    lose = "workload.timeline=[{at: 2 s, fault: lose, frames: data, from: ap1, to: sta1, count: 5000}]"
    ran = boot_own("downloads-n", "hack/download-second-segment", *SHORT, NO_LOSS, lose)
    values = load("tcp-source").parse(Raw(ran.directory / "raw", "flow", epoch_ns=ran.guest()["epoch_ns"])).values
    assert 0 < values["timeouts"] < 10 and values["retransmits"] >= values["timeouts"]
