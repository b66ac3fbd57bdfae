# SPDX-License-Identifier: MIT
"""Steps say what they do: what each of a real plan has done to a guest is what it prints."""

from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.guest import hwsim, run_steps, script, steps
from lab.guest.errors import GuestError
from lab.guest.kinds import event_steps
from lab.guest.medium import record
from lab.guest.network import air_capture, sysctls
from lab.guest.steps import Step, heading_of
from lab.guest.timeline import Timeline
from lab.plan.load import load
from lab.runs.dry_run import guest_lines
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
    """Has what ``LiveGuest`` has, and writes down what it and its parts are asked for, in the words of a shell."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.done: list[tuple[str | None, str]] = []  # node, or None; what
        self.inside: str | None = None  # the node in whose network a command runs
        self.network = self.processes = self.medium = self.loop = self
        self.air: Any = SimpleNamespace(finish=lambda: self.note(None, "SIGINT tcpdump"), task=None)
        self.clock = SimpleNamespace(
            start=lambda loop: self.note(None, "uptime timeline"),
            start_ns=0,
            elapsed_ns=lambda: 0,
            since_start_ns=lambda uptime_ns: uptime_ns,
        )
        self.hwsim = SimpleNamespace(make_radios=self._make_radios)
        self.set_to = ""
        self.nl80211 = SimpleNamespace(
            move_radio=self._move_radio, set_country=self._set_country, country=lambda: self.set_to
        )
        self.controls: dict[str, Any] = {node.name: Control(self, node.name) for node in plan.nodes}
        self.tasks: Any = defaultdict(lambda: SimpleNamespace(alive=False, logs=[], name=""))
        self.daemons = {(node.name, "hostapd"): self._daemon(node.name) for node in plan.nodes}
        self.events: list[tuple[Any, bool, bytes]] = []
        self.due: list[int] = []  # moments of the timeline
        self.daemons_are_needed = False
        self.drive = self.failure = self.looks = None

    def note(self, node: str | None, what: str) -> None:
        self.done.append((node, what))

    def _daemon(self, node: str) -> Any:
        return SimpleNamespace(
            name="",
            node=node,
            alive=True,
            logs=[],
            send=lambda number: self.note(node, f"{number.name} to its daemons"),
        )

    def _make_radios(self, radios: Sequence[hwsim.Limits]) -> None:
        for limits in radios:
            self.note(None, f"{hwsim.FAMILY} {hwsim.describe(limits)}")

    def _move_radio(self, phy: int, pid: int | str, node: str) -> None:
        self.note(None, f"nl80211 SET_WIPHY_NETNS wiphy={phy} pid={pid}")

    def _set_country(self, country: str) -> None:
        self.note(None, "nl80211 RELOAD_REGDB")
        self.note(None, f"nl80211 REQ_SET_REG alpha2={country}")
        self.set_to = country

    def pid(self, node: str) -> str:
        return f"<pid of {node}>"

    def container(self, node: str) -> Any:
        @contextmanager
        def network() -> Iterator[None]:
            self.inside = node
            yield
            self.inside = None

        return SimpleNamespace(
            run=lambda *argv, input_text: self.run(argv, input_text, node),
            launch_found=lambda argv: (argv, {}),
            command=lambda *argv: [node, *argv],
            network=network,
            write=lambda path, text, mode: self.write(node, path, text),
            own=SimpleNamespace(write_chunks=lambda path, chunks, mode: self.note(None, f"{node} {path}")),
            root=Path(),
            pidfd=None,
        )

    def happened(self, event: Any, ok: bool, output: bytes, kept: bool) -> list[str]:
        self.events.append((event, ok, output))
        return []

    def run(self, argv: Sequence[str], text: str = "", culprit: str | None = None, **_more: object) -> bytes:
        node = self.inside or culprit
        self.note(node, " ".join(argv))
        for line in text.splitlines():
            self.note(node, line)
        return b"output"

    def write(self, node: str | None, path: str, text: str) -> None:
        self.note(node, f"# {path}:")
        for line in text.splitlines():
            self.note(node, f"#   {line}".rstrip())

    def add(self, node: Any, mounts: object, class_name: str, lists: Sequence[str]) -> None:
        self.note(None, f"{CONTAINER} {node.name}")

    def add_reader(self, pidfd: object, callback: Callable[[], None]) -> None:
        pass

    def wait_for(self, condition: object, timeout_ns: int, what: str, *state: object, **more: object) -> None:
        if what and not what.startswith("the daemons"):
            self.note(None, what.removesuffix(" of "))

    def run_until(self, deadline_ns: int, stop: object = None) -> None:
        self.note(None, f"{deadline_ns // 1_000_000} ms")

    def start(self, process: Any) -> None:
        self.note(process.node, " ".join(process.argv))

    sample = start

    def send(self, *what: Any) -> None:
        if isinstance(what[0], str):
            self.note(None, f"{what[1].name} to {what[0]}")
            return
        for request in what[0]:
            self.note(None, f"netlink {request.describe(self.plan.medium.names() if self.plan.medium else {})}")

    def check_ends(self, clients: Sequence[Any]) -> None:
        for process in clients:
            self.note(None, f"ended {process.id}")

    def end(self, asked: Mapping[str, signal.Signals], grace_ns: int) -> None:
        for process, number in asked.items():
            self.note(None, f"{number.name} to {process}")

    def call_at(self, at_ns: int, callback: Callable[[], object], changes_levels: bool = False) -> None:
        self.due.append(at_ns)

    def daemon_ended(self, task: object, node: str | None = None) -> None:
        pass

    def raise_failure(self) -> None:
        pass

    def guard(self, callback: Callable[[], object]) -> None:
        callback()


@pytest.fixture
def recorder(plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Recorder:
    """A recorder in place of the kernel, too."""
    made = Recorder(plan)

    def look(medium: object, start_ns: int) -> Any:
        noted = "GET_RADIO GET_LINK GET_AIR"
        return SimpleNamespace(look=lambda t_ns: made.note(None, noted), write=lambda folder: None)

    def task(loop: object, name: str, argv: Sequence[str], *_: object, **__: object) -> Any:
        node, *command = argv
        made.note(node, " ".join(command))
        return made._daemon(node)

    def control(loop: object, root: Path, path: str, task: Any) -> Control:
        made.note(None, f"{path} ATTACH")
        return Control(made, task.node)

    monkeypatch.setattr(steps, "run", made.run)
    monkeypatch.setattr(steps, "now_ns", lambda: 0)
    monkeypatch.setattr(steps, "Task", task)
    monkeypatch.setattr(steps, "Control", control)
    monkeypatch.setattr(run_steps, "RAW", tmp_path)
    monkeypatch.setattr(
        sysctls, "set_sysctl", lambda key, value: made.note(made.inside, f"# /proc/sys/net/{key}: {value}")
    )
    monkeypatch.setattr(record, "MediumRecord", look)
    monkeypatch.setattr(air_capture, "AirCapture", lambda loop, argv, on_exit: made.note(None, " ".join(argv)))
    monkeypatch.setattr(
        steps, "Path", lambda path: SimpleNamespace(write_text=lambda text: made.write(None, path, text))
    )
    return made


class Control:
    """A control connection that takes every request, and whose scans end at once."""

    task = SimpleNamespace(name="wpa_supplicant", logs=[], alive=True)

    def __init__(self, recorder: Recorder, node: str) -> None:
        self._recorder = recorder
        self._node = node
        self.handoff: object = None

    def seen(self, event: str) -> bool:
        return True

    def last(self) -> str:
        return ""

    def close(self) -> None:
        pass

    def follow(self, earlier: object) -> None:
        pass

    def listen(self, callback: Callable[[int, str], None]) -> None:
        callback(0, "<3>CTRL-EVENT-SCAN-RESULTS")

    def forget(self, callback: Callable[[int, str], None]) -> None:
        pass

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> SimpleNamespace:
        return SimpleNamespace(cancel=lambda: None)

    def request(self, command: str) -> str:
        if command == "STATUS":
            self._recorder.note(None, "STATUS")
        else:
            self._recorder.note(None, f"{self._node} {command}")
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


def test_every_step_does_what_it_prints_and_nothing_else(plan: Plan, recorder: Recorder) -> None:
    for step in all_steps(plan):
        recorder.done.clear()
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
        place = heading_of(step).split(" every ")[0].split(", as ")[0]
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


def test_a_timeline_gives_each_moment_its_time_and_each_event_its_entry(plan: Plan, recorder: Recorder) -> None:
    (timeline,) = [step for step in script.steps(plan, str) if isinstance(step, Timeline)]
    timeline.execute(recorder)  # type: ignore[arg-type]
    assert recorder.due == [moment.at_ns for moment in script.moments(plan)] and recorder.daemons_are_needed
    for moment in timeline.moments:
        moment.execute(recorder)  # type: ignore[arg-type]
    assert [event for event, _, _ in recorder.events] == plan.events
    assert all(ok for _, ok, _ in recorder.events)
    assert [output for event, _, output in recorder.events if event.kind in ("exec", "roam")] == [b"OK", b"output"]


def test_an_event_that_fails_names_its_line_and_keeps_its_entry(plan: Plan, recorder: Recorder) -> None:
    (moment,) = [moment for moment in script.moments(plan) if moment.event and moment.event.kind == "connect"]
    recorder.controls["sta1"].request = lambda command: "FAIL"
    with pytest.raises(GuestError) as failure:
        moment.execute(recorder)  # type: ignore[arg-type]
    assert failure.value.message == "t.yaml:23: connect sta1: wpa_supplicant answers RECONNECT with FAIL"
    assert [(ok, output) for _, ok, output in recorder.events] == [(False, b"")]
