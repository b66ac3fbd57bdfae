# SPDX-License-Identifier: MIT
"""The timeouts of the CCIDs have the lower bound of the route: 200 ms unless it says otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.system.pairs import PLACE, flow, lines

pytestmark = pytest.mark.guest


@pytest.mark.parametrize(("ccid", "more_us"), [(2, 200_000), (3, 0)])
def test_a_timeout_has_its_lower_bound(boot: Callable[..., Ran], ccid: int, more_us: int) -> None:
    """CCID 2: RTT + 4 RTTVAR, of which the variation is at least 200 ms. CCID 3: max(4 RTT, 200 ms)."""
    ran = boot(PLACE, flow(2, ccid=ccid, rate="1 Mbit/s"))
    states = [line for line in lines(ran, "flow", "state") if line["rtt_us"] and line["rto_us"] != 3_000_000]
    states = [line for line in states if line["rto_us"]]
    assert len(states) > 10
    assert all(line["rto_us"] >= max(200_000, line["rtt_us"] + more_us) for line in states)
