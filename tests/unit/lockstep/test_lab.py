# SPDX-License-Identifier: MIT
"""A lab whose agent is a stand-in: what it is asked, and what callers get."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from lab import CallError, Lab, WaitError, associated, event, listening, move, power, printed, roam
from lab.errors import InputError, RunError
from lab.lockstep.conditions import Condition
from lab.lockstep.process import Process
from lab.shared.types import Plan

MS = 1_000_000
PROCESS = Process(cast(Any, None), "h1", ["server"], 1, (Path("out"), Path("err")))


class Agent:
    """Answers at once; virtual time advances as requested."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.asked: list[dict[str, Any]] = []
        self.answers: dict[str, Callable[..., dict[str, Any]]] = {}

    def alone(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def ask(self, do: str, **parameters: Any) -> dict[str, Any]:
        self.asked.append({"do": do, **parameters})
        if do == "run_until":
            self.now_ns = parameters["at_ns"]
        answer = self.answers.get(do)
        return answer(**parameters) if answer else {}

    def last(self) -> dict[str, Any]:
        return self.asked[-1]


def lab_with(agent: Agent, topology: str = "two-aps-handoff", **options: Any) -> Lab:
    lab = Lab(topology, **options)
    lab._agent = agent  # type: ignore[assignment]
    return lab


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.fixture
def net(agent: Agent) -> Lab:
    return lab_with(agent, set={"topology.timeline": []})


def test_a_mistake_in_the_parameters_has_the_place_of_the_caller() -> None:
    with pytest.raises(InputError, match=r'^tests/unit/lockstep/test_lab\.py:\d+  links\.0\.delay: "5"'):
        Lab("two-aps-handoff", set={"links.0.delay": "5"})
    with pytest.raises(InputError, match=r"\(did you mean two-aps-handoff\?\)"):
        Lab("two-aps-handof")
    with pytest.raises(InputError, match=r"^tests/unit/lockstep/test_lab\.py:\d+  seed: '7' is not a whole number"):
        Lab("two-aps-handoff", seed="7")  # type: ignore[arg-type]


def test_parameters_are_settings() -> None:
    plan = Lab("two-aps-handoff", medium="perfect", duration="2 min", seed=7).plan
    assert (plan.medium, plan.duration_ns, plan.seed) == (None, 120_000 * MS, 7)


def test_the_plan_is_that_of_lab_run() -> None:
    from lab.plan.load import load

    lab = Lab("two-aps-handoff", "http/download", duration="40 s", set={"links.0.delay": "20 ms"}, pcap="air")
    settings = ["workload.duration=40 s", "links.0.delay=20 ms"]
    assert lab.plan == load("two-aps-handoff", "http/download", 1, settings, pcap="air")


def test_time_advances_to_a_time_to_come(net: Lab, agent: Agent) -> None:
    net.run_until("12.5 s")
    net.run_for(0.5)
    assert [one["at_ns"] for one in agent.asked] == [12_500 * MS, 13_000 * MS]
    with pytest.raises(CallError, match="1 s has passed: the time is 13 s"):
        net.run_until(1)
    with pytest.raises(CallError, match='61 s is beyond the end of the timeline, 60 s\n  .*duration="61 s"'):
        net.at(61, roam("sta1", "ap2"))


def test_an_event_goes_to_the_agent_with_its_place(net: Lab, agent: Agent) -> None:
    net.at(2, roam("sta1", "ap2"))
    (sent,) = agent.last()["events"]
    assert (sent["kind"], sent["target"], sent["at_ns"], sent["params"]) == ("roam", "sta1", 2_000 * MS, {"to": "ap2"})
    assert sent["source"].startswith("tests/unit/lockstep/test_lab.py:")
    assert [one.kind for one in net.plan.events] == ["roam"]


def test_levels_of_a_move_take_the_place_of_those_before(net: Lab, agent: Agent) -> None:
    net.at(2, move("sta1", ["6 m", "0 m", "1 m"], speed="3 m/s"))
    assert min(at_ns for at_ns, _ in agent.last()["updates"]) > 2_000 * MS
    net.run_until(3)
    net.do(move("sta1", ["0 m", "0 m", "1 m"]))
    assert [at_ns for at_ns, _ in agent.last()["updates"]] == [3_000 * MS]


def test_an_event_is_judged_by_those_before(net: Lab) -> None:
    net.at(1, power("ap2", "off"))
    with pytest.raises(InputError, match=r"test_lab\.py:\d+  to: ap2 has no power at that time; write power: ap2"):
        net.at(2, roam("sta1", "ap2"))
    net.at(2, event("netem", "h1-s1", loss="5%"))
    assert [one.kind for one in net.plan.events] == ["power", "netem"]


def test_events_of_the_workload_stay(agent: Agent, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("name: own\nduration: 10 s\ntimeline:\n  - {at: 5 s, netem: h1-s1, delay: 20 ms}\n")
    net = lab_with(agent, workload=own, set={"topology.timeline": []})
    net.at(2, roam("sta1", "ap2"))
    assert [one["kind"] for one in agent.last()["events"]] == ["roam"]
    assert [(one.kind, one.source.rpartition("/")[2]) for one in net.plan.events][1] == ("netem", "own.yaml:4")


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        (lambda net: net["h1"].put(5, "/x"), r'put: the content 5 is neither text nor bytes; write "5" or b"5"'),
        (lambda net: net["h1"].run(["cat"], input=5), r'input: 5 is neither text nor bytes; write "5" or b"5"'),
        (lambda net: net["h1"].run(["env"], env=5), r'env: 5 has no names and values; write env=\{"NAME": "value"\}'),
        (lambda net: net.do(event("move", object())), r"move: <object .*> cannot be written into a timeline; write t"),
        (lambda net: net.do(move("sta1", cast(Any, 5))), r"test_lab\.py:\d+  to: needs three coordinates"),
        (lambda net: printed(cast(Any, 5), "x"), r"printed: 5 is not a program; write printed\(net"),
        (
            lambda net: printed(PROCESS, "("),
            r'printed: "\(" is not a valid regular expression: missing \), .*; re.escape makes',
        ),
        (
            lambda net: printed(PROCESS, cast(Any, 5)),
            r'printed: 5 is not text; write what is looked for, such as "ready"',
        ),
        (lambda net: net[5], 'unknown node "5"; known: h1, s1, ap1, ap2, sta1'),
        (lambda net: net.nodes["ap11"], r'unknown node "ap11" \(did you mean ap1\?\); known: h1, s1'),
    ],
)
def test_a_value_of_another_kind_is_one_message(net: Lab, call: Callable[[Any], object], reported: str) -> None:
    net._directory = Path("/nowhere")
    with pytest.raises((CallError, InputError), match=reported):
        call(net)


def test_an_unknown_metric_is_reported_with_the_known_ones(net: Lab) -> None:
    from types import SimpleNamespace

    metrics: Any = {"goodput": "a result", "outage": "another one"}
    net._record = SimpleNamespace(metrics=metrics)  # type: ignore[assignment]
    assert (net.metrics["goodput"], net.metrics.get("gone")) == (metrics["goodput"], None)
    with pytest.raises(CallError, match=r'unknown metric "outages" \(did you mean outage\?\); known: goodput, out'):
        net.metrics["outages"]


def test_what_is_no_condition(net: Lab) -> None:
    with pytest.raises(CallError, match=r"5 is not a condition; write associated\(…\), or lambda: …"):
        net.wait_for(5)  # type: ignore[arg-type]


def test_what_is_no_event(net: Lab) -> None:
    with pytest.raises(CallError, match=r'not an event; write roam\("sta1", "ap2"\)'):
        net.at(1, "roam")  # type: ignore[arg-type]


def test_a_condition_is_looked_at_until_it_holds(net: Lab, agent: Agent) -> None:
    net.wait_for(lambda: agent.now_ns >= 30 * MS)
    assert agent.asked == [{"do": "run_until", "at_ns": at * MS, "news": True} for at in (10, 20, 30)]


def test_a_condition_that_does_not_hold_is_reported_with_the_last_state(net: Lab, agent: Agent) -> None:
    agent.answers["status"] = lambda node: {"status": "wpa_state=SCANNING\n"}
    with pytest.raises(WaitError) as failed:
        net.wait_for(associated("sta1", "ap2"), timeout_s="50 ms")
    assert str(failed.value) == (
        "waited 0.05 s for sta1 to be associated with ap2, until 0.05 s; "
        "last seen: sta1 is SCANNING, with no access point"
    )
    agent.now_ns = 59_990 * MS
    with pytest.raises(WaitError, match=r'until 60 s, where the timeline ends; write a longer duration="120 s"; last'):
        net.wait_for(lambda: None)


@pytest.mark.parametrize(
    ("port", "write"),
    [
        (80, "tcp/80, or udp/80"),
        ("80", "tcp/80, or udp/80"),
        ("http/80", "tcp/80, udp/5001 or udplite/5001"),
        ("0", "tcp/80, udp/5001 or udplite/5001"),
        ("tcp/0", "tcp/80, udp/5001 or udplite/5001"),
        ("tcp/99999", "tcp/80, udp/5001 or udplite/5001"),
    ],
)
def test_an_invalid_port_is_refused_before_the_guest_is_asked(port: Any, write: str) -> None:
    with pytest.raises(CallError, match=rf'"{port}" is not a valid port; write {write}'):
        listening("h1", port)


def test_what_cannot_be_put_into_a_node(net: Lab, agent: Agent, tmp_path: Path) -> None:
    net._directory = tmp_path
    with pytest.raises(CallError, match=r'net\["h1"\]\.put: nothing\.py does not exist'):
        net["h1"].put(Path("nothing.py"), "/opt/nothing.py")
    assert agent.asked == []


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("/opt/AZaz09._-", "sta1-AZaz09._-"),
        ("./a b(1)+[2]{3}", "sta1-a-b-1-2-3-"),
        ("B@`C:/D", "sta1-D"),
        ("B@`C,:;!~", "sta1-B-C-"),
        ("*m%n^", "sta1--m-n-"),
        ("x" * 101, f"sta1-{'x' * 100}"),
    ],
)
def test_files_of_a_program_have_its_name(net: Lab, agent: Agent, tmp_path: Path, program: str, name: str) -> None:
    net._directory = tmp_path
    agent.answers["start"] = lambda **_: {"process": 1, "out": "1.out", "err": "1.err"}
    net["sta1"].popen([program])
    assert agent.last()["name"] == name


def test_a_program_that_outlasts_the_timeline(net: Lab, agent: Agent, tmp_path: Path) -> None:
    net._directory = tmp_path
    (tmp_path / "raw" / "lockstep").mkdir(parents=True)
    agent.answers["start"] = lambda **_: {"process": 1, "out": "1.out", "err": "1.err"}
    agent.answers["state"] = lambda process: {"alive": True}
    process = net["sta1"].popen(["sleep", "1000"])
    assert agent.last()["name"] == "sta1-sleep"
    with pytest.raises(WaitError, match=r"still runs at 50 s, after 50 s of virtual time[^$]*allow more with"):
        process.wait(timeout_s=50)
    with pytest.raises(WaitError) as failed:
        process.wait(timeout_s=50)
    assert "sleep 1000 still runs at 60 s, where the timeline ends" in str(failed.value)
    assert str(failed.value).endswith('write a longer duration="120 s"')


def bssid_of(plan: Plan, ap: str) -> str:
    radio = plan.node(ap).radio
    assert radio
    return radio.mac


def test_the_access_point_of_a_station(net: Lab, agent: Agent) -> None:
    bssid = bssid_of(net.plan, "ap2")
    agent.answers["status"] = lambda node: {"status": f"bssid={bssid}\nwpa_state=COMPLETED\n"}
    assert net["sta1"].ap == "ap2"
    agent.answers["status"] = lambda node: {"status": f"bssid={bssid}\nwpa_state=ASSOCIATED\n"}
    assert net["sta1"].ap is None


def test_nodes_are_known_by_the_plan(net: Lab) -> None:
    assert (net["h1"].ip, net["sta1"].mac, repr(net["ap1"])) == ("10.0.0.1", "02:00:01:00:05:00", "<ap ap1>")
    assert list(net.nodes) == ["h1", "s1", "ap1", "ap2", "sta1"]
    with pytest.raises(CallError, match=r'unknown node "sta2" \(did you mean sta1\?\); known: h1, s1, ap1, ap2, sta1'):
        net["sta2"]


def test_calls_before_the_start_and_after_the_end() -> None:
    lab = Lab("one-ap")
    with pytest.raises(CallError, match="the lab has not started\n  write with Lab"):
        lab["h1"].run(["true"])
    with pytest.raises(CallError, match="there is no record yet"):
        _ = lab.record
    lab.close()
    with pytest.raises(CallError, match="the lab has been closed\n  make another Lab to start again"):
        lab.run_until(1)


def test_a_fork_does_not_use_the_lab(net: Lab, agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as forked:
        forked.setattr("os.getpid", lambda: 0)
        with pytest.raises(CallError, match="a fork of the one that has the lab; use the lab there"):
            net.run_for(1)
        net.close()
    net.run_for(1)
    assert net.now_s == 1


def test_after_a_failure_calls_report_it(net: Lab, agent: Agent, tmp_path: Path) -> None:
    net._directory = tmp_path

    def fail(**_: Any) -> dict[str, Any]:
        raise RunError("hostapd on ap1 was killed\nand more")

    agent.answers["run_until"] = fail
    with pytest.raises(RunError, match="was killed") as failed:
        net.run_until(1)
    assert failed.value.directory == tmp_path
    with pytest.raises(CallError, match="the lab has ended: hostapd on ap1 was killed\n"):
        net.run_until(2)


def listens(process: Process) -> Condition:
    return listening(process, "tcp/80")


def prints(process: Process) -> Condition:
    return printed(process, "ready")


@pytest.mark.parametrize("of", [listens, prints])
def test_a_wait_ends_with_the_program(
    net: Lab, agent: Agent, tmp_path: Path, of: Callable[[Process], Condition]
) -> None:
    logs = (tmp_path / "out", tmp_path / "err")
    for log in logs:
        log.write_text("no room\n")
    ended = {"alive": False, "exit": 3, "signal": None, "because": "", "started_ns": 0, "ended_ns": 5}
    agent.answers["state"] = lambda **_: {**ended, "alive": net.now_ns == 0}
    agent.answers["listens"] = lambda **_: {"listens": False, "seen": ""}
    waited = of(Process(net, "h1", ["server"], 1, logs))
    with pytest.raises(WaitError, match=r"<h1: server> to print ready cannot|h1 to listen on tcp/80 cannot") as raised:
        net.wait_for(waited, timeout_s=10)
    assert "cannot come: it ended with status 3 by 0." in str(raised.value) and net.now_ns < 1000 * MS
