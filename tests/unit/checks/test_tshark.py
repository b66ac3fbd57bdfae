# SPDX-License-Identifier: MIT
"""tshark reads frames of unknown authors, so whatever it does, it reaches nothing of the host."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lab.checks import _tshark
from lab.errors import InputError, RunError
from lab.model.exercise_check import EvidenceError


def in_cage(*argv: str) -> subprocess.CompletedProcess[str]:
    with _tshark._confinement() as (prefix, rules):
        return subprocess.run(
            [*prefix, *argv], pass_fds=[rules], capture_output=True, text=True, cwd="/", stdin=subprocess.DEVNULL
        )


def test_programs_of_the_system_run() -> None:
    assert in_cage("/usr/bin/echo", "hello").stdout == "hello\n"


@pytest.mark.parametrize(
    "argv",
    [
        ("/usr/bin/cat", "/etc/passwd"),
        ("/usr/bin/cat", "/proc/self/environ"),
        ("/usr/bin/ls", "/tmp"),
        ("/usr/bin/cat", __file__),
    ],
)
def test_files_of_the_host_are_not_read(argv: tuple[str, ...]) -> None:
    done = in_cage(*argv)
    assert done.stdout == "" and "Permission denied" in done.stderr


def test_nothing_is_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert "Permission denied" in in_cage("/usr/bin/touch", str(tmp_path / "new")).stderr
    assert not any(tmp_path.iterdir())


def test_other_processes_are_out_of_reach() -> None:
    done = in_cage("/usr/bin/dash", "-c", f"echo $$; kill -0 {os.getpid()}")
    assert int(done.stdout) < 9 and "No such process" in done.stderr


def test_root_is_nobody() -> None:
    assert in_cage("/usr/bin/id", "-u").stdout == f"{os.geteuid() or 65534}\n"


def test_memory_is_limited() -> None:
    done = in_cage("/usr/bin/dd", "if=/dev/urandom", "bs=3G", "count=1")
    assert done.returncode == 1 and "memory exhausted" in done.stderr


def capture(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "air-2412.pcapng"
    path.write_bytes(content)
    return path


def test_a_damaged_capture_is_said_to_be_one(tmp_path: Path) -> None:
    for content in (b"hello world", _tshark._EMPTY + b"\x01" * 20):
        with pytest.raises(EvidenceError, match=r"^tshark cannot read air-2412.pcapng: "):
            _tshark.count(capture(tmp_path, content), "udp")
    assert _tshark.count(capture(tmp_path, _tshark._EMPTY), "udp") == 0


def test_a_link_in_place_of_a_capture_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "air.pcapng").symlink_to("/etc/passwd")
    with pytest.raises(RunError, match="is not a regular file"):
        _tshark.count(tmp_path / "air.pcapng", "udp")


@pytest.mark.parametrize(
    ("written", "why"),
    [("nonsense", "nonsense is neither a field nor a protocol name"), ("wlan.fc =", '"=" was unexpected'), ("(", "")],
)
def test_a_filter_that_is_none_is_the_exercises_mistake(tmp_path: Path, written: str, why: str) -> None:
    with pytest.raises(InputError) as caught:
        _tshark.count(capture(tmp_path, _tshark._EMPTY), written)
    assert caught.value.message.startswith(f'"{written}" is not a display filter: {why}')


def test_what_tshark_prints_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = bytes(8) + (60).to_bytes(4, "little") * 2 + bytes(60)
    path = capture(tmp_path, _tshark._EMPTY + 9 * frame)
    assert _tshark.count(path, "eth") == 9
    monkeypatch.setattr(_tshark, "_MOST_BYTES", 9)
    with pytest.raises(EvidenceError, match="takes too long for air-2412.pcapng, or prints too much"):
        _tshark.count(path, "eth")


def test_a_program_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tshark, "_TIMEOUT_S", 0.5)
    reading, writing = os.pipe()
    try:
        with pytest.raises(EvidenceError, match="takes too long for a pipe"):
            _tshark._frames(reading, "udp", "a pipe")
    finally:
        os.close(reading)
        os.close(writing)
