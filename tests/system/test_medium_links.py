# SPDX-License-Identifier: MIT
"""Links between many radios: what they take, and that those over which nothing can be heard take nothing."""

from __future__ import annotations

import pytest

from bench.links import measure

pytestmark = pytest.mark.guest

RADIOS = 200
KIB_OF_200_B = 200 / 1024  # three times less than when each link had counters of its own


def test_a_link_takes_memory_if_it_can_be_heard() -> None:
    links = RADIOS * (RADIOS - 1)
    all_kib = measure(RADIOS, 0).links_mib * 1024
    assert all_kib < links * KIB_OF_200_B
    in_groups_of_ten = measure(RADIOS, 10).links_mib * 1024
    assert in_groups_of_ten < all_kib / 4
