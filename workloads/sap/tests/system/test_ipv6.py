# SPDX-License-Identifier: MIT
"""The workloads of this stack over IPv6."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]


@pytest.mark.parametrize("workload", ["sap/notes", "sap/stream", "sap/track", "sap/voice", "sap/web"])
def test_applications_run_over_ipv6(boot_own: Boot, workload: str) -> None:
    ran = boot_own("approximate-link", workload, "family=ipv6")
    assert ran.guest()["error"] is None
