# SPDX-License-Identifier: MIT
"""The agent of a driven run: lines over a file, here a socket, and requests on a guest without a network."""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lab.guest import calls, lockstep
from lab.guest.errors import GuestError
from lab.guest.live import LiveGuest
from lab.guest.loop import Loop, now_ns
from lab.guest.network.container import Launch
from lab.guest.tasks import ENVIRONMENT, Task
from lab.plan.load import load

MS = 1_000_000
AGENT = "agent of a run that is driven"
FOREVER_NS = 10**15


class Container:
    """This machine."""

    def launch_found(self, argv: Sequence[str], cwd: str | None, env: dict[str, str] | None) -> Launch:
        return ["env", "-C", cwd or "/", *argv], {**ENVIRONMENT, **(env or {})}

    def memory_kills(self) -> int:
        return 0

    def forks_refused(self) -> int:
        return 1


class Network:
    def container(self, node: str) -> Any:
        return Container()

    def add(self, *_: object) -> None:
        pass


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LiveGuest:
    monkeypatch.setattr(calls, "EXCHANGED", tmp_path)
    monkeypatch.setattr(calls, "LOCKSTEP_LOGS", tmp_path / "logs")
    monkeypatch.setattr("lab.guest.tasks.RUN", tmp_path)
    guest = LiveGuest(load("one-ap", "idle"), Loop(), Network())
    guest.clock.start_ns = now_ns()
    return guest


@contextmanager
def driven(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch, duration_ns: int = FOREVER_NS) -> Iterator[socket.socket]:
    """Yield the host's end of a run that is driven, whose clock is this machine's, which may be slow."""
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(lockstep, "opened", theirs.fileno)
    agent = threading.Thread(target=lockstep.drive, args=(guest, duration_ns), name=AGENT)
    with ours, theirs:
        ours.settimeout(10)
        agent.start()
        try:
            yield ours
        finally:
            ours.shutdown(socket.SHUT_WR)
            agent.join()


def ask(host: socket.socket, do: str, **parameters: Any) -> Any:
    host.sendall(json.dumps({"do": do, **parameters}).encode() + b"\n")
    return answer(host)


def answer(host: socket.socket) -> Any:
    line = b""
    while not line.endswith(b"\n"):
        line += host.recv(1)
    return json.loads(line)


def test_a_program_in_a_node(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("much " * 2000)
    with driven(guest, monkeypatch) as host:
        assert answer(host)["at_ns"] >= 0
        program = "import os, sys; print(len(sys.stdin.read()), os.getcwd(), os.environ['LC_ALL'], os.environ['X'])"
        argv = [sys.executable, "-c", f"{program}; sys.exit(3)"]
        started = ask(
            host, "start", node="h1", argv=argv, name="h1-python", stdin="given", cwd=str(tmp_path), env={"X": "y"}
        )
        files = {"out": "1-h1-python.out", "err": "1-h1-python.err"}
        assert {key: started[key] for key in started if key != "at_ns"} == {"process": 0, **files}
        ask(host, "run_until", at_ns=FOREVER_NS, process=0)
        state = ask(host, "state", process=0)
        assert (state["alive"], state["exit"], state["signal"]) == (False, 3, None)
        assert state["because"] == ": h1 reached its limit of 256 processes and threads (pids:)"
        assert (tmp_path / "logs" / started["out"]).read_text() == f"10000 {tmp_path} C.UTF-8 y\n"


def test_what_cannot_be_done_is_refused_and_changes_nothing(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    with driven(guest, monkeypatch) as host:
        answer(host)
        assert ask(host, "counters")["refused"] == "the medium is perfect, and counts nothing; write medium={}"
        assert ask(host, "status", node="h1")["refused"] == "h1 has neither hostapd nor wpa_supplicant"
        assert ask(host, "fly")["refused"] == 'the agent knows no request "fly"'
        assert "refused" not in ask(host, "run_until", at_ns=1)


def test_a_program_that_the_kernel_refuses(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    with driven(guest, monkeypatch) as host:
        answer(host)
        refused = ask(host, "start", node="h1", argv=["echo", "x" * 200_000], name="h1-echo")["refused"]
        assert refused == "h1 cannot start h1-echo: Argument list too long"
        assert ask(host, "start", node="h1", argv=["true"], name="h1-true")["process"] == 0


def test_a_signal_without_a_name(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    with driven(guest, monkeypatch) as host:
        answer(host)
        ask(host, "start", node="h1", argv=["sleep", "1000"], name="h1-sleep")
        ask(host, "signal", process=0, number=40)
        ask(host, "run_until", at_ns=10**12, process=0)
        assert ask(host, "state", process=0)["signal"] == 40


def test_time_goes_to_the_end_of_the_timeline_at_most(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    with driven(guest, monkeypatch, duration_ns=100 * MS) as host:
        answer(host)
        assert ask(host, "run_until", at_ns=20 * MS)["at_ns"] >= 20 * MS
        assert 100 * MS <= ask(host, "run_until", at_ns=FOREVER_NS)["at_ns"] < FOREVER_NS // 2


def test_news_stop_the_time(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    with driven(guest, monkeypatch) as host:
        answer(host)
        ask(host, "start", node="h1", argv=["true"], name="true")
        ask(host, "run_until", at_ns=FOREVER_NS, news=True)
        assert ask(host, "state", process=0)["alive"] is False


def test_the_end_comes_with_that_of_the_host_and_ends_programs(
    guest: LiveGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks: list[Task] = []

    def start(*given: Any, **named: Any) -> Task:
        tasks.append(Task(*given, **named))
        return tasks[-1]

    monkeypatch.setattr(calls, "Task", start)
    with driven(guest, monkeypatch) as host:
        answer(host)
        ask(host, "start", node="h1", argv=["sleep", "1000"], name="sleep")
        assert tasks[0].alive
    assert tasks[0].signal == signal.SIGTERM


def test_a_failure_ends_it_without_an_answer(guest: LiveGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    with driven(guest, monkeypatch) as host:
        answer(host)
        guest.call_at(1 * MS, lambda: guest.fail(GuestError("hostapd on ap1 has ended")))
        host.sendall(json.dumps({"do": "run_until", "at_ns": FOREVER_NS}).encode() + b"\n")
        host.shutdown(socket.SHUT_WR)
        host.settimeout(None)
        for thread in threading.enumerate():  # other tests may have left theirs
            if thread.name == AGENT:
                thread.join()
        host.setblocking(False)
        with pytest.raises(BlockingIOError):
            host.recv(1)


def test_levels_that_are_dropped_do_not_change(guest: LiveGuest) -> None:
    done: list[str] = []
    guest.call_at(1 * MS, lambda: done.append("event"))
    guest.call_at(1 * MS, lambda: done.append("level"), changes_levels=True)
    guest.forget_levels()
    guest.loop.run_until(guest.clock.start_ns + FOREVER_NS, lambda: bool(done))
    assert done == ["event"]
