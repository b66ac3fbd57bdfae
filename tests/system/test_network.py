# SPDX-License-Identifier: MIT
"""Links, switches and radios do what the topology says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lab import runs
from lab.captures.pcap import read
from lab.record.build import build
from lab.shared.types import Plan
from tests import stored
from tests.system.conftest import WIRED, Ran
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest


def test_open_vswitch_loses_no_first_packet_and_uses_the_kernel(boot: Callable[..., Ran]) -> None:
    """Without a CPU in /sys, it started no upcall handlers and lost the first packet of every flow."""
    ran = boot(
        WIRED,
        """
name: first
roles: {client: 1, server: 1}
duration: 3 s
timeline:
  - {at: 0.5 s, exec: h2, run: [ping, -c, "3", -i, "0.2", "10.0.0.1"]}
  - {at: 1.5 s, exec: s1, run: [ovs-appctl, -t, /run/openvswitch/vswitchd.ctl, dpif/show]}
""",
    )
    pings, datapath = ran.outputs()
    assert "3 packets transmitted, 3 received, 0% packet loss" in pings
    assert "system@ovs-system" in datapath


def test_netem_shapes_delay_and_rate_of_each_direction(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED.replace("between: [h1, s1]", "between: [h1, s1], delay: 20 ms, rate: 10 Mbit/s"),
        """
name: shape
duration: 4 s
timeline:
  - {at: 1 s, exec: h2, run: [ping, -c, "2", -i, "0.2", "10.0.0.1"]}
  - {at: 2 s, netem: h1-s1, delay: 50 ms}
  - {at: 3 s, exec: h2, run: [ping, -c, "2", -i, "0.2", "10.0.0.1"]}
""",
    )
    before, after = (min(float(ms) for ms in re.findall(r"time=([\d.]+) ms", text)) for text in ran.outputs())
    # 98 bytes at 10 Mbit/s take 0.08 ms each way; ping prints three digits
    assert before == pytest.approx(40.2, abs=0.1)
    assert after == pytest.approx(100.0, abs=0.3)


def test_frames_are_no_longer_than_ethernet_and_both_directions_keep_the_rate(boot: Callable[..., Ran]) -> None:
    """Offloads would make netem lose and delay bunches of segments; Open vSwitch would delete a port's queue."""
    ran = boot(
        WIRED.replace("between: [h1, s1]", "between: [h1, s1], rate: 10 Mbit/s"),
        """
name: frames
roles: {client: 1, server: 1}
duration: 9 s
processes:
  - {on: server, run: [iperf3, -s], as: server, ready: {listening: tcp/5201}}
timeline:
  - {at: 1 s, exec: h2, run: [iperf3, -c, "10.0.0.1", -t, "2", -J]}
  - {at: 5 s, exec: h2, run: [iperf3, -c, "10.0.0.1", -t, "2", -J, -R]}
probes:
  - {on: client, probe: tcpdump, as: capture}
  - {on: server, probe: tcpdump, as: capture-server}
""",
    )
    for output in ran.outputs():
        rate_bps = json.loads(output)["end"]["sum_received"]["bits_per_second"]
        # 1448 of 1514 bytes are payload; iperf3 counts over its own clock, start and end of the flow included
        assert rate_bps == pytest.approx(10e6 * 1448 / 1514, rel=0.06)
    for name in ("capture", "capture-server"):
        frames = read((ran.directory / "raw" / f"{name}.pcap").read_bytes())
        assert max(frames.length) == 1514


def test_a_link_that_is_unplugged_carries_nothing(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        """
name: unplug
duration: 6 s
timeline:
  - {at: 1 s, link: h1-s1, to: down}
  - {at: 1.1 s, exec: h2, run: [sh, -c, "ping -c 1 -W 1 10.0.0.1 || true"]}
  - {at: 3 s, link: h1-s1, to: up}
  - {at: 4 s, exec: h2, run: [sh, -c, "ping -c 1 -W 1 10.0.0.1 || true"]}
""",
    )
    down, up = ran.outputs()
    assert "100% packet loss" in down
    assert " 0% packet loss" in up


@pytest.mark.parametrize(
    "radio",
    [
        "mode: b, channel: 11",
        "mode: a, channel: 36",
        "mode: n, channel: 44",
        "mode: g, encrypt: wpa2, passwd: correcthorse",
        "mode: n, channel: 6, encrypt: wpa3, passwd: correcthorse",
    ],
)
def test_a_station_joins_every_kind_of_network(boot: Callable[..., Ran], radio: str) -> None:
    ran = boot(
        f"""
name: radio
nodes:
  h1: {{kind: host}}
  ap1: {{kind: ap, ssid: net, {radio}}}
  sta1: {{kind: sta}}
links:
  - {{between: [h1, ap1]}}
""",
        """
name: ping
duration: 3 s
timeline:
  - {at: 1 s, exec: sta1, run: [ping, -c, "2", -i, "0.2", "10.0.0.1"]}
""",
    )
    assert " 0% packet loss" in ran.outputs()[0]


def test_processes_are_asked_to_end_and_a_stopped_one_is_no_failure(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        """
name: stop
roles: {client: 1}
duration: 3 s
processes:
  - {on: client, at: 0 s, run: [sleep, "100"], as: sleeper}
timeline:
  - {at: 1 s, stop: sleeper}
""",
    )
    assert ran.guest()["error"] is None


@pytest.mark.parametrize("end", ["timeline: [{at: 1 s, stop: faulty}]", "may_run_on"])
def test_one_that_crashes_when_it_is_stopped_is_a_failure(tmp_path: Path, end: str) -> None:
    """Its output may be incomplete."""
    (tmp_path / "place.yaml").write_text(WIRED)
    may = ", may_run_on: true" if end == "may_run_on" else ""
    crash = "trap 'kill -SEGV $$' INT TERM; while :; do sleep 0.1; done"
    (tmp_path / "load.yaml").write_text(
        "name: crash\nroles: {client: 1}\nduration: 2 s\nprocesses:\n"
        f'  - {{on: client, at: 0 s, run: [bash, -c, "{crash}"], as: faulty{may}}}\n{end if not may else ""}\n'
    )
    done = lab("run", "place.yaml", "load.yaml", "--out", "out", cwd=tmp_path, status=1)
    assert "load.yaml:5: faulty was killed by SIGSEGV" in done.stderr


def test_what_is_up_before_the_timeline_is_stopped_at_its_time(boot: Callable[..., Ran]) -> None:
    """A stop counts from the timeline's start, not from the boot; a probe that samples can be stopped, too."""
    ran = boot(
        WIRED,
        """
name: early
roles: {client: 1, server: 1}
duration: 5 s
processes:
  - {on: server, run: [iperf3, -s], as: server, ready: {listening: tcp/5201}, stop: 3 s}
probes:
  - {on: client, probe: counters, every: 500 ms, as: watch}
timeline:
  - {at: 1750 ms, stop: watch}
  - {at: 2.9 s, exec: h1, run: [sh, -c, "ss -ltn | grep -c :5201 || true"]}
  - {at: 4 s, exec: h1, run: [sh, -c, "ss -ltn | grep -c :5201 || true"]}
""",
    )
    assert [output.strip() for output in ran.outputs()] == ["1", "0"]
    samples = [line for line in ran.raw("watch.out").splitlines() if line.startswith("### ")]
    assert len(samples) == 4


CUT_SHORT = """
name: short
roles: {client: 1, server: 1}
duration: 4 s
processes:
  - {on: server, run: {probe: iperf3-server}, as: sink, ready: {listening: tcp/5201}}
  - on: client
    at: 1 s
    run: {probe: iperf3, server: "{server.ip}", duration: 10 s, rate: 8 Mbit/s}
    as: flow
    may_run_on: true
metrics:
  goodput: {of: sink, unit: Mbit/s}
checks:
  - {that: goodput.mean > 7 Mbit/s}
"""


def test_what_a_server_measured_until_the_end_of_the_run_counts(
    tmp_path: Path, machine: runs.Machine, plan_of: Callable[..., Plan]
) -> None:
    """Its client ends first, and can no longer tell it that the test is over."""
    record = stored.run_plan(plan_of(WIRED, CUT_SHORT), machine, tmp_path / "run")
    assert record.passed, record.data["checks"]
    assert record.metrics["goodput"].values["mean"] == pytest.approx(8, rel=0.1)


NOBODY = """\
name: nobody
roles: {server: 1, client: 1}
duration: 12 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 100 ms, count: 20}, as: lucky, at: 100 ms}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 100 ms}, as: never, at: 4 s}
metrics:
  loss: {of: sink, unit: "%"}
  goodput: {of: sink, unit: kbit/s}
timeline:
  - {at: 3500 ms, netem: h1-s1, loss: 100%}
"""


def test_a_flow_of_which_nothing_arrives_is_lost(boot: Callable[..., Ran]) -> None:
    """Even if its sender never got an answer: the host itself drops packets that it has no neighbour for."""
    metrics = build(boot(WIRED, NOBODY).directory, hashes={}).metrics
    found = {name: {row["process"]: row for row in result.rows} for name, result in metrics.items()}
    assert found["loss"]["lucky"]["loss"] == 0 and found["goodput"]["lucky"]["goodput"] > 0
    assert found["loss"]["never"]["loss"] == 100 and found["loss"]["never"]["sent"] > 20
    assert found["goodput"]["never"]["goodput"] == 0


def test_a_sender_whose_neighbour_never_answers_is_no_failure(boot: Callable[..., Ran]) -> None:
    """Its host drops what it sends, and says so to the program."""
    alone = re.sub(r".*as: lucky.*\n", "", NOBODY).replace("3500 ms", "100 ms").replace("at: 4 s", "at: 1 s")
    ran = boot(WIRED, alone)
    (sent,) = (json.loads(line) for line in ran.raw("never.out").splitlines())
    assert sent["sent"] == 0 and sent["unanswered"] > 50
    (row,) = build(ran.directory, hashes={}).metrics["loss"].rows
    assert (row["process"], row["loss"]) == ("never", 100)


GROUP = """\
name: group
medium: {}
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x}
  sta1: {kind: sta, roles: [client]}
  sta2: {kind: sta, roles: [client]}
links: [{between: [h1, ap1]}]
timeline:
  - {at: 100 ms, fault: damage, frames: data, to: sta2, share: 50%, count: 100000}
"""
TO_ALL = """\
name: to-all
roles: {server: 1, client: 2}
duration: 4 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sender, to: "10.255.255.255", every: 20 ms, count: 100}, as: load}
metrics:
  loss: {of: sink, unit: "%"}
"""


def test_a_sender_reaches_a_group(boot: Callable[..., Ran]) -> None:
    """Nobody answers for a broadcast address; each sink counts what arrives there, and loss is that of each station."""
    ran = boot(GROUP, TO_ALL)
    assert json.loads(ran.raw("load.out")) == {"sent": 100, "unanswered": 0}
    at_sta1, at_sta2 = (flow["packets"] for name in ("sta1", "sta2") for flow in ran.flows(f"sink@{name}").values())
    assert at_sta1 == 100
    assert 30 < at_sta2 < 70
    rows = build(ran.directory, hashes={}).metrics["loss"].rows
    assert [row["sent"] - row["lost"] for row in rows] == [100, at_sta2]
    assert rows[0]["loss"] == 0
    assert 30 < rows[1]["loss"] < 70


def test_the_clocks_of_nodes_begin_at_the_date_of_the_topology(boot: Callable[..., Ran]) -> None:
    workload = 'name: date\nduration: 1 s\nprocesses:\n  - {on: h1, run: [date, -u, "+%F %H:%M"], as: date}\n'
    assert boot(WIRED, workload).raw("date.out") == "2026-01-01 00:00\n"
    assert boot(f'start: "2031-05-04 12:30:00"\n{WIRED}', workload).raw("date.out") == "2031-05-04 12:30\n"
