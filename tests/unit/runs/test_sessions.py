# SPDX-License-Identifier: MIT
"""Each session at a terminal has a name of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.machine.channel import Channel
from lab.machine.scratch import scratch
from lab.runs import sessions


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ExitStack]:
    monkeypatch.setattr(sessions, "PARENT", tmp_path)
    monkeypatch.setattr(sessions, "scratch", partial(scratch, parent=tmp_path))
    with ExitStack() as stack:
        yield stack


def start(running: ExitStack, name: str) -> None:
    running.enter_context(sessions.attachable(running.enter_context(Channel(attachable=True)), name))


def test_a_session_is_found_without_its_name_if_it_is_alone(running: ExitStack) -> None:
    with pytest.raises(InputError, match="no session runs"):
        sessions.session_with(["sta1"])
    start(running, "cafe")
    path = sessions.sessions()["cafe"]
    assert sessions.session_with(["sta1", "ping", "h1"]) == (path, "sta1", ["ping", "h1"])
    assert sessions.session_with(["cafe", "sta1"]) == (path, "sta1", [])
    with pytest.raises(InputError, match="which node"):
        sessions.session_with(["cafe"])


def test_of_several_sessions_one_is_named(running: ExitStack) -> None:
    for _ in range(2):
        start(running, "cafe")
    assert set(sessions.sessions()) == {"cafe", "cafe-2"}
    assert sessions.session_with(["cafe-2", "sta1"])[0] == sessions.sessions()["cafe-2"]
    with pytest.raises(InputError, match="several sessions run"):
        sessions.session_with(["sta1"])


def test_it_is_forgotten_with_its_end(running: ExitStack) -> None:
    start(running, "cafe")
    path = sessions.sessions()["cafe"]
    running.close()
    assert sessions.sessions() == {}
    with pytest.raises(InputError, match="that session has ended"):
        sessions.connected(path)
