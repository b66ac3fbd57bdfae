# SPDX-License-Identifier: MIT
"""What users write becomes models; each mistake is reported with file, line, path and what to write."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputErrors, LabError
from lab.model.build import build
from lab.model.document import Document, parse
from lab.model.event import EVENTS
from lab.model.node import NODES
from lab.model.topology import Topology
from lab.model.workload import ProbeUse, Workload
from lab.nodes.ap.file import AccessPoint
from lab.nodes.sta.file import Station
from lab.shared.types import CONSOLE_LEVEL, CONSOLE_LEVELS
from tests.refused import refused

TOPOLOGY = """\
name: mine
nodes:
  h1: {kind: host}
  ap1: {kind: ap, ssid: campus}
"""
WORKLOAD = """\
name: mine
roles: {server: 1}
duration: 30 s
"""


def topology(text: str) -> Topology:
    return build(Topology, parse(text, Path("mine.yaml"), "mine.yaml"))


def workload(text: str) -> Workload:
    return build(Workload, parse(text, Path("mine.yaml"), "mine.yaml"))


def refusal(model: type[Topology] | type[Workload], text: str) -> str:
    return refused(build, model, parse(text, Path("mine.yaml"), "mine.yaml"))


def node(text: str) -> str:
    return f"name: mine\nnodes:\n  ap1: {text}\n"


def test_a_topology_has_mininets_defaults() -> None:
    found = topology(TOPOLOGY)
    ap1 = found.nodes["ap1"]
    assert isinstance(ap1, AccessPoint)
    assert (ap1.mode, ap1.channel, found.subnet, found.country) == ("g", 1, "10.0.0.0/8", "DE")


def test_levels_of_the_console() -> None:
    assert topology(TOPOLOGY).console_level == CONSOLE_LEVEL
    assert [topology(f"{TOPOLOGY}console_level: {level}\n").console_level for level in CONSOLE_LEVELS]
    reported = 'mine.yaml:5  console_level: "7" is not one of error, warning, notice, info, debug'
    assert refusal(Topology, TOPOLOGY + "console_level: 7\n") == reported


def test_quantities_are_held_in_base_units() -> None:
    found = topology(
        "name: mine\nnodes:\n"
        "  sta1: {kind: sta, position: [5 m, 50 cm, 1 m], txpower: 14 dBm, memory: 64 MiB}\n"
        "  s1: {kind: switch}\n"
        "links:\n"
        "  - {between: [sta1, s1], delay: 5 ms, jitter: 1 ms, loss: 5%, rate: 10 Mbit/s, "
        "reorder: 1%, limit: 50 packets}\n"
    )
    sta1, (link,) = found.nodes["sta1"], found.links
    assert isinstance(sta1, Station)
    assert (sta1.position, sta1.txpower, sta1.memory) == ((5.0, 0.5, 1.0), 14.0, 67_108_864)
    shape = (link.delay, link.jitter, link.loss, link.rate, link.reorder, link.limit)
    assert shape == (5_000_000, 1_000_000, 5.0, 10_000_000, 1.0, 50)


def test_numbers_are_text_where_text_is_wanted() -> None:
    found = workload(WORKLOAD + "processes:\n  - {on: server, run: [sleep, 010, 1.50, true]}\n")
    assert found.processes[0].run == ["sleep", "010", "1.50", "true"]
    assert topology(node("{kind: ap, ssid: 42, encrypt: wpa2, passwd: 0123456789}")).nodes["ap1"].model_dump()[
        "passwd"
    ] == ("0123456789")


@pytest.mark.parametrize(
    ("written", "counts"), [("1", (1, 1)), ("1..", (1, None)), ("2..4", (2, 4)), ('"3"', (3, 3)), ("0..", (0, None))]
)
def test_roles_say_how_many(written: str, counts: tuple[int, int | None]) -> None:
    assert workload(f"name: mine\nduration: 1 s\nroles: {{client: {written}}}\n").roles == {"client": counts}


def test_a_probe_is_written_with_its_parameters() -> None:
    found = workload(WORKLOAD + 'processes:\n  - {on: server, run: {probe: ping, to: "{server.ip}"}}\n')
    run = found.processes[0].run
    assert isinstance(run, ProbeUse)
    assert (run.probe, run.params) == ("ping", {"to": "{server.ip}"})


def test_models_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        topology(TOPOLOGY).name = "other"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            node("{kind: ap, ssid: campus, chanel: 6}"),
            'mine.yaml:3  nodes.ap1.chanel: unknown key "chanel" (did you mean channel?); known keys: '
            + ", ".join(NODES.get("ap").described()),
        ),
        (
            node("{kind: ap, ssid: campus, power_save: true}"),
            'mine.yaml:3  nodes.ap1.power_save: unknown key "power_save": it is for kind: sta; known keys: '
            + ", ".join(NODES.get("ap").described()),
        ),
        (
            node("{kind: host, clock_accuracy: 5 ppm}"),
            'mine.yaml:3  nodes.ap1.clock_accuracy: unknown key "clock_accuracy": it belongs in medium:; known keys: '
            "kind, roles, count, each, image, entrypoint, command, memory, pids, privileged, "
            "sysctls, ip, ip6, routes, dhcp, mac",
        ),
        (
            node("{kind: host, channel: 5}"),
            'mine.yaml:3  nodes.ap1.channel: unknown key "channel": it is for kind: ap and kind: mesh and '
            "kind: monitor; known keys: kind, roles, count, each, image, entrypoint, command, memory, pids, "
            "privileged, sysctls, ip, ip6, routes, dhcp, mac",
        ),
        (
            TOPOLOGY + "nods: {}\n",
            'mine.yaml:5  nods: unknown key "nods" (did you mean nodes?); known keys: name, about, include, country, '
            "subnet, subnets, start, console_level, rate_control, memory, nodes, positions, links, medium, mobility, "
            "timeline, uncertain, what_if",
        ),
        (
            node("{kind: app}"),
            'mine.yaml:3  nodes.ap1.kind: unknown kind of node "app" (did you mean ap?); known: ap, controller, '
            "host, mesh, monitor, radius, router, sta, switch",
        ),
        (
            node("{ssid: campus}"),
            'mine.yaml:3  nodes.ap1: "kind" is missing; write one of ap, controller, host, mesh, monitor, radius, '
            "router, sta, switch",
        ),
        (node("campus"), "mine.yaml:3  nodes.ap1: must be a mapping, such as {kind: ap}"),
        (
            node("{kind: ap}"),
            "mine.yaml:3  nodes.ap1.ssid: is missing (name of the network)",
        ),
        (
            TOPOLOGY + "links:\n  - {between: [h1, ap1], delay: 5}\n",
            'mine.yaml:6  links.0.delay: "5" has no unit; write 5 ms',
        ),
        (
            TOPOLOGY + "links:\n  - {between: [h1, ap1],\n     loss: 5}\n",
            'mine.yaml:7  links.0.loss: "5" has no unit; write 5%',
        ),
        (
            TOPOLOGY + "links:\n  - {between: [h1, ap1], loss: 105%}\n",
            'mine.yaml:6  links.0.loss: "105%" is too large; the maximum is 100%',
        ),
        (
            TOPOLOGY + "links:\n  - {between: [h1, ap1], delay: -5 ms}\n",
            'mine.yaml:6  links.0.delay: "-5 ms" is too small; the minimum is 0 ms',
        ),
        (
            node("{kind: ap, ssid: campus, position: [0, 0 m, 3 m]}"),
            "mine.yaml:3  nodes.ap1.position: coordinates need units; write [0 m, 0 m, 3 m]",
        ),
        (
            node("{kind: host, memory: 100 kB}"),
            'mine.yaml:3  nodes.ap1.memory: "100 kB" is too small; the minimum is 16 MiB',
        ),
        (
            node("{kind: host, sysctls: {kernel.shmmax: 1}}"),
            'mine.yaml:3  nodes.ap1.sysctls.kernel.shmmax: "kernel.shmmax" is a setting of the kernel, which all nodes '
            "share; a node has those that begin with net.",
        ),
        (
            node("{kind: host, sysctls: {ipv4.tcp_sack: 0}}"),
            'mine.yaml:3  nodes.ap1.sysctls.ipv4.tcp_sack: "ipv4.tcp_sack" is not a whole name; write '
            "net.ipv4.tcp_sack",
        ),
        (
            node("{kind: host, sysctls: {net/ipv4/tcp_sack: 0}}"),
            'mine.yaml:3  nodes.ap1.sysctls.net/ipv4/tcp_sack: "net/ipv4/tcp_sack" is a path; write net.ipv4.tcp_sack',
        ),
        (
            node("{kind: host, sysctls: {net...sys.kernel: 0}}"),
            'mine.yaml:3  nodes.ap1.sysctls.net...sys.kernel: "net...sys.kernel" is not a valid name; write one such '
            "as net.ipv4.tcp_timestamps",
        ),
        (
            node('{kind: host, sysctls: {net.ipv4.tcp_sack: ""}}'),
            "mine.yaml:3  nodes.ap1.sysctls.net.ipv4.tcp_sack: needs a value of one line",
        ),
        (
            node("{kind: host, sysctls: [net.ipv4.tcp_sack=0]}"),
            "mine.yaml:3  nodes.ap1.sysctls: must be a mapping: {key: value}, not a list",
        ),
        (
            node("{kind: ap, ssid: campus, mode: ac}"),
            'mine.yaml:3  nodes.ap1.mode: "ac" is not one of b, g, a, n; 802.11ac, ax and be are not modelled '
            "(docs/limits.md)",
        ),
        (
            node("{kind: ap, ssid: campus, channel: one}"),
            'mine.yaml:3  nodes.ap1.channel: must be a whole number, not "one"',
        ),
        (
            node("{kind: ap, ssid: campus, channel: true}"),
            'mine.yaml:3  nodes.ap1.channel: must be a whole number, not "true"',
        ),
        (
            node("{kind: ap, ssid: campus, encrypt: wpa2}"),
            "mine.yaml:3  nodes.ap1.encrypt: wpa2 needs a passphrase; write passwd: with 8 to 63 characters",
        ),
        (
            node("{kind: ap, ssid: campus, passwd: correct-horse}"),
            "mine.yaml:3  nodes.ap1.passwd: a passphrase needs encrypt: wpa2, wpa3 or wpa2/wpa3",
        ),
        (
            node("{kind: ap, ssid: campus, encrypt: wpa3, passwd: short}"),
            "mine.yaml:3  nodes.ap1.passwd: a passphrase must be 8 to 63 printable ASCII characters; this one has 5",
        ),
        (
            node('{kind: ap, ssid: ""}'),
            'mine.yaml:3  nodes.ap1.ssid: an SSID must be 1 to 32 bytes of printable text; "" has 0',
        ),
        (
            node("{kind: ap, ssid: campus, bssid: 03:00:00:00:00:01}"),
            'mine.yaml:3  nodes.ap1.bssid: "03:00:00:00:00:01" is a group address (its first byte is odd); '
            "a node needs a unicast address, such as 02:…",
        ),
        (
            node("{kind: host, mac: nonsense}"),
            'mine.yaml:3  nodes.ap1.mac: "nonsense" is not a valid MAC address; write one such as 02:aa:00:00:00:01',
        ),
        (
            node("{kind: host, ip: 10.0.0.256}"),
            'mine.yaml:3  nodes.ap1.ip: "10.0.0.256" is not a valid IPv4 address; write one such as 10.0.0.1/8',
        ),
        (
            node("{kind: host, ip: 10.0.0.0/8}"),
            'mine.yaml:3  nodes.ap1.ip: "10.0.0.0/8" is the network or broadcast address of 10.0.0.0/8; '
            "use an address in between",
        ),
        (
            "name: mine\nnodes:\n  access_point_1: {kind: switch}\n",
            'mine.yaml:3  nodes.access_point_1: "access_point_1" is too long: interfaces are named '
            "access_point_1-wlan0, and Linux allows 15 characters; use at most 9",
        ),
        ("name: mine\nnodes: {}\n", "mine.yaml:2  nodes: is empty"),
        ("name: mine\n", "mine.yaml:1  nodes: is missing (the nodes, by name)"),
        ("- a\n", "mine.yaml:1  must be a mapping: {key: value}, not a list"),
        (
            node("{kind: ap, ssid: x, basic_rates: []}"),
            "mine.yaml:3  nodes.ap1.basic_rates: names no rate; write for example [1 Mbit/s], or leave it out for "
            "hostapd's",
        ),
        (
            node("{kind: ap, ssid: x, basic_rates: 6 Mbit/s}"),
            "mine.yaml:3  nodes.ap1.basic_rates: must be a list; write [6 Mbit/s]",
        ),
        (
            node("{kind: ap, ssid: campus, position: [40 m, 2 m]}"),
            "mine.yaml:3  nodes.ap1.position: needs three coordinates, such as [30 m, 0 m, 2 m]",
        ),
        (
            node('{kind: ap, ssid: campus, position: "(5, 0 m, 1)"}'),
            "mine.yaml:3  nodes.ap1.position: a list needs brackets, without quotes; write [5 m, 0 m, 1 m]",
        ),
        (
            node("{kind: ap, ssid: campus}") + "links: [{between: [ap1]}]\n",
            "mine.yaml:4  links.0.between: a link has two ends; name ap1 and another one, such as [ap1, s1]",
        ),
        (
            node("{kind: ap, ssid: campus}") + "links: [{between: [ap1, h1, h2]}]\n",
            "mine.yaml:4  links.0.between: a link has two ends; name its ends, such as [h1, s1]; write a link for each "
            "pair",
        ),
        (
            node("{kind: sta, bgscan: {short_interval: 1 s, signal: 70, long_interval: 5 s}}"),
            'mine.yaml:3  nodes.ap1.bgscan.signal: "70" has no unit; write -70 dBm',
        ),
        (
            node("{kind: sta, bgscan: {short_interval: 1 s, signal: 700, long_interval: 5 s}}"),
            'mine.yaml:3  nodes.ap1.bgscan.signal: "700" has no unit, and 700 dBm is too large; the maximum is 0 dBm',
        ),
        (
            node('{kind: ap, ssid: x, passwd: "with a\\nbreak of lines"}'),
            'mine.yaml:3  nodes.ap1.passwd: a passphrase must be 8 to 63 printable ASCII characters, without "\\n"',
        ),
        (
            node("{kind: ap, ssid: x, passwd: münchen-wlan}"),
            'mine.yaml:3  nodes.ap1.passwd: a passphrase must be 8 to 63 printable ASCII characters, without "ü"',
        ),
        (
            node('{kind: ap, ssid: "a\\e[31m"}'),
            'mine.yaml:3  nodes.ap1.ssid: an SSID must be 1 to 32 bytes of printable text, without "\\x1b"',
        ),
        (
            TOPOLOGY.replace("name: ", 'name: "\\e\\u202e" # '),
            r"mine.yaml:1  name: '\x1b\u202e' is not a valid name; use printable characters",
        ),
        (
            TOPOLOGY + "start: today\n",
            'mine.yaml:5  start: "today" is not a valid date; write one such as 2026-11-27, or "2026-11-27 08:00:00"',
        ),
        (TOPOLOGY + "start: 1712-11-27\n", 'mine.yaml:5  start: "1712-11-27" must be from 1980 to 2099'),
        (
            TOPOLOGY + "start: 2026-11-27T08:00:00+01:00\n",
            "mine.yaml:5  start: a start is always UTC; leave out the time zone",
        ),
        (
            TOPOLOGY + "country: germany\n",
            'mine.yaml:5  country: "germany" is not a valid country code; write two capital letters, such as DE',
        ),
        (
            TOPOLOGY + "country: XX\n",
            'mine.yaml:5  country: no radio regulations are known for "XX"; write a code of ISO 3166-1, such as DE, GB '
            "or US",
        ),
        (
            TOPOLOGY + "subnet: 10.0.0.1/8\n",
            'mine.yaml:5  subnet: "10.0.0.1/8" is not a valid IPv4 network; write 10.0.0.0/8',
        ),
        (TOPOLOGY + "links:\n  - {between: h1}\n", 'mine.yaml:6  links.0.between: must be a list: [a, b], not "h1"'),
        (
            TOPOLOGY + "timeline:\n  - {at: 5 s, rom: sta1}\n",
            'mine.yaml:6  timeline.0: unknown kind of event "rom" (did you mean roam?); an event needs one '
            f"of these keys: {', '.join(EVENTS.known())}",
        ),
        (
            TOPOLOGY + "timeline:\n  - {at: 5 s, loss: 5%, netm: [h1, s1]}\n",
            'mine.yaml:6  timeline.0: unknown kind of event "netm" (did you mean netem?); an event needs one '
            f"of these keys: {', '.join(EVENTS.known())}",
        ),
        (
            TOPOLOGY + "timeline:\n  - {at: 5 s, roam: sta1, to: ap1, stop: fetch}\n",
            "mine.yaml:6  timeline.0.stop: an event does one thing, but this one has roam and stop; write 2 entries",
        ),
        (
            TOPOLOGY + "timeline:\n  - {at: 5, link: [h1, s1], to: down}\n",
            'mine.yaml:6  timeline.0.at: "5" has no unit; write 5 s',
        ),
    ],
)
def test_mistakes_in_topologies(text: str, message: str) -> None:
    assert refusal(Topology, text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: mine\n", "mine.yaml:1  duration: is missing (length of the run, in virtual time)"),
        ("name: mine\nduration: 0 s\n", "mine.yaml:2  duration: must be longer than 0; write for example 30 s"),
        ("name: mine\nduration: 30\n", 'mine.yaml:2  duration: "30" has no unit; write 30 s'),
        (
            "name: mine\nduration: 3 s\nroles: {server: some}\n",
            'mine.yaml:3  roles.server: "some" is not a valid number of nodes; write 1, 1.. (one or more) or 2..4',
        ),
        (
            "name: mine\nduration: 3 s\nroles: {server: 4..2}\n",
            'mine.yaml:3  roles.server: "4..2" allows no node in the role; write 1, 1.. (one or more) or 2..4',
        ),
        (
            WORKLOAD + "processes:\n  - {on: server, run: lighttpd -D}\n",
            "mine.yaml:5  processes.0.run: must be a list of words: run: [lighttpd, -D]",
        ),
        (
            WORKLOAD + "processes:\n  - {on: server, run: [ping, {server.ip}]}\n",
            'mine.yaml:5  processes.0.run.1: YAML reads {server.ip} as a mapping; write "{server.ip}" in quotes',
        ),
        (
            WORKLOAD + "checks:\n  - loss.max < 5%\n",
            "mine.yaml:5  checks.0: must be a mapping; write {that: loss.max < 5%}",
        ),
        (
            WORKLOAD + "processes:\n  - {on: server, run: [x], at: {server.ip}}\n",
            'mine.yaml:5  processes.0.at: YAML reads {server.ip} as a mapping; write "{server.ip}" in quotes',
        ),
        (WORKLOAD + "processes:\n  - {on: server, run: []}\n", "mine.yaml:5  processes.0.run: is empty"),
        (
            WORKLOAD + "processes:\n  - {on: server, run: [x], ready: {}}\n",
            "mine.yaml:5  processes.0.ready: needs either listening (tcp/80) or log (a regular expression)",
        ),
        (
            WORKLOAD + "processes:\n  - {on: server, run: [x], ready: {listening: 80}}\n",
            'mine.yaml:5  processes.0.ready.listening: "80" is not a valid port; write tcp/80, or udp/80',
        ),
        (
            WORKLOAD + 'processes:\n  - {on: server, run: [x], ready: {log: "("}}\n',
            'mine.yaml:5  processes.0.ready.log: "(" is not a valid regular expression: missing ), unterminated '
            "subpattern "
            "at position 0",
        ),
        (
            WORKLOAD + "processes:\n  - {on: server, run: [x], required: perhaps}\n",
            'mine.yaml:5  processes.0.required: must be true or false, not "perhaps"',
        ),
        (
            WORKLOAD + "files:\n  page: {on: server, path: /srv/x}\n",
            "mine.yaml:5  files.page: needs exactly one of random (a size), from (a file in the workload's folder) "
            "and text (the content)",
        ),
        (
            WORKLOAD + "files:\n  page: {on: server, path: srv/x, random: 1 MiB}\n",
            'mine.yaml:5  files.page.path: "srv/x" is not the absolute path of a file; write one such as '
            "/srv/www/file.bin",
        ),
        (
            WORKLOAD + "metrics:\n  1st: {of: x, unit: ms}\n",
            'mine.yaml:5  metrics.1st: "1st" is not a valid name for a process, file or metric; use letters, digits '
            "and _, with - only in between",
        ),
    ],
)
def test_mistakes_in_workloads(text: str, message: str) -> None:
    assert refusal(Workload, text) == message


def test_several_mistakes_are_reported_together_in_the_order_of_the_file() -> None:
    text = "nam: mine\nnodes:\n  h1: {kind: hist}\nlinks:\n  - {between: [h1, s1], loss: 5}\n"
    with pytest.raises(InputErrors) as failure:
        topology(text)
    lines = [str(error).split("  ")[0] for error in failure.value.errors]
    assert lines == ["mine.yaml:1", "mine.yaml:1", "mine.yaml:3", "mine.yaml:5"]
    assert len(str(failure.value).splitlines()) == 4


WORDS = """
name nodes links timeline kind ssid between at roam to delay roles duration processes run probe on ready files path
random metrics of unit checks that
"""
KEYS = st.sampled_from(WORDS.split())
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["ap", "sta", "host", "5 ms", "1..", "5%", "10.0.0.1/8", "server", "g", "wpa2"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(KEYS | st.text(max_size=4).filter(str.isprintable), inner, max_size=5),
    max_leaves=12,
)


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.sampled_from([Topology, Workload]), VALUES)
def test_any_data_is_a_model_or_an_input_error(model: type[Topology] | type[Workload], data: Any) -> None:
    try:
        build(model, Document(Path("mine.yaml"), "mine.yaml", data))
    except LabError as error:
        assert "mine.yaml" in str(error)
