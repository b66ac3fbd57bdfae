# SPDX-License-Identifier: MIT
"""Families, acknowledgements, dumps: what is sent, and what is made of the answers."""

from __future__ import annotations

import errno
import struct

import pytest

from lab.guest.netlink import generic, wire
from lab.guest.netlink.generic import Family, RefusedError
from lab.guest.netlink.wire import NetlinkError

from .kernel import FAMILY_ID, Kernel, Yes, acknowledged, answer, done, refused


def family(*answers: bytes) -> tuple[Family, Kernel]:
    kernel = Kernel(*answers)
    return Family("hwsim_medium", 1, kernel), kernel


def test_a_family_is_asked_for_by_name() -> None:
    _, kernel = family()
    # 40 bytes to GENL_ID_CTRL, request and acknowledgement, sequence 1; GETFAMILY, version 2; name: 17 bytes, type 2
    assert kernel.sent == [
        bytes.fromhex("28000000 1000 0500 01000000 00000000 03 02 0000 1100 0200") + b"hwsim_medium\0\0\0\0"
    ]


def test_a_family_that_there_is_not() -> None:
    kernel = Kernel()
    kernel.answers = [refused(1, errno.ENOENT)]
    with pytest.raises(RefusedError) as failure:
        Family("hwsim_medium", 1, kernel)
    assert failure.value.outcome.code == errno.ENOENT and failure.value.message == "No such file or directory"


def test_a_family_without_a_number() -> None:
    kernel = Kernel()
    kernel.answers = [answer(1, flags=0) + acknowledged(1)]
    with pytest.raises(NetlinkError, match="reports no id of family hwsim_medium"):
        Family("hwsim_medium", 1, kernel)


def test_requests_go_together_and_are_all_acknowledged() -> None:
    # answers may come in any order and in several pieces; what belongs to nobody is skipped
    found, kernel = family(acknowledged(3) + acknowledged(77), acknowledged(2))
    found.send([(1, wire.attribute(2, b"abcd")), (2, b"")])
    assert kernel.sent[1] == bytes.fromhex(
        "1c000000 1a00 0500 02000000 00000000 01 01 0000 0800 0200 61626364"
        "14000000 1a00 0500 03000000 00000000 02 01 0000"
    )
    assert not kernel.answers


def test_many_requests_go_in_batches() -> None:
    kernel = Yes()
    found = Family("x", 1, kernel)
    found.send([(1, b"")] * 150)
    assert [len(list(wire.messages(data))) for data in kernel.sent[1:]] == [64, 64, 22]
    found.send([(1, wire.attribute(2, bytes(40_000)))] * 5)
    assert [len(list(wire.messages(data))) for data in kernel.sent[4:]] == [2, 2, 1]
    assert max(map(len, kernel.sent)) < generic.BATCH_BYTES + 1000


def test_no_request_is_no_message() -> None:
    found, kernel = family()
    found.send([])
    assert len(kernel.sent) == 1


def test_the_first_refused_request_is_the_error() -> None:
    found, _ = family(acknowledged(2) + refused(4, errno.EBUSY) + refused(3, errno.EINVAL, "too loud", offset=20))
    with pytest.raises(RefusedError) as failure:
        found.send([(1, b""), (2, wire.attribute(7, b"a")), (3, b"")])
    assert (failure.value.request, failure.value.message, failure.value.blamed) == (1, "too loud", 7)


def test_a_refusal_counts_from_the_first_batch() -> None:
    kernel = Yes()
    found = Family("x", 1, kernel)
    kernel.answers = [
        b"".join(acknowledged(sequence) for sequence in range(2, 66)),
        acknowledged(66) + refused(67, errno.EINVAL, missing=2),
    ]
    with pytest.raises(RefusedError) as failure:
        found.send([(1, b"")] * 66)
    assert (failure.value.request, failure.value.blamed, failure.value.message) == (65, 2, "Invalid argument")


def test_a_dump_is_read_to_its_end() -> None:
    one, two = (wire.attribute(13, struct.pack("=I", index)) for index in range(2))
    found, kernel = family(answer(2, one) + answer(1, two), answer(2, two), done(2))
    assert found.dump(10, wire.attribute(2, b"\1\0\0\0")) == [{13: b"\0\0\0\0"}, {13: b"\1\0\0\0"}]
    # request and dump; command 10
    assert kernel.sent[1] == bytes.fromhex("1c000000 1a00 0103 02000000 00000000 0a 01 0000 0800 0200 01000000")
    assert FAMILY_ID == 0x1A


def test_a_dump_of_nothing() -> None:
    assert family(done(2))[0].dump(10, b"") == []


def test_a_dump_that_is_refused() -> None:
    for last in (refused(2, errno.ENOENT, "the medium does not exist"), done(2, errno.ENOENT)):
        with pytest.raises(RefusedError) as failure:
            family(last)[0].dump(10, b"")
        assert failure.value.outcome.code == errno.ENOENT


def test_a_dump_that_is_not_of_one_piece() -> None:
    with pytest.raises(NetlinkError, match="the data changed during the dump"):
        family(answer(2, flags=2 | wire.NLM_F_DUMP_INTR), done(2))[0].dump(10, b"")


def test_answers_without_a_header() -> None:
    with pytest.raises(NetlinkError, match="an answer of 2 bytes has no generic header"):
        family(wire.message(FAMILY_ID, 2, 2, b"ab"))[0].dump(10, b"")


def test_the_kernel_of_this_machine_answers() -> None:
    """Every kernel has the family of families."""
    found = Family("nlctrl", 2, generic.KernelSocket())
    families = found.dump(3, b"")  # CTRL_CMD_GETFAMILY
    assert b"nlctrl\0" in [family[2] for family in families]
    with pytest.raises(RefusedError) as failure:
        Family("no such family", 1, generic.KernelSocket())
    assert failure.value.outcome.code == errno.ENOENT
    with pytest.raises(RefusedError) as failure:
        found.send([(3, wire.attribute(2, b"longer than a family's name"))])
    assert failure.value.blamed == 2, "the attribute at the offset that the kernel tells"
