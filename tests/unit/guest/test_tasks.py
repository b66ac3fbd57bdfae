# SPDX-License-Identifier: MIT
"""Short commands of the guest: what they return, and how they fail."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lab.guest import tasks
from lab.guest.errors import GuestError


def failure(
    argv: list[str], input_text: str = "", culprit: str | None = None, of_user: Sequence[str] = ()
) -> GuestError:
    with pytest.raises(GuestError) as caught:
        tasks.run(argv, input_text, culprit, of_user=of_user)
    return caught.value


def test_what_a_command_prints_is_returned() -> None:
    assert tasks.run(["cat"], "hello\n") == b"hello\n"
    assert tasks.run(["sh", "-c", "echo out; echo err >&2"]) == b"out\nerr\n"


def test_a_command_has_its_environment_and_no_other() -> None:
    assert tasks.run(["env"], environment={"PATH": "/usr/bin:/bin", "A": "1"}) == b"PATH=/usr/bin:/bin\nA=1\n"


def test_a_failed_command_is_shown_with_what_it_read_and_printed() -> None:
    error = failure(["sh", "-c", "cat; exit 3"], "hello\n", "h1")
    assert (error.message, error.culprit, error.output) == ("sh -c cat; exit 3 ended with 3: hello\nhello", "h1", b"")
    assert failure(["false"]).message == "false ended with 1: "


def test_a_users_command_is_shown_as_it_was_written() -> None:
    error = failure(["sh", "-c", "echo no; exit 2"], of_user=["my command", "x"])
    assert (error.message, error.output) == ("'my command' x ended with 2", b"no\n")


def test_output_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MOST_OUTPUT_BYTES", 1 << 20)
    assert len(tasks.run(["head", "-c", "1048576", "/dev/zero"])) == 1 << 20
    assert failure(["head", "-c", "1048577", "/dev/zero"]).message.endswith("printed more than 1 MiB")


def test_a_command_has_to_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "COMMAND_TIMEOUT_S", 0)
    assert failure(["sleep", "60"]).message == "sleep 60 did not end within 0 s"


def test_a_command_with_too_long_an_argument() -> None:
    with pytest.raises(GuestError) as failure:
        tasks.run(["echo", "x" * 200_000])
    assert failure.value.message == f"cannot start echo {'x' * 195}\N{HORIZONTAL ELLIPSIS}: Argument list too long"
