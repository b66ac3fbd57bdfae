# SPDX-License-Identifier: MIT
"""The workloads of this stack over IPv6."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]


@pytest.mark.parametrize("workload", ["dccp/flow", "dccp/two"])
def test_flows_run_over_ipv6(boot_own: Boot, workload: str) -> None:
    ran = boot_own("two-stations-router", workload, "family=ipv6")
    assert ran.guest()["error"] is None
