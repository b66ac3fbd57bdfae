# SPDX-License-Identifier: MIT
"""The program that sends speech, over the loopback interface."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workloads.sap import voice

PROGRAM = Path(voice.__file__)


def test_speech_is_coded_as_well_as_by_g711() -> None:
    samples = [sample for number in range(50) for sample in voice.speech(number)]
    decoded = voice.decode(voice.encode(samples))
    noise = sum((a - b) ** 2 for a, b in zip(samples, decoded, strict=True))
    assert 37 < 10 * math.log10(sum(sample * sample for sample in samples) / noise) < 39


@pytest.mark.parametrize(
    ("left_out", "late", "heard"), [((), (), 8), ((2,), (), 8), ((2, 3), (), 6), ((2,), (2,), 8), ((), (1, 2), 6)]
)
def test_parity_restores_one_packet_of_four(
    left_out: tuple[int, ...],
    late: tuple[int, ...],
    heard: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(voice, "PACKETS", 8)
    now_ns = time.time_ns()
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    sent = [
        voice.HEAD.pack(number, now_ns - (200_000_000 if number in late else 0)) + code
        for number, code in voice.packets(parity=True)
        if number not in left_out
    ]
    assert len(sent) == 10 - len(left_out)
    sent.append(voice.HEAD.pack(9, now_ns) + bytes(voice.SAMPLES))  # what no checksum noticed
    monkeypatch.setattr(voice, "arriving", lambda *_: iter(sent))
    voice.listen("parity", "")
    assert json.loads(capsys.readouterr().out)["lost"] == pytest.approx(100 * (1 - heard / 8))


@pytest.mark.parametrize(("transport", "counts", "delay"), [("udplite", 0, 1), ("repeated", 1, 3)])
def test_of_several_copies_one_counts(
    transport: str, counts: int, delay: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first, or the last of those that come in time: the third is late."""
    now_ns = time.time_ns()
    monkeypatch.setattr(voice, "PACKETS", 1)
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    right, silence = voice.encode(voice.speech(0)), bytes(voice.SAMPLES)
    copies = [(silence, 1), (right, 3), (silence, 151)] if counts else [(right, 1), (silence, 3), (silence, 151)]
    sent = [voice.HEAD.pack(0, now_ns - delay * 1_000_000) + code for code, delay in copies]
    monkeypatch.setattr(voice, "arriving", lambda *_: iter(sent))
    voice.listen(transport, "")
    found = json.loads(capsys.readouterr().out)
    assert found["quality"] > 30 and found["lost"] == 0
    assert found["delay"] == found["longest"] == delay


def test_it_says_how_it_is_used() -> None:
    done = subprocess.run([sys.executable, str(PROGRAM), "send", "tcp", "h1"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "usage: voice.py listen|send udp|udplite|repeated|parity|sap ADDRESS\n",
    )
