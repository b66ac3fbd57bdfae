# SPDX-License-Identifier: MIT
"""The kernel that tests boot: the lab's, or with pytest's option --debug-kernel that of `make kernel-debug`."""

from __future__ import annotations

from lab.builders.kernel.kernel import Kernel, ensure_kernel
from lab.builders.kernel.series import PatchSeries
from lab.cache.report import SilentReport

series = PatchSeries()  # tests/conftest.py replaces it


def kernel() -> Kernel:
    """Return the kernel; `make test` and `make test-debug` have built it."""
    return ensure_kernel(SilentReport(), series=series)
