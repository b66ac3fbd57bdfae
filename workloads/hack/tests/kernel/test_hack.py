# SPDX-License-Identifier: MIT
"""The kernel's compression of TCP ACKs under sanitizers: packets, payloads and links from a generator."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from workloads.hack.tests.kernel.build import KERNEL, SANITIZED, build

_INPUTS = 2_000


def tried(to: Path, kernel: Path = KERNEL) -> subprocess.CompletedProcess[str]:
    program = build(to / "fuzz", ["-DDRIVER", *SANITIZED], kernel=kernel)
    return subprocess.run([str(program), str(_INPUTS)], capture_output=True, text=True)


def test_nothing_that_comes_breaks_it(tmp_path: Path) -> None:
    done = tried(tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("part", "right", "wrong", "message"),
    [
        ("decompress", "if (reader->left < bytes)", "if (reader->left + 1 < bytes)", "heap-buffer-overflow"),
        ("compress", "step <= S8_MAX", "step <= S8_MAX + 1", "an item could not be restored"),
        ("decompress", "if (fields->lengths[i].is_whole)", "if (1)", "an item could not be restored"),
        ("compress", "growth->ack / unit <= 7", "growth->ack / unit <= 8", "an item could not be restored"),
        (
            "decompress",
            "if ((u8)(decompressor->msn - msn - 1) < HWSIM_HACK_HELD)",
            "if (0)",
            "an item could not be restored",
        ),
        ("segment", "packet[6] = flow->fragments;", "packet[6] = 0;", "a packet was not parsed"),
    ],
)
def test_it_sees_mistakes(tmp_path: Path, part: str, right: str, wrong: str, message: str) -> None:
    for path in KERNEL.glob("hwsim_hack*"):
        shutil.copy(path, tmp_path)
    broken = tmp_path / f"hwsim_hack_{part}.c"
    text = broken.read_text()
    assert right in text
    broken.write_text(text.replace(right, wrong))
    done = tried(tmp_path, tmp_path)
    assert done.returncode and message in done.stderr
