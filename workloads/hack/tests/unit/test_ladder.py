# SPDX-License-Identifier: MIT
"""What the ladder says about frames, and what it refuses."""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.captures import pcap, pcapng, radiotap
from lab.errors import InputError, RecordError
from lab.plan.load import load
from workloads.hack import frames, ladder
from workloads.hack.frames import Frame
from workloads.hack.ladder import Span

PICTURE = Path(__file__).resolve().parents[2] / "figures" / "ladder.svg"
AP, STA = "02:00:01:00:02:00", "02:00:01:00:03:00"
SECOND_NS = 1_000_000_000
ZERO_NS = 1_767_225_601 * SECOND_NS
DATA = Frame(0, 248_000, frames.DATA, AP, STA, collided=False, sequences=(12,), segments=1)
ACK = Frame(264_000, 292_000, frames.ACK, STA, AP, collided=False)
NATIVE = replace(DATA, segments=0, tcp_acks=1)


@pytest.mark.parametrize(
    ("frame", "words", "note"),
    [
        (DATA, "DATA 12", ""),
        (replace(DATA, more_data=True), "DATA 12", "More Data"),
        (replace(DATA, again=True, more_data=True), "DATA 12", "retry, More Data"),
        (replace(DATA, collided=True), "DATA 12", "collision"),
        (replace(DATA, sequences=(4094, 4095, 0)), "DATA 4094\N{EN DASH}0", "A-MPDU of 3"),
        (replace(DATA, sequences=(12, 15)), "DATA 12…15", "A-MPDU of 2"),
        (replace(DATA, segments=0), "DATA 12", ""),
        (NATIVE, "TCP ACK (native)", ""),
        (replace(NATIVE, sequences=(1, 2), tcp_acks=2), "2 TCP ACKs (native)", "A-MPDU of 2"),
        (replace(NATIVE, segments=1), "DATA 12", ""),
        (ACK, "ACK", ""),
        (replace(ACK, carried=1, carried_bytes=4), "ACK + 1 TCP ACK", "4 B"),
        (replace(ACK, kind=frames.BLOCK_ACK, carried=2, carried_bytes=7), "BlockAck + 2 TCP ACKs", "7 B"),
        (replace(ACK, kind=frames.RTS), "RTS", ""),
        (replace(ACK, kind=0x04, name="Probe Request"), "Probe Request", ""),
    ],
)
def test_what_a_frame_is_called(frame: Frame, words: str, note: str) -> None:
    assert (ladder.label(frame), ladder.note(frame)) == (words, note)


def test_tcp_acks_have_colours_of_their_own() -> None:
    carrying = replace(ACK, carried=1, carried_bytes=4)
    found = [ladder.colour(frame) for frame in (DATA, ACK, NATIVE, carrying)]
    assert len(set(found)) == 4


def test_the_picture_in_the_documentation_shows_what_its_text_says() -> None:
    """A collision and its retry; TCP ACKs on their own and in ACKs; segments that arrive in that time."""
    picture = PICTURE.read_text()
    for words in ("TCP ACK (native)", "collision", "retry", "More Data", "ACK + 1 TCP ACK (4 B)"):
        assert f">{words}<" in picture, words
    arrived = {words for words in re.findall(">(DATA [0-9]+)<", picture)}
    assert len(arrived) == 4 + 5


def mpdu(head: str, receiver: str, transmitter: str = "", rest: bytes = b"", rate: int = 48) -> bytes:
    """Return a frame of 802.11a with a radiotap header, at a rate in units of 500 kbit/s; its FCS is wrong."""
    header = struct.pack("<BBHIBBHH", 0, 0, 14, 0b1110, radiotap.FLAG_FCS, rate, 5180, 0x0140)
    addresses = "".join((receiver, transmitter)).replace(":", "")
    return header + bytes.fromhex(head + "0000" + addresses) + rest + bytes(4)


def capture(directory: Path, stamped: Iterable[tuple[int, bytes]], name: str = "air-5180.pcapng") -> Path:
    raw = directory / "raw"
    raw.mkdir(exist_ok=True)
    with (raw / name).open("wb") as file:
        writer = pcapng.Writer(file, pcap.RADIOTAP, "channel 36", "")
        for stamp_us, frame in stamped:
            writer.write(ZERO_NS + 1_000 * stamp_us, frame)
    return raw / name


NULL = mpdu("4801", AP, STA, bytes.fromhex("020001000200") + b"\x10\x00", rate=12)
EXCHANGE = [
    (1_000, mpdu("b400", AP, STA)),  # RTS
    (1_044, mpdu("c400", STA)),  # CTS
    (1_088, NULL),
    (1_160, mpdu("d400", STA)),  # ACK
    (5_000, mpdu("c400", STA)),  # CTS-to-self: nothing asked for it
    (9_000, mpdu("d400", STA)),  # ACK: the same
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of the lab with a capture of an exchange."""
    directory = tmp_path / "stock"
    directory.mkdir()
    plan = json.loads(load("downloads", "hack/download", 1).to_json())
    clock = {"epoch_ns": ZERO_NS, "boot_ns": 0, "end_ns": 12 * SECOND_NS}
    (directory / "record.json").write_text(json.dumps({"version": 1, "plan": plan, "clock": clock}))
    capture(directory, EXCHANGE)
    return directory


def test_senders_of_answers_are_those_that_were_asked(run: Path) -> None:
    found = frames.read(run / "raw" / "air-5180.pcapng", ZERO_NS, ZERO_NS + SECOND_NS)
    reported = [(frame.kind, frame.transmitter, frame.receiver) for frame in found]
    assert reported == [
        (frames.RTS, STA, AP),
        (frames.CTS, AP, STA),
        (0x24, STA, AP),
        (frames.ACK, AP, STA),
        (frames.CTS, STA, None),
        (frames.ACK, None, STA),
    ]
    assert [frame.end_ns - frame.begin_ns for frame in found[:2]] == [28_000, 28_000]


def test_a_span_has_what_is_on_the_air_in_it_with_names(run: Path) -> None:
    """Earlier frames show who sends the CTS; the RTS has ended."""
    found = ladder.ladder(run, Span(1_040_000, 100_000))
    assert found.lines == ("ap1", "sta1") and found.length_us == 100
    assert [(arrow.label, arrow.source, arrow.target, arrow.begin_us) for arrow in found.arrows] == [
        ("CTS", "ap1", "sta1", 4.0),
        ("Null function (No data)", "sta1", "ap1", 48.0),
    ]
    assert [arrow.label for arrow in ladder.ladder(run, Span(1_010_000, 10_000)).arrows] == ["RTS"], "has begun before"


def test_who_sends_an_answer_to_nothing_is_not_known(run: Path) -> None:
    found = ladder.ladder(run, Span(9_000_000, 100_000))
    assert [(arrow.source, arrow.target) for arrow in found.arrows] == [("?", "sta1")]
    assert found.lines == ("sta1", "?")


def test_a_span_without_frames_says_so(run: Path) -> None:
    with pytest.raises(InputError, match=r"nothing is on the air in the 2 ms from 6\.5 s on\n  the run ends at 12 s"):
        ladder.ladder(run, Span(6_500_000_000, 2_000_000))


def test_a_run_without_a_capture_of_one_channel_is_refused(run: Path) -> None:
    capture(run, [], "air-2412.pcapng")
    with pytest.raises(InputError, match=r"several channels: air-2412.pcapng, air-5180.pcapng"):
        ladder.ladder(run, Span(0, 1))
    for path in (run / "raw").iterdir():
        path.unlink()
    with pytest.raises(InputError, match=r"no capture of the air\n  run it again with --pcap air"):
        ladder.ladder(run, Span(0, 1))
    (run / "raw" / "air-5180.pcapng").write_bytes(b"nonsense")
    with pytest.raises(RecordError, match="cannot be read: byte 0"):
        ladder.ladder(run, Span(0, 1))


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--at", "4"], '--at: "4" has no unit; write 4 s'),
        (["--at", "1ms", "--for", "2"], '--for: "2" has no unit; write 2 ms'),
        (["--at", "1ms", "--for", "1s"], "--for: 1s is not legible\n  write more than 0 and at most 20 ms"),
        (["--at", "1ms", "--for", "0s"], "--for: 0s is not legible"),
        (["--at", "1ms", "--at", "2ms"], "2 times for 1 run\n  give --at once, or once for each run"),
        (["--at", "1ms", "--out", "ladder.gif"], "does not say the format\n  write a name that ends in one of .svg, "),
        (["--at", "1ms", "--out", "none/ladder.svg"], "cannot write none/ladder.svg"),
        (["a", "b", "c", "--at", "1ms"], "4 runs do not fit side by side\n  draw at most 3"),
    ],
)
def test_mistakes_are_one_message(
    run: Path, words: list[str], error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(run.parent)
    monkeypatch.setattr(sys, "argv", ["ladder", "stock", *words])
    assert ladder.main() == 2
    reported = capsys.readouterr().err
    assert reported.startswith("ladder: ") and error in reported


def test_runs_are_drawn_side_by_side(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(run.parent)
    argv = ["ladder", "stock", "stock", "--at", "1ms", "--at", "1040us", "--for", "100us", "--out", "both.svg"]
    monkeypatch.setattr(sys, "argv", argv)
    assert ladder.main() == 0
    assert capsys.readouterr().out.splitlines() == [
        "stock, from 0.001 s on: 3 frames between ap1, sta1",
        "stock, from 0.00104 s on: 2 frames between ap1, sta1",
        "ladder: both.svg",
    ]
    assert ">RTS<" in (run.parent / "both.svg").read_text()
