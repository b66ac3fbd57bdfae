# SPDX-License-Identifier: MIT
"""Netlink, byte for byte. The numbers are those of a little-endian machine, as the guest is."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.guest.netlink import wire
from lab.guest.netlink.wire import KernelAnswer, Message, NetlinkError


def hexed(text: str) -> bytes:
    return bytes.fromhex(text)


def test_an_attribute_is_padded_but_its_length_is_not() -> None:
    # length 4 + 5, type 7
    assert wire.attribute(7, b"hello") == hexed("0900 0700 68656c6c6f 000000")
    assert wire.attribute(1, b"") == hexed("0400 0100")


def test_an_attribute_may_hold_attributes() -> None:
    inner = wire.attribute(2, b"\x01\x02\x03\x04")
    assert wire.nested(5, inner, inner) == hexed("1400 0580 0800 0200 01020304 0800 0200 01020304")


def test_an_attribute_has_an_end() -> None:
    assert len(wire.attribute(1, bytes(wire.LONGEST_PAYLOAD))) == 65536
    with pytest.raises(ValueError, match="attribute 1 has 65532 bytes, at most 65531 fit"):
        wire.attribute(1, bytes(wire.LONGEST_PAYLOAD + 1))


def test_a_message_by_hand() -> None:
    # length 16 + 4 + 8, type 0x10, request and acknowledgement, sequence 1, port 0; command 3, version 2; attribute 2
    payload = wire.generic(3, 2, wire.attribute(2, b"abcd"))
    assert wire.message(0x10, 5, 1, payload) == hexed(
        "1c000000 1000 0500 01000000 00000000 03 02 0000 0800 0200 61626364"
    )


def test_what_is_built_can_be_read() -> None:
    data = wire.message(7, 1, 2, wire.text("a")) + wire.message(8, 3, 4, b"")
    assert data[:4] == hexed("12000000") and len(data) == 20 + 16
    assert list(wire.messages(data)) == [Message(7, 1, 2, b"a\0"), Message(8, 3, 4, b"")]


def test_the_last_message_need_not_be_padded() -> None:
    assert list(wire.messages(hexed("11000000 0700 0000 01000000 00000000 ff"))) == [Message(7, 0, 1, b"\xff")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("11000000", "netlink: 4 bytes are not a message"),
        ("11000000 0700 0000 01000000 00000000", "netlink: a message has length 17, but 16 bytes are left"),
        ("0f000000 0700 0000 01000000 00000000", "netlink: a message has length 15, but 16 bytes are left"),
    ],
)
def test_a_message_that_is_cut_short(data: str, message: str) -> None:
    with pytest.raises(NetlinkError) as failure:
        list(wire.messages(hexed(data)))
    assert failure.value.message == message


def test_attributes_by_type() -> None:
    data = hexed("0900 0700 68656c6c6f 000000 0800 0580 01000000 0500 0900 ff")
    assert wire.attributes(data) == {7: b"hello", 5: b"\x01\0\0\0", 9: b"\xff"}
    assert wire.attributes(b"") == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("0400", "netlink: 2 bytes are not an attribute"),
        ("0900 0700 68656c6c", "netlink: attribute 7 has length 9, but 8 bytes are left"),
        ("0300 0780 00000000", "netlink: attribute 7 has length 3, but 8 bytes are left"),
    ],
)
def test_an_attribute_that_is_cut_short(data: str, message: str) -> None:
    with pytest.raises(NetlinkError) as failure:
        wire.attributes(hexed(data))
    assert failure.value.message == message


ECHO = "18000000 1a00 0500 03000000 00000000"  # the header of the request
ECHOED = ECHO + "01 01 0000 04 00 01 00"  # all of its 24 bytes


def error(payload: str, flags: int = 0, kind: int = wire.NLMSG_ERROR) -> Message:
    return Message(kind, flags, 3, hexed(payload))


def test_an_acknowledgement() -> None:
    assert wire.outcome(error("00000000" + ECHO, 0x100)) == KernelAnswer(0)


def test_an_error_without_words() -> None:
    found = wire.outcome(error("eaffffff" + ECHO, 0x100))  # -22
    assert (found.code, str(found)) == (errno.EINVAL, "Invalid argument")


def test_an_error_in_the_kernels_words() -> None:
    # 1: "no such radio", NUL included; 2: offset 20
    words = "1200 0100 6e6f2073756368 20726164696f 00 0000 0800 0200 14000000"
    found = wire.outcome(error("feffffff" + ECHO + words, 0x300))
    assert found == KernelAnswer(errno.ENOENT, "no such radio", offset=20)
    assert str(found) == "no such radio"
    assert wire.outcome(error("feffffff" + ECHOED + words, 0x200)) == found, "the whole request is repeated"


def test_an_error_that_names_what_is_missing() -> None:
    assert wire.outcome(error("eaffffff" + ECHO + "0800 0500 03000000", 0x300)) == KernelAnswer(errno.EINVAL, missing=3)


def test_the_end_of_a_dump_may_be_an_error() -> None:
    done = error("feffffff 0900 0100 676f6e65 00 000000", wire.NLM_F_ACK_TLVS, wire.NLMSG_DONE)
    assert wire.outcome(done) == KernelAnswer(errno.ENOENT, "gone")
    assert wire.outcome(error("00000000", 2, wire.NLMSG_DONE)).code == 0


@pytest.mark.parametrize(
    ("payload", "flags"), [("eaff", 0), ("eaffffff 18000000", 0x300), ("eaffffff" + ECHO + "0700 0200 010203", 0x300)]
)
def test_an_error_that_is_cut_short(payload: str, flags: int) -> None:
    with pytest.raises(NetlinkError, match="^netlink: "):
        wire.outcome(error(payload, flags))


def test_which_attribute_is_to_blame() -> None:
    request = wire.message(9, 5, 1, wire.generic(1, 1, wire.attribute(2, b"a") + wire.nested(7)))
    assert wire.attribute_at(request, 20) == 2
    assert wire.attribute_at(request, 28) == 7
    assert wire.attribute_at(request, 29) == 7  # within it, as an attribute of a nest is
    assert wire.attribute_at(request, len(request)) is None and wire.attribute_at(request, -1) is None


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        for found in wire.messages(data):
            wire.attributes(found.payload)
            wire.outcome(found)
            wire.without_generic(found.payload)
    except NetlinkError as failure:
        assert failure.message.startswith("netlink: ")
