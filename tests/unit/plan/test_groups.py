# SPDX-License-Identifier: MIT
"""``count:`` of nodes: one entry, several nodes."""

import pytest

from tests.refused import refused

from .conftest import Plans

MANY = """\
name: many
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: campus}
  sta: {kind: sta, count: 3, roles: [client], position: [1 m, 0 m, 0 m]}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
"""
ONE_BY_ONE = """\
name: many
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: campus}
  sta1: {kind: sta, roles: [client], position: [1 m, 0 m, 0 m]}
  sta2: {kind: sta, roles: [client], position: [1 m, 0 m, 0 m]}
  sta3: {kind: sta, roles: [client], position: [1 m, 0 m, 0 m]}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
"""
WORKLOAD = """\
name: there
roles: {server: 1, client: 1..}
duration: 30 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}"}, as: echo}
"""
MEDIUM = "medium:\n  snr:\n"


def without_places(text: str) -> str:
    """A plan but for the lines that its parts come from."""
    return "\n".join(line for line in text.splitlines() if '"source"' not in line)


def refusal(plans: Plans, topology: str, *overrides: str) -> str:
    return refused(plans, topology, WORKLOAD, 1, list(overrides))


def test_a_count_is_what_one_would_write_one_by_one(plans: Plans) -> None:
    many, single = plans(MANY, WORKLOAD).to_json(), plans(ONE_BY_ONE, WORKLOAD).to_json()
    assert without_places(many) == without_places(single)
    assert "t.yaml:6" in many


def test_a_count_is_a_setting(plans: Plans) -> None:
    names = [node.name for node in plans(MANY, WORKLOAD, 1, ["nodes.sta.count=1"]).nodes]
    assert names == ["h1", "s1", "ap1", "sta1"]
    assert len(plans(MANY, WORKLOAD, 1, ["nodes.sta.count=20"]).nodes) == 23


def test_links_go_to_each(plans: Plans) -> None:
    plan = plans(MANY + "  - {between: [sta, s1], delay: 2 ms}\n", WORKLOAD)
    assert [(link.name, link.netem.delay_ns) for link in plan.links[2:]] == [
        ("sta1-s1", 2_000_000),
        ("sta2-s1", 2_000_000),
        ("sta3-s1", 2_000_000),
    ]
    plan = plans(MANY + "  - {between: [sta, s1], name: wire}\n", WORKLOAD)
    assert [link.name for link in plan.links[2:]] == ["wire1", "wire2", "wire3"]


def test_events_and_references_mean_all_of_them(plans: Plans) -> None:
    happens = "timeline:\n  - {at: 1 s, move: sta, to: [2 m, 0 m, 0 m]}\n"
    happens += '  - {at: 2 s, exec: h1, run: [ping, "{sta[3].ip}"]}\n'
    plan = plans(MANY + happens, WORKLOAD)
    assert [event.target for event in plan.events] == ["sta1", "sta2", "sta3", "h1"]
    assert plan.events[-1].params["argv"] == ["ping", "10.0.0.4"]


def test_levels_are_said_of_all_pairs(plans: Plans) -> None:
    hidden = MANY + MEDIUM + "    - {between: [sta, sta], is: -30 dB}\n    - {from: ap1, to: sta, is: 20 dB}\n"
    medium = plans(hidden, WORKLOAD).medium
    assert medium is not None
    levels = {(link.transmitter, link.receiver): snr_mb for link, snr_mb in medium.levels(medium.links)}
    stations = [(one, other) for one in (1, 2, 3) for other in (1, 2, 3) if one != other]
    assert {levels[pair] for pair in stations} == {-3000}
    assert {levels[0, number] for number in (1, 2, 3)} == {2000}


def test_names_must_not_clash(plans: Plans) -> None:
    assert refusal(plans, MANY.replace("h1: {kind: host", "sta2: {kind: host")) == (
        "t.yaml:6  nodes.sta: count: 3 creates a node sta2, but that name is taken; rename either"
    )
    assert refusal(plans, MANY.replace("sta: {", "customers: {")) == (
        "t.yaml:6  nodes.customers: count: 3 creates a node customers3; node names have at most 9 characters, "
        "choose a shorter one"
    )


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (("count: 3", "count: 0"), "t.yaml:6  nodes.sta.count: must be at least 1, not 0"),
        (
            ("count: 3", "count: 3, ip: 10.0.0.9"),
            "t.yaml:6  nodes.sta.ip: is the address of one node, but count: 3 makes several; remove one of them",
        ),
        (
            ("[s1, ap1]", "[s1, sta], ip: {sta: 10.1.0.1/16}"),
            "t.yaml:9  links.1.ip: is for a single link, but sta is a group (count:); write a link for each node, "
            "such as [sta1, …]",
        ),
        (
            ("[s1, ap1]", "[sta, sta]"),
            "t.yaml:9  links.1.between: connects a node to itself; name two different nodes",
        ),
    ],
)
def test_what_cannot_be_counted(plans: Plans, change: tuple[str, str], reported: str) -> None:
    assert refusal(plans, MANY.replace(*change)).startswith(reported)


@pytest.mark.parametrize("way", ["dhcp", "none"])
def test_a_group_may_ask_for_its_addresses(plans: Plans, way: str) -> None:
    served = MANY.replace("server]", "server], dhcp: server").replace("count: 3", f"count: 3, ip: {way}")
    stations = plans(served, WORKLOAD).nodes[3:]
    assert [node.ip for node in stations] == [None] * 3
    asked = [list(one.addressing.asks.values()) if one.addressing else [] for one in stations]
    assert asked == [[["dhcp"]] if way == "dhcp" else []] * 3


def test_a_link_to_a_group_connects_bridges(plans: Plans) -> None:
    fast = MANY.replace("ap1: {", "ap: {count: 2, encrypt: wpa3, passwd: espresso, fast_transition: true, ")
    assert len(plans(fast.replace("[s1, ap1]", "[s1, ap]"), WORKLOAD).links) == 3
    loop = MANY.replace("s1: {kind: switch}", "s1: {kind: switch}\n  s2: {kind: switch}\n  x: {kind: switch, count: 2}")
    assert refusal(plans, loop + "  - {between: [s1, x]}\n  - {between: [x, s2]}\n") == (
        "t.yaml:13  links.3: closes a loop: x2 and s2 are already connected, and s1 runs no spanning tree protocol; "
        "remove one link, or write stp: true at all of these"
    )


def test_two_groups_need_names(plans: Plans) -> None:
    two = MANY.replace("s1: {kind: switch}", "s1: {kind: switch}\n  pc: {kind: host, count: 2}")
    assert refusal(plans, two + "  - {between: [pc, sta]}\n") == (
        "t.yaml:11  links.2.between: pc and sta are both groups (count:), so it is unclear which nodes to connect; "
        "name the nodes, such as [pc1, sta1]"
    )


VARIED = MANY.replace("position: [1 m, 0 m, 0 m]", 'position: ["{5 * (index - 1)} m", 0 m, 1 m]').replace(
    "roles: [client]", "each: {roles: [client, server, [client, spare]], txpower: [1 dBm, 2 dBm, 3 dBm]}"
)


def test_nodes_of_a_count_may_differ(plans: Plans) -> None:
    nodes = [node for node in plans(VARIED, WORKLOAD).nodes if node.kind == "sta"]
    assert [(node.name, node.position_m, node.roles) for node in nodes] == [
        ("sta1", [0.0, 0.0, 1.0], ["client"]),
        ("sta2", [5.0, 0.0, 1.0], ["server"]),
        ("sta3", [10.0, 0.0, 1.0], ["client", "spare"]),
    ]
    assert [node.radio.txpower_dbm for node in nodes if node.radio] == [1.0, 2.0, 3.0]
    assert all(node.source == "t.yaml:6" for node in nodes)


def test_an_expression_alone_is_a_number(plans: Plans) -> None:
    access_points = MANY.replace(
        "ap1: {kind: ap, ssid: campus}", 'ap: {kind: ap, count: 2, ssid: "net{index}", channel: "{5 * index - 4}"}'
    )
    stations = access_points.replace("kind: sta,", 'kind: sta, ssid: "net{min(index, 2)}",')
    nodes = plans(stations.replace("[s1, ap1]", "[s1, ap]"), WORKLOAD).nodes
    found = [(node.radio.ssid, node.radio.channel) for node in nodes if node.kind == "ap" and node.radio]
    assert found == [("net1", 1), ("net2", 6)]


def test_a_grid_and_a_circle(plans: Plans) -> None:
    def places(x: str, y: str) -> list[list[float] | None]:
        text = MANY.replace("count: 3", "count: 4").replace(
            "position: [1 m, 0 m, 0 m]", f'position: ["{{{x}}} m", "{{{y}}} m", 0 m]'
        )
        return [node.position_m for node in plans(text, WORKLOAD).nodes if node.kind == "sta"]

    grid = places("5 * ((index - 1) % 2)", "5 * ((index - 1) // 2)")
    assert grid == [[0, 0, 0], [5, 0, 0], [0, 5, 0], [5, 5, 0]]
    circle = places("10 * cos(2 * pi * index / 4)", "10 * sin(2 * pi * index / 4)")
    assert circle == [[0, 10, 0], [-10, 0, 0], [0, -10, 0], [10, 0, 0]]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            'position: ["{index % 0} m", 0 m, 0 m]',
            "t.yaml:6  nodes.sta: {index % 0}: division by 0",
        ),
        (
            'position: ["{index % 1.5} m", 0 m, 0 m]',
            "t.yaml:6  nodes.sta: {index % 1.5}: 1.5 is not a whole number; // and % are for whole numbers",
        ),
        (
            'position: ["{5 m // index}", 0 m, 0 m]',
            "t.yaml:6  nodes.sta: {5 m // index}: 5 m has a unit; // and % are for plain whole numbers",
        ),
        (
            'position: ["{sqrt(0 - index)} m", 0 m, 0 m]',
            "t.yaml:6  nodes.sta: {sqrt(0 - index)}: sqrt of -1 is not defined",
        ),
        (
            'position: ["{sin(index * 1 m)} m", 0 m, 0 m]',
            "t.yaml:6  nodes.sta: {sin(index * 1 m)}: 1 m has a unit; sin takes a plain number",
        ),
        (
            'position: ["{5 * index}", 0 m, 0 m]',
            "t.yaml:6  nodes.sta.position: coordinates need units; write [5 m, 0 m, 0 m]",
        ),
        (
            'position: ["{5 * indx + index} m", 0 m, 0 m]',
            't.yaml:6  nodes.sta: {5 * indx + index}: unknown name "indx" (did you mean index?); known: index, count',
        ),
        (
            "each: {txpower: [1 dBm, 2 dBm]}",
            "t.yaml:6  nodes.sta.each: txpower has 2 values; write a list with one for each of the 3 nodes",
        ),
        (
            "each: {txpower: 1 dBm}",
            "t.yaml:6  nodes.sta.each: txpower has no list; write a list with one for each of the 3 nodes",
        ),
        (
            "each: {roles: [a, b, c]}",
            "t.yaml:6  nodes.sta.each: roles is also given for all nodes; remove one of them",
        ),
        (
            "each: {kind: [sta, sta, ap]}",
            "t.yaml:6  nodes.sta.each: kind is the same for all nodes of a group; write it next to each:",
        ),
        (
            "each: {txpowr: [1 dBm, 2 dBm, 3 dBm]}",
            't.yaml:6  nodes.sta.txpowr: unknown key "txpowr" (did you mean txpower?); known keys: kind,',
        ),
    ],
)
def test_mistakes_in_what_differs(plans: Plans, keys: str, message: str) -> None:
    assert refusal(plans, MANY.replace("position: [1 m, 0 m, 0 m]", keys)).startswith(message)


def test_values_for_several_nodes_need_a_count(plans: Plans) -> None:
    one = MANY.replace("ssid: campus}", "ssid: campus, each: {channel: [1]}}")
    assert refusal(plans, one) == "t.yaml:5  nodes.ap1.each: needs count: with the number of nodes"
