# SPDX-License-Identifier: MIT
"""Malformed packets do not disturb the kernel, and the target stays usable; a longer run: see the README."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.fuzz import scenario

pytestmark = pytest.mark.guest


def test_malformed_packets(boot: Callable[..., Ran]) -> None:
    """The run fails if the kernel complains."""
    ran = boot(scenario.PLACE, scenario.workload(seed=1, packets=20_000))
    assert scenario.Outcome.of(ran.directory / "raw").failures() == []


def test_a_fuzzer_that_reaches_nothing_fails() -> None:
    outcome = scenario.Outcome(sent=1000, reached=20, begun={"nothing": 40}, answers={}, friend_bytes=0)
    assert outcome.failures() == [
        "only 20 of 1000 packets reached dccp_v4_rcv()",
        'no round began with "request"',
        'no round began with "ccid 2"',
        'no round began with "ccid 3"',
        "no answer of type 3",
        "no answer of type 7",
        "no answer of type 8",
        "afterwards, an ordinary flow got only 0 bytes through",
    ]
