# SPDX-License-Identifier: MIT
"""A capture of the air that lost frames is distinguished from one that did not."""

from __future__ import annotations

import pytest

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.network.air_capture import lost_frames

LOG = """\
tcpdump: listening on hwsim0, link-type IEEE802_11_RADIO (802.11 plus radiotap header), snapshot length 262144 bytes
546 packets captured
560 packets received by filter
"""


@pytest.mark.parametrize(
    ("summary", "lost"),
    [
        ("0 packets dropped by kernel\n", 0),
        ("1 packet dropped by kernel\n", 1),
        ("12 packets dropped by kernel", 12),
        ("12 packets dropped by kernel\n3 packets dropped by interface\n", 15),
    ],
)
def test_what_tcpdump_says_was_dropped_is_lost(summary: str, lost: int) -> None:
    assert lost_frames(LOG + summary) == lost


def test_whole_frames_are_captured_as_they_come_in() -> None:
    capture = "tcpdump -i hwsim0 -w /lab/run/raw/air.unsplit -n -p -Q in -B 16384 --time-stamp-precision=nano -Z root"
    assert " ".join(commands.air_capture()) == capture


def test_a_capture_without_a_summary_is_not_taken_for_whole() -> None:
    with pytest.raises(GuestError, match="does not report how many frames were lost"):
        lost_frames(LOG)
