# SPDX-License-Identifier: MIT
"""The dissector understands each form of an item, finds what the kernel finds, and leaves other bytes alone."""

from __future__ import annotations

import random
import subprocess
import tempfile
from pathlib import Path

import pytest

from workloads.hack.tests.dissecting import Dissector
from workloads.hack.tests.kernel.build import HERE, KERNEL, PARTS, WARNINGS
from workloads.hack.tests.payloads import ACK, BLOCK_ACK, any_bytes, frame, write

_COUNT = 3_000
_ANY = "hack || hack.other"

SHORT = "5a 7d 11"
FULL = "5a ff d7 010203 0b50 0102 0304 01020304 05060708 090a0b0c 03 8101 04 ffffffff0f 99"
# what is said of an item, under hack.item
FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "short": (SHORT, {"form": "short", "ack.units": "7", "timestamp.ticks": "3", "echo.ticks": "1", "crc": "0x11"}),
    "short, all as before": ("5a 00 11", {"ack.units": "0", "timestamp.ticks": "0", "echo.ticks": "0"}),
    "medium": (
        "5a 80 fe 7d 11",
        {"form": "medium", "window.step": "-2", "ack.units": "7", "timestamp.ticks": "3", "echo.ticks": "1"},
    ),
    "long, but for flags all as before": (
        "5a 90 00 11",
        {"form": "long", "has.more": "1", "width.ack": "0", "width.times": "0", "ack.units": "", "sacks": "0"},
    ),
    "identification": ("5a c0 1234 11", {"has.id": "1", "id": "4660", "window": ""}),
    "window": ("5a a0 1234 11", {"has.window": "1", "window": "4660", "id": ""}),
    "ACK number grows by units": ("5a 84 fe 11", {"ack.units": "254", "ack.low": ""}),
    "lowest bytes of the ACK number": ("5a 88 fffe 11", {"ack.low": "65534", "ack.units": "", "ack.whole": ""}),
    "ACK number": ("5a 8c fffffffe 11", {"ack.whole": "4294967294", "ack.low": ""}),
    "timestamps grow by ticks": ("5a 81 f2 11", {"timestamp.ticks": "15", "echo.ticks": "2"}),
    "lowest bytes of timestamps": ("5a 82 fffe 0001 11", {"timestamp.low": "65534", "echo.low": "1"}),
    "timestamps": ("5a 83 fffffffe 00000001 11", {"timestamp.whole": "4294967294", "echo.whole": "1"}),
    "claim": ("5a 90 80 c0ffee 11", {"has.claim": "1", "claim": "0xc0ffee", "unit_bytes": "", "ece": "0"}),
    "unit": ("5a 94 40 0b50 02 11", {"has.unit": "1", "unit_bytes": "2896", "ack.units": "2", "claim": ""}),
    "ECE": ("5a 90 04 11", {"ece": "1", "cwr": "0", "psh": "0", "sacks": "0"}),
    "CWR": ("5a 90 02 11", {"ece": "0", "cwr": "1", "psh": "0"}),
    "PSH": ("5a 90 01 11", {"ece": "0", "cwr": "0", "psh": "1"}),
    "SACK blocks": (
        "5a 90 10 03 8201 04 ffffffff1f 11",  # the lowest bit: in units; the next one of a left edge: its sign
        {
            "sacks": "2",
            "sack.left_units": "-1",
            "sack.left_bytes": "1",
            "sack.length_bytes": "65",
            "sack.length_units": "4294967295",
            "crc": "0x11",
        },
    ),
    "all": (
        FULL,
        {
            "claim": "0x010203",
            "unit_bytes": "2896",
            "id": "258",
            "window": "772",
            "ack.whole": "16909060",
            "timestamp.whole": "84281096",
            "echo.whole": "151653132",
            "sack.left_units": "-1",
            "sack.left_bytes": "1",
            "ece": "1",
            "cwr": "1",
            "psh": "1",
            "crc": "0x99",
        },
    ),
}
WRONG = {
    "5 SACK blocks": ("5a 90 28 0000 0000 0000 0000 0000 11", "item 1, at byte 1, has 5 SACK blocks"),
    "a number of 6 groups": ("5a 90 08 808080808000 00 11", "item 1, at byte 1, has a number of more than 5 groups"),
    "a number of 34 bits": ("5a 90 08 ffffffff20 00 11", "item 1, at byte 1, has a number of more than 33 bits"),
    "no short form": ("5a 80 01 80 11", "item 1, at byte 1, has a bit that must be 0"),
    "only an MSN": ("", "item 1, at byte 1, ends early"),
    "an item and a byte": (SHORT + "5a", "item 2, at byte 4, ends early"),
}


def payload(items: str, msn: int = 17) -> bytes:
    return bytes([msn]) + bytes.fromhex(items)


HEAD = ("hack.msn", "hack.items", "hack.bytes", "hack.item.cid", "hack.item.bytes", "hack.other")
OWN = {"ACK": ACK, "BlockAck": BLOCK_ACK}


@pytest.fixture(scope="module")
def dissected(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, str]]:
    """What tshark says of each form in each kind of frame: it takes longer to start than to read them all."""
    place = tmp_path_factory.mktemp("forms")
    frames = {(form, own): frame(payload(FORMS[form][0]), OWN[own]) for form in FORMS for own in OWN}
    capture = write(place / "air.pcapng", list(frames.values()))
    names = [*HEAD, *sorted({f"hack.item.{name}" for _, said in FORMS.values() for name in said})]
    with tempfile.TemporaryDirectory() as home:
        dissector = Dissector(Path(home))
        assert dissector.complaints(capture) == []
        rows = dissector.fields(capture, *names)
    return {key: dict(zip(names, row, strict=True)) for key, row in zip(frames, rows, strict=True)}


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_an_item(dissected: dict[tuple[str, str], dict[str, str]], form: str, own: str) -> None:
    items, said = FORMS[form]
    found = dissected[form, own]
    size = len(bytes.fromhex(items))
    assert [found[name] for name in HEAD] == ["17", "1", str(size + 1), "0x5a", str(size), ""]
    assert {name: found[f"hack.item.{name}"] for name in said} == said


def test_items_count_on_from_the_first(dissector: Dissector, tmp_path: Path) -> None:
    capture = write(tmp_path / "air.pcapng", [frame(payload(SHORT + FULL + SHORT, msn=254)), frame(payload(SHORT))])
    found = dissector.fields(capture, "hack.msn", "hack.item.msn", "hack.item.form")
    assert found == [["254", "254,255,0", "short,long,short"], ["17", "17", "short"]]
    assert [line.rpartition(", ")[2] for line in dissector.summaries(capture)] == ["HACK 3 ACKs", "HACK 1 ACK"]


def test_a_payload_that_ends_within_an_item_is_not_valid(dissector: Dissector, tmp_path: Path) -> None:
    whole = payload(SHORT + FULL)
    ends = {4: "1", len(whole): "2"}  # bytes: items
    capture = write(tmp_path / "air.pcapng", [frame(whole[:size]) for size in range(1, len(whole) + 1)])
    found = dissector.fields(capture, "hack.items", "hack.bytes", "hack.other", "_ws.expert.message")
    for size, (items, count, other, why) in enumerate(found, 1):
        if size in ends:
            assert (items, count, other, why) == (ends[size], str(size), "", "")
        else:
            number, begin = (1, 1) if size < 4 else (2, 4)
            assert (items, count, other) == ("", "", whole[:size].hex())
            assert why.startswith(f"Not TCP/HACK: item {number}, at byte {begin}, ends early")
    assert [size for size, line in enumerate(dissector.summaries(capture), 1) if "HACK" in line] == list(ends)
    assert dissector.complaints(capture) == []


@pytest.mark.parametrize("what", WRONG)
def test_it_says_why_bytes_are_not_taken_for_tcp_hack(dissector: Dissector, tmp_path: Path, what: str) -> None:
    items, why = WRONG[what]
    capture = write(tmp_path / "air.pcapng", [frame(payload(items))])
    ((items, message),) = dissector.fields(capture, "hack.items", "_ws.expert.message", only="hack.other.why")
    assert items == "" and message.startswith(f"Not TCP/HACK: {why}")


def test_other_frames_are_left_alone(dissector: Dissector, tmp_path: Path) -> None:
    """No payload, other types, BlockAcks of other lengths, and frames whose end is not known."""
    more = payload(SHORT)
    cts, beacon = b"\xc4" + ACK[1:], b"\x80" + BLOCK_ACK[1:]
    basic, longer = BLOCK_ACK[:16] + b"\x01" + BLOCK_ACK[17:], BLOCK_ACK[:18] + b"\x04" + BLOCK_ACK[19:]
    others = [ACK[:4], cts + more, beacon + more, basic + more, longer + more, BLOCK_ACK[:-1], b"", ACK, BLOCK_ACK]
    capture = write(tmp_path / "air.pcapng", [*(frame(b"", own) for own in others), frame(more, flags=0)])
    assert dissector.fields(capture, "frame.number", only=_ANY) == []
    cut = write(tmp_path / "cut.pcapng", [frame(more), frame(more, BLOCK_ACK)], cut_bytes=3)
    assert dissector.fields(cut, "frame.number", only=_ANY) == []
    assert dissector.fields(cut, "frame.number", only="_ws.lua.error") == []
    assert dissector.fields(capture, "frame.number", only="_ws.lua.error") == []


def test_frames_that_end_anywhere(dissector: Dissector, tmp_path: Path) -> None:
    whole = [frame(payload(SHORT + FULL), own) for own in (ACK, BLOCK_ACK)]
    capture = write(tmp_path / "air.pcapng", [one[:size] for one in whole for size in range(len(one) + 1)])
    assert len(dissector.fields(capture, "hack.items", only="hack.items == 2")) == len(whole)
    assert dissector.fields(capture, "frame.number", only="_ws.lua.error") == []


def differences(dissector: Dissector, place: Path) -> list[bytes]:
    """Payloads in which the kernel finds other items."""
    chance = random.Random(17)
    payloads = [any_bytes(chance) for _ in range(_COUNT)]
    capture = write(place / "air.pcapng", [frame(one, chance.choice([ACK, BLOCK_ACK])) for one in payloads])
    found = dissector.fields(capture, "hack.items", "hack.other")
    assert dissector.fields(capture, "frame.number", only="_ws.lua.error") == []
    program = place / "items"
    sources = [Path(__file__).with_name("items.c"), *(KERNEL / f"hwsim_hack_{part}.c" for part in PARTS)]
    flags = ["-std=gnu11", *WARNINGS, "-I", str(HERE), "-I", str(KERNEL)]
    subprocess.run(["gcc", *flags, "-o", str(program), *map(str, sources)], check=True)
    digits = "".join(f"{one.hex()}\n" for one in payloads)
    reported = subprocess.run([str(program)], input=digits, capture_output=True, text=True, check=True).stdout
    right = []
    for one, line in zip(payloads, reported.splitlines(), strict=True):
        items, malformed = map(int, line.split())
        right.append(["", one.hex()] if malformed or not items else [str(items), ""])
    assert 0.2 * _COUNT < sum(other == "" for _, other in right) < 0.8 * _COUNT
    return [one for one, ours, theirs in zip(payloads, found, right, strict=True) if ours != theirs]


def test_it_finds_what_the_kernel_finds(dissector: Dissector, tmp_path: Path) -> None:
    assert differences(dissector, tmp_path) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('bytes = 3, field = "claim"', 'bytes = 2, field = "claim"'),
        ('field = "id", when = "has.id"', 'field = "id", when = "has.window"'),
        ("most = 4", "most = 5"),
        ("LONGEST = 5", "LONGEST = 6"),
        ("clear = 0x80", "clear = 0x01"),
        ("number < 2 ^ 33", "number < 2 ^ 34"),
        ("until reader.at == #bytes", "until reader.at >= #bytes - 1"),
    ],
)
def test_it_sees_mistakes(dissector: Dissector, tmp_path: Path, right: str, wrong: str) -> None:
    text = dissector.script.read_text()
    assert text.count(right) == 1
    dissector.script.write_text(text.replace(right, wrong))
    assert differences(dissector, tmp_path)
