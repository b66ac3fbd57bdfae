# SPDX-License-Identifier: MIT
"""lab.seed= decides all that a program can see, and without it the guest is as random as its host."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.builders.kernel.kernel import ensure_kernel
from lab.cache.report import SilentReport
from tests.kernel.first_program import initrd_of
from tests.kernel.test_kunit import boot

pytestmark = pytest.mark.guest

RANDOM = ("AT_RANDOM", "getrandom", "/dev/urandom", "/dev/random", "/dev/hwrng", "/proc/sys/kernel/random/")
Boot = Callable[..., list[str]]


@pytest.fixture(scope="module")
def initrd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that holds tests/kernel/seen.c as /init."""
    return initrd_of("seen.c", tmp_path_factory.mktemp("seed"))


@pytest.fixture
def seen(initrd: Path, tmp_path: Path) -> Boot:
    """Boot with further arguments; what the program saw."""

    def run(*arguments: str, directory: str = "a") -> list[str]:
        place = tmp_path / directory
        place.mkdir(exist_ok=True)
        log = boot(place, f"initrd={initrd}", "root=/dev/ram0", "norandmaps", "quiet", *arguments)
        lines = [line for line in log.splitlines() if line.startswith("seen: ")]
        assert len(lines) > 20, log
        return lines

    return run


def random_lines(lines: list[str]) -> list[str]:
    return [line for line in lines if line.removeprefix("seen: ").startswith(RANDOM)]


def except_memory(lines: list[str]) -> list[str]:
    """The amount of free memory depends on what is in the kernel."""
    return [line for line in lines if not line.startswith("seen: /proc/meminfo")]


def test_same_seed_same_everything(seen: Boot) -> None:
    first = seen("lab.seed=7")
    assert not [line for line in first if "cannot be" in line]
    assert seen("lab.seed=7") == first


def test_length_of_paths_and_further_words_do_not_stir_random_numbers(seen: Boot) -> None:
    first = seen("lab.seed=7")
    other = seen("lab.seed=7", "lab.other=word", directory="a-directory-with-another-name")
    assert random_lines(other) == random_lines(first)


def test_parts_that_start_with_the_kernel_change_nothing(seen: Boot) -> None:
    """These draw random numbers, read the clock and start threads, before the first program."""
    parts = "vxlan_init_module,wg_mod_init,batadv_init,bonding_init"
    symbols = ensure_kernel(SilentReport()).path.read_bytes()
    assert all(f"\0{part}\0".encode() in symbols for part in parts.split(","))
    nobody = re.sub("[a-z]", "x", parts)  # as long: the command line lies in the guest's memory
    with_parts, without = (seen("lab.seed=7", f"initcall_blacklist={names}") for names in (nobody, parts))
    assert except_memory(without) == except_memory(with_parts)


def test_seed_may_be_written_in_hexadecimal(seen: Boot) -> None:
    assert random_lines(seen("lab.seed=255")) == random_lines(seen("lab.seed=0xff"))


def test_every_random_number_depends_on_the_seed(seen: Boot) -> None:
    one, other = random_lines(seen("lab.seed=7")), random_lines(seen("lab.seed=8"))
    assert len(one) == len(other) == 9
    assert not set(one) & set(other)


def test_no_random_number_comes_twice(seen: Boot) -> None:
    one = random_lines(seen("lab.seed=7"))
    assert len(set(one)) == len(one)


def test_seeded_guest_sees_nothing_of_its_host(seen: Boot) -> None:
    lines = seen("lab.seed=7")
    host = [line.split(":")[2].strip() for line in lines if line.startswith("seen: /proc/cpuinfo host")]
    flags = [line.split(":")[2].strip() for line in lines if line.startswith("seen: /proc/cpuinfo flags")]
    assert (host, flags) == ([""], [""])


def test_without_a_seed_nothing_repeats(seen: Boot) -> None:
    assert not set(random_lines(seen())) & set(random_lines(seen()))
