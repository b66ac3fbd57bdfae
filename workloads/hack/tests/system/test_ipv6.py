# SPDX-License-Identifier: MIT
"""The workloads of this stack over IPv6."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]


SHORTER = ("duration=9s", "processes.flow.run.omit=2s", "processes.flow.run.duration=4s")  # than 27 s at 180 Mbit/s


@pytest.mark.parametrize(
    ("topology", "workload", "settings"),
    [("downloads", "hack/transfer", ()), ("downloads-n", "hack/udp", SHORTER)],
    ids=["hack/transfer", "hack/udp"],
)
def test_transfers_run_over_ipv6(boot_own: Boot, topology: str, workload: str, settings: tuple[str, ...]) -> None:
    ran = boot_own(topology, workload, "family=ipv6", *settings)
    assert ran.guest()["error"] is None
