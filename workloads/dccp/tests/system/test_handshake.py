# SPDX-License-Identifier: MIT
"""Connections whose first packets are lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.system.pairs import PLACE, flow, lines

pytestmark = pytest.mark.guest

NETEM = "  - {{at: {at} ms, exec: client, run: [tc, qdisc, replace, dev, h2-eth0, root, netem, {how}]}}\n"
# ARP is answered after 20 ms, the Request after 40 ms: the Acks of the Response, and the first data, are lost
LOST = NETEM.format(at=35, how="loss, 100%") + NETEM.format(at=100, how="delay, 10ms")


@pytest.mark.parametrize("ccid", [2, 3])
def test_confirms_that_are_lost_do_not_end_the_connection(boot: Callable[..., Ran], ccid: int) -> None:
    """Packets of 1400 bytes have no room for them, so an Ack carries them."""
    ran = boot(PLACE, flow(8, ccid=ccid, packet="1400 B", timeline=LOST, wait_s=5))
    sent, arrived = lines(ran, "flow", "end")[-1], lines(ran, "sink", "end")[-1]
    assert "error" not in sent and arrived["packets"] > 200
