# SPDX-License-Identifier: MIT
"""Users of Docker images, and health checks without a guest."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.guest import health
from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.network.docker import lines_of, user_of
from lab.guest.tasks import ENVIRONMENT, Task
from lab.shared.types import Health, Process

PASSWD = [line.split(":") for line in ("root:x:0:0::/root:/bin/sh", "web:x:33:34::/srv:/bin/sh", "odd")]
GROUP = [line.split(":") for line in ("root:x:0:", "www:x:34:", "logs:x:4:other,web", "extra:x:77:web")]
MS = 1_000_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", (0, 0, (), "/root")),
        ("web", (33, 34, (4, 77), "/srv")),
        ("33", (33, 34, (4, 77), "/srv")),
        ("web:logs", (33, 4, (), "/srv")),
        ("web:5", (33, 5, (), "/srv")),
        ("1000", (1000, 0, (), "/")),
        ("1000:1001", (1000, 1001, (), "/")),
    ],
)
def test_users(text: str, found: tuple[object, ...]) -> None:
    assert tuple(user_of(text, PASSWD, GROUP)) == found


def test_an_image_without_users_has_root() -> None:
    assert tuple(user_of("", [], [])) == (0, 0, (), "/")


@pytest.mark.parametrize(("text", "missing"), [("nobody", "user nobody"), ("web:none", "group none")])
def test_users_that_there_are_not(text: str, missing: str) -> None:
    with pytest.raises(KeyError, match=missing):
        user_of(text, PASSWD, GROUP)


@pytest.mark.parametrize("line", ["web:x:many:34::/srv:/bin/sh", "web:x:33:::/srv:/bin/sh", "web:x:-1:34::/srv:"])
def test_what_are_not_numbers_in_passwd(line: str) -> None:
    with pytest.raises(ValueError, match="number"):
        user_of("web", [line.split(":")], [])


@pytest.mark.parametrize("target", ["/dev/zero", "/dev/tty", "/dev/urandom", "/", "fifo", "none"])
def test_accounts_that_are_not_in_a_file(tmp_path: Path, target: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "passwd").symlink_to(target)
    assert lines_of(str(tmp_path / "passwd")) == []


Await = Callable[..., None]


@pytest.fixture
def wait_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Await:
    """Wait for the health of ``sleep``, by a check that is a line of sh."""
    monkeypatch.setattr("lab.guest.tasks.RUN", tmp_path)
    monkeypatch.setattr(health, "RAW", tmp_path / "raw")
    (tmp_path / "raw").mkdir()
    loop = Loop()

    def launch(argv: Sequence[str]) -> object:
        return list(argv), ENVIRONMENT

    def wait(check: str, *, runs: str = "exec sleep 60", timeout_ms: int = 5000, period_ms: int = 0) -> None:
        task = Task(loop, "web", ["sh", "-c", runs], tmp_path / "raw" / "web.out")
        argv = ["sh", "-c", f"cd {tmp_path}; {check}"]
        found = Health(argv, 10 * MS, timeout_ms * MS, period_ms * MS, 1 * MS, retries=3)
        process = Process("web", "web", "web", -1, [], None, {}, None, None, required=True, source="t.yaml:3")
        try:
            health.await_healthy(loop, SimpleNamespace(launch=launch), process, found, task)  # type: ignore[arg-type]
        finally:
            task.send(signal.SIGKILL)
            loop.run_until(now_ns() + 1_000_000_000, lambda: not task.alive)

    return wait


def test_healthy_at_the_first_success(wait_for: Await, tmp_path: Path) -> None:
    wait_for("echo x >>tries; test $(wc -l <tries) = 3")
    assert (tmp_path / "tries").read_text() == "x\nx\nx\n"


def test_unhealthy_after_so_many_failures(wait_for: Await, tmp_path: Path) -> None:
    with pytest.raises(GuestError) as failure:
        wait_for("echo no; exit 7")
    assert failure.value.message == (
        "t.yaml:3: the health check of web has failed 3 times in a row: it ended with status 7"
    )
    assert (tmp_path / "raw" / "web.health").read_text() == "no\nno\nno\n"


def test_failures_in_the_start_period_do_not_count(wait_for: Await) -> None:
    wait_for("echo x >>tries; test $(wc -l <tries) = 9", period_ms=60_000)


def test_a_check_that_hangs(wait_for: Await) -> None:
    with pytest.raises(GuestError, match=r"it took longer than 0\.02 s"):
        wait_for("exec sleep 60", timeout_ms=20)


def test_a_program_that_ends_is_not_waited_for(wait_for: Await) -> None:
    wait_for("exit 1", runs="exit 0", period_ms=10_000)
