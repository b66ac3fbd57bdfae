# SPDX-License-Identifier: MIT
"""Roles, processes, files, events, metrics and checks of a plan; and the lab's own files."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lab import library
from lab.cli.check import check
from lab.errors import InputError
from lab.model.build import build
from lab.model.include import read
from lab.model.workload import Workload
from lab.plan.load import load
from lab.shared.types import Plan, Process
from tests.refused import refused

from .conftest import TOPOLOGY, WORKLOAD, Plans

FETCH = 'processes:\n  - {on: client, run: {probe: curl, url: "http://{server.ip}/x"}, as: fetch}\n'


def refusal(plans: Plans, workload: str, topology: str = TOPOLOGY) -> str:
    return refused(plans, topology, workload)


def process(plan: Plan, identifier: str) -> Process:
    (found,) = [process for process in plan.processes if process.id == identifier]
    return found


def test_the_flagship() -> None:
    plan = load("two-aps-handoff", "http/download")
    assert plan.name == "http-download on two-aps-handoff"
    assert [(event.at_ns, event.kind, event.target, event.params) for event in plan.events] == [
        (1_000_000_000, "move", "sta1", {"position_m": [42.0, 0.0, 1.0], "speed_m_s": 3.0}),
        (15_000_000_000, "move", "sta1", {"position_m": [0.0, 0.0, 1.0], "speed_m_s": 3.0}),
    ]
    fetch = process(plan, "fetch")
    assert (fetch.node, fetch.at_ns, fetch.params["url"]) == ("sta1", 2_000_000_000, "http://10.0.0.1/64MiB.bin")
    server = process(plan, "lighttpd")
    assert (server.node, server.at_ns, server.required) == ("h1", -1, True)
    assert server.ready is not None and server.ready.listening == "tcp/80"
    assert plan.files[0].random_bytes == 64 << 20
    assert plan.files[1].text is not None and "/srv/www" in plan.files[1].text


WORKLOADS = library.known("workload")
# a topology may lack roles, a medium, or radios where a probe needs them
UNFIT = re.compile(
    r"  (roles|needs)\.|  probes\.\d+\.on: \S+ works on |\.every: is missing; without it a sender needs a node with"
)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_labs_own_files_go_together(workload: str) -> None:
    """A workload runs on the topologies that it is written for, and on others, unless it needs what they lack."""
    written_for = build(Workload, read(WORKLOADS[workload])).needs.topologies
    plans = 0
    for topology in library.known("topology"):
        try:
            plan = load(topology, workload)
        except InputError as error:
            assert topology not in written_for, error
            assert written_for or all(UNFIT.search(str(one)) for one in error.all()), error
            continue
        plans += 1
        if plans == 1 or topology in written_for:
            assert Plan.from_json(plan.to_json()) == plan
            assert load(topology, workload).to_json() == plan.to_json()
    assert plans >= max(1, len(written_for))


def test_what_a_workload_needs_is_reported(plans: Plans) -> None:
    text = f"{WORKLOAD}needs: {{medium: true, topologies: [one, two]}}\n"
    assert refusal(plans, text) == (
        "w.yaml:4  needs.medium: topology here has the perfect medium; write medium: {} in it, or --set medium={}"
    )
    reported = refusal(plans, text.replace("client: 1..", "client: 9"), TOPOLOGY + "medium: {}\n")
    assert reported.endswith("offers 2 (sta1, sta2)\n  it is written for one and two")


def test_a_radios_probes_need_a_radio() -> None:
    reported = refused(load, "wired-pair", "http/download")
    assert "station-dump works on ap, sta and mesh; h2, which has the role client, is a host" in reported


def test_a_sender_without_interval_needs_a_radio_on_a_medium(plans: Plans) -> None:
    """Nothing else makes it wait: on a wire it sent 100 datagrams a second."""
    text = (
        WORKLOAD
        + "processes:\n"
        + '  - {on: client, run: {probe: udp-sender, to: "{server.ip}"}, as: up}\n'
        + '  - {on: server, run: {probe: udp-sender, to: "{client[1].ip}"}, as: down}\n'
    )
    only = "every: is missing; without it a sender needs a node with a radio on an 802.11 medium, which makes it wait"
    write = "Write every: 0.1 ms, or use the probe iperf3"
    assert refused(plans, workload=text).splitlines() == [
        f"w.yaml:5  processes.0.run.{only}, and the topology has no medium. {write}",
        f"w.yaml:6  processes.1.run.{only}, and h1 has no radio. {write}",
    ]
    reported = refused(plans, workload=text, overrides=["medium={}"])
    assert reported == f"w.yaml:6  processes.1.run.{only}, and h1 has no radio. {write}"
    plans(workload=text, overrides=["medium={}", "processes.down.run.every=1 ms"])


def test_overrides_are_noted_and_heeded() -> None:
    plan = load("two-aps-handoff", "http/download", 7, ["duration=25 s", "links.0.delay=20ms", "nodes.ap2.channel=11"])
    assert plan.overrides == {"duration": "25 s", "links.0.delay": "20ms", "nodes.ap2.channel": "11"}
    assert (plan.duration_ns, plan.links[0].netem.delay_ns, plan.seed) == (25_000_000_000, 20_000_000, 7)
    radio = plan.node("ap2").radio
    assert radio is not None and radio.frequency_mhz == 2462


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_have_limits(plans: Plans, seed: int) -> None:
    with pytest.raises(InputError, match="is not a valid seed"):
        plans(seed=seed)


# Roles


def test_a_role_runs_on_every_node_that_has_it(plans: Plans) -> None:
    plan = plans(workload=WORKLOAD + FETCH)
    assert [(process.id, process.name, process.node) for process in plan.processes] == [
        ("fetch@sta1", "fetch", "sta1"),
        ("fetch@sta2", "fetch", "sta2"),
    ]


def test_a_role_takes_as_many_nodes_as_it_wants(plans: Plans) -> None:
    plan = plans(workload=WORKLOAD.replace("client: 1..", "client: 1") + FETCH)
    assert [process.id for process in plan.processes] == ["fetch"]


def test_every_kind_is_a_role(plans: Plans) -> None:
    plan = plans(
        workload="name: there\nduration: 1 s\nroles: {ap: 1..}\nprobes: [{on: ap, probe: hostapd-events, as: cells}]\n"
    )
    assert [process.id for process in plan.processes] == ["cells@ap1", "cells@ap2"]


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (
            "proxy: 1",
            'w.yaml:2  roles.proxy: topology here offers no role "proxy"; it offers server (h1), client (sta1, sta2), '
            "host (h1), switch (s1), ap (ap1, ap2), sta (sta1, sta2)",
        ),
        ("client: 3", "w.yaml:2  roles.client: needs 3 nodes, but topology here offers 2 (sta1, sta2)"),
    ],
)
def test_roles_that_are_not_offered(plans: Plans, roles: str, message: str) -> None:
    assert refusal(plans, f"name: there\nroles: {{{roles}}}\nduration: 1 s\n") == message


# References


def echo(text: str) -> str:
    return WORKLOAD + f"processes:\n  - {{on: client, run: [echo, '{text}']}}\n"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("http://{server.ip}/", "http://10.0.0.1/"),
        ("{server.name}", "h1"),
        ("{self.ip} {self.name} {self.interface}", "10.0.0.2 sta1 sta1-wlan0"),
        ("{self.mac}", "02:00:01:00:05:00"),
        ("{client[2].ip}", "10.0.0.3"),
        ("{h1.interface}", "h1-eth0"),
        ("%{http_code} {} {a} {a b.c}", "%{http_code} {} {a} {a b.c}"),
        ("{{server.ip}}", "{server.ip}"),
    ],
)
def test_references(plans: Plans, text: str, meaning: str) -> None:
    assert process(plans(workload=echo(text)), "echo@sta1").argv == ["echo", meaning]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{servr.ip}",
            "{servr.ip}: unknown role or node servr (did you mean server?); "
            "known: self, server, client, h1, s1, ap1, ap2, sta1, sta2",
        ),
        (
            "{node.name}",
            "{node.name}: unknown role or node node (did you mean self?); "
            "known: self, server, client, h1, s1, ap1, ap2, sta1, sta2",
        ),
        ("{server.adress}", "{server.adress}: a node has no adress; known: ip, ip6, name, mac, interface"),
        ("{client.ip}", "{client.ip}: client stands for 2 nodes; write {client[1].ip} for the first"),
        ("{client[3].ip}", "{client[3].ip}: client stands for 2 nodes; write a number from 1 to 2"),
        ("{client[0].ip}", "{client[0].ip}: client stands for 2 nodes; write a number from 1 to 2"),
        ("{s1.ip}", "{s1.ip}: s1 has no ip"),
    ],
)
def test_references_to_nothing(plans: Plans, text: str, message: str) -> None:
    assert refusal(plans, echo(text)) == f"w.yaml:5  processes.0.run.1: {message}"


# Processes


def test_when_processes_start(plans: Plans) -> None:
    plan = plans(
        workload=WORKLOAD.replace("1..", "1")
        + "processes:\n"
        + "  - {on: server, run: [httpd]}\n"
        + "  - {on: server, run: {probe: iperf3-server}, ready: {listening: tcp/5201}}\n"
        + '  - {on: client, run: {probe: ping, to: "{server.ip}"}}\n'
        + "  - {on: client, at: 3 s, stop: 5 s, run: [nap], required: false}\n"
        + "probes:\n  - {on: client, probe: counters}\n"
    )
    assert [(process.id, process.at_ns, process.stop_ns, process.required) for process in plan.processes] == [
        ("counters", -1, None, False),
        ("httpd", -1, None, True),
        ("iperf3-server", -1, None, True),
        ("ping", 0, None, True),
        ("nap", 3_000_000_000, 5_000_000_000, False),
    ]


def test_parameters_of_probes_are_in_base_units(plans: Plans) -> None:
    plan = plans(
        workload=WORKLOAD.replace("1..", "1")
        + "processes:\n  - {on: client, run: {probe: iperf3, server: x, rate: 2 Mbit/s, bytes: 1 MiB, udp: true}}\n"
    )
    params = plan.processes[0].params
    assert (params["rate"], params["bytes"], params["udp"], params["port"]) == (2_000_000, 1_048_576, True, 5201)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            "processes:\n  - {on: clint, run: [nap]}\n",
            'w.yaml:5  processes.0.on: unknown role or node "clint" (did you mean client?); '
            "roles: server, client; nodes: h1, s1, ap1, ap2, sta1, sta2",
        ),
        (
            "processes:\n  - {on: client, run: [nap]}\n  - {on: server, run: [nap]}\n",
            'w.yaml:6  processes.1: another process is called "nap" (w.yaml:5); give this one a name with as:',
        ),
        (
            "processes:\n  - {on: client, run: [nap], at: 30 s}\n",
            "w.yaml:5  processes.0.at: 30 s is not before the end of the run (duration: 30 s)",
        ),
        (
            "processes:\n  - {on: client, run: [nap], at: 3 s, stop: 2 s}\n",
            "w.yaml:5  processes.0.stop: 2 s is not after its start at 3 s",
        ),
        (
            "processes:\n  - {on: client, run: [nap], stop: 31 s}\n",
            "w.yaml:5  processes.0.stop: 31 s is after the end of the run (duration: 30 s)",
        ),
        (
            "processes:\n  - {on: client, run: {probe: wget}}\n",
            'w.yaml:5  processes.0.run.probe: unknown probe "wget"; known: ',
        ),
        (
            "processes:\n  - {on: client, run: {probe: curl, ulr: x}}\n",
            'w.yaml:5  processes.0.run.ulr: unknown key "ulr" (did you mean url?); known keys: url, every, timeout,',
        ),
        (
            "probes:\n  - {on: client, probe: ss, every: 100}\n",
            'w.yaml:5  probes.0.every: "100" has no unit; write 100 ms',
        ),
        (
            "probes:\n  - {on: client, probe: ss, every: -5 ms}\n",
            'w.yaml:5  probes.0.every: "-5 ms" is too small; the minimum is 1 ms',
        ),
        (
            'processes:\n  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 0.2 us}}\n',
            'w.yaml:5  processes.0.run.every: "0.2 us" is too small; the minimum is 1 us',
        ),
        (
            'processes:\n  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: -5 ms}}\n',
            'w.yaml:5  processes.0.run.every: "-5 ms" is too small; the minimum is 0.001 ms',
        ),
        (
            "processes:\n  - {on: client, run: {probe: ping, to: {server.ip}}}\n",
            'w.yaml:5  processes.0.run.to: YAML reads {server.ip} as a mapping; write "{server.ip}" in quotes',
        ),
        (
            "processes:\n  - {on: [sta1, sta2], run: [a]}\n",
            "w.yaml:5  processes.0.on: must be text, not a list; write a role, a kind or a group, which stand for "
            "several nodes, or one entry for each",
        ),
        (
            "processes:\n  - {on: client, run: [a], name: b}\n",
            'w.yaml:5  processes.0.name: unknown key "name" (did you mean as?); known keys: on, for_each, run, as, at, '
            "stop, ready, user, required, may_run_on, max_output, prints, collect",
        ),
        (
            "processes:\n  - {on: client, run: {probe: ping, to: [server]}}\n",
            "w.yaml:5  processes.0.run.to: must be text, not a list",
        ),
        (
            "processes:\n  - {on: client, run: {probe: ping}}\n",
            "w.yaml:5  processes.0.run.to: is missing (address to ping)",
        ),
        (
            "processes:\n  - {on: client, run: {probe: ping, to: x, count: some}}\n",
            'w.yaml:5  processes.0.run.count: must be a whole number, not "some"',
        ),
        (
            "processes:\n  - {on: client, run: {probe: iperf3, server: x, udp: 1}}\n",
            'w.yaml:5  processes.0.run.udp: must be true or false, not "1"',
        ),
        (
            "processes:\n  - {on: client, run: {probe: iperf3, server: x, duration: 1500 ms}}\n",
            "w.yaml:5  processes.0.run.duration: must be whole seconds",
        ),
        (
            "probes:\n  - {on: server, probe: wpa-events}\n",
            "w.yaml:5  probes.0.on: wpa-events works on sta; h1, which has the role server, is a host",
        ),
    ],
)
def test_mistakes_in_processes(plans: Plans, entries: str, message: str) -> None:
    assert refusal(plans, WORKLOAD + entries).startswith(message)


# Timeline


def timeline(*events: str) -> str:
    return "timeline:\n" + "".join(f"  - {{{event}}}\n" for event in events)


def test_timelines_are_merged_by_time(plans: Plans) -> None:
    plan = plans(
        TOPOLOGY + timeline("at: 5 s, roam: sta1, to: ap2", "at: 2 s, link: [s1, h1], to: down"),
        WORKLOAD
        + timeline("at: 5 s, exec: client, run: [echo, '{self.ip}']", "at: 1 s, move: ap1, to: [1 m, 2 m, 3 m]"),
    )
    assert [(event.at_ns // 10**9, event.kind, event.target, event.params) for event in plan.events] == [
        (1, "move", "ap1", {"position_m": [1.0, 2.0, 3.0]}),
        (2, "link", "h1-s1", {"up": False}),
        (5, "roam", "sta1", {"to": "ap2"}),
        (5, "exec", "sta1", {"argv": ["echo", "10.0.0.2"]}),
        (5, "exec", "sta2", {"argv": ["echo", "10.0.0.3"]}),
    ]


def test_netem_events_change_what_they_name(plans: Plans) -> None:
    plan = plans(
        TOPOLOGY + timeline("at: 2 s, netem: h1-s1, loss: 5%", "at: 1 s, netem: h1-s1, delay: 9 ms, rate: 1 Mbit/s"),
    )
    seen = [(e.params["delay_ns"], e.params["loss_percent"], e.params["rate_bps"]) for e in plan.events]
    assert seen == [(9_000_000, 0.0, 1_000_000), (9_000_000, 5.0, 1_000_000)]


def test_stops_reach_every_node(plans: Plans) -> None:
    plan = plans(workload=WORKLOAD + FETCH + timeline("at: 3 s, stop: fetch"))
    assert [(event.kind, event.target) for event in plan.events] == [("stop", "fetch@sta1"), ("stop", "fetch@sta2")]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            "at: 40 s, roam: sta1, to: ap2",
            "t.yaml:14  timeline.0.at: 40 s is after the end of the run (duration: 30 s, w.yaml:3)\n"
            "  make duration: longer, or run without these events: --set topology.timeline=[]",
        ),
        (
            "at: 30 s, roam: sta1, to: ap2",
            "t.yaml:14  timeline.0.at: 30 s is at the end of the run (duration: 30 s, w.yaml:3)\n"
            "  make duration: longer, or run without these events: --set topology.timeline=[]",
        ),
        (
            "at: 5 s, roam: sta9, to: ap2",
            't.yaml:14  timeline.0.roam: unknown node "sta9" (did you mean sta2?); known: client, sta1, sta2',
        ),
        (
            "at: 5 s, roam: sta1, to: ap9",
            't.yaml:14  timeline.0.to: unknown node "ap9" (did you mean ap2?); known: ap1, ap2',
        ),
        (
            "at: 5 s, power: ap9, to: off",
            't.yaml:14  timeline.0.power: unknown node "ap9" (did you mean ap2?); known: ap1, ap2',
        ),
        (
            "at: 5 s, disconnect: h9",
            't.yaml:14  timeline.0.disconnect: unknown node "h9"; known: client, sta1, sta2',
        ),
        (
            "at: 5 s, move: ap9, to: [1 m, 1 m, 1 m]",
            't.yaml:14  timeline.0.move: unknown node "ap9" (did you mean ap2?); known: client, ap1, ap2, sta1, sta2',
        ),
        (
            "at: 5 s, roam: h1, to: ap2",
            "t.yaml:14  timeline.0.roam: h1 is not a station (it is a host); only stations roam",
        ),
        (
            "at: 5 s, roam: sta1, to: s1",
            "t.yaml:14  timeline.0.to: s1 is not an access point (it is a switch); those of its network: ap1, ap2",
        ),
        (
            "at: 5 s, move: h1, to: [1 m, 1 m, 1 m]",
            "t.yaml:14  timeline.0.move: h1 has no radio (it is a host); only nodes with a radio move",
        ),
        (
            "at: 5 s, link: h1-s2, to: up",
            't.yaml:14  timeline.0.link: unknown link "h1-s2" (did you mean h1-s1?); '
            "known links: h1-s1, s1-ap1, s1-ap2",
        ),
        (
            "at: 5 s, netem: s1-ap1, jitter: 5 ms",
            "t.yaml:14  timeline.0.jitter: is larger than the delay, so delays would be negative; use a longer delay "
            "or a smaller jitter",
        ),
        ("at: 5 s, stop: fetch", 't.yaml:14  timeline.0.stop: unknown process "fetch"; known processes: none'),
        (
            "at: 5 s, exec: h1, run: [echo, '{x.ip}']",
            "t.yaml:14  timeline.0.run.1: {x.ip}: unknown role or node x; "
            "known: self, server, client, h1, s1, ap1, ap2, sta1, sta2",
        ),
        (
            "at: 5 s, roam: sta1, to: ap",
            't.yaml:14  timeline.0.to: "ap" stands for 2 nodes; name one access point',
        ),
        (
            "at: 5 s, roam: sta1, to: client",
            't.yaml:14  timeline.0.to: "client" stands for 2 nodes; name one access point',
        ),
        (
            "at: 5 s, disconnect: ap1",
            "t.yaml:14  timeline.0.disconnect: ap1 is not a station (it is an ap); only stations disconnect",
        ),
        (
            "at: 5 s, connect: h1",
            "t.yaml:14  timeline.0.connect: h1 is not a station (it is a host); only stations connect",
        ),
        (
            "at: 5 s, power: sta1, to: off",
            "t.yaml:14  timeline.0.power: sta1 is not an access point (it is a sta); only access points and mesh "
            "points lose power; write disconnect: and connect:",
        ),
        (
            "at: 5 s, power: ap1, to: on",
            "t.yaml:14  timeline.0.to: ap1 is already on at that time; remove this",
        ),
        (
            "at: 5 s, connect: sta1",
            "t.yaml:14  timeline.0.connect: sta1 is not disconnected at that time; remove this",
        ),
        ("at: 5 s, power: ap1, to: 7", 't.yaml:14  timeline.0.to: "7" is not one of off, on'),
    ],
)
def test_mistakes_in_events(plans: Plans, event: str, message: str) -> None:
    assert refusal(plans, WORKLOAD, TOPOLOGY + timeline(event)) == message


@pytest.mark.parametrize(
    ("before", "event", "message"),
    [
        ("disconnect: sta1", "disconnect: sta1", "disconnect: sta1 is already disconnected at that time; remove this"),
        (
            "disconnect: sta1",
            "roam: sta1, to: ap2",
            "roam: sta1 is disconnected at that time; write connect: sta1 before",
        ),
        (
            "power: ap2, to: off",
            "roam: sta1, to: ap2",
            "to: ap2 has no power at that time; write power: ap2, to: on before",
        ),
    ],
)
def test_events_know_those_before_them(plans: Plans, before: str, event: str, message: str) -> None:
    mistake = refusal(plans, WORKLOAD, TOPOLOGY + timeline(f"at: 1 s, {before}", f"at: 2 s, {event}"))
    assert mistake == f"t.yaml:15  timeline.1.{message}"


def test_losing_contact_on_purpose(plans: Plans) -> None:
    plan = plans(
        TOPOLOGY
        + timeline("at: 9 s, power: ap1, to: on", "at: 5 s, power: ap1, to: off", "at: 2 s, disconnect: client"),
        WORKLOAD + timeline("at: 3 s, connect: client", "at: 12 s, power: ap1, to: off"),
    )
    assert [(event.at_ns // 10**9, event.kind, event.target, event.params) for event in plan.events] == [
        (2, "disconnect", "sta1", {}),
        (2, "disconnect", "sta2", {}),
        (3, "connect", "sta1", {}),
        (3, "connect", "sta2", {}),
        (5, "power", "ap1", {"on": False}),
        (9, "power", "ap1", {"on": True}),
        (12, "power", "ap1", {"on": False}),
    ]


def test_stations_roam_within_their_network(plans: Plans) -> None:
    other = TOPOLOGY.replace("ap2: {kind: ap, ssid: campus", "ap2: {kind: ap, ssid: other").replace(
        "{kind: sta,", "{kind: sta, ssid: campus,"
    )
    assert refusal(plans, WORKLOAD, other + timeline("at: 5 s, roam: sta1, to: ap2")) == (
        't.yaml:14  timeline.0.to: ap2 has the SSID "other", but sta1 has "campus"; those of its network: ap1'
    )


# Metrics and checks


def test_metrics_name_every_process(plans: Plans) -> None:
    plan = plans(
        workload=WORKLOAD + FETCH + "metrics:\n  goodput: {of: fetch, unit: Mbit/s}\n"
        "  first: {kind: goodput, of: fetch@sta1, unit: kbit/s, per: interval}\n"
    )
    assert [(metric.kind, metric.of, metric.unit, metric.per) for metric in plan.metrics] == [
        ("goodput", ["fetch@sta1", "fetch@sta2"], "Mbit/s", None),
        ("goodput", ["fetch@sta1"], "kbit/s", "interval"),
    ]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (
            "velocity: {of: fetch, unit: Mbit/s}",
            'w.yaml:7  metrics.velocity: unknown metric "velocity"; known: ',
        ),
        (
            "speed: {kind: goodputt, of: fetch, unit: Mbit/s}",
            'w.yaml:7  metrics.speed.kind: unknown metric "goodputt" (did you mean goodput?); known: ',
        ),
        (
            "goodput: {of: fetsh, unit: Mbit/s}",
            'w.yaml:7  metrics.goodput.of: unknown process "fetsh" (did you mean fetch?); known: fetch,',
        ),
        (
            "goodput: {of: fetch, unit: ms}",
            'w.yaml:7  metrics.goodput.unit: "ms" is not a unit of this metric; known: bit/s,',
        ),
        (
            "goodput: {of: fetch, unit: Mbit/s, per: handoff}",
            'w.yaml:7  metrics.goodput.per: "handoff" is not possible here; known: process, interval',
        ),
        (
            "outage: {of: fetch, unit: ms}",
            "w.yaml:7  metrics.outage.of: fetch is the probe curl, which yields transfers; this metric needs events of "
            "association or captured frames; name a process of tcpdump, wpa-events",
        ),
        (
            "fetch: {kind: goodput, of: fetch, unit: Mbit/s}",
            'w.yaml:7  metrics.fetch: a process has the same name, "fetch", so checks could not tell them apart; '
            "rename one of them",
        ),
    ],
)
def test_mistakes_in_metrics(plans: Plans, metric: str, message: str) -> None:
    found = refusal(plans, WORKLOAD + FETCH + f"metrics:\n  {metric}\n")
    assert found.startswith(message)


@pytest.mark.parametrize(
    ("that", "message"),
    [
        (
            "fetsh.exit == 0",
            'unknown name "fetsh" (did you mean fetch?); known: fetch, fetch@sta1, fetch@sta2, goodput, page',
        ),
        ("page.sha == 'x'", 'page has no "sha" (did you mean sha256?); known: sha256, size, path'),
        ("max > 5 Mbit/s", 'no metric has the name "max"; write goodput.max'),
        ("goodput.mean > 5", '"5" has no unit; write 5 Mbit/s'),
        ("goodput.mean > 5 ms", "a rate (in Mbit/s) cannot be compared with a duration (in ms)"),
        (
            "goodput.p96 > 5 Mbit/s",
            'goodput has no "p96" (did you mean p99?); known: count, sum, mean, median, min, max, p50, p90, p95, p99',
        ),
        (
            "goodput > 5 Mbit/s",
            "goodput has several values; write one of goodput.count, .sum, .mean, .median, .min, .max, .p50, .p90, "
            ".p95, .p99",
        ),
        ("goodput.mean", "the result is not true or false; write a comparison, such as outage.max < 500 ms"),
        ("fetch.exit = 0", 'unexpected "="; write == to compare\n  fetch.exit = 0\n             ^'),
        ("fetch.exit => 0", 'unexpected "="; write >=\n  fetch.exit => 0\n             ^'),
        ("fetch.exit ==", "a value is missing here\n  fetch.exit ==\n               ^"),
    ],
)
def test_mistakes_in_checks(plans: Plans, that: str, message: str) -> None:
    files = "files:\n  page: {on: server, path: /x, text: x}\n"
    metrics = "metrics:\n  goodput: {of: fetch, unit: Mbit/s}\n"
    text = WORKLOAD + FETCH + files + metrics + f'checks:\n  - {{that: "{that}"}}\n'
    assert refusal(plans, text) == f"w.yaml:11  checks.0.that: {message}"


@pytest.mark.parametrize(
    "that",
    [
        "1 Mbit/s / (goodput.mean - goodput.min) > 5 or 1 > 2",
        "geomean(goodput.mean - goodput.min, 1 Mbit/s) > 5 Mbit/s",
        "len(fetch.sha256) == 64 and fetch@sta1.retries + 1 < 5 and fetch.rtt < 5 ms",
        "goodput.count > 3",
        "any(fetch.exit == 0)",
    ],
)
def test_checks_that_depend_on_the_figures(plans: Plans, that: str) -> None:
    metrics = "metrics:\n  goodput: {of: fetch, unit: Mbit/s}\n"
    plan = plans(workload=WORKLOAD + FETCH + metrics + f'checks:\n  - {{that: "{that}"}}\n')
    assert plan.checks[0].that == that


def test_files_and_processes_have_names_of_their_own(plans: Plans) -> None:
    files = "files:\n  fetch: {on: server, path: /x, text: x}\n"
    assert refusal(plans, WORKLOAD + FETCH + files) == (
        "w.yaml:7  files.fetch: a process or metric has the same name, so checks could not tell them apart; "
        "rename one of them"
    )


# Single files


def test_files_by_themselves(tmp_path: Path) -> None:
    for kind in ("topology", "workload"):
        for path in library.known(kind).values():
            assert check(path) == kind
    (tmp_path / "name.yaml").write_text("name: mine\n")
    with pytest.raises(InputError) as failure:
        check(tmp_path / "name.yaml")
    assert failure.value.message == (
        "looks neither like a topology nor like a workload; a workload needs "
        "duration:, a topology nodes:, an experiment topology: and workload:"
    )
    (tmp_path / "list.yaml").write_text("- a\n")
    with pytest.raises(InputError, match=r"list\.yaml:1  must be a mapping"):
        check(tmp_path / "list.yaml")
    (tmp_path / "work.yaml").write_text(
        "name: x\nduration: 9 s\nroles: {alone: 1}\nchecks: [{that: a <}]\n"
        "files: {f: {on: alon, path: /x, text: x}}\nprobes:\n  - {on: alonne, probe: ss, evry: 1 s, at: 9 s}\n"
    )
    with pytest.raises(InputError) as failure:
        check(tmp_path / "work.yaml")
    found = [line.split("  ")[1].split(":")[0] for line in str(failure.value).splitlines() if "work.yaml" in line]
    assert found == ["probes.0.evry", "probes.0.at", "probes.0.on", "files.f.on", "checks.0.that"]
    (tmp_path / "bad.yaml").write_text("name: x\nnodes:\n  ap1: {kind: ap, ssid: x, channel: 99}\n")
    with pytest.raises(InputError, match=r"bad\.yaml:3  nodes\.ap1\.channel: mode g has no channel 99"):
        check(tmp_path / "bad.yaml")


def test_a_draft_is_the_plan_without_the_levels_that_change_on_the_way() -> None:
    whole, draft = load("walk", "ping/roaming"), load("walk", "ping/roaming", draft=True)
    assert whole.medium is not None and draft.medium is not None
    assert whole.medium.updates and not draft.medium.updates
    assert replace(whole, medium=replace(whole.medium, updates=[])) == draft


def test_a_setting_may_be_written_in_a_file(plans: Plans) -> None:
    plans()
    overrides = ["nodes.sta1.pids=none", "nodes.x.y=1"]
    reported = refused(load, "t.yaml", "w.yaml", 1, overrides, locations={"nodes.x.y": "e.yaml:7"})
    assert reported.startswith('e.yaml:7  nodes.x.y: nodes has no "x"')
    reported = refused(load, "t.yaml", "w.yaml", 1, overrides[:1], locations={"nodes.sta1.pids": "e.yaml:8"})
    assert reported.startswith("e.yaml:8  nodes.sta1.pids: must be a whole number")


def test_a_mistyped_probe_with_a_metric_is_one_mistake(plans: Plans) -> None:
    text = f"{WORKLOAD}processes:\n  - {{on: client, run: {{probe: pingg, to: server}}, as: call}}\n"
    text += "metrics:\n  rtt: {of: call, unit: ms}\n"
    reported = refusal(plans, text)
    assert reported.startswith('w.yaml:5  processes.0.run.probe: unknown probe "pingg" (did you mean ping?)')
    assert "\nw.yaml" not in reported


@pytest.mark.parametrize(
    ("first", "reported"),
    [
        (
            "{on: servr, run: {probe: udp-sink}, as: sink}",
            'w.yaml:5  processes.0.on: unknown role or node "servr"',
        ),
        (
            "{on: client, run: {probe: ping, to: x}, as: load}",
            'w.yaml:6  processes.1: another process is called "load"',
        ),
    ],
    ids=["role", "name"],
)
def test_what_names_a_process_with_a_mistake_is_not_a_mistake(
    plans: Plans, tmp_path: Path, first: str, reported: str
) -> None:
    name = "sink" if "sink" in first else "load"
    text = (
        f"{WORKLOAD}processes:\n  - {first}\n"
        '  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 5 ms}, as: load}\n'
        f'metrics:\n  loss: {{of: {name}, unit: "%"}}\nchecks:\n  - {{that: {name}.exit == 0}}\n'
        f"timeline:\n  - {{at: 3 s, stop: {name}}}\n"
    )
    assert refusal(plans, text).startswith(reported) and "\n" not in refusal(plans, text)
    with pytest.raises(InputError) as failure:
        check(tmp_path / "w.yaml")
    assert str(failure.value).startswith(reported) and "\n" not in str(failure.value)


def test_the_metrics_of_a_workload_by_itself_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "work.yaml"
    path.write_text(
        "name: x\nduration: 9 s\nroles: {a: 1}\nprocesses:\n  - {on: a, run: {probe: ping, to: a}, as: p}\nmetrics:\n"
        "  nonsens: {of: p, unit: words}\n  rtt: {of: p, unit: words}\n  late: {kind: rtt, of: q, unit: ms}\n"
        "  one: {kind: rtt, of: p@sta1, unit: ms}\n"
    )
    with pytest.raises(InputError) as failure:
        check(path)
    reported = [line.split("  ", 1)[1] for line in str(failure.value).splitlines()]
    assert [line.partition(";")[0] for line in reported] == [
        'metrics.nonsens: unknown metric "nonsens"',
        'metrics.rtt.unit: "words" is not a unit of this metric',
        'metrics.late.of: unknown process "q"',
    ]


def test_the_timeline_of_a_topology_by_itself_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "place.yaml"
    path.write_text(
        f"{TOPOLOGY}timeline:\n  - {{at: 8 s, netem: lin, delay: 1 ms}}\n  - {{at: 8 s, roam: sta9, to: ap2}}\n"
        "  - {at: 9 s, stop: call}\n  - {at: 9 s, exec: client, run: [echo, '{server.ip}']}\n"
        "  - {at: 9 s, netem: h1-s1, delay: 1 ms}\n  - {at: 9 s, roam: sta1, to: ap2}\n"
    )
    with pytest.raises(InputError) as failure:
        check(path)
    reported = [line.split("  ", 1)[1] for line in str(failure.value).splitlines()]
    assert [line.partition(";")[0] for line in reported] == [
        'timeline.0.netem: unknown link "lin"',
        'timeline.1.roam: unknown node "sta9" (did you mean sta2?)',
    ]


def test_clients_must_end_and_others_may_run_on(plans: Plans) -> None:
    lines = {
        "program": "{on: client, run: [nap], as: program}",
        "fetch": '{on: client, run: {probe: curl, url: "http://{server.ip}/x"}, as: fetch}',
        "pings": '{on: client, run: {probe: ping, to: "{server.ip}", count: 3}, as: pings}',
        "always": '{on: client, run: {probe: ping, to: "{server.ip}"}, as: always}',
        "server": "{on: server, run: [httpd], as: server, ready: {listening: tcp/80}}",
        "sink": "{on: server, run: {probe: udp-sink}, as: sink}",
        "stopped": "{on: client, run: [nap], as: stopped, stop: 3 s}",
        "optional": "{on: client, run: [nap], as: optional, required: false}",
        "free": "{on: client, run: [nap], as: free, may_run_on: true}",
    }
    text = f"{WORKLOAD}processes:\n" + "".join(f"  - {line}\n" for line in lines.values())
    watch = 'probes:\n  - {on: client, probe: ping, to: "{server.ip}", count: 3, as: watch}\n'
    plan = plans(workload=text.replace("1..", "1") + watch, overrides=["workload.roles.client=1"])
    assert {one.name for one in plan.processes if one.must_end()} == {"program", "fetch", "pings"}
    assert {one.name for one in plan.processes if one.may_run_on} == {"always", "sink", "free", "watch"}


def test_the_kind_of_several_metrics_is_not_a_name(plans: Plans) -> None:
    entry = '{kind: loss, of: %s, unit: "%%"}'
    metrics = f"metrics:\n  loss-a: {entry % 'a'}\n  loss-b: {entry % 'b'}\n"
    run = 'on: client, run: {probe: ping, to: "{server.ip}", count: 5}'
    text = WORKLOAD + f"processes:\n  - {{{run}, as: a}}\n  - {{{run}, as: b}}\n" + metrics
    assert refusal(plans, text + "checks:\n  - {that: loss.max < 1%}\n").endswith(
        'checks.0.that: no metric has the name "loss"; write loss-a.max or loss-b.max'
    )
