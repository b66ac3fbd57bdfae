# SPDX-License-Identifier: MIT
"""The host's end of lock-step."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from lab import CallError
from lab.lockstep.agent import Agent


class Channel:
    """A guest that answers once it may, and waits until then."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def send(self, _line: str) -> None:
        self.asked.set()

    def receive(self, _timeout_s: float) -> str:
        assert self.may_answer.wait(10)
        return json.dumps({"at_ns": 5})


class Watch:
    def resume(self) -> None:
        pass


class Guest:
    watch = Watch()


def test_two_threads_do_not_get_the_answers_of_each_other() -> None:
    channel, answers = Channel(), []
    agent = Agent(*[Guest(), channel, None])  # type: ignore[arg-type]

    def ask() -> None:
        answers.append(agent.ask("run_until", at_ns=5))

    other: Any = threading.Thread(target=ask)
    other.start()
    assert channel.asked.wait(10)
    with pytest.raises(CallError, match="another thread waits for this lab; let one thread use it"):
        agent.ask("counters")
    channel.may_answer.set()
    other.join()
    assert answers == [{"at_ns": 5}]
    assert agent.ask("counters") == {"at_ns": 5}
