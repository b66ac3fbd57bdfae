# SPDX-License-Identifier: MIT
"""The lab's side of the comparisons: generated files resolve, results are read correctly. Without a guest."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from bench.lab_runs import load_wall_s
from bench.loads import UDP_PROGRAM, Load
from bench.medium_cost import wired
from bench.mininet_wifi import DOWNLOAD, HANDOFF, IDLE, STEADY, uplink
from bench.ns3.__main__ import Pair, median, remarks
from bench.ns3.download import Scenario
from bench.places import PHYS, behind_access_point
from lab.errors import RunError
from lab.plan.load import load
from lab.shared.types import Plan

SS = """\
ESTAB 0 0 10.0.0.1:40000 10.0.0.2:5201 cubic wscale:7,7 bytes_sent:900 bytes_acked:400 segs_out:9
ESTAB 0 0 10.0.0.1:40002 10.0.0.2:5201 cubic wscale:7,7 bytes_sent:9000 bytes_acked:5000 segs_out:9
ESTAB 0 0 10.0.0.1:40004 10.0.0.3:5201 cubic wscale:7,7 bytes_sent:9000
"""


def resolved(folder: Path, topology: str, workload: str) -> Plan:
    """The plan of two texts; InputError if they mean nothing."""
    shutil.copy(UDP_PROGRAM, folder)
    place, work = folder / "topology.yaml", folder / "workload.yaml"
    place.write_text(topology)
    work.write_text(workload)
    return load(str(place), str(work), 1, [])


@pytest.mark.parametrize("phy", PHYS)
@pytest.mark.parametrize(
    "work", [Load(2, 12), Load(2, 12, 36.0), Load(2, 12, 36.0, by_iperf3=True)], ids=["tcp", "udp", "udp-iperf3"]
)
def test_downloads_resolve(tmp_path: Path, phy: str, work: Load) -> None:
    plan = resolved(tmp_path, behind_access_point(PHYS[phy], 2), work.text())
    assert sum(node.radio is not None for node in plan.nodes) == 3
    assert any("rate" in node.radio.settings for node in plan.nodes if node.radio)
    senders = [process for process in plan.processes if process.id.startswith("flow")]
    reported = json.dumps([[process.argv, process.params] for process in senders])
    assert "10.0.0.2" in reported  # in the order of listing, h1 is the first
    assert "10.0.0.3" in reported


def test_the_other_files_resolve(tmp_path: Path) -> None:
    cable, same = wired(Load(3, 12), "tcp", 24.5)
    resolved(tmp_path, cable, same.text())
    resolved(tmp_path, behind_access_point(PHYS["11g-54"], 3), uplink(3))
    resolved(tmp_path, behind_access_point(PHYS["11g-54"], 3), IDLE)
    resolved(tmp_path, HANDOFF, STEADY)
    resolved(tmp_path, HANDOFF, DOWNLOAD)


def test_netem_counts_frames() -> None:
    place, _ = wired(Load(2, 12), "udp", 29.44)
    assert f"rate: {29.44 / 2 * 1514 / 1472:.5f} Mbit/s" in place


def events(folder: Path, *outputs: str) -> Path:
    """A finished run whose ss events printed that."""
    ping = {"params": {"argv": ["ping", "-qc1", "10.0.0.2"]}, "output": "1 received"}
    looks = [{"params": {"argv": ["ss", "-tinHO"]}, "output": output} for output in outputs]
    (folder / "guest.json").write_text(json.dumps({"events": [ping, *looks]}))
    return folder


def test_tcp_is_what_was_acknowledged_while_it_counts(tmp_path: Path) -> None:
    later = SS.replace("bytes_acked:5000", "bytes_acked:2505000").replace("sent:9000\n", "sent:1 bytes_acked:1250000\n")
    assert Load(2, 3).goodput_mbps(events(tmp_path, SS, later)) == [10.0, 5.0]


def test_tcp_counts_what_arrived_behind_a_hole(tmp_path: Path) -> None:
    holes = SS.replace(" bytes_sent:9000 bytes_acked:5000", " mss:1000 bytes_sent:9000 bytes_acked:5000 x sacked:1250")
    later = SS.replace("bytes_acked:5000", "bytes_acked:2505000")
    assert Load(2, 3).goodput_mbps(events(tmp_path, SS, holes)) == [5.0, 0.0]
    assert Load(2, 3).goodput_mbps(events(tmp_path, holes, later)) == [5.0, 0.0]


def test_a_connection_that_is_gone_is_no_zero(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="of 3 stations 2 had a connection at the end"):
        Load(3, 3).goodput_mbps(events(tmp_path, SS, SS))


def test_udp_leaves_the_first_second_out(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    for number in (1, 2):
        (tmp_path / "raw" / f"sink@sta{number}.out").write_text(f"[9, 125000, {number * 125000}]\n")
    assert Load(2, 3, 36.0).goodput_mbps(tmp_path) == [1.0, 1.5]


def test_wall_time_of_the_load(tmp_path: Path) -> None:
    for name, at_s in {"flow1.err": 100, "flow2.err": 101, "flow1.out": 104, "flow2.out": 103, "sink.out": 110}.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at_s, at_s))
    assert load_wall_s(tmp_path) == 4


@pytest.mark.parametrize(
    ("scenario", "seen", "said"),
    [
        (Scenario("11n-150", 1, "tcp"), Pair(100, 104.9, 1, 2.0, 3, 1.0), []),
        (Scenario("11n-150", 1, "tcp"), Pair(100, 105.1, 1, 2.0, 3, 1.0), ["GOODPUT"]),
        (Scenario("11n-150", 1, "tcp"), Pair(100, 94.9, 1, 1.9, 3, 1.0), ["GOODPUT", "SLOW"]),
        (Scenario("11n-150", 10, "tcp"), Pair(100, 100, 1, 1.5, 3, 1.0), []),
        (Scenario("11n-150", 10, "tcp"), Pair(100, 100, 1, 1.4, 3, 1.0), ["SLOW"]),
        (Scenario("11b-11", 1, "tcp"), Pair(100, 100, 1, 0.1, 3, 1.0), []),
        (
            Scenario("11a-54", 2, "tcp"),
            Pair(100, 100, 0.2, 1, 1, 1.0),
            ["UNFAIR: one got 0.20 of its share"],
        ),
    ],
)
def test_remarks(scenario: Scenario, seen: Pair, said: list[str]) -> None:
    assert remarks(scenario, seen) == said


def test_median_of_each_figure() -> None:
    pairs = [Pair(1, 2, 3, 4, 5, 6), Pair(9, 1, 9, 1, 9, 1), Pair(5, 5, 5, 5, 5, 5)]
    assert median(pairs) == Pair(5, 2, 5, 4, 5, 5)
