# SPDX-License-Identifier: MIT
"""What the kernel gets for a medium, and what it answers."""

from __future__ import annotations

import errno
import json
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from lab.guest.errors import GuestError
from lab.guest.medium import counters, requests
from lab.guest.medium.medium import MediumControl
from lab.guest.medium.record import MediumRecord
from lab.guest.medium.uapi import AnyAttr, Attr, Command, PartAttr
from lab.guest.netlink import wire
from lab.guest.netlink.wire import NetlinkError
from lab.shared import medium_types as types
from lab.shared.frozen import data

from .kernel import Kernel, Yes, answer, done, refused

PLAN = types.Medium(
    seed=0x1122334455667788,
    errors="nist",
    bursts=False,
    propagation={"model": "friis", "sL": 1.0},
    fading={"model": "rayleigh", "coherence_ns": [10_000_000]},
    walls=[],
    step_ns=100_000_000,
    statistics_ns=1_000_000_000,
    capture_mb=1000,
    curves=[
        types.ErrorCurve(
            "bpsk-1/2",
            4,
            -75,
            5,
            845,
            types.packed(struct.pack("<2Q", 15 << 60, 0)),
            types.packed(struct.pack("<2Q", 1 << 60, 0)),
        )
    ],
    fadings=[types.FadingTable(1, types.packed(struct.pack("<2i", -300, 200)))],
    radios=[
        types.MediumRadio("ap1", 0, 0xFFEEDDCCBBAA9988, -9399, -6200, 5484, 0, 20, power_mbm=-350),
        types.MediumRadio("sta1", 1, 2, -9399, -6200, 4000, 7, 0, {"rate": [2, 7, 2, 1, 1, 0]}),
    ],
    links=[types.MediumLink(0, 1, 3389, 1, 10_000), types.MediumLink(1, 0, -250, 0, 0, 700)],
    updates=[types.MediumUpdate(5, [types.MediumLink(0, 1, 3300, 1, 10_000)])],
)
NAMES = {0: "ap1", 1: "sta1"}

# attributes: length, type, value; types counted in the header: ID 2, SEED 3, MODEL 4, CAPTURE_MB 5, CURVE 6, ...
PAYLOADS = {
    "NEW": "0800 0200 01000000  0c00 0300 8877665544332211  0900 0400 6e69737400 000000  0800 0500 e8030000",
    "SET_CURVE": "0800 0200 01000000  0800 0600 04000000  0800 0700 b5ffffff  0800 0800 05000000"
    "0800 0a00 4d030000  1400 0900 00000000000000f0 0000000000000000"
    "1400 2d00 0000000000000010 0000000000000000",
    "SET_FADING": "0800 0200 01000000  0800 0b00 01000000  0c00 0c00 d4feffff c8000000",
    "ADD_RADIO": "0800 0200 01000000  0800 0d00 00000000  0c00 0e00 8899aabbccddeeff  0800 3600 a2feffff"
    "0800 0f00 49dbffff"
    "0800 1000 c8e7ffff  0800 1300 6c150000  0800 1400 00000000  0800 2500 14000000",
    "SET_LINKS": "0800 0200 01000000"
    "3400 1680  0800 0100 00000000 0800 0200 01000000 0800 0300 3d0d0000 0800 0400 01000000 0800 0500 10270000"
    "0800 0600 00000000"
    "3400 1680  0800 0100 01000000 0800 0200 00000000 0800 0300 06ffffff 0800 0400 00000000 0800 0500 00000000"
    "0800 0600 bc020000",
}


def test_every_request_by_hand() -> None:
    made = list(requests.setup(PLAN))
    order = ["NEW", "SET_CURVE", "SET_FADING", "ADD_RADIO", "ADD_RADIO", "SET_LINKS"]
    assert [request.command.name for request in made] == order
    for request in made[:4] + made[5:]:
        assert request.payload().hex() == bytes.fromhex(PAYLOADS[request.command.name]).hex(), request.command.name


def test_a_fixed_rate_is_a_nest() -> None:
    fixed, free = (request.payload().hex() for request in list(requests.setup(PLAN))[4:2:-1])
    # type RATE 36, nested: PHY 2 (HT), MCS 7, STREAMS 2, WIDTH 1 (40 MHz), SHORT_GI
    wanted = "2800 2480  0500 0100 02000000 0500 0200 07000000 0500 0300 02000000 0500 0400 01000000 0400 0500"
    assert fixed.endswith("0800250000000000" + wanted.replace(" ", ""))
    assert "28002480" not in free


ACK_LOST = {
    "action": "lose", "from": "sta1", "to": "ap1", "listener": None, "skip": 10, "count": 2, "share_percent": None,
}  # fmt: skip


def test_a_fault_by_hand() -> None:
    fault = requests.fault("ack", ACK_LOST, NAMES)
    assert fault.command is Command.ADD_FAULT
    # FAULT_KIND 23 (ack: 4), ACTION 24 (lose: 0), SKIP 25, COUNT 26, FROM 27, TO 28
    wanted = "0800 0200 01000000  0800 1700 04000000  0800 1800 00000000  0800 1900 0a000000  0800 1a00 02000000"
    wanted += "0800 1b00 01000000  0800 1c00 00000000"
    assert fault.payload() == bytes.fromhex(wanted)
    assert fault.describe(NAMES).endswith("fault_skip=10 fault_count=2 fault_from=1 fault_to=0")


def test_a_fault_of_anybodys_frames_names_nobody() -> None:
    anybody = requests.fault("any", {**ACK_LOST, "action": "damage", "from": None, "to": None}, NAMES)
    assert (anybody.values[Attr.FAULT_KIND], anybody.values[Attr.FAULT_ACTION]) == (0, 1)
    assert Attr.FAULT_FROM not in anybody.values and Attr.FAULT_TO not in anybody.values


def test_a_fault_reaches_the_kernel() -> None:
    kernel = Yes()
    MediumControl(PLAN, kernel).send([requests.fault("ba", ACK_LOST, NAMES)])
    (message,) = wire.messages(kernel.sent[1])
    assert message.payload[0] == Command.ADD_FAULT


def test_no_capture_is_not_mentioned() -> None:
    new = next(requests.setup(replace(PLAN, capture_mb=None)))
    assert Attr.CAPTURE_MB not in new.values


def test_links_that_do_not_fit_into_one_attribute() -> None:
    many = [types.MediumLink(0, 1, number, 0, 0) for number in range(requests.LINKS_MOST + 1)]
    made = list(requests.update(types.MediumUpdate(0, many)))
    assert [len(request.values[Attr.LINK]) for request in made] == [1260, 1]
    assert all(len(request.payload()) < 65_600 for request in made)


def test_requests_for_a_reader() -> None:
    described = [request.describe(NAMES) for request in requests.setup(PLAN)]
    assert described[1] == "SET_CURVE id=1 curve=4 start_mb=-75 step_mb=5 burst=845 hazards=<16 bytes> flips=<16 bytes>"
    assert described[4].endswith(
        "radio=1 stream=2 power_mbm=2000 noise_mbm=-9399 ed_mbm=-6200 max_ppdu_us=4000 retries=7 latency_us=0 "
        "rate=phy:2,mcs:7,streams:2,width:1,short_gi:1"
    )
    assert described[5] == "SET_LINKS id=1 link=ap1>sta1:3389mB,sta1>ap1:-250mB"
    (change,) = requests.update(types.MediumUpdate(0, PLAN.links * 4))
    assert change.describe(NAMES).endswith(",… (8)")


def test_all_of_it_is_made_by_one_message_in_order() -> None:
    kernel = Yes()
    medium = MediumControl(PLAN, kernel)
    medium.send(requests.setup(PLAN))
    assert [message.payload[0] for message in wire.messages(kernel.sent[1])] == [1, 3, 4, 5, 5, 8]
    medium.send(requests.update(PLAN.updates[0]))
    (message,) = wire.messages(kernel.sent[2])
    (numbers,) = (wire.attributes(message.payload[4:])[Attr.LINK],)
    assert message.payload[0] == Command.SET_LINKS and numbers[4::8] == bytes([0, 1, 3300 & 0xFF, 1, 10_000 & 0xFF, 0])


def failure(*answers: bytes) -> str:
    with pytest.raises(GuestError) as caught:
        MediumControl(PLAN, Kernel(*answers)).send(requests.setup(PLAN))
    return caught.value.message


def test_the_kernels_words_reach_the_user() -> None:
    yes = b"".join(refused(sequence, 0) for sequence in (2, 3, 5, 6, 7))
    # offset 20 + 8: the second attribute of the request
    assert failure(yes + refused(4, errno.EINVAL, "a fading table must have 1 to 4096 32-bit numbers", offset=28)) == (
        "medium: the kernel refuses SET_FADING id=1 fading=1 quantiles=<8 bytes>: "
        "a fading table must have 1 to 4096 32-bit numbers (FADING)"
    )
    assert failure(yes + refused(4, errno.EINVAL, missing=12)).endswith(": Invalid argument (QUANTILES)")
    assert failure(yes + refused(4, errno.ENOMEM)).endswith(": Cannot allocate memory")
    assert failure(yes + refused(4, errno.EINVAL, "no", missing=99)).endswith("bytes>: no")


def test_a_kernel_without_a_medium() -> None:
    kernel = Kernel()
    kernel.answers = [refused(1, errno.ENOENT)]
    with pytest.raises(GuestError) as caught:
        MediumControl(PLAN, kernel)
    assert "kernel has no 802.11 medium (generic netlink family hwsim_medium" in caught.value.message
    kernel.answers = [refused(1, errno.EPERM)]
    with pytest.raises(GuestError) as caught:
        MediumControl(PLAN, kernel)
    assert caught.value.message == "medium: Operation not permitted"


def u32(kind: Attr, value: int) -> bytes:
    return wire.attribute(kind, struct.pack("=I", value))


def u64s(kind: Attr, *values: int) -> bytes:
    return wire.attribute(kind, struct.pack(f"={len(values)}Q", *values))


def numbers(kind: AnyAttr, *values: int) -> bytes:
    """A nest of numbers, each as short as the kernel makes it (NLA_UINT)."""
    parts = (
        wire.attribute(number, struct.pack("=I" if value < 2**32 else "=Q", value))
        for number, value in enumerate(values, 1)
    )
    return wire.nested(kind, *parts)


def category(number: int) -> bytes:
    return wire.attribute(Attr.AC, bytes([number]))


RADIO = [
    (u32(Attr.RADIO, 1), category(ac), numbers(Attr.ACCESS, *range(100 + 8 * ac, 108 + 8 * ac))) for ac in range(4)
]
VOICE = (1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 40, 0, 0)
BEST_EFFORT = (8, 1, 3, 1, 1, 1, 1, 1, 3, 0, 2**40, 2, 1)
LINK = [
    (u32(Attr.FROM, 0), u32(Attr.TO, 1), category(ac), numbers(Attr.COUNTS, *counts))
    for ac, counts in ((0, VOICE), (2, BEST_EFFORT))
]
COUNTS = (
    "sent", "retries", "delivered", "damaged", "collided", "lost", "header", "away", "acked", "dropped", "bytes",
    "approximate", "repeated",
)  # fmt: skip


def access(first: int) -> dict[str, int]:
    names = ("attempts", "successes", "inside", "air_ns", "acquire_ns", "answer_ns", "rts_unanswered", "bar_unanswered")
    return dict(zip(names, range(first, first + len(names)), strict=True))


def counted(*values: int) -> dict[str, int]:
    return dict(zip(COUNTS, values, strict=True))


CHANNEL = [
    (
        u32(Attr.FREQ_MHZ, 2412),
        wire.attribute(Attr.PAD, b""),
        u64s(Attr.TIME_NS, 7_000),
        numbers(Attr.AIRTIMES, 10, 20, 30, 40, 50, 60, 70, 80),
    )
]
LOOK = {
    "radios": [
        {
            "node": "sta1",
            "vo": access(100),
            "vi": access(108),
            "be": access(116),
            "bk": access(124),
        }
    ],
    "links": [
        {
            "from": "ap1",
            "to": "sta1",
            **counted(9, 1, 4, 1, 1, 1, 1, 1, 4, 0, 2**40 + 40, 2, 1),
            "vo": counted(*VOICE),
            "be": counted(*BEST_EFFORT),
        }
    ],
    "channels": [
        {
            "frequency_mhz": 2412,
            "t_ns": 6_000,
            "air_ns": {
                "idle": 10,
                "data": 20,
                "mgmt": 30,
                "control": 40,
                "ifs": 50,
                "backoff": 60,
                "overlap": 70,
                "energy": 80,
            },
        }
    ],
}


def counting(sequence: int) -> list[bytes]:
    """The answers to three dumps."""
    dumps: tuple[list[tuple[bytes, ...]], ...] = ([*RADIO], [*LINK], [*CHANNEL])
    return [
        b"".join(answer(number, *attributes) for attributes in answers) + done(number)
        for number, answers in enumerate(dumps, sequence)
    ]


def test_counters_have_names() -> None:
    kernel = Kernel(*counting(2))
    assert data(MediumControl(PLAN, kernel).counters(7, 1_000)) == {"t_ns": 7, **LOOK}
    # each dump names the medium
    asked = [next(wire.messages(sent)) for sent in kernel.sent[1:]]
    assert [message.payload.hex() for message in asked] == [
        f"{command:02x}040000 0800 0200 01000000".replace(" ", "") for command in (10, 11, 12)
    ]


def test_the_record_holds_the_looks(tmp_path: Path) -> None:
    record = MediumRecord(MediumControl(PLAN, Kernel(*counting(2), *counting(5))), 1_000)
    record.look(0)
    record.look(30_000_000_000)
    record.write(tmp_path)
    assert json.loads((tmp_path / "medium.json").read_text()) == {
        "looks": [{"t_ns": 0, **LOOK}, {"t_ns": 30_000_000_000, **LOOK}]
    }


def test_each_look_is_a_line(tmp_path: Path) -> None:
    record = MediumRecord(MediumControl(PLAN, Kernel(*counting(2), *counting(5))), 1_000)
    record.write(tmp_path)
    assert json.loads((tmp_path / "medium.json").read_text()) == {"looks": []}
    record.look(0)
    record.look(1)
    record.write(tmp_path)
    assert len((tmp_path / "medium.json").read_text().splitlines()) == 4


PART = types.MediumPart(
    "relay",
    {"u32": {"relay": 90, "relay_us": 92}, "u8": {"relay_far": 91}},
    {"sent": 95, "received": 96},
    ["one", "two_ns"],
)
WITH_PART = replace(
    PLAN,
    parts=[PART],
    radios=[
        PLAN.radios[0],
        replace(PLAN.radios[1], attributes={"more_data": 1, "relay": 7, "streams": 3, "relay_far": 2}),
    ],
)


def test_a_stacks_part_of_the_kernel_has_attributes_of_its_own() -> None:
    wanted = "0500 2900 01000000  0800 5a00 07000000  0500 5b00 02000000"
    made = list(requests.setup(WITH_PART))[4]
    assert made.payload().hex().endswith(bytes.fromhex(wanted).hex())  # streams are known when the radio is made
    assert made.describe(NAMES).endswith("latency_us=0 more_data=1 relay=7 relay_far=2")
    change = requests.change(1, {"retries": 3, "relay_us": 5}, [PART])
    assert change.describe(NAMES) == "SET_RADIO radio=1 retries=3 relay_us=5"
    kernel = Kernel(refused(2, errno.ERANGE, "too late", offset=20 + 16))
    with pytest.raises(GuestError) as caught:
        MediumControl(WITH_PART, kernel).send([change])
    assert caught.value.message.endswith("relay_us=5: too late (RELAY_US)")


def test_a_stacks_part_of_the_kernel_has_counters_of_its_own(tmp_path: Path) -> None:
    def part(kind: int, *values: int) -> bytes:
        return numbers(PartAttr("", kind, "nest"), *values)

    peer = u32(Attr.RADIO, 1), wire.attribute(Attr.ADDR, bytes.fromhex("020001000200"))
    peers = answer(5, *peer, part(95, 3, 2**40), part(96, 0, 1)) + answer(5, *peer) + done(5)
    record = MediumRecord(MediumControl(WITH_PART, Kernel(*counting(2), peers)), 1_000)
    record.look(0)
    record.write(tmp_path)
    pair = {"node": "sta1", "peer": "02:00:01:00:02:00", "sent": {"one": 3, "two_ns": 2**40}}
    (found,) = json.loads((tmp_path / "medium.json").read_text())["looks"]
    assert found == {"t_ns": 0, **LOOK, "relay": [pair | {"received": {"one": 0, "two_ns": 1}}]}
    short = {Attr.RADIO: b"\1\0\0\0", Attr.ADDR: bytes(6), 95: wire.attribute(1, bytes(4)), 96: b""}
    with pytest.raises(NetlinkError) as caught:
        counters.peers([{int(kind): value for kind, value in short.items()}], NAMES, PART)
    assert caught.value.message == "medium: the kernel's answer lacks TWO_NS of RELAY_SENT"


def test_a_refused_dump_is_an_error() -> None:
    with pytest.raises(GuestError) as caught:
        MediumControl(PLAN, Kernel(refused(2, errno.ENOENT, "the medium does not exist"))).counters(0, 0)
    assert caught.value.message == "medium: the kernel refuses GET_RADIO id=1: the medium does not exist"


def test_counters_that_are_not_as_expected() -> None:
    counts = wire.attributes(numbers(Attr.COUNTS, *VOICE))[Attr.COUNTS]
    attributes = {Attr.FROM: b"\0\0\0\0", Attr.TO: b"\1\0\0\0", Attr.AC: b"\0", Attr.COUNTS: counts}
    (found,) = counters.links([{int(kind): value for kind, value in attributes.items()}], NAMES)
    assert found.total.sent == found.categories["vo"].sent == 1
    for changed, message in (
        ({Attr.COUNTS: None}, "medium: the kernel's answer lacks COUNTS"),
        ({Attr.COUNTS: counts[:-8]}, "medium: the kernel's answer lacks REPEATED of COUNTS"),
        ({Attr.COUNTS: b"\5\0\1\0\1\0\0\0" + counts[8:]}, "medium: the kernel's answer lacks SENT of COUNTS"),
        ({Attr.AC: b"\4"}, "medium: the kernel reports access category 4"),
        ({Attr.TO: b"\7\0\0\0"}, "medium: the kernel reports radio 7, which is not part of the plan"),
        ({Attr.FROM: b""}, "medium: FROM has 0 bytes instead of 4"),
    ):
        answers = {int(kind): value for kind, value in {**attributes, **changed}.items() if value is not None}
        with pytest.raises(NetlinkError) as caught:
            counters.links([answers], NAMES)
        assert caught.value.message == message
