# SPDX-License-Identifier: MIT
"""flow counts as programs of others do in the same place: iperf3 over TCP and UDP, D-ITG over DCCP.

They run one after the other, in the same run. D-ITG is Debian's, in an image of these tests.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.probes import base as probes
from lab.probes.base import Delivery, Parsed, Raw, TimeSeries
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

STACK = Path(__file__).parents[2]
WHOLE = slice(1, 5)  # intervals of a flow of five seconds without the first, in which it begins
RATE_WITHIN = 0.02  # of that of the other program
LOSS_WITHIN = 1.0  # percentage points
# iperf3 measures in microseconds, and sends on a timer of its own
JITTER_WITHIN = 0.05
Boot = Callable[..., Ran]

# flow that counts 28 bytes too many in each packet, a lost packet too many in each gap, half of each change of delay
WRONG = (
    ("bytes += packet->length;", "bytes += packet->length + 28u;"),
    ("lost += (int64_t)(number - tally->next);", "lost += (int64_t)(number - tally->next) + (number > tally->next);"),
    ("((double)change_ns - ", "((double)change_ns / 2 - "),
)


@pytest.fixture(params=["right", "wrong"])
def stack(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The stack, and a copy of it whose flow counts wrongly."""
    if request.param == "right":
        return STACK
    copy = tmp_path / "workloads" / STACK.name
    shutil.copytree(STACK / "flow", copy / "flow", ignore=shutil.ignore_patterns("build"))
    shutil.copy(STACK / "Makefile", copy)
    tally = copy / "flow" / "tally.c"
    text = tally.read_text()
    for old, new in WRONG:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    tally.write_text(text)
    return copy


def read(ran: Ran, probe: str, name: str) -> tuple[Parsed, Raw]:
    raw = Raw(ran.directory / "raw", name, epoch_ns=ran.guest()["epoch_ns"])
    return probes.load(probe).parse(raw), raw


def series(parsed: Parsed, name: str) -> TimeSeries:
    (found,) = [one for one in parsed.series if one.name == name]
    return found


def steady(values: list[float]) -> float:
    return statistics.fmean(values[WHOLE])


def served(ran: Ran) -> list[list[dict[str, float]]]:
    """Return the intervals of each test that the iperf3 server counted: what arrived."""
    decoder, text, found = json.JSONDecoder(), ran.raw("server.out").strip(), []
    while text:
        document, end = decoder.raw_decode(text)
        text = text[end:].strip()
        found.append([interval["sum"] for interval in document["intervals"]])
    return [intervals for intervals in found if intervals]


class Differences(dict[str, tuple[float, float]]):
    """In what flow and the other program differ by more than they may: (flow, the other)."""

    def relative(self, name: str, flow: float, other: float, within: float) -> None:
        if abs(flow / other - 1) > within:
            self[name] = flow, other

    def absolute(self, name: str, flow: float, other: float, within: float) -> None:
        if abs(flow - other) > within:
            self[name] = flow, other


def against_iperf3(ran: Ran) -> Differences:
    tcp, udp = served(ran)
    flow_tcp, flow_udp = (read(ran, "flow-sink", name)[0] for name in ("tcp_sink", "udp_sink"))
    found = Differences()
    for name, flow, intervals in (("TCP", flow_tcp, tcp), ("UDP", flow_udp, udp)):
        rate_bps = steady([interval["bits_per_second"] for interval in intervals])
        found.relative(f"throughput of {name}", steady(series(flow, "goodput").values), rate_bps, RATE_WITHIN)
    lost_percent = read(ran, "iperf3", "iperf3_udp")[0].values["lost_percent"]
    assert lost_percent > 40  # the place loses much
    found.absolute("loss of UDP", loss_percent(flow_udp), lost_percent, LOSS_WITHIN)
    jitter_ms = steady([interval["jitter_ms"] for interval in udp])
    smoothed = [json.loads(line)["jitter_ns"] for line in ran.raw("udp_sink.out").splitlines() if "arrived" in line]
    found.relative("jitter of UDP", steady(smoothed) / 1e6, jitter_ms, JITTER_WITHIN)
    return found


def loss_percent(flow: Parsed) -> float:
    values = flow.values
    return float(100 * values["lost"] / (values["packets"] + values["lost"]))


def test_against_iperf3(boot_files: Boot, stack: Path) -> None:
    found = against_iperf3(boot_files("bottleneck.yaml", "iperf3.yaml", stack))
    if stack == STACK:
        assert found == {}
    else:
        assert set(found) == {"throughput of TCP", "throughput of UDP", "loss of UDP", "jitter of UDP"}


def numbers(ran: Ran, node: str, file: str) -> list[int]:
    """Return the numbers of the packets in a log of D-ITG."""
    text = (ran.directory / "collected" / node / "tmp" / file).read_text()
    return [int(number) for number in re.findall(r"^Flow>0*1 Seq> *(\d+) ", text, re.M)]


def itg_loss_percent(ran: Ran, sink: str, source: str) -> float:
    """Return what the network lost: ITGDec also counts what the transport did not take from ITGSend."""
    received = set(numbers(ran, sink, "recv.txt"))
    sent = [number for number in numbers(ran, source, "send.txt") if number <= max(received)]
    assert len(sent) > 2000
    return 100 * sum(number not in received for number in sent) / len(sent)


def itg_rate_bps(ran: Ran, node: str) -> float:
    """Return what arrived, from the first packet to the last."""
    text = (ran.directory / "collected" / node / "tmp" / "recv.txt").read_text()
    times = [3600 * int(h) + 60 * int(m) + float(s) for h, m, s in re.findall(r"rxTime>(\d+):(\d+):([\d.]+) ", text)]
    return 8 * 1000 * (len(times) - 1) / (times[-1] - times[0])


def against_itg(ran: Ran) -> Differences:
    found = Differences()
    for name, prefix, sink, source in (("slow", "", "h1", "h2"), ("lossy", "lossy_", "h3", "h4")):
        flow, raw = read(ran, "flow-sink", f"{prefix}flow_sink")
        (delivery,) = [fact for fact in probes.load("flow-sink").found(raw, flow) if isinstance(fact, Delivery)]
        assert delivery.in_duration is not None
        if name == "slow":
            rate_bps = 8e9 * delivery.in_duration / delivery.duration_ns
            found.relative("throughput of the slow link", rate_bps, itg_rate_bps(ran, sink), RATE_WITHIN)
        found.absolute(f"loss of the {name} link", loss_percent(flow), itg_loss_percent(ran, sink, source), LOSS_WITHIN)
    return found


def test_against_d_itg(boot_files: Boot, stack: Path) -> None:
    """Over the slow link, CCID 2 decides the rate and loses little, whichever program counts; the other loses 5 %."""
    found = against_itg(boot_files("two-links.yaml", "d-itg.yaml", stack))
    if stack == STACK:
        assert found == {}
    else:
        assert set(found) == {"throughput of the slow link", "loss of the lossy link"}
