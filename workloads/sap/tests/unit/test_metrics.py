# SPDX-License-Identifier: MIT
"""Metrics of streams, traces and pictures, and of frames that arrive damaged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from lab.metrics.base import MetricValues, Source, load
from tests.unit.metrics.samples import context, source, wanted

from ...metrics._pictures import decode, psnr_db

GAPS = {"count": 4, "mean_ns": 5e6, "variance_ns2": 4e12, "min_ns": 1, "p50_ns": 2, "p90_ns": 3, "p95_ns": 4,
        "p99_ns": 5, "max_ns": 6}  # fmt: skip
STREAM = {"complete": True, "expected": 100, "arrived": 90, "lost": 10, "damaged": 5, "wrong_bits": 41,
          "arrived_bits": 90 * 8192, "ber_damaged": 41 / (5 * 8192), "right_share": 1 - 41 / (90 * 8192),
          "elapsed_ns": 7_000_000, "inter_arrival": GAPS}  # fmt: skip
TRACE = {"complete": True, "expected": 10, "lost": 1, "discarded": 2, "speed_m_s": 1.5, "elapsed_ns": 5,
         "inter_arrival": GAPS}  # fmt: skip
PICTURES = Path(__file__).parents[2] / "pictures"


def computed(kind: str, unit: str, *sources: Source, per: str | None = None) -> MetricValues:
    return load(kind).compute(wanted(kind, *(item.id for item in sources), unit=unit, per=per), context(*sources))


def stream(**changed: Any) -> Source:
    return source("sap-stream-sink", identifier="sink", values=STREAM | changed, params={"port": 1})


def trace(**changed: Any) -> Source:
    return source("sap-track-sink", identifier="sink", values=TRACE | changed, params={"port": 1})


def test_bit_errors_are_those_of_damaged_datagrams() -> None:
    found = computed("bit-errors", "%", stream())
    assert found.values == [pytest.approx(100 * 41 / 40960)]
    assert found.rows[0]["damaged"] == 5 and found.rows[0]["wrong_bits"] == 41
    clean = computed("bit-errors", "%", stream(damaged=0, wrong_bits=0, ber_damaged=None))
    assert clean.values == [] and clean.rows[0]["bit_errors"] is None
    assert not computed("bit-errors", "%", stream(wrong_bits=None, ber_damaged=None)).rows


def test_correct_bits_are_those_of_all_that_arrived() -> None:
    assert computed("correct-bits", "%", stream()).values == [pytest.approx(100 * (1 - 41 / 737280))]
    assert not computed("correct-bits", "%", stream(right_share=None)).rows


def test_intact_bytes_are_neither_lost_nor_wrong() -> None:
    transfer = {"length": 2000, "bytes": 1000, "wrong_bytes": 100, "time_first_byte_s": 1, "time_total_s": 2,
                "exit_code": 0}  # fmt: skip
    compared = [transfer, transfer | {"wrong_bytes": 0}, transfer | {"wrong_bytes": None}]
    fetch = source("sap-get", identifier="fetch", values={"transfers": compared, "expected": 2, "lost": 1})
    assert computed("intact", "%", fetch).values == [45, 50]


def test_loss_counts_what_did_not_come() -> None:
    assert computed("loss", "%", stream()).values == [10]
    assert computed("loss", "%", trace()).values == [10]


def test_inter_arrival_times() -> None:
    assert computed("inter-arrival", "ms", stream()).values == [5e6]
    assert computed("inter-arrival", "ms", trace(), per="deviation").values == [2e6]
    assert computed("inter-arrival", "ms", trace(), per="longest").values == [6]
    assert not computed("inter-arrival", "ms", stream(inter_arrival=GAPS | {"variance_ns2": None})).rows


def test_the_completion_time_of_what_came_to_its_end() -> None:
    assert computed("completion-time", "ms", stream()).values == [7_000_000]
    assert not computed("completion-time", "ms", stream(complete=False)).values
    sender = source("sap-streamer", identifier="stream", values={"elapsed_ns": 9})
    assert computed("completion-time", "ms", sender).values == [9]


def test_speed_and_its_error() -> None:
    sender = source("sap-tracker", identifier="walk", values={"speed_m_s": 1.2}, params={"port": 1})
    assert computed("mean-speed", "m/s", trace()).values == [1.5]
    assert computed("speed-error", "%", sender, trace()).values == [pytest.approx(25)]
    other = source("sap-tracker", identifier="walk", values={"speed_m_s": 1.2}, params={"port": 2})
    assert not computed("speed-error", "%", other, trace()).values
    assert not computed("mean-speed", "m/s", trace(speed_m_s=None)).rows
    with pytest.raises(ValueError, match="of: sent positions are missing; add a process of sap-tracker"):
        load("speed-error").check({"sink": "sap-track-sink"}, "%", None)


def test_the_psnr_of_one_wrong_colour() -> None:
    sent = Image.new("RGB", (10, 10))
    received = sent.copy()
    received.putpixel((3, 4), (0, 30, 0))
    assert psnr_db(sent, received) == pytest.approx(10 * math.log10(255**2 / (30**2 / 300)))
    assert psnr_db(sent, sent) is None


def picture(directory: Path, change: dict[int, int], cut: int | None = None) -> MetricValues:
    jpeg = (PICTURES / "picture.jpg").read_bytes()
    damaged = bytearray(jpeg)
    for place, value in change.items():
        damaged[place] ^= value
    (directory / "send.sent").write_bytes(jpeg)
    (directory / "sink.received").write_bytes(bytes(damaged[:cut]))
    sender = source("sap-streamer", identifier="send", params={"port": 1}, raw=directory)
    sink = source("sap-stream-sink", identifier="sink", params={"port": 1}, raw=directory, values={"lost": 0})
    return computed("psnr", "dB", sender, sink)


def test_the_psnr_of_a_picture(tmp_path: Path) -> None:
    equal = picture(tmp_path, {})
    assert equal.values == [] and equal.rows == [
        {"process": "sink", "lost": 0, "decoded": True, "equal": True, "psnr": None}
    ]
    (damaged,) = picture(tmp_path, dict.fromkeys(range(2000, 17000, 1500), 0x55)).values
    assert 15 < damaged < 50  # each time one row of blocks is spoilt, the next begins with a restart marker
    (half,) = picture(tmp_path, {}, cut=9000).values
    assert 5 < half < damaged


def test_what_is_no_picture_any_more_has_no_psnr(tmp_path: Path) -> None:
    broken = picture(tmp_path, {0: 0xFF})
    assert broken.values == [] and broken.rows[0]["decoded"] is False
    (tmp_path / "huge.ppm").write_bytes(b"P6 99999 99999 255\n")
    assert decode(tmp_path / "huge.ppm") is None
