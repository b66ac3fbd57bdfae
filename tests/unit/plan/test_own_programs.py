# SPDX-License-Identifier: MIT
"""Workloads for programs of one's own: nodes by name, what programs print, files to collect, times for each node."""

from pathlib import Path

import pytest

from lab.cli.check import check
from lab.errors import InputError
from lab.shared.types import Collect, Prints
from tests.refused import refused

from .conftest import WORKLOAD, Plans
from .test_resolve import refusal

ACKED = r"acked (?P<acked>\d+) of \d+, rtt (?P<rtt>[0-9.]+) ms"


def processes(*entries: str) -> str:
    return "processes:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


# Nodes by name


def test_a_workload_may_name_nodes(plans: Plans) -> None:
    text = "name: w\nduration: 5 s\n" + processes("on: sta2, run: [a]", "on: h1, run: [b]")
    text += "files:\n  f: {on: [ap1, sta1], path: /x, text: x}\ncollect:\n  - {on: sta1, path: /x}\n"
    plan = plans(workload=text)
    assert [(process.id, process.node) for process in plan.processes] == [("a", "sta2"), ("b", "h1")]
    assert [file.node for file in plan.files] == ["ap1", "sta1"]
    assert [entry.node for entry in plan.collect] == ["sta1"]


def test_a_role_and_another_node_of_one_name(plans: Plans) -> None:
    topology = "name: t\nnodes:\n  a: {kind: host, roles: [b]}\n  b: {kind: host}\nlinks:\n  - {between: [a, b]}\n"
    assert refused(plans, topology, "name: w\nroles: {b: 1}\nduration: 1 s\n" + processes("on: b, run: [nap]")) == (
        'w.yaml:5  processes.0.on: "b" is a node of the topology, but also the role of a; give the role another name'
    )
    same = topology.replace("roles: [b]", "roles: [a]")
    assert plans(same, "name: w\nroles: {a: 1}\nduration: 1 s\n" + processes("on: a, run: [nap]")).processes


def test_a_workload_alone_may_name_nodes_but_no_mistyped_role(tmp_path: Path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text(WORKLOAD + processes("on: sta1, run: [a]"))
    assert check(path) == "workload"
    path.write_text(WORKLOAD + processes("on: servr, run: [a]"))
    with pytest.raises(InputError, match='unknown role or node "servr" .did you mean server.'):
        check(path)


# Times for each node


@pytest.mark.parametrize("at", ["[1 s, 3 s]", '"{2 * index - 1} s"', '"{2 s * index - 1 s}"'])
def test_nodes_of_a_role_may_start_at_different_times(plans: Plans, at: str) -> None:
    plan = plans(workload=WORKLOAD + processes(f"on: client, run: [nap], at: {at}"))
    assert [(process.id, process.at_ns) for process in plan.processes] == [
        ("nap@sta1", 1_000_000_000),
        ("nap@sta2", 3_000_000_000),
    ]


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("{index}", ["1", "2"]),
        ("--port={5000 + 2 * index}", ["--port=5002", "--port=5004"]),
        ("{{index}} {self.name}", ["{index} sta1", "{index} sta2"]),
        ("{print index($0, 1)}", ["{print index($0, 1)}"] * 2),
        ("{index == 1} {indx} {index + x}", ["{index == 1} {indx} {index + x}"] * 2),
    ],
)
def test_words_of_a_command_may_be_calculated_for_each_node(plans: Plans, word: str, words: list[str]) -> None:
    plan = plans(workload=WORKLOAD + processes(f"on: client, run: [nap, '{word}']"))
    assert [process.argv[1] for process in plan.processes] == words


def test_texts_for_a_probe_may_be_calculated_too(plans: Plans) -> None:
    plan = plans(workload=WORKLOAD + processes('on: client, run: {probe: ping, to: "10.0.0.{index}"}'))
    assert [process.params["to"] for process in plan.processes] == ["10.0.0.1", "10.0.0.2"]


def test_numbers_for_a_probe_may_be_calculated_too(plans: Plans) -> None:
    text = WORKLOAD + processes('on: client, run: {probe: ping, to: 10.0.0.1, count: "{3 + count - index}"}')
    text += 'probes:\n  - {on: client, probe: ss, every: "{100 * index} ms"}\n'
    watching, doing = ([one for one in plans(workload=text).processes if one.probe == name] for name in ("ss", "ping"))
    assert [one.params["count"] for one in doing] == [4, 3]
    assert [one.every_ns for one in watching] == [100_000_000, 200_000_000]
    assert refusal(plans, text.replace("100 * index", "2 - index")).endswith('"0 ms" is too small; the minimum is 1 ms')
    assert "index2" in refusal(plans, text.replace("100 * index", "index2 * index"))


def test_a_process_may_run_once_for_each_node_of_another_role(plans: Plans) -> None:
    run = 'run: {probe: ping, to: "{client[{index}].ip}"}, at: "{index} s"'
    plan = plans(workload=WORKLOAD + processes(f"on: server, for_each: client, {run}"))
    assert [(one.id, one.node, one.at_ns) for one in plan.processes] == [
        ("ping@sta1", "h1", 1_000_000_000),
        ("ping@sta2", "h1", 2_000_000_000),
    ]
    addresses = {node.name: (node.ip or "").partition("/")[0] for node in plan.nodes}
    assert [one.params["to"] for one in plan.processes] == [addresses["sta1"], addresses["sta2"]]
    message = "processes.0.on: for_each: needs a single node here, but client stands for sta1, sta2"
    assert refusal(plans, WORKLOAD + processes(f"on: client, for_each: client, {run}")).endswith(message)
    assert 'processes.0.for_each: unknown role or node "clint"' in refusal(
        plans, WORKLOAD + processes(f"on: server, for_each: clint, {run}")
    )
    assert 'processes.0.on: unknown role or node "sever"' in refusal(
        plans, WORKLOAD + processes(f"on: sever, for_each: client, {run}")
    )


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("[1 s]", "w.yaml:5  processes.0.at: has 1 time, but client stands for 2 nodes"),
        ("[1 s, 2]", 'w.yaml:5  processes.0.at: "2" has no unit; write 2 s'),
        ('"{index}"', 'w.yaml:5  processes.0.at: "1" has no unit; write 1 s'),
        ('"{index - 2} s"', 'w.yaml:5  processes.0.at: "-1 s" is too small; the minimum is 0 s'),
        ('"{2 - index} s"', None),
        ('"{1 - index} s"', 'w.yaml:5  processes.0.at: "-1 s" is too small; the minimum is 0 s, for index 2'),
        ('"{20 * index} s"', "w.yaml:5  processes.0.at: 40 s is not before the end of the run (duration: 30 s)"),
    ],
)
def test_mistakes_in_times(plans: Plans, at: str, message: str | None) -> None:
    text = WORKLOAD + processes(f"on: client, run: [nap], at: {at}")
    if message is None:
        assert [process.at_ns for process in plans(workload=text).processes] == [1_000_000_000, 0]
    else:
        assert refusal(plans, text) == message


# What programs print


def test_what_a_program_prints(plans: Plans) -> None:
    text = WORKLOAD + processes(
        "on: server, run: [srv], prints: json",
        f"on: client, run: [cli], prints: {{match: '{ACKED}', units: {{rtt: ms, acked: packets}}}}",
    )
    text += "metrics:\n  rtt: {of: cli.rtt, unit: s}\n  load: {of: [srv.load, cli@sta2.acked], unit: packets}\n"
    text = text.replace("prints: json", "prints: {json: true, units: {load: packets}}")
    text += "checks:\n  - {that: cli.acked == 300 packets}\n  - {that: srv.done == true and rtt.max < 5 ms}\n"
    plan = plans(workload=text)
    assert [process.prints for process in plan.processes] == [
        Prints(True, [], {"load": "packets"}),
        *[Prints(False, [ACKED], {"rtt": "ms", "acked": "packets"})] * 2,
    ]
    assert [(metric.kind, metric.of) for metric in plan.metrics] == [
        ("printed", ["cli@sta1.rtt", "cli@sta2.rtt"]),
        ("printed", ["srv.load", "cli@sta2.acked"]),
    ]
    (process,) = plans(workload=WORKLOAD + processes("on: server, run: [srv], prints: json")).processes
    assert process.prints == Prints(True, [], {})


@pytest.mark.parametrize(
    ("prints", "more", "message"),
    [
        ("{}", "", "prints: needs json: true, or match: with a regular expression"),
        ("{match: '('}", "", 'prints.match: "(" is not a valid regular expression: missing ), '),
        ("{match: 'x'}", "", 'prints.match: "x" has no named group; write (?P<name>…) around what to read'),
        (
            "{match: '(?P<rtt>x)', units: {rt: ms}}",
            "",
            "prints.units: rt: match lacks this group (did you mean rtt?); its groups: rtt",
        ),
        (
            "{json: true, units: {rtt: Mbits/s}}",
            "",
            'prints.units: rtt: "Mbits/s" is not a unit (did you mean Mbit/s?)',
        ),
        ("jsn", "", 'prints: "jsn" does not say how to read it; write json, or a mapping, such as {match: …}'),
        (
            "{match: '(?P<rtt>x)'}",
            "checks:\n  - {that: cli.rt == 3}\n",
            'w.yaml:7  checks.0.that: cli has no "rt" (did you mean rtt?); known: rtt, exit',
        ),
        (
            "{json: true, units: {acked: packets}}",
            "checks:\n  - {that: cli.acked == 300}\n",
            'w.yaml:7  checks.0.that: "300" has no unit; write 300 packets',
        ),
        (
            "{match: '(?P<rtt>x)', units: {rtt: ms}}",
            "checks:\n  - {that: cli.rtt < 5 Mbit/s}\n",
            "w.yaml:7  checks.0.that: a duration (in ms) cannot be compared with a rate (in Mbit/s)",
        ),
        (
            "{match: '(?P<rtt>x)'}",
            "metrics:\n  m: {of: cli.rt, unit: ms}\n",
            "w.yaml:7  metrics.m.of: cli prints no rt (did you mean rtt?); it prints rtt",
        ),
        (
            "json",
            "metrics:\n  m: {of: cli.rtt, unit: ms}\n",
            "w.yaml:7  metrics.m.unit: cli.rtt has no unit; write units: {rtt: ms} in prints: of cli, or the unit in "
            "which it prints it",
        ),
        (
            "{json: true, units: {rtt: ms}}",
            "metrics:\n  m: {of: cli.rtt, unit: Mbit/s}\n",
            'w.yaml:7  metrics.m.unit: "Mbit/s" is not a unit for cli.rtt, which is printed in ms',
        ),
        (
            "json",
            "metrics:\n  m: {of: cl.rtt, unit: ms}\n",
            'w.yaml:7  metrics.m.of: unknown process "cl" (did you mean cli?); known: cli',
        ),
        (
            "json",
            "metrics:\n  m: {of: cli, kind: printed, unit: ms}\n",
            "w.yaml:7  metrics.m.of: cli alone is not a value; add the name of one that it prints, such as cli.rtt",
        ),
        (
            "json",
            "metrics:\n  m: {of: cli.rtt, unit: ms, per: node}\n",
            'w.yaml:7  metrics.m.per: "node" is not possible',
        ),
    ],
)
def test_mistakes_in_what_is_printed(plans: Plans, prints: str, more: str, message: str) -> None:
    text = WORKLOAD + f"processes:\n  - {{on: server, run: [cli], prints: {prints}}}\n" + more
    if not message.startswith("w.yaml"):
        message = f"w.yaml:5  processes.0.{message}"
    assert message in refusal(plans, text)


def test_a_program_without_prints_has_no_values(plans: Plans) -> None:
    text = WORKLOAD + processes("on: server, run: [cli]") + "metrics:\n  m: {of: cli.rtt, unit: ms}\n"
    assert refusal(plans, text) == (
        "w.yaml:7  metrics.m.of: cli has no prints:, so its output is not read; write prints: json, or a mapping"
    )
    probe = WORKLOAD + processes("on: client, run: {probe: ping, to: x}, prints: json")
    assert refusal(plans, probe) == (
        "w.yaml:5  processes.0.prints: is for programs; the probe ping reads its output by itself"
    )


def test_other_metrics_do_not_take_what_programs_print(plans: Plans) -> None:
    text = WORKLOAD + processes("on: server, run: [cli], prints: json") + "metrics:\n  rtt: {of: cli, unit: ms}\n"
    assert refusal(plans, text).startswith("w.yaml:7  metrics.rtt.of: cli is a program without a probe; this metric ")


# Files to collect


def test_files_to_collect(plans: Plans) -> None:
    text = WORKLOAD + processes(
        'on: client, run: [cli], collect: ["/root/{self.name}.csv", {path: /log, optional: true}]'
    )
    text += "collect:\n  - {on: [server, client], path: /log, at_most: 1 MiB}\n"
    assert plans(workload=text).collect == [
        Collect("sta1", "/root/sta1.csv", False, 64 << 20, "w.yaml:5"),
        Collect("sta2", "/root/sta2.csv", False, 64 << 20, "w.yaml:5"),
        Collect("sta1", "/log", True, 64 << 20, "w.yaml:5"),
        Collect("sta2", "/log", True, 64 << 20, "w.yaml:5"),
        Collect("h1", "/log", False, 1 << 20, "w.yaml:7"),
    ]


def test_a_node_that_there_is_not_is_one_mistake(plans: Plans) -> None:
    reported = refusal(plans, WORKLOAD + processes("on: sta9, run: [cli], collect: /x"))
    assert reported.startswith('w.yaml:5  processes.0.on: unknown role or node "sta9"') and "\n" not in reported


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("out.csv", '"out.csv" is not an absolute path; write one such as /root/out.csv'),
        ("/", '"/" is not an absolute path; write one such as /root/out.csv'),
        ("/root/../proc", '"/root/../proc" is not an absolute path; write one such as /root/out.csv'),
        ("/proc/1", '"/proc/1" has more than files of programs in it; name the folder, such as /root/*'),
        ("/**/x", '"/**/x" has more than files of programs in it; name the folder, such as /root/*'),
    ],
)
def test_mistakes_in_paths_to_collect(plans: Plans, path: str, message: str) -> None:
    text = WORKLOAD + processes(f'on: server, run: [cli], collect: "{path}"')
    assert refusal(plans, text) == f"w.yaml:5  processes.0.collect.0.path: {message}"


def test_a_plan_without_these_does_not_mention_them(plans: Plans) -> None:
    text = plans(workload=WORKLOAD + processes("on: server, run: [cli]")).to_json()
    assert not any(word in text for word in ('"prints"', '"collect"', '"packed"', '"packed_bytes"'))


@pytest.mark.parametrize(
    ("process", "message"),
    [
        ("run: {probe: ping, to: x}, user: 1000", "user: is for programs; the probe ping runs as root"),
        ("run: [cli], user: -1", "user: must be at least 0, not -1"),
        ("run: [cli], user: 65535", "user: must be at most 65534, not 65535"),
        ("run: [cli], user: nobody", 'user: must be a whole number, not "nobody"'),
    ],
)
def test_users_that_a_process_cannot_have(plans: Plans, process: str, message: str) -> None:
    assert message in refusal(plans, WORKLOAD + processes(f"on: server, {process}"))


def test_a_plan_names_the_user_of_a_process_only_if_it_has_one(plans: Plans) -> None:
    found = plans(workload=WORKLOAD + processes("on: server, run: [cli], user: 1000", "on: server, run: [other]"))
    assert [process.user for process in found.processes] == [1000, None]
