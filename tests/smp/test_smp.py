# SPDX-License-Identifier: MIT
"""What `make test-smp` runs: KUnit of the medium, and a stress of its radios, on four processors in QEMU.

All of it runs on two kernels: with lockdep, KASAN and kmemleak, and with KCSAN.

No test of `make test`: QEMU has to be installed, a kernel of its own has to be built, and QEMU without KVM is slow.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lab.builders.image.initrd import initrd
from lab.cache.report import SilentReport
from lab.machine.watch import kernel_complaint
from tests.kernel.test_kunit import complaints, suites_of
from tests.smp.kernel import SmpSeries, ensure_smp_kernel

HERE = Path(__file__).parent
PROCESSORS = 4
TIMEOUT_S = 1800
STRESS_S = 30
# A kernel that ends, by itself or by a panic, reboots, which ends QEMU.
QEMU = ["qemu-system-x86_64", "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio", "-m", "1G"]
QEMU += ["-smp", f"{PROCESSORS},sockets={PROCESSORS}", "-accel", "tcg,thread=multi"]
# Grace periods are short, or most of a stress would wait for them.
ARGUMENTS = ["console=ttyS0", "panic=-1", "rcupdate.rcu_expedited=1"]
STRESS = ["gcc", "-std=gnu11", "-O2", "-static", "-Wall", "-Wextra", "-Werror"]


# The head of a KCSAN report names the function of each access that is known, without its other callers.
RACE = re.compile(r"BUG: KCSAN: .*\n")
OURS = re.compile("hwsim_")


def complaint(log: str) -> list[str]:
    """What the kernel reports, but for races of the rest of Linux, of which strict KCSAN finds some."""
    return kernel_complaint(RACE.sub(lambda found: found[0] if OURS.search(found[0]) else "", log))


@pytest.mark.parametrize(
    ("race", "is_ours"),
    [
        ("data-race in hwsim_radio_wake / hwsim_radio_detach", True),
        ("data-race in mac80211_hwsim_tx / tick_sched_timer", True),
        ("data-race in console_flush_all / console_flush_all", False),
    ],
)
def test_races_of_the_medium_are_complaints(race: str, is_ours: bool) -> None:
    log = f"[    1.0] ==================\n[    1.0] BUG: KCSAN: {race}\n[    1.0] read to 0xffff of 8 bytes\n"
    assert bool(complaint(log)) == is_ours


def boot(*arguments: str, initrd: Path | None = None, kcsan: bool) -> str:
    """The log of the kernel, which ends by itself."""
    image = ensure_smp_kernel(SilentReport(), kcsan=kcsan)
    kernel = ["-kernel", str(image), "-append", " ".join([*ARGUMENTS, *arguments])]
    result = subprocess.run(
        [*QEMU, *kernel, *(["-initrd", str(initrd)] if initrd else [])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert f"smp: Brought up 1 node, {PROCESSORS} CPUs" in result.stdout, result.stdout[-3000:]
    return result.stdout


@pytest.fixture
def stress(tmp_path: Path) -> Path:
    """An archive with the program of stress.c as init."""
    include = SmpSeries().directory / "medium" / "files" / "drivers" / "net" / "wireless" / "virtual"
    subprocess.run([*STRESS, f"-I{include}", "-o", tmp_path / "init", HERE / "stress.c"], check=True)
    (tmp_path / "initrd").write_bytes(initrd((tmp_path / "init").read_bytes(), {}))
    return tmp_path / "initrd"


BOTH = pytest.mark.parametrize("kcsan", [False, True], ids=["debug", "kcsan"])


@BOTH
def test_every_suite_of_the_medium_passes(kcsan: bool) -> None:
    log = boot("mac80211_hwsim.radios=2", "kunit.enable=1", "kunit_shutdown=reboot", kcsan=kcsan)
    assert ("kcsan: strict mode configured" in log) == kcsan
    suites = suites_of(SmpSeries())
    assert len(suites) > 10
    assert complaints(log, suites) == [], log[-3000:]
    assert complaint(log) == []


@BOTH
def test_radios_on_all_processors(stress: Path, kcsan: bool) -> None:
    log = boot("mac80211_hwsim.radios=6", "--", str(STRESS_S), initrd=stress, kcsan=kcsan)
    assert complaint(log) == []
    assert f"stress: {PROCESSORS} processors" in log
    assert "stress: done" in log, log[-3000:]
    assert "unreferenced object" not in log, log[-3000:]
    last = re.findall(r"^stress: (sent .*)", log, re.MULTILINE)[-1]
    assert not re.findall(r"\w+ 0\b", last), last  # everything has happened
