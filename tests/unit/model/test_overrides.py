# SPDX-License-Identifier: MIT
"""``--set``: changes of documents before they are validated, blamed for what they break."""

from pathlib import Path

import pytest

from lab.errors import InputError, LabError
from lab.model import overrides
from lab.model.base import Model
from lab.model.build import build
from lab.model.document import Document, parse
from lab.model.topology import Topology
from lab.model.workload import Workload
from tests.refused import refused

TOPOLOGY = """\
name: here
nodes:
  h1: {kind: host}
  s1: {kind: switch}
links:
  - {between: [h1, s1], delay: 5 ms}
timeline:
  - {at: 10 s, link: h1-s1, to: down}
"""
WORKLOAD = """\
name: there
roles: {host: 1}
duration: 30 s
processes:
  - {on: host, run: [sleep, 10], as: nap}
"""
MODELS: dict[str, type[Model]] = {"topology": Topology, "workload": Workload}


def documents() -> dict[str, Document]:
    texts = {"topology": TOPOLOGY, "workload": WORKLOAD}
    return {name: parse(text, Path(f"{name}.yaml"), f"{name}.yaml") for name, text in texts.items()}


def applied(*texts: str) -> dict[str, Document]:
    found = documents()
    overrides.apply(overrides.parse(texts), found, MODELS)
    return found


def test_values_deep_in_lists_and_mappings() -> None:
    found = applied("links.0.delay=20ms", "nodes.h1.ip=10.0.0.9", "duration=20s", "timeline.0.at=5s")
    topology = build(Topology, found["topology"])
    assert topology.links[0].delay == 20_000_000
    assert topology.nodes["h1"].given_ip == "10.0.0.9"
    assert topology.timeline[0].at == 5_000_000_000
    assert build(Workload, found["workload"]).duration == 20_000_000_000


def test_entries_of_lists_go_by_name_too() -> None:
    found = applied("links.h1-s1.rate=1 Mbit/s", "processes.nap.at=3 s")
    assert build(Topology, found["topology"]).links[0].rate == 1_000_000
    assert build(Workload, found["workload"]).processes[0].at == 3_000_000_000


def test_a_prefix_distinguishes_the_files() -> None:
    found = applied("topology.name=a", "workload.name=b")
    assert (found["topology"].data["name"], found["workload"].data["name"]) == ("a", "b")


def test_the_name_of_a_sysctl_has_dots_itself() -> None:
    both = applied("nodes.h1.sysctls={net.ipv4.tcp_sack: 0}", "nodes.h1.sysctls.net.ipv4.tcp_rmem=1 2 3")
    sysctls = build(Topology, both["topology"]).nodes["h1"].sysctls
    assert sysctls == {"net.ipv4.tcp_sack": "0", "net.ipv4.tcp_rmem": "1 2 3"}


def test_whole_lists_can_be_replaced() -> None:
    found = applied("processes.0.run=[sleep, 5]", "timeline=[]")
    assert build(Workload, found["workload"]).processes[0].run == ["sleep", "5"]
    assert build(Topology, found["topology"]).timeline == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name=x", "--set name=x  both files have name; write topology.name or workload.name"),
        (
            "nods.h1.ip=1",
            '--set nods.h1.ip=1  neither topology nor workload has a key "nods" (did you mean nodes?)\n'
            "  known: name, about, include, country, subnet, subnets, start, console_level, rate_control, memory, "
            "nodes, positions, links, medium, mobility, timeline, uncertain, what_if, roles, needs, duration, family, "
            "ipv6, stack, modules, files, processes, collect, probes, metrics, checks",
        ),
        ("nodes.h2.ip=1", '--set nodes.h2.ip=1  nodes has no "h2"\n  known: h1, s1'),
        ("links.3.delay=1 ms", '--set links.3.delay=1 ms  links has no entry "3"\n  known: h1-s1'),
        ("links.0.delay.x=1", "--set links.0.delay.x=1  links.0.delay is a single value, so it has no x"),
        (
            "topology.name.snr=20dB",
            "--set topology.name.snr=20dB  name is a single value, so it has no snr\n"
            "  to replace it, write name={snr: …}",
        ),
        (
            "duration=[1",
            "--set duration=[1  is not valid YAML: expected ',' or ']', but got '<stream end>' while parsing a flow ",
        ),
    ],
)
def test_keys_that_lead_nowhere(text: str, message: str) -> None:
    assert refused(applied, text).startswith(message)


@pytest.mark.parametrize("text", ["duration", "=5", ""])
def test_what_is_no_override(text: str) -> None:
    with pytest.raises(InputError, match="write key=value"):
        overrides.parse([text])


def test_the_override_is_blamed_for_what_it_breaks() -> None:
    found = applied("links.0.delay=20")
    with pytest.raises(LabError) as failure:
        build(Topology, found["topology"])
    assert str(failure.value) == '--set links.0.delay=20  links.0.delay: "20" has no unit; write 20 ms'


def test_it_is_blamed_for_what_is_inside_it_too() -> None:
    found = applied("nodes.h1={kind: hist}")
    with pytest.raises(LabError) as failure:
        build(Topology, found["topology"])
    assert str(failure.value).startswith('--set nodes.h1={kind: hist}  nodes.h1.kind: unknown kind of node "hist"')
