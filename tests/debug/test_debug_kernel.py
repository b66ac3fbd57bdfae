# SPDX-License-Identifier: MIT
"""What `make test-debug` runs in addition on the debug kernel: that it detects faults, and that KUnit leaks no memory.

No test of `make test`: a kernel of its own has to be built, and it is slow.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import runs
from lab.builders.kernel.chosen import KernelChoice
from lab.builders.kernel.kernel import Kernel, ensure_kernel
from lab.cache.report import SilentReport
from lab.errors import RunError
from lab.machine import guest
from lab.machine.process import command_line
from lab.machine.watch import kernel_complaint
from lab.plan.load import load
from tests import booted
from tests.kernel.test_kunit import boot

pytestmark = pytest.mark.guest

FAULTY = Path(__file__).parent / "faulty"
# Without a root file system the kernel ends here, if it reports nothing else before. kmemleak looks after 60 s and
# 660 s, and reports what has not changed in between; all that takes no wall time.
UNTIL_IT_HAS_LOOKED = "rootdelay=700"
NO_ROOT = "Kernel panic - not syncing: VFS: Unable to mount root fs"
FAULTS = {
    "none": NO_ROOT,
    "inversion": "WARNING: possible circular locking dependency detected",
    "sleep": "BUG: scheduling while atomic",
    "rcu": "WARNING: suspicious RCU usage",
    "beyond": "BUG: KASAN: slab-out-of-bounds in beyond",
    "freed": "BUG: KASAN: slab-use-after-free in freed",
    "stack": "BUG: KASAN: stack-out-of-bounds in on_stack",
    "shift": "UBSAN: shift-out-of-bounds in ",
    "list": "list_del corruption",
    "leak": "new suspected memory leaks",
}


@pytest.fixture(scope="module")
def faulty() -> Kernel:
    """Return the debug kernel with a module that has these faults."""
    return ensure_kernel(SilentReport(), modules={"faulty": FAULTY}, series=booted.series)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_kind_of_fault_is_detected(faulty: Kernel, fault: str, tmp_path: Path) -> None:
    log = boot(tmp_path, f"faulty.fault={fault}", UNTIL_IT_HAS_LOOKED, linux=faulty)
    assert any(FAULTS[fault] in line for line in kernel_complaint(log)[:3]), log[-5000:]


def test_kunit_leaks_no_memory(tmp_path: Path) -> None:
    log = boot(tmp_path, "kunit.enable=1", UNTIL_IT_HAS_LOOKED)
    assert NO_ROOT in kernel_complaint(log)[0], log[-5000:]


def test_a_run_in_which_the_kernel_lost_memory_fails(
    faulty: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = runs.ensure_machine(SilentReport(), choice=KernelChoice(built=str(faulty.path)))
    plan = load("one-ap", "idle", 1, ["workload.duration=1 s"])
    for name in ("none", "leak"):
        (tmp_path / name).mkdir()
    runs.boot(plan, machine, tmp_path / "none")
    monkeypatch.setattr(guest, "command_line", lambda *given: [*command_line(*given), "faulty.fault=leak"])
    with pytest.raises(RunError, match=r"lab-init: the kernel has lost memory:(?s:.*)unreferenced object 0x"):
        runs.boot(plan, machine, tmp_path / "leak")
