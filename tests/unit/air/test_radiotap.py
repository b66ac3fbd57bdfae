# SPDX-License-Identifier: MIT
"""Radiotap headers: hand-made ones, and whatever else may come."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.captures import radiotap

# TSFT, flags, channel after a byte of padding, signal, MCS, A-MPDU status after two
HT = bytes.fromhex("00002400 2b001800 0807060504030201 40 00 3c14 4001 c9 07 05 0f 0000 22110000 0000 00 00 ffff")
LEGACY = bytes.fromhex("00001700 2f000000 0807060504030201 02 6c 6c09 c000 d6 d4000000")


def test_fields_are_found_behind_their_padding() -> None:
    assert radiotap.length(HT) == 36
    assert radiotap.fields(HT) == {
        "tsft_us": (0x0102030405060708,),
        "flags": (radiotap.FLAG_BAD_FCS,),
        "channel": (5180, 0x0140),
        "signal_dbm": (-55,),
        "mcs": (7, radiotap.MCS_40_MHZ | radiotap.MCS_SHORT_GI, 15),
        "ampdu": (0x1122, 0, 0, 0),
    }


def test_a_rate_takes_the_place_of_padding() -> None:
    found = radiotap.fields(LEGACY)
    assert found["rate_500kbps"] == (108,) and found["channel"] == (2412, 0xC0) and found["signal_dbm"] == (-42,)
    assert found["flags"] == (radiotap.FLAG_SHORT_PREAMBLE,)


def test_further_words_of_presence_come_before_the_fields() -> None:
    header = bytes.fromhex("00001200 020000a0 00000080 01000000 50 00")
    assert radiotap.fields(header) == {"flags": (0x50,)}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("", "0 bytes are too few"),
        ("0000080000", "5 bytes are too few"),
        ("0100080000000000", "version 1"),
        ("0000070000000000", "7 bytes"),
        ("0000090000000000", "9 bytes, frame of 8 bytes"),
        ("0000080001000000", "its fields extend to byte 16"),
        ("0000080000000080", "ends within its presence bits"),
    ],
)
def test_what_is_no_header_is_refused(header: str, message: str) -> None:
    with pytest.raises(radiotap.RadiotapError, match=message):
        radiotap.fields(bytes.fromhex(header))


@given(st.binary(max_size=80))
@example(HT[:20])
@example(b"\0\0\x0c\0" + b"\xff" * 8)
def test_any_bytes_are_read_or_refused(frame: bytes) -> None:
    with contextlib.suppress(radiotap.RadiotapError):
        assert radiotap.length(frame) <= len(frame)
        radiotap.fields(frame)
