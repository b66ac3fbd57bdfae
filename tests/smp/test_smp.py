# SPDX-License-Identifier: MIT
"""What `make test-smp` runs: KUnit of the medium, and a stress of its radios, on four processors in QEMU.

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


def boot(*arguments: str, initrd: Path | None = None) -> str:
    """The log of the kernel, which ends by itself."""
    kernel = ["-kernel", str(ensure_smp_kernel(SilentReport())), "-append", " ".join([*ARGUMENTS, *arguments])]
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


def test_every_suite_of_the_medium_passes() -> None:
    log = boot("mac80211_hwsim.radios=2", "kunit.enable=1", "kunit_shutdown=reboot")
    suites = suites_of(SmpSeries())
    assert len(suites) > 10
    assert complaints(log, suites) == [], log[-3000:]
    assert kernel_complaint(log) == []


def test_radios_on_all_processors(stress: Path) -> None:
    log = boot("mac80211_hwsim.radios=6", "--", str(STRESS_S), initrd=stress)
    assert kernel_complaint(log) == []
    assert f"stress: {PROCESSORS} processors" in log
    assert "stress: done" in log, log[-3000:]
    assert "unreferenced object" not in log, log[-3000:]
    last = re.findall(r"^stress: (sent .*)", log, re.MULTILINE)[-1]
    assert not re.findall(r"\w+ 0\b", last), last  # everything has happened
