# SPDX-License-Identifier: MIT
"""The thread that alone changes the guest of a session."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import NoReturn

import pytest

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.loop_thread import LoopThread


def test_it_does_what_others_have_it_do() -> None:
    thread = LoopThread(Loop())
    here = threading.current_thread()
    assert thread.call(threading.current_thread) is not here
    assert thread.call(lambda: thread.call(lambda: 42)) == 42, "also from itself"


def test_what_fails_there_fails_here() -> None:
    def fail() -> NoReturn:
        raise GuestError("no such link")

    thread = LoopThread(Loop())
    with pytest.raises(GuestError, match="no such link"):
        thread.call(fail)
    assert thread.call(lambda: "on") == "on"


def test_it_has_a_directory_of_its_own() -> None:
    thread = LoopThread(Loop())
    before = os.getcwd()  # noqa: PTH109
    thread.call(lambda: os.chdir("/"))
    assert os.getcwd() == before  # noqa: PTH109


def test_timers_are_called_meanwhile() -> None:
    loop, called = Loop(), SimpleQueue[str]()
    thread = LoopThread(loop)
    thread.call(lambda: loop.call_at(now_ns(), lambda: called.put("timer")))
    assert called.get(timeout=60) == "timer"


def test_a_fault_of_the_lab_ends_the_guest(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Otherwise the prompt would wait for an answer for ever."""

    def fail() -> None:
        raise ValueError("of the lab")

    ended = SimpleQueue[int]()
    monkeypatch.setattr(os, "_exit", ended.put)
    loop = Loop()
    loop.call_at(now_ns(), fail)
    LoopThread(loop)
    assert ended.get(timeout=60) == 1
    assert "ValueError: of the lab" in capfd.readouterr().err
