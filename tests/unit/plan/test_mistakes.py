# SPDX-License-Identifier: MIT
"""Mistakes that new users make in files, each with the whole answer."""

from pathlib import Path

import pytest

from lab.cli.check import check
from lab.errors import InputError
from lab.plan.load import load
from tests.refused import refused

TOPOLOGY = """\
name: base
nodes:
  h1:   {kind: host, roles: [server]}
  ap1:  {kind: ap, ssid: cafe, channel: 6}
  sta1: {kind: sta}
links:
  - {between: [h1, ap1], delay: 1 ms}
"""
WORKLOAD = """\
name: work
roles: {server: 1}
duration: 5 s
processes:
  - {on: server, run: {probe: iperf3-server}, as: sink, ready: {listening: tcp/5201}}
  - {on: sta1, run: {probe: ping, to: "{server.ip}", every: 20 ms, count: 100}, as: call}
metrics:
  loss: {of: call, unit: "%"}
checks:
  - {that: loss.max < 1%}
"""


def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """Return what the lab says of a file without its known keys, kinds and the like."""
    monkeypatch.chdir(tmp_path)
    Path("m.yaml").write_text(text)
    return "\n".join(line.partition("; known")[0] for line in refused(check, Path("m.yaml")).splitlines())


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "1 ms}",
            "0,5 ms}",
            "m.yaml:7  links.0.delay: YAML ends the value at the comma; write 0.5 ms, with a decimal point",
        ),
        (
            "{between: [h1, ap1], delay: 1 ms}",
            "between: [h1, ap1]\n    delay: 0,5 ms",
            'm.yaml:8  links.0.delay: "0,5 ms" has a decimal comma; write 0.5 ms',
        ),
        ("delay: 1 ms", "delay: 1 sec", 'm.yaml:7  links.0.delay: "1 sec": unknown unit sec; write 1 s'),
        ("delay: 1 ms", "bw: 10", 'm.yaml:7  links.0.bw: unknown key "bw" (did you mean rate?)'),
        ("between:", "from:", 'm.yaml:7  links.0.from: unknown key "from" (did you mean between?)'),
        (
            "kind: host",
            "kind: gateway",
            'm.yaml:3  nodes.h1.kind: unknown kind of node "gateway" (did you mean router?)',
        ),
        ("name: base", "name: base\ndescription: x", 'unknown key "description" (did you mean about?)'),
        ("between:", "endpoints:", 'm.yaml:7  links.0.endpoints: unknown key "endpoints" (did you mean between?)'),
        ("- {between", "-{between", "m.yaml:7  is not valid YAML: a space is missing after the -\n"),
        ("kind: host", "kind:host", "m.yaml:3  write kind: host, with a space after the colon"),
        ("kind: host", "kind=host", "m.yaml:3  write kind: host, with a space after the colon"),
        (
            "{kind: sta}",
            "\n    kind:sta\n    ip: 10.0.0.9",
            "m.yaml:6  is not valid YAML: write kind: sta, with a space after the colon\n      kind:sta\n          ^",
        ),
        (
            "kind: sta",
            "Kind: sta",
            'm.yaml:5  nodes.sta1.Kind: unknown key "Kind" (did you mean kind?); write one of ',
        ),
        (
            "kind: sta",
            "type: sta",
            'm.yaml:5  nodes.sta1.type: unknown key "type" (did you mean kind?); write one of ',
        ),
        ("kind: sta", "kind: station", 'nodes.sta1.kind: unknown kind of node "station" (did you mean sta?)'),
        (
            "kind: sta",
            "kind: sta, wlans: 2",
            "m.yaml:5  nodes.sta1.wlans: must be a list of the radios after the first, such as [{ssid: office}]",
        ),
        ("kind: sta", "kind: sta, range: 50", 'unknown key "range": with a medium:, it follows from txpower:'),
        (
            "channel: 6",
            "channel: 6, psk: 12345678",
            'm.yaml:4  nodes.ap1.psk: unknown key "psk" (did you mean passwd?)',
        ),
        (
            "ssid: cafe",
            "ssid: [a, b]",
            "m.yaml:4  nodes.ap1.ssid: must be text, not a list; write the first one, and the others in bss: "
            "[{ssid: NAME}]",
        ),
        (
            "kind: sta",
            "kind: sta, roles: a, b",
            'm.yaml:5  nodes.sta1.b: unknown key "b"; a list needs brackets: roles: [a, b]',
        ),
        (
            "kind: sta",
            "kind: sta, position: 1 m, 2 m, 0 m",
            "m.yaml:5  nodes.sta1.position: a list needs brackets; write [1 m, 2 m, 0 m]",
        ),
        (
            "kind: sta",
            "kind: sta, position: (30, -1.5, 2)",
            "m.yaml:5  nodes.sta1.position: a list needs brackets; write [30 m, -1.5 m, 2 m]",
        ),
        (
            "kind: sta",
            "kind: sta, position: 30,-1.5,2",
            "m.yaml:5  nodes.sta1.position: a list needs brackets; write [30 m, -1.5 m, 2 m]",
        ),
        (
            "links:",
            "wlans:",
            'm.yaml:6  wlans: unknown key "wlans": each node is an entry of nodes:, such as sta1: {kind',
        ),
        (
            "links:",
            "duration: 5 s\nlinks:",
            'unknown key "duration": it belongs in a workload, which is a separate file',
        ),
        ("nodes:", "nodes", 'm.yaml:2  is not valid YAML: ":" is missing after "nodes"\n  nodes\n       ^'),
        ("name: base", "name:base", "m.yaml:1  is not valid YAML: write name: base, with a space after the colon"),
        ("  h1", "\th1", "m.yaml:3  is not valid YAML: this is a tab; write spaces\n"),
        (
            "  h1",
            "   h1",
            "m.yaml:4  is not valid YAML: this line is indented differently from those that it belongs to",
        ),
        ("[server]}", "[server]", "m.yaml:3  is not valid YAML: this { is never closed; write } after it\n"),
        ("[server]}", "[server}", "m.yaml:3  is not valid YAML: this [ is not closed; write ] before the }\n"),
        ("[server]", "a {b}", 'm.yaml:3  is not valid YAML: text with { needs quotes: "a {b}"\n'),
        ("host, roles", "host; roles", "m.yaml:3  is not valid YAML: write a comma instead of the semicolon\n"),
        (
            "name: base",
            "name: base: one",
            'm.yaml:1  is not valid YAML: text with ": " needs quotes: name: "base: one"',
        ),
        ("name: base", 'name: "base', "m.yaml:1  is not valid YAML: this quote is never closed\n"),
        (
            "links:",
            "---\nlinks:",
            "m.yaml:6  is not valid YAML: a file has one document; remove this line and what follows",
        ),
    ],
)
def test_a_topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, message: str) -> None:
    assert right in TOPOLOGY
    assert message in answer(tmp_path, monkeypatch, TOPOLOGY.replace(right, wrong, 1))


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            'run: {probe: ping, to: "{server.ip}", every: 20 ms, count: 100}',
            "probe: ping, to: h1",
            "m.yaml:6  processes.1.probe: belongs in run:, with its parameters; write run: {probe: ping, …}",
        ),
        (
            'run: {probe: ping, to: "{server.ip}", every: 20 ms, count: 100}',
            'run: "ping {server.ip}"',
            'm.yaml:6  processes.1.run: must be a list of words: run: [ping, "{server.ip}"]',
        ),
        ("every", "interval", 'm.yaml:6  processes.1.run.interval: unknown key "interval" (did you mean every?)'),
        ("on: server", "node: server", 'm.yaml:5  processes.0.node: unknown key "node" (did you mean on?)'),
        ("duration:", "time:", 'm.yaml:3  time: unknown key "time" (did you mean duration?)'),
        (
            "tcp/5201",
            "5201",
            'm.yaml:5  processes.0.ready.listening: "5201" is not a valid port; write tcp/5201, or udp/5201',
        ),
        (
            "{server: 1}",
            "[server]",
            "m.yaml:2  roles: must be a mapping: {key: value}, not a list; write how many nodes",
        ),
        ('"%"', "%", 'm.yaml:8  is not valid YAML: text that begins with % needs quotes: "%"\n'),
        (
            "< 1%",
            "< 0,5 %",
            "m.yaml:10  checks.0.that: YAML ends the value at the comma; write loss.max < 0.5 %, with a ",
        ),
        (
            "loss: {of",
            "throughput: {of",
            'm.yaml:8  metrics.throughput: unknown metric "throughput" (did you mean goodput?)',
        ),
        (
            "metrics:",
            "links: []\nmetrics:",
            'unknown key "links": it belongs in a topology, which is a separate file',
        ),
    ],
)
def test_a_workload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, message: str) -> None:
    assert right in WORKLOAD
    assert message in answer(tmp_path, monkeypatch, WORKLOAD.replace(right, wrong, 1))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("w.yaml").write_text(WORKLOAD)


@pytest.mark.parametrize(
    ("topology", "workload", "setting", "message"),
    [
        ("t.yaml", "t.yaml", "seed=1", "t.yaml  is a topology; write the file of a workload here"),
        ("w.yaml", "w.yaml", "seed=1", "w.yaml  is a workload; write the file of a topology here"),
        ("t.yaml", "one-ap", "seed=1", "one-ap is a topology, not a workload\n  known: "),
        ("t.yaml", "handoff/outage", "seed=1", "handoff/outage is an experiment, not a workload\n  known: "),
        ("t.yaml", "w.yaml", "delay=5 ms", 'has a key "delay" (did you mean links.0.delay?)\n'),
    ],
)
def test_a_command(files: None, topology: str, workload: str, setting: str, message: str) -> None:
    assert message in refused(load, topology, workload, overrides=[setting])


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("at: 5 s, event: roam, node: sta1", "the kind of an event is a key; write {at: …, roam: …} with what it"),
        ("at: 5 s, handover: sta1, to: ap1", 'unknown kind of event "handover" (did you mean roam?)'),
        (
            "at: 5 s, zap: sta1, to: ap1",
            'unknown kind of event "zap"; an event needs one of ',
        ),
        ("at: 5 s, link: h1-ap1, to: off", 'timeline.0.to: "off" is not one of up, down (did you mean down?)'),
        ("at: 5 s, link: h1-ap1, state: down", 'timeline.0.state: unknown key "state" (did you mean to?)'),
        ("at: 5 s, exec: h1, run: ip addr", "timeline.0.run: must be a list of words: run: [ip, addr]"),
        (
            "at: 5 s, exec: h1, run: 'ip addr | head -1'",
            "timeline.0.run: must be a list of words; what a shell is to read is one of them: "
            'run: [sh, -c, "ip addr | head -1"]',
        ),
    ],
)
def test_an_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str, message: str) -> None:
    assert message in answer(tmp_path, monkeypatch, f"{TOPOLOGY}timeline:\n  - {{{event}}}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{TOPOLOGY}medium: true\n", 'm.yaml:8  medium: "true" is not a valid medium; write perfect, or a mapping'),
        (
            f"{TOPOLOGY}medium: {{model: friis}}\n",
            'medium.model: unknown key "model": it belongs in propagation:, such as',
        ),
        (f"{TOPOLOGY}medium: {{noise: -95 dBm}}\n", 'medium.noise: unknown key "noise" (did you mean noise_figure?)'),
        (
            f"{TOPOLOGY}mobility: {{model: RandomWalk}}\n",
            "m.yaml:8  mobility: must be a list; begin each of its entries with a dash: - {…}",
        ),
        (
            "name: a\nnodes:\n  - {kind: sta}\n",
            "m.yaml:2  nodes: must be a mapping: {key: value}, not a list; begin each node with its name: sta1: ",
        ),
        (
            TOPOLOGY.replace("sta1: ", "- "),
            "m.yaml:5  is not valid YAML: a list entry among keys; write NAME: instead of the -",
        ),
    ],
)
def test_a_whole_topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    assert message in answer(tmp_path, monkeypatch, text)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("net.py", "net.py  is a Python script; topologies and workloads are YAML files"),
        (".", ".  is a folder; name a file in it"),
        ("nothing.yaml", "nothing.yaml  cannot be read: No such file or directory"),
    ],
)
def test_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text("from mn_wifi.net import Mininet_wifi\n")
    assert refused(check, Path(name)) == message


def test_short_names_can_be_checked() -> None:
    kinds = [check(Path(name)) for name in ("one-ap", "http/download", "handoff/outage")]
    assert kinds == ["topology", "workload", "experiment"]


def test_an_address_that_displaces_another(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.yaml").write_text(TOPOLOGY.replace("kind: sta", "kind: sta, ip: 10.0.0.1"))
    check(Path("t.yaml"))
    assert capsys.readouterr().err == (
        "lab: t.yaml:5  10.0.0.1 would be the address of h1, which comes first in the file; h1 gets 10.0.0.2/8; write "
        "ip: in both nodes, or in neither\n"
    )


def test_an_address_in_a_network_of_its_own(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    alone = (
        "name: here\nlinks: [{between: [h1, s1]}, {between: [h2, s1]}]\n"
        "nodes:\n  s1: {kind: switch}\n  h1: {kind: host}\n  h2: {kind: host, ip: 192.168.7.2/24}\n"
    )
    Path("t.yaml").write_text(alone)
    check(Path("t.yaml"))
    assert capsys.readouterr().err == (
        "lab: t.yaml:6  h2 is alone in 192.168.7.0/24: no other node has an address there, so packets arrive only "
        "by routes (exec: …, run: [ip, route, add, …]); or write an address in 10.0.0.0/8\n"
    )
    two = alone.replace("links: [", "links: [{between: [h3, s1]}, ") + "  h3: {kind: host, ip: 192.168.7.3/24}\n"
    Path("t.yaml").write_text(two)
    check(Path("t.yaml"))
    assert capsys.readouterr().err == ""


def test_nodes_without_a_link_or_a_radio(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    apart = "name: here\nnodes:\n  h1: {kind: host}\n"
    Path("t.yaml").write_text(apart)
    check(Path("t.yaml"))
    assert capsys.readouterr().err == "", "there is no other node"
    Path("t.yaml").write_text(f"{apart}  h2: {{kind: host}}\n  ap1: {{kind: ap, ssid: x}}\n")
    check(Path("t.yaml"))
    assert capsys.readouterr().err == (
        "lab: t.yaml:3  no link and no radio, so no other node reaches it: h1, h2; write links: [{between: [A, B]}]\n"
    )
    Path("t.yaml").write_text(TOPOLOGY)
    check(Path("t.yaml"))
    assert capsys.readouterr().err == ""


def test_an_address_without_a_prefix_is_not_also_alone(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.yaml").write_text("name: here\nnodes:\n  h1: {kind: host}\n  h2: {kind: host, ip: 192.168.0.2}\n")
    with pytest.raises(InputError, match="so it needs a prefix length; write 192.168.0.2/24"):
        check(Path("t.yaml"))
    assert capsys.readouterr().err == ""


def test_an_address_after_those_of_other_nodes_displaces_none(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.yaml").write_text(TOPOLOGY.replace("kind: host", "kind: host, ip: 10.0.0.1"))
    check(Path("t.yaml"))
    assert capsys.readouterr().err == ""
