# SPDX-License-Identifier: MIT
"""How many files the agent may have open, and what it does with descriptors of high numbers."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from lab.guest import tasks
from lab.guest.errors import GuestError
from lab.guest.file_limit import raise_file_limit
from lab.guest.loop import readable
from lab.guest.network.container import Container

HIGH = 1024  # select() takes lower ones only


@pytest.mark.parametrize(("nodes", "processes", "limit"), [(100, 20, 1024), (120, 20, 1168), (1001, 1000, 12_136)])
def test_a_large_network_may_open_more_files(
    monkeypatch: pytest.MonkeyPatch, nodes: int, processes: int, limit: int
) -> None:
    limits = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: limits.append(given))
    raise_file_limit(nodes, processes)
    assert limits[-1] == (limit, max(limit, 4096))


@contextmanager
def many_files() -> Iterator[None]:
    """Have every descriptor below ``HIGH`` open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (HIGH + 64, hard))
    opened = [os.open(os.devnull, os.O_RDONLY)]
    try:
        while opened[-1] < HIGH:
            opened.append(os.dup(opened[0]))
        yield
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_large_network_runs_commands_and_notices_the_end_of_a_node() -> None:
    with many_files():
        assert tasks.run(["echo", "hello"]) == b"hello\n"
        pid = tasks.spawn(["true"], 0, 1, 2)
        pidfd = os.pidfd_open(pid)
        assert pidfd > HIGH
        assert readable(pidfd, 60)
        node = cast(Container, SimpleNamespace(pidfd=pidfd))
        assert Container.alive.fget(node) is False  # type: ignore[attr-defined]
        os.waitpid(pid, 0)
        os.close(pidfd)


def test_a_command_of_a_large_network_has_to_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "COMMAND_TIMEOUT_S", 0.01)
    with many_files(), pytest.raises(GuestError, match=r"^sleep 60 did not end within 0.01 s$"):
        tasks.run(["sleep", "60"])


def test_only_descriptors_that_select_refuses_are_polled() -> None:
    ours = [path for path in Path("lab").rglob("*.py") if path.parts[1] == "guest" or path.name == "guest.py"]
    assert len(ours) > 50
    assert [path for path in ours if "select.select(" in path.read_text()] == [Path("lab/guest/loop.py")]
