# SPDX-License-Identifier: MIT
"""Meshes that a topology describes: they heal, keep strangers out, and reach wired hosts through a gate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab import Lab, event
from lab.library import own_folder

pytestmark = pytest.mark.guest

PEERED = """\
name: peered
nodes:
  m1: {kind: mesh, mesh_id: village, encrypt: wpa3, passwd: secret-words, root: true}
  m2: {kind: mesh, mesh_id: village, encrypt: wpa3, passwd: secret-words}
  m3: {kind: mesh, mesh_id: village, encrypt: wpa3, passwd: other-words, awaited: false}
medium: {}
"""
ROUTED = """\
name: routed
nodes:
  m1: {kind: mesh, mesh_id: village, position: [0 m, 0 m, 5 m]}
  m2: {kind: mesh, mesh_id: village, gate: true, position: [30 m, 0 m, 5 m]}
  r1: {kind: router, nat: [web-r1]}
  web: {kind: host}
links:
  - {between: [r1, m2]}
  - {between: [web, r1], name: web-r1}
medium: {}
"""
WALK = """\
name: walk
nodes:
  m1: {kind: mesh, mesh_id: village, position: [0 m, 0 m, 5 m]}
  m2: {kind: mesh, mesh_id: village, position: [30 m, 0 m, 5 m]}
medium: {propagation: {model: logDistance, exp: 4}}
"""


def received(net: Lab, node: str, to: str) -> int:
    """How many of three pings were answered."""
    text = net[node].run(["ping", "-c", "3", "-i", "0.2", "-W", "1", to]).stdout
    return int(re.findall(r"(\d+) received", text)[0])


def peers(net: Lab, node: str) -> set[str]:
    """The nodes with which a mesh point has a peer link."""
    dump = net[node].run(["iw", "dev", f"{node}-wlan0", "station", "dump"], check=True).stdout
    established = re.findall(r"^Station (\S+).*(?:\n\t.*)*?\n\tmesh plink:\tESTAB", dump, re.MULTILINE)
    names = {spec.radio.mac: name for name in net.nodes if (spec := net.plan.node(name)).radio}
    return {names[mac] for mac in established}


def next_hop(net: Lab, node: str, to: str) -> str:
    """The first node on the path."""
    radios = {spec.name: spec.radio.mac for spec in net.plan.nodes if spec.radio}
    argv = ["iw", "dev", f"{node}-wlan0", "mpath", "get", radios[to]]
    hop = net[node].run(argv, check=True).stdout.split()[1]
    return next(name for name, mac in radios.items() if mac == hop)


def test_a_mesh_heals_when_a_node_on_the_path_loses_power(tmp_path: Path) -> None:
    text = (own_folder("topology") / "mesh.yaml").read_text()
    (tmp_path / "mesh.yaml").write_text(text.partition("timeline:")[0])
    with Lab(tmp_path / "mesh.yaml", duration="60 s", directory=tmp_path / "lab") as net:
        assert peers(net, "m1") == peers(net, "m4") == {"m2", "m3"}
        assert received(net, "m1", "h1") == 3
        first = next_hop(net, "m1", "m4")
        (other,) = {"m2", "m3"} - {first}
        net.do(event("power", first, to="off"))
        net["m1"].run(["ping", "-c", "60", "-i", "0.05", "-W", "1", "h1"])
        assert received(net, "m1", "h1") == 3
        assert next_hop(net, "m1", "m4") == other
        net.do(event("power", other, to="off"))
        assert received(net, "m1", "h1") == 0
        net.do(event("power", first, to="on"))
        net.run_for("5 s")
        assert first in peers(net, "m1")
        assert received(net, "m1", "h1") == 3


def test_a_gate_is_one_again_after_a_power_cut(tmp_path: Path) -> None:
    (tmp_path / "routed.yaml").write_text(ROUTED)
    with Lab(tmp_path / "routed.yaml", duration="60 s", directory=tmp_path / "lab") as net:
        assert received(net, "m1", "web") == 3  # through gate and router
        assert received(net, "m2", "m1") == received(net, "m2", "web") == 3
        net.do(event("power", "m2", to="off"))
        net.run_for("1 s")
        assert received(net, "m1", "web") == 0
        net.do(event("power", "m2", to="on"))
        net.run_for("10 s")
        assert received(net, "m1", "web") == 3
        asked = net["m2"].run(["iw", "dev", "m2-wlan0", "get", "mesh_param", "mesh_gate_announcements"], check=True)
        assert asked.stdout.strip() == "1"


def test_a_wrong_passphrase_keeps_a_node_out(tmp_path: Path) -> None:
    (tmp_path / "peered.yaml").write_text(PEERED)
    with Lab(tmp_path / "peered.yaml", duration="30 s", directory=tmp_path / "lab") as net:
        net.run_until("10 s")
        assert (peers(net, "m1"), peers(net, "m2"), peers(net, "m3")) == ({"m2"}, {"m1"}, set())
        assert received(net, "m1", "m2") == 3
        assert received(net, "m1", "m3") == 0
        root = net["m1"].run(["iw", "dev", "m1-wlan0", "get", "mesh_param", "mesh_hwmp_rootmode"], check=True)
        assert root.stdout.split()[0] == "4"


def test_mesh_points_move_and_change_their_power(tmp_path: Path) -> None:
    """A chain of two: the link ends where the other hears nothing, and comes back in range or with more power."""
    (tmp_path / "walk.yaml").write_text(WALK)
    with Lab(tmp_path / "walk.yaml", duration="60 s", directory=tmp_path / "lab") as net:
        assert received(net, "m1", "m2") == 3
        net.do(event("move", "m2", to=["600 m", "0 m", "5 m"]))
        net.run_for("1 s")
        assert received(net, "m1", "m2") == 0
        net.do(event("move", "m2", to=["30 m", "0 m", "5 m"]))
        net.run_for("10 s")
        assert received(net, "m1", "m2") == 3
        for name in ("m1", "m2"):
            net.do(event("txpower", name, to="-60 dBm"))
        net.run_for("1 s")
        assert received(net, "m1", "m2") == 0
        for name in ("m1", "m2"):
            net.do(event("txpower", name, to="20 dBm"))
        net.run_for("10 s")
        assert received(net, "m1", "m2") == 3
