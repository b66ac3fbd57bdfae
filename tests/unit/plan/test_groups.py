# SPDX-License-Identifier: MIT
"""``count:`` of nodes: one entry, several nodes."""

import pytest

from lab.errors import InputError

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


def refusal(plans: Plans, topology: str, *settings: str) -> str:
    with pytest.raises(InputError) as failure:
        plans(topology, WORKLOAD, 1, list(settings))
    return str(failure.value)


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
    levels = {(link.transmitter, link.receiver): link.snr_mb for link in medium.links}
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
    ("change", "told"),
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
def test_what_cannot_be_counted(plans: Plans, change: tuple[str, str], told: str) -> None:
    assert refusal(plans, MANY.replace(*change)).startswith(told)


def test_two_groups_need_names(plans: Plans) -> None:
    two = MANY.replace("s1: {kind: switch}", "s1: {kind: switch}\n  pc: {kind: host, count: 2}")
    assert refusal(plans, two + "  - {between: [pc, sta]}\n") == (
        "t.yaml:11  links.2.between: pc and sta are both groups (count:), so it is unclear which nodes to connect; "
        "name the nodes, such as [pc1, sta1]"
    )
