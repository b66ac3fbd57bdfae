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


def test_three_senders_run_over_ipv6(boot_own: Boot) -> None:
    short = [f"processes.{name}.run.duration=1 s" for name in ("first", "second", "third")]
    handoffs = [f"workload.timeline.{number}.at={at} s" for number, at in enumerate((2, 2, 4, 4))]
    ran = boot_own("three-aps", "dccp/pair", "family=ipv6", "duration=24 s", *short, *handoffs)
    assert ran.guest()["error"] is None
