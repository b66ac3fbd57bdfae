# SPDX-License-Identifier: MIT
"""Steps say what they do: what each of a real plan has done to a guest is what it prints."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.cli.dry_run import guest_lines
from lab.guest import script
from lab.guest.errors import GuestError
from lab.guest.kinds import event_steps
from lab.guest.steps import Step
from lab.guest.timeline import Timeline
from lab.plan.load import load
from lab.shared.paths import CONTAINER
from lab.shared.types import Plan

TOPOLOGY = """\
name: here
nodes:
  mon1: {kind: monitor, channel: 6}
  sta1: {kind: sta, position: [5 m, 0 m, 0 m], rts_threshold: 500 B, roles: [client]}
  ap1: {kind: ap, ssid: campus, channel: 6, position: [0 m, 0 m, 0 m]}
  ap2: {kind: ap, ssid: campus, channel: 11, position: [9 m, 0 m, 0 m]}
  s1: {kind: switch}
  h1: {kind: host, roles: [server], sysctls: {net.ipv4.conf.h1-eth0.rp_filter: 1, net.ipv4.tcp_sack: 0}}
links:
  - {between: [h1, s1], delay: 5 ms}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
medium: {statistics: 2 s}
timeline:
  - {at: 2 s, roam: sta1, to: ap2}
  - {at: 3 s, move: sta1, to: [6 m, 0 m, 0 m], speed: 5 m/s}
  - {at: 4 s, link: h1-s1, to: down}
  - {at: 4 s, netem: s1-ap1, loss: 5%}
  - {at: 5 s, netem: h1-s1, delay: 0 ms}
  - {at: 6 s, approximate: ap1, enabled: true}
  - {at: 6 s, fault: lose, frames: data, to: sta1}
  - {at: 6.1 s, disconnect: sta1}
  - {at: 6.2 s, connect: sta1}
  - {at: 6.3 s, power: ap2, to: off}
  - {at: 6.4 s, power: ap2, to: on}
"""
WORKLOAD = """\
name: there
roles: {server: 1, client: 1}
duration: 9 s
files:
  page: {on: server, path: /srv/page, text: page.txt}
  blob: {on: server, path: /srv/blob, random: 1 kB}
processes:
  - {on: server, run: [nc, -l, "7"], as: nc, ready: {listening: tcp/7}, stop: 8 s}
  - {on: client, at: 1 s, run: [sleep, "9"], as: sleep}
probes:
  - {on: client, probe: wpa-events}
  - {on: client, probe: link, as: link}
  - {on: client, probe: ping, to: "{server.ip}", as: ping}
timeline:
  - {at: 3 s, exec: h1, run: [echo, "a b"]}
  - {at: 7 s, stop: sleep}
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("w.yaml").write_text(WORKLOAD)
    Path("page.txt").write_text("welcome\n")
    return load("t.yaml", "w.yaml", pcap="air")


class Recorder:
    """Has what ``LiveGuest`` has, and writes down what it is asked for, in the words of a shell."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.done: list[tuple[str | None, str]] = []  # node, or None; what
        self.network = self
        self.processes = self
        self.medium = self
        self.air = SimpleNamespace(finish=lambda: self._note(None, "SIGINT tcpdump"))
        self.clock = SimpleNamespace(start=lambda loop: self._note(None, "uptime timeline"))
        self.nl80211 = SimpleNamespace(move_radio=self._move_radio, set_country=self._set_country)
        self.loop = None
        self.controls = {node.name: Control(self, node.name) for node in plan.nodes}

    def _note(self, node: str | None, what: str) -> None:
        self.done.append((node, what))

    def _move_radio(self, phy: int, pid: int | str, node: str) -> None:
        self._note(None, f"nl80211 SET_WIPHY_NETNS wiphy={phy} pid={pid}")

    def _set_country(self, country: str) -> None:
        self._note(None, "nl80211 RELOAD_REGDB")
        self._note(None, f"nl80211 REQ_SET_REG alpha2={country}")

    def pid(self, node: str) -> str:
        return f"<pid of {node}>"

    def run(self, argv: Sequence[str], node: str | None, input_text: str = "", culprit: str | None = None) -> str:
        self._note(node, " ".join(argv))
        for line in input_text.splitlines():
            self._note(node, line)
        return "output"

    def run_for_user(self, argv: Sequence[str], node: str) -> str:
        return self.run(argv, node)

    def configure(self, argv: Sequence[str], node: str, input_text: str = "") -> None:
        self.run(argv, node, input_text)

    def set_sysctl(self, key: str, value: str, node: str, source: str) -> None:
        self._note(node, f"# /proc/sys/net/{key}: {value}")

    def write(self, path: str, text: str, node: str | None, mode: int = 0o644) -> None:
        self._note(node, f"# {path}:")
        for line in text.splitlines():
            self._note(node, f"#   {line}".rstrip())

    def create(self, node: Any, mounts: object, class_name: str, lists: Sequence[str]) -> None:
        self._note(None, f"{CONTAINER} {node.name}")

    def start_daemon(self, node: str, name: str, argv: Sequence[str]) -> None:
        self._note(node, " ".join(argv))

    def attach(self, node: str, daemon: str, path: str) -> None:
        self._note(node, f"{daemon} {path} ATTACH")

    def await_socket(self, node: str, daemon: str, path: str) -> None:
        self._note(node, f"{daemon} {path}")

    def await_up(self, node: str, status: str, event: str, what: str, source: str) -> None:
        self._note(None, f"{what} {status} {event}")

    def kill_daemons(self, node: str) -> None:
        self._note(node, "SIGKILL to its daemons")

    def pause(self, duration_ns: int) -> None:
        self._note(None, f"{duration_ns // 1_000_000} ms")

    def place(self, file: Any, seed: int) -> None:
        self._note(None, f"{file.node} {file.path}")

    def capture_air(self, argv: Sequence[str]) -> None:
        self._note(None, " ".join(argv))

    def start(self, process: Any) -> None:
        self._note(process.node, " ".join(process.argv))

    sample = start

    def listen(self, process: Any) -> None:
        self._note(None, f"{process.node} {process.id}")

    def await_ready(self, process: Any, ready: Any) -> None:
        self._note(None, f"{process.id} {ready.listening}")

    def send(self, *what: Any) -> None:
        if isinstance(what[0], str):
            self._note(None, f"{what[1].name} to {what[0]}")
            return
        for request in what[0]:
            self._note(None, f"netlink {request.describe(self.plan.medium.names() if self.plan.medium else {})}")

    def check_ends(self, clients: Sequence[Any]) -> None:
        for process in clients:
            self._note(None, f"ended {process.id}")

    def end(self, asked: Mapping[str, signal.Signals], grace_ns: int) -> None:
        for process, number in asked.items():
            self._note(None, f"{number.name} to {process}")

    def look_at_medium(self, every_ns: int | None = None) -> None:
        self._note(None, "GET_RADIO GET_LINK GET_AIR" + (f" {every_ns / 1e9:g} s" if every_ns else ""))

    record_medium = look_at_medium

    def guard(self, callback: Callable[[], object]) -> None:
        callback()


class Control:
    """A control connection that takes every request, and whose scans end at once."""

    task = SimpleNamespace(name="wpa_supplicant", log=None)

    def __init__(self, recorder: Recorder, node: str) -> None:
        self._recorder = recorder
        self._node = node
        self.handoff: object = None

    def listen(self, callback: Callable[[int, str], None]) -> None:
        callback(0, "<3>CTRL-EVENT-SCAN-RESULTS")

    def forget(self, callback: Callable[[int, str], None]) -> None:
        pass

    def request(self, command: str) -> str:
        self._recorder._note(None, f"{self._node} {command}")
        return "age=0\n" if command.startswith("BSS") else "OK"


def all_steps(plan: Plan) -> Iterator[Step]:
    """Those of a run, with those of the timeline instead of itself."""
    for step in script.steps(plan, lambda name: f"<pid of {name}>"):
        if isinstance(step, Timeline):
            yield from chain.from_iterable(moment.steps() for moment in step.moments)
        else:
            yield step
    yield from script.after_outcome(plan)


def words(text: str) -> set[str]:
    """What two ways to say a thing have in common."""
    return set(text.replace("'", " ").replace(",", " ").replace(":", " ").replace("(", " ").replace(")", " ").split())


def test_every_step_does_what_it_prints_and_nothing_else(plan: Plan) -> None:
    for step in all_steps(plan):
        recorder = Recorder(plan)
        step.execute(recorder)  # type: ignore[arg-type]
        printed = [line for line in step.describe() if line != "end"]
        if not recorder.done:
            assert not [line for line in printed if not line.startswith("# ")], f"{step} only prints"
            continue
        commands = [line for line in printed if not line.startswith("#")]
        did = [what for _, what in recorder.done]
        assert len(commands) <= len(did), step
        for what, line in zip(did, printed if len(printed) == len(did) else commands or printed, strict=False):
            assert words(what) <= words(line.removesuffix(" <<end")), step
        places = {node for node, _ in recorder.done if node is not None}
        place = getattr(step, "place", "the guest").split(" every ")[0].split(", as ")[0]
        assert places <= {place}, step


def test_dry_run_prints_the_lines_of_all_steps_in_their_order(plan: Plan) -> None:
    printed = [line for line in guest_lines(plan) if not line.startswith("# ")]
    lines = chain.from_iterable(step.describe() for step in all_steps(plan))
    assert printed == [line for line in lines if not line.startswith("#")]


def test_settings_of_a_network_come_before_its_interfaces_and_those_of_interfaces_after(plan: Plan) -> None:
    """So a new interface takes over what is default, and an interface exists when it is set."""
    lines = list(guest_lines(plan))
    sack, filtered = (
        lines.index(f"# /proc/sys/net/ipv4/{key}") for key in ("tcp_sack: 0", "conf/h1-eth0/rp_filter: 1")
    )
    made, links = (next(n for n, line in enumerate(lines) if word in line) for word in (f"{CONTAINER} h1", "link add"))
    addressed = next(n for n, line in enumerate(lines) if "addr add 10.0.0.2/8 brd + dev h1-eth0" in line)
    started = next(n for n, line in enumerate(lines) if line.startswith(("ovsdb-server", "hostapd", "wpa_supplicant")))
    assert made < sack < links < addressed < filtered < started


def test_the_timeline_is_in_the_order_of_the_loop(plan: Plan) -> None:
    """At one time: processes, events, a look at the counters, levels, stops; each in the plan's order."""
    at = [(moment.at_ns / 1e9, moment.event.kind if moment.event else "") for moment in script.moments(plan)]
    assert [moment for moment in at if moment[0] in (2, 4, 8)] == [
        (2, "roam"), (2, ""), (4, "link"), (4, "netem"), (8, ""),
    ]  # fmt: skip
    assert at == sorted(at, key=lambda moment: moment[0])


def test_an_event_without_anything_to_shape_deletes_the_queue(plan: Plan) -> None:
    (event,) = [event for event in plan.events if event.kind == "netem" and event.at_ns == 5_000_000_000]
    lines = [line for step in event_steps(plan, event) for line in step.describe()]
    assert lines == ["tc qdisc delete dev h1-eth0 root", "tc qdisc delete dev s1-eth1 root"]


def test_power_goes_without_a_farewell_and_comes_back_to_a_new_hostapd(plan: Plan) -> None:
    off, on = ([*event_steps(plan, event)] for event in plan.events if event.kind == "power")
    assert [line for step in off for line in step.describe()] == [
        "# SIGKILL to its daemons",
        "ip -batch - <<end",
        "link set ap2-wlan1 down",
        "link set ap2-eth2 down",
        "end",
    ]
    lines = [line for step in on for line in step.describe()]
    assert lines[:3] == ["ip -batch - <<end", "link set ap2-eth2 up", "end"]
    assert [line.split()[0] for line in lines if not line.startswith("#")][3:] == ["hostapd", "/run/lab/follow"]


def test_a_daemon_that_refuses_ends_the_run(plan: Plan) -> None:
    (event,) = [event for event in plan.events if event.kind == "connect"]
    control = SimpleNamespace(task=Control.task, request=lambda command: "FAIL\n")
    (step,) = event_steps(plan, event)
    with pytest.raises(GuestError) as failure:
        step.execute(SimpleNamespace(controls={"sta1": control}))  # type: ignore[arg-type]
    assert failure.value.message == "wpa_supplicant answers RECONNECT with FAIL"


def test_a_timeline_gives_each_moment_its_time_and_each_event_its_entry(plan: Plan) -> None:
    recorder, due, fired = Recorder(plan), [], []
    guest = SimpleNamespace(
        call_at=lambda at_ns, act, _changes_levels: due.append((at_ns, act)),
        run_timeline=lambda duration_ns: due.append((duration_ns, None)),
        fire=lambda event, act: fired.append((event, act())),
    )
    (timeline,) = [step for step in script.steps(plan, str) if isinstance(step, Timeline)]
    timeline.execute(guest)  # type: ignore[arg-type]
    assert [at_ns for at_ns, _ in due] == [moment.at_ns for moment in script.moments(plan)] + [plan.duration_ns]
    for moment in timeline.moments:
        guest_of_moment = recorder if moment.event is None else SimpleNamespace(**vars(guest), **_methods(recorder))
        moment.execute(guest_of_moment)  # type: ignore[arg-type]
    assert [event for event, _ in fired] == plan.events
    assert [output for event, output in fired if event.kind in ("exec", "roam")] == ["OK", "output"]


def _methods(recorder: Recorder) -> dict[str, Any]:
    """What steps of events use."""
    names = ("run", "run_for_user", "configure", "processes", "medium", "controls", "guard", "write")
    daemons = ("kill_daemons", "start_daemon", "await_socket", "attach")
    return {name: getattr(recorder, name) for name in (*names, *daemons)}
