# SPDX-License-Identifier: MIT
"""OpenFlow: controllers, flow rules, and what happens without them; loops of switches with a spanning tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab import Lab, event
from lab.errors import RunError

pytestmark = pytest.mark.guest

RULES = """\
name: rules
nodes:
  h1: {kind: host}
  h2: {kind: host}
  h3: {kind: host}
  s1:
    kind: switch
    openflow: ["priority=1,actions=normal", "priority=9,icmp,in_port=s1-eth1,nw_dst=10.0.0.2,actions=drop"]
links:
  - {between: [h1, s1]}
  - {between: [h2, s1]}
  - {between: [h3, s1]}
"""
LOOP = """\
name: loop
nodes:
  h1: {kind: host}
  h2: {kind: host}
  s: {kind: switch, count: 3, stp: true}
links:
  - {between: [h1, s1]}
  - {between: [h2, s3]}
  - {between: [s1, s2]}
  - {between: [s2, s3]}
  - {between: [s3, s1], name: shortcut}
"""
TRIANGLE = """\
name: triangle
nodes:
  h1: {kind: host}
  s1: {kind: switch, stp: true}
  ap1: {kind: ap, ssid: lab, stp: true}
  ap2: {kind: ap, ssid: lab, channel: 6, stp: true, ip: 10.0.0.200}
  sta1: {kind: sta}
  sta2: {kind: sta}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
  - {between: [ap1, ap2]}
"""
ROUTED = """\
name: routed
nodes:
  c0: {kind: controller}
  h1: {kind: host}
  s1: {kind: switch, controller: c0, ip: 10.1.0.200}
  r1: {kind: router, dhcp: server}
  ap1: {kind: ap, ssid: lab, controller: c0}
  sta1: {kind: sta, ip: dhcp}
links:
  - {between: [h1, s1]}
  - {between: [s1, r1]}
  - {between: [r1, ap1]}
subnets: {s1: 10.1.0.0/24, ap1: 10.2.0.0/24}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "t.yaml"
    path.write_text(text)
    return path


def received(net: Lab, node: str, to: str, count: int = 3) -> int:
    """How many pings were answered."""
    text = net[node].run(["ping", "-c", str(count), "-i", "0.2", "-W", "1", to]).stdout
    return int(re.findall(r"(\d+) received", text)[0])


@pytest.mark.parametrize(("app", "after"), [("learning", 0), ("roaming", 5)])
def test_flows_follow_a_station_only_if_the_application_does(tmp_path: Path, app: str, after: int) -> None:
    """With an application that only learns, the server's flow leads to the old access point for ever."""
    settings = {"topology.nodes.c0.app": app}
    with Lab("openflow-handoff", set=settings, duration="30 s", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "sta1") == 3
        net.run_until("6 s")
        assert net["sta1"].ap == "ap2"
        assert received(net, "h1", "sta1", 5) == after


def test_rules_of_the_file_and_of_events(tmp_path: Path) -> None:
    with Lab(written(tmp_path, RULES), duration="30 s", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "h2") == 0
        assert received(net, "h1", "h3") == 3
        net.do(
            event("openflow", "s1", delete=["icmp,in_port=s1-eth1"], add=["priority=9,in_port=s1-eth3,actions=drop"])
        )
        assert received(net, "h1", "h2") == 3
        assert received(net, "h1", "h3") == 0


def test_what_open_vswitch_refuses_is_reported_in_its_own_words(tmp_path: Path) -> None:
    with (
        Lab(written(tmp_path, RULES), duration="30 s", directory=tmp_path / "lab") as net,
        pytest.raises(RunError, match="openflow s1: ovs-ofctl -O OpenFlow13 add-flows s1 - ended with 1: .*: zz: inv"),
    ):
        net.do(event("openflow", "s1", add=["dl_src=zz,actions=drop"]))


def test_a_mistake_in_an_application_is_reported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def received(:\n")
    topology = written(tmp_path, "name: t\nnodes:\n  c0: {kind: controller, app: mine.py}\n")
    said = r"(?s)controller on c0 ended with status 1.*mine\.py\", line 1\n.*SyntaxError: inv"
    with (
        pytest.raises(RunError, match=said),
        Lab(topology, duration="1 s", directory=tmp_path / "lab"),
    ):
        pass


@pytest.mark.parametrize(("mode", "answers"), [("secure", 0), ("standalone", 3)])
def test_what_a_switch_does_without_its_controller(tmp_path: Path, mode: str, answers: int) -> None:
    """Its wire is cut before any flow exists; the switch notices at the third probe."""
    topology = (
        "name: cut\nnodes:\n  c0: {kind: controller}\n  h1: {kind: host}\n  h2: {kind: host}\n"
        f"  s1: {{kind: switch, controller: c0, fail_mode: {mode}}}\n"
        "links:\n  - {between: [h1, s1]}\n  - {between: [h2, s1]}\n"
    )
    with Lab(written(tmp_path, topology), duration="2 min", directory=tmp_path / "lab") as net:
        net.do(event("link", "c0-s1", to="down"))
        net.run_until("60 s")
        assert received(net, "h1", "h2") == answers


def test_an_access_point_has_open_vswitch_also_without_a_switch(tmp_path: Path) -> None:
    with Lab("dual-band", set={"nodes.ap1.stp": "true"}, duration="30 s", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "sta1") == 3
        net.run_until("12 s")
        assert received(net, "h1", "sta1") == 3


def test_switches_in_a_loop_find_a_tree_and_another_one_when_a_link_fails(tmp_path: Path) -> None:
    with Lab(written(tmp_path, LOOP), duration="2 min", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "h2") == 3
        net.do(event("link", "shortcut", to="down"))
        net.run_for("10 s")
        assert received(net, "h1", "h2") == 3


def test_access_points_are_part_of_a_tree(tmp_path: Path) -> None:
    """A triangle of a switch and two access points: stations roam, and the tree survives a failed link."""
    with Lab(written(tmp_path, TRIANGLE), duration="2 min", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "sta1") == received(net, "sta1", "sta2") == 3
        assert received(net, "h1", "ap2") == 3
        net.do(event("roam", "sta1", to="ap2"))
        net.run_for("2 s")
        assert net["sta1"].ap == "ap2"
        assert received(net, "h1", "sta1") == received(net, "sta2", "sta1") == 3
        net.do(event("link", "s1-ap2", to="down"))
        net.run_for("10 s")
        assert received(net, "h1", "sta1") == received(net, "h1", "sta2") == 3


def test_power_returns_while_a_link_of_the_tree_is_down(tmp_path: Path) -> None:
    """The port without a carrier has no role: nothing waits for it."""
    with Lab(written(tmp_path, TRIANGLE), duration="2 min", directory=tmp_path / "lab") as net:
        net.do(event("link", "s1-ap2", to="down"))
        net.do(event("power", "ap2", to="off"))
        net.run_for("1 s")
        net.do(event("power", "ap2", to="on"))
        net.run_for("10 s")
        assert received(net, "h1", "ap2") == 3


def test_a_controller_has_bridges_in_several_subnets(tmp_path: Path) -> None:
    """Its own wires are apart from all subnets."""
    with Lab(written(tmp_path, ROUTED), duration="30 s", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "sta1") == received(net, "sta1", "h1") == 3
        assert received(net, "sta1", "s1") == 3
        flows = [net[name].run(["ovs-ofctl", "dump-flows", name], check=True).stdout for name in ("s1", "ap1")]
        assert all("in_port=" in text for text in flows)
