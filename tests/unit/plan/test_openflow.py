# SPDX-License-Identifier: MIT
"""Controllers of switches: their wires, rules, and what cannot be."""

import pytest

from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans

IDLE = "name: there\nduration: 30 s\n"
TOPOLOGY = """\
name: here
nodes:
  c0: {kind: controller}
  h1: {kind: host}
  s1: {kind: switch, controller: c0}
  ap1: {kind: ap, ssid: campus, controller: c0}
  s2: {kind: switch}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
  - {between: [c0, ap1], delay: 5 ms}
"""


def wires(plan: Plan) -> dict[str, str | None]:
    return {one.name: one.ip for node in plan.nodes for one in node.interfaces if one.control}


def test_bridges_and_controllers_have_wires_of_their_own(plans: Plans) -> None:
    plan = plans(TOPOLOGY, IDLE)
    assert wires(plan) == {
        "c0-eth0": "172.31.0.1/30",
        "ap1-eth3": "172.31.0.2/30",
        "c0-eth1": "172.31.0.5/30",
        "s1-eth3": "172.31.0.6/30",
    }
    openflow = plan.node("s1").openflow
    assert openflow is not None
    assert (openflow.controller_ip, openflow.standalone) == ("172.31.0.5", False)
    assert plan.node("h1").ip == "10.0.0.1/8" and plan.node("s2").openflow is None and plan.node("c0").ip is None


def test_a_switch_without_such_keys_has_the_same_plan_as_ever(plans: Plans) -> None:
    assert "openflow" not in plans().to_json()


def test_a_file_of_the_user_is_the_application(plans: Plans, tmp_path: object) -> None:
    plan = plans(TOPOLOGY.replace("kind: controller", "kind: controller, app: roaming"), IDLE)
    controller = plan.node("c0").controller
    assert controller is not None
    assert controller.app == "roaming.py" and set(controller.files) == {"learning.py", "roaming.py"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("controller: c0}", "controller: c1}", 'nodes.s1.controller: unknown controller "c1"; known: c0'),
        (
            "controller: c0}",
            "controller: h1}",
            "h1 is not a controller (it is a host); name a node of kind: controller",
        ),
        ("[h1, s1]", "[h1, c0]", "c0 is a controller, but not that of h1"),
        ("[h1, s1]", "[s2, c0]", "c0 is a controller, but not that of s2; write controller: c0 at s2"),
        (
            "kind: controller",
            "kind: controller, app: learner",
            'unknown application "learner" (did you mean learning?)',
        ),
        ("kind: controller", "kind: controller, app: mine.py", "nodes.c0"),
        ("s2: {kind: switch}", "s2: {kind: switch, openflow: [drop]}", '"drop" has no actions; write a rule as'),
        (
            "s2: {kind: switch}",
            's2: {kind: switch, openflow: ["priority=1,in_prt=1,actions=drop"]}',
            'nodes.s2.openflow: "in_prt" is not a field of Open vSwitch (did you mean in_port?)',
        ),
        (
            "s2: {kind: switch}",
            's2: {kind: switch, openflow: ["in_port=1,actions=output:2,dorp"]}',
            'nodes.s2.openflow: "dorp" is not an action of Open vSwitch (did you mean drop?)',
        ),
        (
            "controller: c0}\n  ap1",
            'controller: c0, openflow: ["in_port=s1-eth1,actions=output:s1-eth9"]}\n  ap1',
            'nodes.s1.openflow.0: unknown port "s1-eth9" (did you mean s1-eth2?); known: s1-eth1, s1-eth2',
        ),
        ("s2: {kind: switch}", "s2: {kind: switch, fail_mode: open}", "fail_mode"),
        ("[h1, s1]", "[s1, ap1]", "closes a loop: s1 and ap1 are already connected, and s1 runs no spanning tree"),
    ],
)
def test_mistakes(plans: Plans, old: str, new: str, message: str) -> None:
    assert message in refused(plans, TOPOLOGY.replace(old, new, 1), IDLE)


def test_loops_are_allowed_where_all_switches_run_a_spanning_tree(plans: Plans) -> None:
    loop = "name: here\nnodes:\n  s: {kind: switch, count: 3%s}\nlinks:\n" + "".join(
        f"  - {{between: [{ends}]}}\n" for ends in ("s1, s2", "s2, s3", "s3, s1")
    )
    assert "s1 runs no spanning tree protocol" in refused(plans, loop % "", IDLE)
    assert len(plans(loop % ", stp: true", IDLE).links) == 3


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("openflow: s1", "needs add: or delete: with flow rules"),
        ("openflow: h1, add: [actions=drop]", "h1 has no flow rules; name a switch"),
        ("openflow: s1, add: [priority=3]", '"priority=3" has no actions'),
        ("openflow: s1, delete: [icpm]", 'delete: "icpm" is not a field of Open vSwitch (did you mean icmp?)'),
        ("openflow: s1, delete: [in_port=s1-eth7]", 'delete: unknown port "s1-eth7" (did you mean s1-eth'),
    ],
)
def test_mistakes_in_events(plans: Plans, keys: str, message: str) -> None:
    assert message in refused(plans, f"{TOPOLOGY}timeline:\n  - {{at: 1 s, {keys}}}\n", IDLE)


@pytest.mark.parametrize(
    "rule",
    [
        "table=0,priority=5,tcp,nw_dst=10.0.0.0/8,tp_dst=80,actions=mod_nw_dst:10.0.0.2,output:s1-eth1,LOCAL",
        "ct_state=+trk+new ip reg3=0x1/0xff actions=ct(commit,nat(src=10.0.0.9)),resubmit(,1),load:1->NXM_NX_REG0[]",
        "cookie=0x1/-1,OXM_OF_IN_PORT=1,actions=set_field:10.0.0.1->nw_src,3,s1-eth2,normal",
    ],
)
def test_rules_that_open_vswitch_takes_pass(plans: Plans, rule: str) -> None:
    given = f'controller: c0, openflow: ["{rule}"]}}\n  ap1'
    openflow = plans(TOPOLOGY.replace("controller: c0}\n  ap1", given), IDLE).node("s1").openflow
    assert openflow is not None and openflow.rules == [rule]


def test_access_points_with_a_tree_are_bridged_by_open_vswitch(plans: Plans) -> None:
    topology = """\
name: triangle
nodes:
  h1: {kind: host}
  s1: {kind: switch, stp: true}
  ap1: {kind: ap, ssid: lab, stp: true}
  ap2: {kind: ap, ssid: lab, stp: true}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
  - {between: [ap1, ap2]}
"""
    openflow = plans(topology, IDLE).node("ap1").openflow
    assert openflow is not None and openflow.stp and not openflow.programmed
    assert openflow.edges == ["ap1-wlan1"]  # no BPDUs come from there
    loop = refused(plans, topology.replace("lab, stp: true}\nlinks", "lab}\nlinks"), IDLE)
    assert "ap2 runs no spanning tree protocol; remove one link, or write stp: true at all of these" in loop
