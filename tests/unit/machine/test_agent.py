# SPDX-License-Identifier: MIT
"""The agent of a guest that is driven: a shell script in place of the kernel, which answers as the agent does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from lab.errors import RunError
from lab.lockstep.agent import Agent
from lab.lockstep.errors import CallError
from lab.machine.channel import Channel
from lab.machine.guest import Guest
from lab.machine.process import Setup
from lab.plan.load import load
from lab.runs.limits import Limits

ENDS = """
for word; do case $word in hostask=*) ends=${word#hostask=} ;; esac; done
exec 8< "/proc/self/fd/${ends%,*}" 9> "/proc/self/fd/${ends#*,}"
echo '{"at_ns": 5}' >&9
"""
OVER = """echo '{"error": null}' > "$run/guest.json"\n"""


@contextmanager
def driven(setup: Setup) -> Iterator[Agent]:
    with Channel() as channel, Guest.started(setup, "lockstep", channel=channel) as guest:
        yield Agent(guest, channel, Limits(load("one-ap", "idle"), setup.files.run))


def test_requests_are_answered_until_the_end(setup: Callable[[str], Setup]) -> None:
    answers = """
read -r asked <&8; echo "$asked" > "$run/asked"
echo '{"at_ns": 7, "process": 3}' >&9
read -r end <&8; echo "$end" > "$run/end"
"""
    made = setup(ENDS + answers + OVER)
    with driven(made) as agent:
        agent.await_timeline()
        assert agent.now_ns == 5
        assert agent.ask("start", node="h1") == {"at_ns": 7, "process": 3}
        assert agent.now_ns == 7
        assert agent.end("finish").wall_s > 0
    asked = [json.loads((made.files.run / name).read_text()) for name in ("asked", "end")]
    assert asked == [{"do": "start", "node": "h1"}, {"do": "finish"}]


def test_what_is_refused_is_the_callers_mistake(setup: Callable[[str], Setup]) -> None:
    answer = """read -r asked <&8; echo '{"at_ns": 7, "refused": "h1 has no file x"}' >&9; read -r end <&8\n"""
    with driven(setup(ENDS + answer + OVER)) as agent:
        agent.await_timeline()
        with pytest.raises(CallError, match="^h1 has no file x$"):
            agent.ask("get")


FAILED = """echo '{"error": {"message": "hostapd on ap1 ended", "logs": []}}' > "$run/guest.json"\n"""


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (ENDS + "read -r asked <&8\n" + FAILED, "hostapd on ap1 ended"),
        (ENDS + FAILED, "hostapd on ap1 ended"),  # before it is asked
        (ENDS + "read -r asked <&8\necho 'Kernel panic - not syncing: x'\n", "kernel reported an error: Kernel panic"),
        (ENDS + "read -r asked <&8\n", "the guest ended before the run was over"),
        (ENDS + "read -r asked <&8\n" + OVER, "the guest ended before its program asked it to"),
    ],
)
def test_a_guest_that_ends_reports_why(setup: Callable[[str], Setup], script: str, message: str) -> None:
    with driven(setup(script)) as agent, pytest.raises(RunError, match=message):
        agent.await_timeline()
        agent.ask("run_until", at_ns=9)


def test_only_what_takes_the_guest_too_long_is_a_stall(setup: Callable[[str], Setup]) -> None:
    answers = """read -r asked <&8; echo '{"at_ns": 7}' >&9; read -r asked <&8; read -r never <&8\n"""
    with driven(setup(ENDS + answers)) as agent:
        agent.await_timeline()
        watch = agent._guest.watch
        watch._standstill.waited_s += 1000  # the program decides for long; meanwhile the guest waits for it
        agent.ask("run_until", at_ns=7)
        watch._stall_s = 0.05
        with pytest.raises(RunError, match=r"virtual time stood still at 0\.0 s for 0\.05 s of waiting"):
            agent.ask("run_until", at_ns=9)
