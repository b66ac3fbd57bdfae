# SPDX-License-Identifier: MIT
"""The control socket of a daemon: answers and events come over the same socket, in any order."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.loop import Loop
from lab.guest.tasks import Task

CONNECTED = "<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:01:00 completed"
TASK = cast("Task", SimpleNamespace(name="sta/wpa_supplicant", logs=()))


@pytest.fixture(autouse=True)
def its_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon's working directory is its root: it answers to a relative path."""
    monkeypatch.chdir(tmp_path)


@contextmanager
def daemon(root: Path, answers: dict[str, list[str]]) -> Iterator[None]:
    """Answer each command with datagrams; one that is not in ``answers`` with the command itself."""
    (root / "run").mkdir(exist_ok=True)
    kind = socket.AF_UNIX, socket.SOCK_DGRAM
    with socket.socket(*kind) as server, socket.socket(*kind) as last:
        server.bind(str(root / "run/daemon"))
        last.connect(str(root / "run/daemon"))  # Control.close() removes the path

        def serve() -> None:
            while True:
                command, client = server.recvfrom(4096)
                if command == b"end":
                    return
                for text in answers.get(command.decode(), [command.decode()]):
                    server.sendto(text.encode(), client)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            last.send(b"end")
            thread.join()


@contextmanager
def connected(root: Path, attached: str = "OK\n", **answers: list[str]) -> Iterator[Control]:
    """Connect to a daemon with these answers."""
    with daemon(root, {"ATTACH": [attached], **answers}):
        control = Control(Loop(), root, "/run/daemon", TASK)
        try:
            yield control
        finally:
            control.close()


def test_an_answer_is_no_event_and_an_event_no_answer(tmp_path: Path) -> None:
    heard: list[str] = []
    with connected(tmp_path, STATUS=[CONNECTED, "wpa_state=COMPLETED", "<2>later"], PING=["PONG"]) as control:
        control.listen(lambda _, text: heard.append(text))
        assert control.request("STATUS") == "wpa_state=COMPLETED"
        assert control.request("PING") == "PONG"
        assert [text for _, text in control.events] == [CONNECTED, "<2>later"]
        assert control.last() == "<2>later"
        assert control.peer(control.events[0][0]) == "02:00:00:00:01:00"
        assert control.peer(control.events[0][0] - 1) is None
    assert heard == []  # they wait for the loop, since a listener may ask


def test_text_that_only_begins_like_an_event_is_an_answer(tmp_path: Path) -> None:
    with connected(tmp_path) as control:
        assert [control.request(text) for text in ("<x>y", "<3", "3>")] == ["<x>y", "<3", "3>"]
        assert control.events == [] and control.last() == "no event"


def test_a_daemon_that_sends_no_events_is_refused(tmp_path: Path) -> None:
    refused = pytest.raises(GuestError, match="sta/wpa_supplicant refused to send events")
    with refused, connected(tmp_path, attached="FAIL\n"):
        pass


def test_a_daemon_without_a_socket_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(GuestError, match="sta/wpa_supplicant: no control socket /run/daemon: No such file"):
        Control(Loop(), tmp_path, "/run/daemon", TASK)


def test_a_listener_asks_only_when_no_answer_is_awaited(tmp_path: Path) -> None:
    """It would take the answer of another: the second request begins before the loop has called the listener."""
    loop, order = Loop(), []
    with daemon(tmp_path, {"ATTACH": ["OK"], "SCAN": [CONNECTED, "done"]}):
        control = Control(loop, tmp_path, "/run/daemon", TASK)
        control.listen(lambda _, text: order.append(control.request("heard")))
        order += [control.request("SCAN"), control.request("PING")]
        loop.wait_for(lambda: len(order) == 3, 5_000_000_000, "the listener")
        control.close()
    assert order == ["done", "PING", "heard"]
