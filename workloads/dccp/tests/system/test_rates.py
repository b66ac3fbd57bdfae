# SPDX-License-Identifier: MIT
"""What CCID 3 allows: bursts, idle senders, many packets in a round-trip time."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.system.pairs import PLACE, flow, lines, programs

pytestmark = pytest.mark.guest

# prints when each packet came
SINK = """\
c = accepted(3)
while c.recv(2000):
    print(time.monotonic())
"""
# RTT: 20 ms
SLOW_THEN_GREEDY = """\
s = connected(3)
for n in range(25):
    s.send(bytes(500))
    time.sleep(0.2)
s.setblocking(False)
end = time.monotonic() + 0.1
x = struct.unpack("=Q", s.getsockopt(SOL_DCCP, TX_INFO, 40)[:8])[0] / 64
print(x)
while time.monotonic() < end:
    try:
        s.send(bytes(500))
    except BlockingIOError:
        time.sleep(0.001)
"""
SILENT = """\
s = connected(3)
for n in range(25):
    s.send(bytes(500))
    time.sleep(0.02)
time.sleep(60)
print(struct.unpack("=Q", s.getsockopt(SOL_DCCP, TX_INFO, 40)[:8])[0] / 64)
"""


def test_a_burst_is_a_round_trip_times_worth(boot: Callable[..., Ran]) -> None:
    """RFC 5348, 4.6. In the first RTT after 5 s of little data, there is no feedback yet that raises the rate."""
    ran = boot(PLACE, programs(8, SINK, SLOW_THEN_GREEDY))
    rate = float(ran.raw("client-program.out"))
    came = [float(word) for word in ran.raw("server-program.out").split()[1:]]
    first = came[25]
    assert first - came[24] < 0.21
    assert sum(1 for at in came[25:] if at < first + 0.02) <= 2 * 0.02 * rate / 500 + 2


def test_an_idle_sender_keeps_the_rate_to_start_with(boot: Callable[..., Ran]) -> None:
    """RFC 5348, 4.4: four packets in an RTT, which it has measured as no more than 30 ms."""
    ran = boot(PLACE, programs(65, SINK, SILENT))
    assert float(ran.raw("client-program.out")) >= 4 * 500 / 0.03


def test_more_than_a_hundred_packets_in_a_round_trip_time(boot: Callable[..., Ran]) -> None:
    """RFC 4340, 7.5.2: the Sequence Window grows. 16 Mbit/s over 60 ms are 234 packets of 512 bytes."""
    ran = boot(PLACE.replace("10 ms", "30 ms"), flow(3, ccid=3, rate="16 Mbit/s", packet="512 B"))
    assert max(line["bytes"] for line in lines(ran, "sink", "arrived")) > 2e6
    states = lines(ran, "flow", "state")
    assert states and all(line["x_bit_s"] > 0 for line in states), "no sample lacks a rate"


def equation(rtt_s: float, p: float) -> float:
    """RFC 5348, 3.1, in packets/s, with b = 1 and t_RTO = 4 R."""
    return 1 / (rtt_s * (math.sqrt(2 * p / 3) + 12 * math.sqrt(3 * p / 8) * p * (1 + 32 * p**2)))


@pytest.mark.parametrize("ccid", [2, 3])
def test_a_greedy_flow_is_as_fast_as_its_losses_allow(boot: Callable[..., Ran], ccid: int) -> None:
    """Within a factor of 1.5: losses are not as regular as the equation has them."""
    ran = boot(PLACE.replace("delay:", "loss: 1%, delay:"), flow(20, ccid=ccid, packet="1400 B"))
    packets = sum(line["packets"] for line in lines(ran, "sink", "arrived")[4:20])
    assert 1 / 1.5 < packets / 16 / equation(0.02, 0.01) < 1.5
