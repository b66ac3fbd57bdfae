# SPDX-License-Identifier: MIT
"""The workloads of this stack over IPv6."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]


SHORTER = (  # than 27 s at 180 Mbit/s
    "duration=5s",
    "processes.flow.run.omit=1s",
    "processes.flow.run.duration=1s",
    "processes.flow.run.rate=20 Mbit/s",
)


SHORT = ("duration=3 s", "processes.flow.run.duration=1 s")
FLOWS = {
    "hack/both": ("duration=3 s", *(f"processes.flow-{way}.run.duration=1 s" for way in ("down", "up"))),
    "hack/download-file": ("duration=3 s", "processes.flow.run.bytes=500 kB"),
    "hack/download-sampled": SHORT,
    "hack/download-two": ("duration=3 s", *(f"processes.flow-{number}.run.duration=1 s" for number in (1, 2))),
    "hack/upload": SHORT,
}


@pytest.mark.parametrize("workload", FLOWS)
def test_flows_end_well_over_ipv6(boot_own: Boot, workload: str) -> None:
    ran = boot_own("downloads", workload, "family=ipv6", *FLOWS[workload])
    assert ran.guest()["error"] is None
    ended = [one["exit"] for one in ran.guest()["processes"] if one["id"].startswith("flow")]
    assert ended and set(ended) == {0}


@pytest.mark.parametrize(
    ("topology", "workload", "settings"),
    [("downloads", "hack/transfer", ()), ("downloads-n", "hack/udp", SHORTER)],
    ids=["hack/transfer", "hack/udp"],
)
def test_transfers_run_over_ipv6(boot_own: Boot, topology: str, workload: str, settings: tuple[str, ...]) -> None:
    ran = boot_own(topology, workload, "family=ipv6", *settings)
    assert ran.guest()["error"] is None
