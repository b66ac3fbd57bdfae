# SPDX-License-Identifier: MIT
"""Mesh points in a topology: what they become in a plan, and what is refused."""

from __future__ import annotations

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.report.topology import heard
from lab.runs.dry_run import commands
from lab.shared.types import Plan, Radio
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
MESH = "kind: mesh, mesh_id: village"
SECURE = f"{MESH}, encrypt: wpa3, passwd: secret-words"


def topology(*nodes: str, rest: str = "medium: {}\n") -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + rest


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


def test_a_mesh_point_joins_by_wpa_supplicant(plans: Plans) -> None:
    plan = plans(topology(f"m1: {{{MESH}, channel: 6}}", f"m2: {{{MESH}, channel: 6}}"), WORKLOAD)
    assert [node.ip for node in plan.nodes] == ["10.0.0.1/8", "10.0.0.2/8"]
    lines = wpa_supplicant_conf(radio(plan, "m1")).splitlines()
    for line in ('ssid="village"', "mode=5", "frequency=2437", "key_mgmt=NONE", "disable_ht=1", "disable_ht40=1"):
        assert f"\t{line}" in lines
    assert "# wait for m1 to have a peer link with m2" in commands(plan)


def test_a_secure_mesh_has_sae(plans: Plans) -> None:
    plan = plans(
        topology(f"m1: {{{SECURE}, mode: n, channel: 36}}", f"m2: {{{SECURE}, mode: n, channel: 36}}"), WORKLOAD
    )
    lines = wpa_supplicant_conf(radio(plan, "m1")).splitlines()
    assert {"\tkey_mgmt=SAE", '\tsae_password="secret-words"', "\tieee80211w=2", "\tfrequency=5180"} < set(lines)
    assert "\tdisable_ht=1" not in lines


def test_parameters_are_set_once_it_has_joined(plans: Plans) -> None:
    plan = plans(
        topology(
            f"m1: {{{MESH}, root: true}}",
            f"m2: {{{MESH}, gate: true, mesh_params: {{mesh_rssi_threshold: -80, mesh_fwding: false}}}}",
            "h1: {kind: host}",
            rest="links: [{between: [h1, m2]}]\n",
        ),
        WORKLOAD,
    )
    set_param = "iw dev {0}-wlan0 set mesh_param"
    noted = [line for line in commands(plan) if line.startswith("# once it has joined the mesh: ")]
    assert [line.removeprefix("# once it has joined the mesh: ") for line in noted] == [
        f"{set_param.format('m1')} mesh_hwmp_rootmode=4",
        f"{set_param.format('m2')} mesh_rssi_threshold=-80",
        f"{set_param.format('m2')} mesh_fwding=0",
        f"{set_param.format('m2')} mesh_gate_announcements=1",
        "ip link set m2-wlan0 master br0",
    ]
    assert plan.node("m2").first_interface == "br0"
    mesh = radio(plan, "m2").mesh
    assert mesh is not None and mesh.params[0].source == "t.yaml:4"


def test_who_is_awaited_depends_on_who_is_heard(plans: Plans) -> None:
    def awaited(*nodes: str) -> list[str]:
        plan = plans(topology(*nodes), WORKLOAD)
        return [line.removeprefix("# ") for line in commands(plan) if "peer link" in line or "hears no" in line]

    near = f"m1: {{{MESH}, position: [0 m, 0 m, 0 m]}}"
    assert awaited(
        near, f"m2: {{{MESH}, position: [50 m, 0 m, 0 m]}}", f"m3: {{{MESH}, position: [230 m, 0 m, 0 m]}}"
    ) == [
        "wait for m1 to have a peer link with m2",
        "wait for m2 to have a peer link with m1",
        "wait for m3 to have a peer link with m1 or m2",
    ]
    assert awaited(near, f"m2: {{{MESH}, position: [2 km, 0 m, 0 m]}}") == [
        "m1 hears no other mesh point",
        "m2 hears no other mesh point",
    ]
    assert awaited(near, f"m2: {{{MESH}, awaited: false, position: [5 m, 0 m, 0 m]}}") == [
        "m1 hears no other mesh point"
    ]


def test_behind_a_gate_is_the_same_segment(plans: Plans) -> None:
    plan = plans(
        topology(
            f"m1: {{{MESH}}}",
            f"m2: {{{MESH}, gate: true}}",
            "r1: {kind: router}",
            "h1: {kind: host}",
            rest="links: [{between: [r1, m2]}, {between: [h1, r1]}]\n",
        ),
        WORKLOAD,
    )
    assert [plan.node(name).ip for name in ("m1", "m2")] == ["10.0.0.2/24", "10.0.0.3/24"]
    assert [one.ip for one in plan.node("m2").interfaces] == [None]
    addressing = plan.node("m1").addressing
    assert addressing is not None and [(one.to, one.via) for one in addressing.routes] == [("default", "10.0.0.1")]


def test_a_picture_has_all_pairs_of_a_mesh(plans: Plans) -> None:
    plan = plans(topology(*(f"m{n}: {{{MESH}, position: [{20 * n} m, 0 m, 0 m]}}" for n in range(5))), WORKLOAD)
    pairs, meaning = heard(plan)
    assert len(pairs) == 10 and meaning == "hear each other, at this SNR at the start"


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([f"m1: {{{MESH}, encrypt: wpa2}}"],
         't.yaml:3  nodes.m1.encrypt: "wpa2" is not one of open, wpa3; a mesh has SAE: write wpa3, or open'),
        ([f"m1: {{{MESH}, encrypt: wpa3}}"],
         "t.yaml:3  nodes.m1.encrypt: wpa3 needs a passphrase; write passwd: with 8 to 63 characters"),
        ([f"m1: {{{MESH}, passwd: secret-words}}"], "t.yaml:3  nodes.m1.passwd: a passphrase needs encrypt: wpa3"),
        ([f"m1: {{{MESH}, gate: true}}"],
         "t.yaml:3  nodes.m1.gate: a gate needs a link; write links: [{between: [m1, …]}], or root: true"),
        ([f"m1: {{{MESH}}}", f"m2: {{{MESH}, channel: 6}}"],
         "t.yaml:4  nodes.m2.channel: m1 has 1, so both are never peers; write the same, or awaited: false if you want "
         "that"),
        ([f"m1: {{{MESH}}}", f"m2: {{{SECURE}}}"],
         "t.yaml:4  nodes.m2.encrypt: m1 has open, so both are never peers; write the same, or awaited: false if you "
         "want that"),
        ([f"m1: {{{MESH}, channel: 14}}"],
         "t.yaml:3  nodes.m1.channel: mode g has no channel 14 in country DE; use 1\N{EN DASH}13"),
        ([f"m1: {{{MESH}, root: true, mesh_params: {{mesh_hwmp_rootmode: 3}}}}"],
         "t.yaml:3  nodes.m1.root: mesh_params has mesh_hwmp_rootmode, which says how it is a root; remove one of "
         "them"),
        ([f"m1: {{{MESH}, mesh_params: {{mesh_max_peer_links: 2}}}}"],
         "t.yaml:3  nodes.m1.mesh_params.mesh_max_peer_links: wpa_supplicant makes the peer links; write "
         "wpa_supplicant: {max_peer_links: …}"),
        ([f"m1: {{{MESH}, mesh_params: {{mesh_ttl: 1.5}}}}"],
         "t.yaml:3  nodes.m1.mesh_params.mesh_ttl: needs a whole number, true (1) or false (0), or a word of iw"),
        ([f"m1: {{{MESH}, mesh_params: fast}}"],
         "t.yaml:3  nodes.m1.mesh_params: must be a mapping, such as {mesh_rssi_threshold: -80}"),
    ],
)  # fmt: skip
def test_what_cannot_be(plans: Plans, nodes: list[str], message: str) -> None:
    assert refused(plans, topology(*nodes), WORKLOAD) == message


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (f"m1: {{{MESH}, mesh_params: {{mesh_rssi_treshold: -80}}}}", "(did you mean mesh_rssi_threshold?)"),
        ("m1: {kind: mesh, ssid: village}", 'unknown key "ssid" (did you mean mesh_id?)'),
        (f"m1: {{{MESH}, width: 40 MHz}}", "a mesh is 20 MHz wide; remove this"),
        ("sta1: {kind: sta, meshID: village}", "it is for kind: mesh (here: mesh_id)"),
        ("sta1: {kind: sta, mesh: village}", "write a node of kind mesh: {kind: mesh, mesh_id: village}"),
    ],
)
def test_words_of_others_are_answered(plans: Plans, node: str, said: str) -> None:
    assert said in refused(plans, topology(node), WORKLOAD)


def test_links_are_not_wireless_ones(plans: Plans) -> None:
    rest = "links: [{between: [m1, m2], cls: mesh}]\n"
    printed = refused(plans, topology(f"m1: {{{MESH}}}", f"m2: {{{MESH}}}", rest=rest), WORKLOAD)
    assert "links here are wired: a mesh is nodes of kind mesh with the same mesh_id:" in printed


def test_two_gates_close_a_loop(plans: Plans) -> None:
    gates = [f"m{number}: {{{MESH}, gate: true}}" for number in (1, 2)]
    rest = "links: [{between: [s1, m1]}, {between: [s1, m2]}]\n"
    printed = refused(plans, topology(*gates, "s1: {kind: switch}", rest=rest), WORKLOAD)
    assert printed.startswith("t.yaml:6  links.1: closes a loop: s1 and m2 are already connected")


def test_a_mesh_point_does_not_roam_but_loses_power(plans: Plans) -> None:
    def events(text: str) -> str:
        return topology(f"m1: {{{MESH}}}", "ap1: {kind: ap, ssid: x}", rest=f"timeline: [{text}]\n")

    printed = refused(plans, events("{at: 1 s, roam: m1, to: ap1}"), WORKLOAD)
    assert printed == "t.yaml:5  timeline.0.roam: m1 is not a station (it is a mesh); only stations roam"
    assert plans(events('{at: 1 s, power: m1, to: "off"}'), WORKLOAD).events[0].params == {"on": False}
