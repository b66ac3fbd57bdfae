# SPDX-License-Identifier: MIT
"""Bianchi's model as ns-3 holds itself to: 802.11b and 802.11a, 1500 B of IP."""

from __future__ import annotations

import pytest

from bench.bianchi import Dcf, throughput_mbps

B11 = Dcf(slot_us=20, sifs_us=10, difs_us=50, eifs_us=10 + 304 + 50, data_us=1310, ack_us=248, cw_min=31)
A54 = Dcf(slot_us=9, sifs_us=16, difs_us=34, eifs_us=16 + 44 + 34, data_us=248, ack_us=28)


@pytest.mark.parametrize(
    ("dcf", "stations", "after_us", "expected_mbps"),
    [
        (B11, 1, 50, 6.193),
        (B11, 10, 50, 6.1774),
        (A54, 1, 34, 30.172),
        (A54, 2, 34, 31.089),
        (A54, 10, 34, 28.1519),
        (A54, 50, 34, 23.5618),
    ],
)
def test_throughput(dcf: Dcf, stations: int, after_us: float, expected_mbps: float) -> None:
    assert throughput_mbps(dcf, stations, 1500, after_us) == pytest.approx(expected_mbps, rel=1e-3)


def test_eifs_costs_throughput() -> None:
    quick, slow = (throughput_mbps(A54, 10, 1500, after_us) for after_us in (A54.difs_us, A54.eifs_us))
    assert slow < quick
