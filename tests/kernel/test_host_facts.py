# SPDX-License-Identifier: MIT
"""What programs learn about their host: the same in every run, on every processor, except what is listed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.kernel.first_program import initrd_of
from tests.kernel.test_kunit import TIMEOUT_S, command, environment

pytestmark = pytest.mark.guest

# instructions that a host cannot refuse to its processes; docs/limits.md names them
RANDOM = {"rdrand", "rdseed"}
OF_PROCESSOR = {"rdpid", "lsl of the processor's number", "cpuid: number of the processor"}
START = "time-travel-start=1767225600000000000"
OTHER_HOST = ("setarch", "--uname-2.6", "--addr-no-randomize", "env", "MALLOC_ARENA_MAX=1", "LANG=C", "OTHER=1")
_FACT = re.compile(r"^([a-z/][^=\n]*) = (.+)$", re.MULTILINE)


def learned(
    initrd: Path, directory: Path, processor: int, way: str = "on", before: Sequence[str] = ()
) -> dict[str, str]:
    """Return what the program printed in a guest on this processor of the host."""
    words = command(directory, f"initrd={initrd}", "root=/dev/ram0", "norandmaps", "quiet", "lab.seed=1", START)
    result = subprocess.run(
        ["taskset", "--cpu-list", str(processor), *before, *words, f"seccomp={way}"],
        env={**os.environ, **environment()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert "\ndone\n" in result.stdout, result.stdout
    return dict(_FACT.findall(result.stdout))


def differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


@pytest.fixture(scope="module")
def initrd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that holds tests/kernel/host_facts.c as /init."""
    return initrd_of(
        "host_facts.c", tmp_path_factory.mktemp("facts"), "-O1", "-mrdrnd", "-mrdseed", "-mrdpid", "-mfsgsbase"
    )


def test_a_program_learns_the_same_in_each_run_and_on_each_processor(initrd: Path, tmp_path: Path) -> None:
    processors = sorted(os.sched_getaffinity(0))
    first = learned(initrd, tmp_path, processors[0])
    assert len(first) > 60
    again = differing(first, learned(initrd, tmp_path, processors[0]))
    assert again <= RANDOM
    if re.search(r"\brdrand\b", Path("/proc/cpuinfo").read_text()):
        assert "rdrand" in again  # so the comparison sees it
    elsewhere = learned(initrd, tmp_path, processors[-1], before=OTHER_HOST)
    assert differing(first, elsewhere) <= RANDOM | OF_PROCESSOR


def test_the_clock_of_the_vsyscall_page_is_virtual(initrd: Path, tmp_path: Path) -> None:
    """Programs of before 2012 call it; hosts that have no such page any more end them."""
    found = learned(initrd, tmp_path, max(os.sched_getaffinity(0)))
    assert found["vsyscall time"] in (hex(1767225600), "signal 11")
    assert found["vsyscall getcpu"] in ("0", "signal 11")
