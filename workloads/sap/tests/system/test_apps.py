# SPDX-License-Identifier: MIT
"""Streamer, Tracker and pictures in the guest: what they report is what was done to their frames."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.probes import base as probes
from lab.probes.base import Raw
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest
BootOwn = Callable[..., Ran]
LAB = Path(sys.executable).parent / "lab"

# so near that only what is injected damages frames; beacons of the receiver still collide with some
NEAR = "nodes.sta2.position=[2 m, 0 m, 1 m]"
DAMAGED = 40


def found(ran: Ran, probe: str, name: str) -> dict[str, Any]:
    return probes.load(probe).parse(Raw(ran.directory / "raw", name)).values


def damage(count: int, begin_ms: int, every_ms: int, kind: str = "damage") -> str:
    """A periodic fault, for --set."""
    events = [
        f"{{at: {begin_ms + number * every_ms} ms, fault: {kind}, frames: data, from: sta1, to: sta2}}"
        for number in range(count)
    ]
    return f"workload.timeline=[{', '.join(events)}]"


def test_wrong_bits_and_losses_are_those_that_were_injected(boot_own: BootOwn) -> None:
    """Each fault is one wrong bit. Where it hits a header that is checked, the datagram is lost: 7 % of a frame are.
    A hundredth is neither payload nor checked: duration, sequence number, FCS.
    """
    ran = boot_own("approximate-link", "sap/stream", NEAR, damage(DAMAGED, 1100, 5))
    sink, sender = found(ran, "sap-stream-sink", "sink"), found(ran, "sap-streamer", "stream")
    counts = ran.link("sta1", "sta2")
    collided = counts["collided"]  # beacons do, too, and what meets one is not counted as damaged
    assert DAMAGED - collided <= counts["damaged"] <= DAMAGED
    assert counts["lost"] == counts["header"] == 0 and counts["retries"] <= collided
    assert sink["complete"] and sink["expected"] == sender["datagrams"] == 1024
    assert sink["arrived"] == 1024 - sink["lost"]
    assert DAMAGED - 3 <= sink["damaged"] + sink["lost"] <= DAMAGED + collided
    assert 0.75 * DAMAGED < sink["damaged"] == sink["wrong_bits"] < DAMAGED
    assert sink["ber_damaged"] == pytest.approx(1 / 8192)
    assert sink["right_share"] == pytest.approx(1 - sink["wrong_bits"] / (8192 * sink["arrived"]))
    assert sender["sap_retransmitted"] == 0


def test_a_lost_frame_is_a_lost_datagram(boot_own: BootOwn) -> None:
    ran = boot_own("approximate-link", "sap/stream", NEAR, damage(DAMAGED, 1100, 5, "lose"))
    sink, collided = found(ran, "sap-stream-sink", "sink"), ran.link("sta1", "sta2")["collided"]
    assert DAMAGED <= sink["lost"] <= DAMAGED + collided  # beacons collide, too
    assert (sink["damaged"], sink["wrong_bits"]) == (0, 0)
    assert sink["ber_damaged"] is None


def test_a_precise_stream_arrives_whole(boot_own: BootOwn) -> None:
    ran = boot_own(
        "approximate-link", "sap/stream", NEAR, damage(DAMAGED, 1100, 5), "processes.stream.run.mode=precise"
    )
    sink, counts = found(ran, "sap-stream-sink", "sink"), ran.link("sta1", "sta2")
    assert (sink["lost"], sink["damaged"], sink["wrong_bits"], sink["right_share"]) == (0, 0, 0, 1)
    assert counts["damaged"] == DAMAGED and counts["retries"] == DAMAGED + counts["collided"]


def test_the_speed_of_the_walk_over_a_clean_link(boot_own: BootOwn) -> None:
    ran = boot_own("wired-pair", "sap/track")
    sink = found(ran, "sap-track-sink", "sink")
    assert sink["complete"] and sink["arrived"] == sink["expected"] == 945 and not sink["discarded"]
    assert sink["speed_m_s"] == pytest.approx(1.56, abs=1e-6)
    gaps = sink["inter_arrival"]  # the second point waits until the first has arrived for sure, 20 ms here
    assert gaps["p50_ns"] == pytest.approx(5e6, rel=0.01) == gaps["p99_ns"]
    assert gaps["max_ns"] == pytest.approx(20e6, rel=0.01)


def test_damaged_points_are_discarded_by_the_bound(boot_own: BootOwn) -> None:
    """A point is a sixth of its frame: some of 300 wrong bits hit the upper half of a double: a far-off point."""
    ran = boot_own("approximate-link", "sap/track", NEAR, damage(300, 1500, 10), "processes.sink.run.gaps=counted")
    sink = found(ran, "sap-track-sink", "sink")
    assert 3 <= sink["discarded_speed"] + sink["discarded_place"] == sink["discarded"]
    assert sink["lost"] + sink["arrived"] == 945 and sink["lost"] + sink["discarded"] < 300
    assert sink["speed_m_s"] == pytest.approx(1.56, rel=0.1)


def test_the_twin_over_tcp(boot_own: BootOwn) -> None:
    ran = boot_own(
        "approximate-link",
        "sap/track",
        NEAR,
        damage(50, 1500, 50),
        "processes.walk.run.transport=tcp",
        "processes.sink.run.tcp=true",
        "processes.sink.ready.listening=tcp/5001",
    )
    sink = found(ran, "sap-track-sink", "sink")
    assert sink["complete"] and sink["transport"] == "tcp"
    assert (sink["arrived"], sink["lost"], sink["discarded"]) == (945, 0, 0)
    assert sink["speed_m_s"] == pytest.approx(1.56, abs=1e-6)
    assert ran.link("sta1", "sta2")["retries"] >= 50


def test_a_picture_arrives_precisely_and_approximately(boot_own: BootOwn) -> None:
    ran = boot_own("approximate-link", "sap/picture")
    raw = ran.directory / "raw"
    sent = (raw / "send-precise.sent").read_bytes()
    assert (raw / "precise.received").read_bytes() == sent == (raw / "send-approximate.sent").read_bytes()
    received = (raw / "approximate.received").read_bytes()
    assert len(received) == len(sent) and received != sent
    assert received[:1024] == sent[:1024]  # the head is precise


def test_a_program_in_python_sends_and_receives(boot_own: BootOwn) -> None:
    """The binding in a node: what it reports is what was done to its frames."""
    ran = boot_own("approximate-link", "sap/notes", NEAR, damage(20, 1010, 2))
    arrived, *shown, wrong = (ran.directory / "raw" / "listen.out").read_text().splitlines()
    lost = 200 - int(arrived.removesuffix(" of 200 lines arrived"))
    damaged = int(wrong.removesuffix(" of them with errors"))
    assert damaged > 0 and 17 <= damaged + lost - ran.link("sta1", "sta2")["collided"] <= 20
    assert [line.partition(" from ")[0].split()[0] for line in shown] == ["line"] * 3


@pytest.mark.parametrize(
    ("transport", "retried"), [("udp", True), ("udplite", False), ("parity", False), ("sap", False)]
)
def test_speech_is_repeated_by_udp_only(boot_own: BootOwn, transport: str, retried: bool) -> None:
    """Of 40 frames with a wrong bit, what is sent once keeps the speech; where the head is hit, it is lost."""
    words = [f"processes.{process}.run.3={transport}" for process in ("send", "listen")]
    ran = boot_own("approximate-link", "sap/voice", NEAR, "processes.bulk.run.count=1", damage(40, 4001, 20), *words)
    heard = json.loads((ran.directory / "raw" / "listen.out").read_text())
    counts = ran.link("sta1", "sta2")
    assert counts["damaged"] >= 35 and (counts["retries"] >= 35) == retried
    assert heard["quality"] == pytest.approx(37.93, abs=0.01) if retried else 10 < heard["quality"] < 37
    assert heard["lost"] == 0 if retried or transport == "parity" else heard["lost"] < 8
    assert heard["delay"] < 5


OWN = """\
name: my-stream
stack: sap
duration: 3 s
roles: {server: 1, client: 1}
processes:
  - {on: server, run: {probe: sap-stream-sink}, as: sink, ready: {listening: udplite/5001}}
  - {on: client, at: 1 s, run: {probe: sap-streamer, to: "{server.ip}", bytes: 64 kB}, as: stream}
metrics:
  loss: {of: sink, unit: "%"}
checks:
  - {that: sink.complete}
"""


def test_a_workload_of_ones_own_uses_the_programs(tmp_path: Path) -> None:
    """As a user does it: a file in the current folder, and the command."""
    (tmp_path / "my.yaml").write_text(OWN)
    command = [str(LAB), "run", "approximate-link", "my.yaml", "--set", NEAR, "--out", "run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ran = Ran(tmp_path / "run")
    sink = found(ran, "sap-stream-sink", "sink")
    assert sink["complete"] and sink["expected"] == found(ran, "sap-streamer", "stream")["datagrams"]
    record = json.loads((ran.directory / "record.json").read_text())
    assert record["hashes"]["stack sap"]
