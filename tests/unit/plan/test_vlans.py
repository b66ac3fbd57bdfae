# SPDX-License-Identifier: MIT
"""VLANs of links, access points and hosts; addresses of bridges; and what cannot be."""

import pytest

from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans

IDLE = "name: there\nduration: 30 s\n"
TOPOLOGY = """\
name: here
nodes:
  h1: {kind: host}
  h2: {kind: host}
  r1: {kind: router}
  s1: {kind: switch}
  s2: {kind: switch}
  ap1: {kind: ap, ssid: lab, vlan: 10}
  sta1: {kind: sta}
links:
  - {between: [h1, s1], vlan: 10}
  - {between: [h2, s2], vlan: 20}
  - {between: [r1, s1], vlans: [10, 20]}
  - {between: [s1, s2]}
  - {between: [s2, ap1], vlans: [10]}
"""


def ports(plan: Plan, node: str) -> dict[str, tuple[int | None, list[int]]]:
    return {one.name: (one.vlan, one.vlans) for one in plan.node(node).interfaces}


def test_each_vlan_is_a_segment_with_a_subnet(plans: Plans) -> None:
    plan = plans(TOPOLOGY, IDLE)
    assert [plan.node(name).ip for name in ("h1", "h2", "sta1")] == ["10.0.0.2/24", "10.0.1.2/24", "10.0.0.3/24"]
    assert {one.name: one.ip for one in plan.node("r1").interfaces} == {
        "r1-eth0": None,
        "r1-eth0.10": "10.0.0.1/24",
        "r1-eth0.20": "10.0.1.1/24",
    }
    assert plan.node("r1").first_interface == "r1-eth0.10"


def test_ports_are_access_ports_or_trunks_and_links_between_switches_carry_all(plans: Plans) -> None:
    plan = plans(TOPOLOGY, IDLE)
    assert ports(plan, "s1") == {"s1-eth1": (10, []), "s1-eth2": (None, [10, 20]), "s1-eth3": (0, [10, 20])}
    assert ports(plan, "ap1") == {"ap1-eth2": (None, [10])}
    native = plans(TOPOLOGY.replace("vlans: [10, 20]}", "vlan: 99, vlans: [10, 20]}"), IDLE)
    assert ports(native, "s1")["s1-eth2"] == (99, [10, 20])
    assert native.node("r1").first_interface == "r1-eth0"


def test_a_topology_without_vlans_says_nothing_of_them(plans: Plans) -> None:
    assert "vlan" not in plans().to_json()


def test_vlans_have_names(plans: Plans) -> None:
    for name in ("vlan10", "s2.10", "ap1", "ap1.10"):
        plan = plans(f"{TOPOLOGY}subnets: {{{name}: 10.9.0.0/24}}\n", IDLE)
        assert plan.node("sta1").ip == "10.9.0.3/24", name


def test_tagged_interfaces_have_given_addresses(plans: Plans) -> None:
    text = TOPOLOGY.replace("vlans: [10, 20]}", "vlans: [10, 20], ip: {r1.10: 10.9.0.1/24, r1.20: 10.8.0.1/24}}")
    plan = plans(text, IDLE)
    assert [plan.node(name).ip for name in ("h1", "h2")] == ["10.9.0.2/24", "10.8.0.2/24"]


def test_a_bridge_has_an_address_in_its_vlan(plans: Plans) -> None:
    text = TOPOLOGY.replace("s1: {kind: switch}", "s1: {kind: switch, ip: 10.0.1.9, vlan: 20}")
    plan = plans(text.replace("lab, vlan: 10}", "lab, vlan: 10, ip: 10.0.0.9}"), IDLE)
    assert plan.node("s1").ip == "10.0.1.9/24" and plan.node("ap1").ip == "10.0.0.9/24"
    flat = plans("name: flat\nnodes:\n  s1: {kind: switch, ip: 10.0.0.1}\n  h1: {kind: host}\n"
                 "links: [{between: [h1, s1]}]\n", IDLE)  # fmt: skip
    assert [node.ip for node in flat.nodes] == ["10.0.0.1/8", "10.0.0.2/8"]
    assert all(one.ip is None for one in flat.node("s1").interfaces)


def test_two_links_in_different_vlans_are_not_a_loop(plans: Plans) -> None:
    apart = "  - {between: [s1, s2], vlan: 10}\n  - {between: [s1, s2], vlan: 20}\n"
    plans(TOPOLOGY.replace("  - {between: [s1, s2]}\n", apart), IDLE)
    loop = refused(plans, TOPOLOGY + "  - {between: [s1, s2], vlan: 10}\n", IDLE)
    assert "s1 and s2 are already connected in VLAN 10, and s1 runs no spanning tree" in loop


def test_a_network_whose_vlan_no_link_carries_is_a_warning(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    plans(TOPOLOGY.replace("vlans: [10]}", "vlans: [20]}"), IDLE)
    assert "no link of ap1 carries VLAN 10, so its stations reach only each other" in capsys.readouterr().err


def test_a_network_without_a_vlan_on_an_access_port_is_a_warning(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    plans(TOPOLOGY.replace("ssid: lab, vlan: 10", "ssid: lab").replace("vlans: [10]}", "vlan: 10}"), IDLE)
    said = "no link of ap1 carries untagged frames, so its stations reach only each other; write vlan: 10 at ap1"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vlan: 10}\n  - {between: [h2", "vlan: 0}\n  - {between: [h2", '"0" is not a valid VLAN; write a number from'),
        ("vlans: [10]}", "vlans: [4095]}", '"4095" is not a valid VLAN; write a number from 1 to 4094'),
        ("vlans: [10]}", "vlan: [10, 20]}", "untagged frames are of one VLAN; write vlans: [10, 20] for a trunk"),
        ("vlans: [10]}", "vlans: [10, 10]}", "10 is there twice; remove one of them"),
        ("vlans: [10]}", "vlans: all}", "name the VLANs, such as [10, 20]; a link between two switches without"),
        ("vlans: [10]}", "vlan: 10, vlans: [10]}", "VLAN 10 is also in vlans:, whose frames are tagged; remove it"),
        ("vlans: [10]}", "tag: 10}", 'unknown key "tag" (did you mean vlan?)'),
        ("vlans: [10]}", "trunk: true}", 'unknown key "trunk": write vlans: [10, 20]'),
        ("vlans: [10]}", "vlans: [10], native: 5}", 'unknown key "native": write vlan: with that number next to'),
        ("h1: {kind: host}", "h1: {kind: host, vlan: 10}", 'unknown key "vlan": it belongs to a link of this node'),
        ("s1: {kind: switch}", "s1: {kind: switch, vlan: 10}", "is that of its own address (ip:); for a port, write"),
        ("  - {between: [h1, s1], vlan: 10}", "  - {between: [h1, h2], vlan: 10}", "neither end is a switch or an acc"),
        ("vlans: [10, 20]}", "vlans: [10, 20], ip: {r1: 10.9.0.1/24}}", "all frames are tagged there; write r1.10"),
        ("vlans: [10, 20]}", "vlans: [10, 20], ip: {r1.30: 10.9.0.1/24}}", "is not an end of this link; write r1.10"),
        ("vlans: [10, 20]}", "vlans: [10, 20], ip: {s1.10: 10.9.0.1/24}}", "is not an end of this link; write r1.10"),
        ("s1: {kind: switch}", "s1: {kind: switch, ip: 10.7.0.1}", '"10.7.0.1" is not in'),
        (
            "s1: {kind: switch}",
            "s1: {kind: switch, controller: c0}\n  c0: {kind: controller}",
            "nodes.s1.controller: the flows of c0 send frames from one VLAN to another; remove this, or vlan:",
        ),
        ("links:", "subnets: {s1: 10.7.0.0/24}\nlinks:", 'unknown segment "s1"; known (VLANs, switches, access points'),
        ("links:", "subnets: {vlan10: 10.7.0.0/24, ap1: 10.6.0.0/24}\nlinks:", "vlan10 and ap1 are in one segment"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_reported_with_a_cure(plans: Plans, old: str, new: str, message: str) -> None:
    assert old in TOPOLOGY
    assert message in refused(plans, TOPOLOGY.replace(old, new, 1), IDLE)


def test_interfaces_have_names_that_linux_takes(plans: Plans) -> None:
    text = TOPOLOGY.replace("r1", "gateway1").replace("10, 20]", "10, 1000]")
    wrong = refused(plans, text, IDLE)
    assert "gateway1 would have an interface gateway1-eth0.10, and Linux allows 15 characters; give it a name" in wrong


def test_a_mesh_is_in_the_vlan_of_its_gates_port(plans: Plans) -> None:
    mesh = "{kind: mesh, mesh_id: village, ip: dhcp"
    nodes = f"  m1: {mesh}, gate: true}}\n  m2: {mesh}}}\n  h3: {{kind: host, ip: dhcp}}\nlinks:\n"
    links = "  - {between: [s2, m1], vlan: 20}\n  - {between: [m1, h3]}\n"
    text = TOPOLOGY.replace("links:\n", nodes).replace("{kind: router}", "{kind: router, dhcp: [m1]}") + links
    plan = plans(text + "subnets: {vlan20: 10.7.0.0/24}\n", IDLE)
    assert plan.node("h2").ip == "10.7.0.2/24"
    given = plan.node("r1").addressing
    assert given is not None and [one.interface for one in given.pools] == ["r1-eth0.20"]
