# SPDX-License-Identifier: MIT
"""Segments and their subnets: addresses, routes, servers, and what cannot be."""

import pytest

from lab.shared.types import Addressing, Plan
from tests.refused import refused

from .conftest import Plans

IDLE = "name: there\nduration: 30 s\n"
NODES = """\
name: here
nodes:
  h1: {kind: host}
  r1: {kind: router}
  r2: {kind: router}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: campus}
  sta1: {kind: sta}
"""
LINKS = """\
links:
  - {between: [h1, r1], name: servers}
  - {between: [r1, r2], name: core}
  - {between: [r2, s1]}
  - {between: [s1, ap1]}
"""


def addresses(plan: Plan) -> dict[str, list[str | None]]:
    """Addresses of all interfaces; of stations, that of the radio."""
    return {node.name: [one.ip for one in node.interfaces] or [node.ip] for node in plan.nodes if node.addressing}


def given(plan: Plan, node: str) -> Addressing:
    addressing = plan.node(node).addressing
    assert addressing is not None
    return addressing


def routes(plan: Plan, node: str) -> list[str]:
    return [f"{route.to} via {route.via}" for route in given(plan, node).routes]


def test_each_segment_has_a_subnet_and_routers_its_first_addresses(plans: Plans) -> None:
    plan = plans(NODES + LINKS, IDLE)
    assert addresses(plan) == {
        "h1": ["10.0.0.2/24"],
        "r1": ["10.0.0.1/24", "10.0.1.1/24"],
        "r2": ["10.0.1.2/24", "10.0.2.1/24"],
        "sta1": ["10.0.2.2/24"],
    }


def test_routes_lead_over_the_fewest_routers(plans: Plans) -> None:
    plan = plans(NODES + LINKS, IDLE)
    assert routes(plan, "h1") == ["default via 10.0.0.1"]
    assert routes(plan, "r1") == ["10.0.2.0/24 via 10.0.1.2"]
    assert routes(plan, "r2") == ["10.0.0.0/24 via 10.0.1.1"]
    assert routes(plan, "sta1") == ["default via 10.0.2.1"]
    assert {one.name for one in plan.node("r1").sysctls} == {"net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"}


def test_a_topology_without_such_keys_has_one_subnet(plans: Plans) -> None:
    plan = plans(NODES.replace("router", "host") + LINKS, IDLE)
    assert plan.node("sta1").ip == "10.0.0.4/8" and plan.node("sta1").addressing is None


def test_subnets_are_named_by_any_bridge_or_link(plans: Plans) -> None:
    named = 'subnets: {ap1: {ip: 10.9.0.0/16, ip6: "2001:db8:9::/64"}, core: 10.0.0.0/30}\n'
    plan = plans(NODES + LINKS + named, IDLE)
    assert addresses(plan)["r2"] == ["10.0.0.2/30", "10.9.0.1/16"]
    assert addresses(plan)["h1"] == ["10.0.1.2/24"]  # 10.0.0.0/24 overlaps the given one
    assert plan.node("sta1").ip6 == "2001:db8:9::2/64"
    assert routes(plan, "sta1") == ["default via 10.9.0.1", "default via 2001:db8:9::1"]


def test_given_addresses_give_their_segment_its_subnet(plans: Plans) -> None:
    topology = (NODES + LINKS).replace("name: core", "ip: {r1: 192.168.7.9/28}")
    topology = topology.replace("h1: {kind: host}", "h1: {kind: host, ip: 10.0.3.5/24}")
    plan = plans(topology, IDLE)
    assert addresses(plan)["r1"] == ["10.0.3.1/24", "192.168.7.9/28"]
    assert addresses(plan)["r2"][0] == "192.168.7.1/28"


def test_what_nat_hides_has_no_route_from_outside(plans: Plans) -> None:
    plan = plans((NODES + LINKS).replace("r2: {kind: router}", "r2: {kind: router, nat: core}"), IDLE)
    assert routes(plan, "r1") == []
    assert routes(plan, "sta1") == ["default via 10.0.2.1"]
    assert given(plan, "r2").nat == ["r2-eth0"]


def test_a_node_without_an_ipv6_address_has_no_ipv6_route(plans: Plans) -> None:
    text = NODES.replace("kind: router", "kind: router, dhcp: server", 1).replace("kind: host", "kind: host, ip: dhcp")
    plan = plans(text + LINKS + 'subnets: {servers: {ip: 10.7.0.0/24, ip6: "2001:db8:7::/64"}}\n', IDLE)
    assert given(plan, "h1").routes == []


def test_nodes_ignore_advertisements_that_are_for_others(plans: Plans) -> None:
    text = NODES.replace("kind: sta", "kind: sta, ip6: slaac").replace("kind: host", "kind: host, ip6: none")
    plan = plans(text + LINKS + 'subnets: {s1: {ip: 10.7.0.0/24, ip6: "2001:db8:7::/64"}}\n', IDLE)
    ignored = ["net.ipv6.conf.default.accept_ra"]
    assert [one.name for one in plan.node("h1").sysctls] == ignored and plan.node("sta1").sysctls == []
    assert plans(NODES + LINKS, IDLE).node("h1").sysctls == []


def test_given_routes_replace_those_of_the_lab(plans: Plans) -> None:
    given = "{kind: host, routes: [{to: 10.0.2.0/24, via: r1}, {to: default, via: 10.0.0.77}]}"
    plan = plans((NODES + LINKS).replace("h1: {kind: host}", f"h1: {given}"), IDLE)
    assert routes(plan, "h1") == ["10.0.2.0/24 via 10.0.0.1", "default via 10.0.0.77"]
    plan = plans((NODES + LINKS).replace("r1: {kind: router}", "r1: {kind: router, routes: []}"), IDLE)
    assert routes(plan, "r1") == []


def test_a_dhcp_server_leases_what_is_free(plans: Plans) -> None:
    topology = (NODES + LINKS).replace("r2: {kind: router}", "r2: {kind: router, dhcp: [s1]}")
    plan = plans(topology.replace("sta1: {kind: sta}", "sta1: {kind: sta, ip: dhcp}"), IDLE)
    (pool,) = given(plan, "r2").pools
    assert (pool.interface, pool.first, pool.last, pool.gateway) == ("r2-eth1", "10.0.2.2", "10.0.2.254", "10.0.2.1")
    assert plan.node("sta1").ip is None and given(plan, "sta1").asks == {"sta1-wlan0": ["dhcp"]}


def test_one_segment_with_a_server_keeps_the_topologys_subnet(plans: Plans) -> None:
    topology = "name: here\nnodes:\n  h1: {kind: host, dhcp: server}\n  h2: {kind: host, ip: dhcp}\nlinks:\n"
    plan = plans(topology + "  - {between: [h1, h2]}\n", IDLE)
    assert plan.node("h1").ip == "10.0.0.1/8"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "sta1: {kind: sta}",
            "sta1: {kind: sta, ip: dhcp}",
            "nodes.sta1.ip: s1 has no DHCP server; write dhcp: server",
        ),
        (
            "sta1: {kind: sta}",
            "sta1: {kind: sta, ip: 10.0.0.77}",
            '"10.0.0.77" is not in 10.0.2.0/24, the subnet of s1',
        ),
        ("sta1: {kind: sta}", "sta1: {kind: sta, ip: DHCP}", '"DHCP" is not a valid IPv4 address'),
        ("sta1: {kind: sta}", "sta1: {kind: sta, ip6: slaac}", "s1 has no IPv6 subnet; write subnets: {s1: {ip6:"),
        ("sta1: {kind: sta}", "sta1: {kind: sta, ip6: fe80::1}", '"fe80::1" is not the address of a node in a subnet'),
        (
            "h1: {kind: host}",
            "h1: {kind: host, routes: [{to: default, via: r2}]}",
            "r2 has no address in a segment of h1",
        ),
        ("h1: {kind: host}", "h1: {kind: host, routes: [{to: default, via: rr}]}", '"rr" is neither a node nor an'),
        ("h1: {kind: host}", "h1: {kind: host, routes: [{to: 10.0.0.1/8, via: r1}]}", "is not a valid destination"),
        ("h1: {kind: host}", "h1: {kind: host, dhcp: [s1]}", "h1 has no interface in s1's segment"),
        ("h1: {kind: host}", "h1: {kind: host, dhcp: [s7]}", 'unknown segment "s7"'),
        ("r1: {kind: router}", "r1: {kind: router, nat: s1}", "r1 has no interface in s1's segment"),
        ("r1: {kind: router}", "r1: {kind: router, nat: [sta1]}", 'unknown segment "sta1"'),
        ("links:", "subnets: {s1: 10.1.0.0/24, ap1: 10.2.0.0/24}\nlinks:", "s1 and ap1 are in one segment"),
        ("links:", "subnets: {s1: 10.1.0.0/24, core: 10.1.0.0/16}\nlinks:", "10.1.0.0/16 overlaps a subnet of s1"),
        (
            "links:",
            "subnets: {s1: 10.1.0.7/24}\nlinks:",
            '"10.1.0.7/24" is not a valid IPv4 network; write 10.1.0.0/24',
        ),
        ("links:", "subnets: {s1: {ip6: 2001:db8::/48}}\nlinks:", "must be a /64"),
        ("links:", "subnets: {h1: 10.1.0.0/24}\nlinks:", 'unknown segment "h1"'),
        ("links:", "subnet: 10.0.0.0/24\nlinks:", "10.0.0.0/24 has no room"),
        ("between: [s1, ap1]", "between: [s1, ap1], ip: {s1: 10.0.2.9/24}", "s1 is a bridge"),
        ("r2: {kind: router}", "r2: {kind: router, ip: 10.6.0.1/24}", '"10.6.0.1/24" is not in 10.5.0.0/24'),
    ],
)
def test_mistakes(plans: Plans, old: str, new: str, message: str) -> None:
    topology = NODES + (LINKS.replace("name: core", "ip: {r1: 10.5.0.1/24}") if "10.6" in new else LINKS)
    assert message in refused(plans, topology.replace(old, new, 1), IDLE)


def test_a_station_that_roams_out_of_its_subnet_is_warned_of(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    second = NODES.replace("  sta1", "  ap2: {kind: ap, ssid: campus, channel: 6}\n  sta1")
    plans(second + LINKS + "  - {between: [r1, ap2]}\n", IDLE)
    assert "sta1 keeps its address when it roams from ap1 to ap2" in capsys.readouterr().err


def test_a_reference_to_a_leased_address_names_the_cure(plans: Plans) -> None:
    topology = (NODES + LINKS).replace("r2: {kind: router}", "r2: {kind: router, dhcp: server}")
    topology = topology.replace("sta1: {kind: sta}", "sta1: {kind: sta, ip: dhcp}")
    workload = IDLE + 'processes:\n  - {on: h1, run: [ping, "{sta1.ip}"]}\n'
    assert "sta1 gets its address during the run, by DHCP; write sta1" in refused(plans, topology, workload)
