# SPDX-License-Identifier: MIT
"""A flow of CCID 3 is as fast as before some time after an outage, such as a handoff; an outage is its first loss."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.system.pairs import PLACE, flow, lines

pytestmark = pytest.mark.guest


@pytest.mark.parametrize(("outage_s", "back_within_s"), [(1, 2), (10, 14), (60, 60)])
def test_ccid_3_recovers_from_an_outage(boot: Callable[..., Ran], outage_s: int, back_within_s: int) -> None:
    """By RFC 5348, the rate falls to a packet in about the time of the outage, so recovery takes as long again."""
    up_s, bytes_s = 5 + outage_s, 250_000
    down = f"  - {{at: 5 s, link: h1-h2, to: down}}\n  - {{at: {up_s} s, link: h1-h2, to: up}}\n"
    ran = boot(PLACE, flow(up_s + back_within_s + 5, timeline=down, ccid=3, rate="2 Mbit/s"))
    arrived = [line["bytes"] for line in lines(ran, "sink", "arrived")]
    assert all(count > 0.9 * bytes_s for count in arrived[1:5])
    assert not any(arrived[6 : up_s - 1])
    assert all(count > 0.9 * bytes_s for count in arrived[up_s + back_within_s : up_s + back_within_s + 4])
