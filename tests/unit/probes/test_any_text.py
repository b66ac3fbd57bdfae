# SPDX-License-Identifier: MIT
"""Whatever a tool prints, its parser reads it or says which line it does not understand."""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.probes.base import Parsed, ProbeOutputError, Raw, known, load

PROJECT = Path(__file__).parents[3]
FIXTURES = [PROJECT / "tests" / "fixtures", *PROJECT.glob("workloads/*/tests/fixtures")]
SUFFIXES = ("out", "err", "size", "pcap")


def attempt(probe: str, files: dict[str, bytes]) -> Parsed | None:
    with tempfile.TemporaryDirectory() as directory:
        for suffix in SUFFIXES:
            (Path(directory) / f"x.{suffix}").write_bytes(files.get(suffix, b""))
        try:
            return load(probe).parse(Raw(Path(directory), "x"))
        except ProbeOutputError as error:
            assert re.search(r"x\.(out|err|size|pcap)", str(error)), "the error must name the file"
            return None


@pytest.mark.parametrize("probe", known())
@given(junk=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode())))
def test_junk(probe: str, junk: bytes) -> None:
    attempt(probe, {"out": junk, "err": junk, "size": junk, "pcap": junk})


def fixtures() -> list[Path]:
    """Each without its suffix, in a folder that is called like its probe."""
    found = {path.with_suffix("") for folder in FIXTURES for path in folder.glob("*/*")}
    return sorted(path for path in found if path.parent.name in known())


@pytest.mark.parametrize("fixture", fixtures(), ids=lambda path: f"{path.parent.name}-{path.name}")
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), cut=st.booleans())
def test_damaged_real_output(fixture: Path, seed: int, cut: bool) -> None:
    chance = random.Random(seed)
    files = {}
    for suffix in SUFFIXES:
        path = fixture.with_name(f"{fixture.name}.{suffix}")
        if path.exists():
            data = bytearray(path.read_bytes())
            for _ in range(chance.randrange(4)):
                if data:
                    data[chance.randrange(len(data))] = chance.choice(b'0 :{}[]"\n\tx-./\xff9')
            files[suffix] = bytes(data[: chance.randrange(len(data) + 1)] if cut else data)
    attempt(fixture.parent.name, files)


@pytest.mark.parametrize(
    ("probe", "text", "line"),
    [
        ("ping", "PING x\n\nwhat is this?\n", 3),
        ("ping", "[1.0] 64 bytes from nowhere\n", 1),
        ("station-dump", "### 0\nStation nobody\n", 2),
        ("station-dump", "### 0\nStation 02:00:00:00:01:00 (on w)\n\tsignal:\tloud\n", 3),
        ("station-dump", "no stamp\n", 1),
        ("mesh", "### 0\n02:00:00:00:01:00 nobody m1-wlan0\n", 2),
        ("station-dump", "### later\n", 1),
        ("link", "### 0\n\n\tSSID: campus\n", 3),
        ("wpa-events", "5 <3>CTRL-EVENT-SCAN-STARTED\n4 <3>CTRL-EVENT-SCAN-RESULTS\n", 2),
        ("hostapd-events", "AP-ENABLED\n", 1),
        ("ss", "### 0\n0 0 here there cwnd:10\n", 2),
        ("ss", "### 0\n0 0 1.1.1.1:1 1.1.1.2:2 cubic cwnd:ten\n", 2),
        ("counters", "### 0\n[{]\n", 2),
        ("iperf3", '\n{"start": nonsense}', 2),
        ("udp-sender", '{"sent": "many"}', 1),
        ("udp-sink", '{"flow": "x"}', 1),
        ("udp-sink", '{"flow": "x", "end_s": "soon", "packets": 1, "bytes": 1}', 1),
        ("udp-sink", '\n{"flow": "x", "end_s": "1.0", "packets": 0, "bytes": 1, "delay_ns": []}', 2),
    ],
)
def test_the_line_is_named(probe: str, text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "x.out").write_text(text)
    with pytest.raises(ProbeOutputError, match=rf"^x\.out:{line}: "):
        load(probe).parse(Raw(tmp_path, "x"))


@pytest.mark.parametrize("probe", known())
def test_missing_output_is_reported(probe: str, tmp_path: Path) -> None:
    with pytest.raises(ProbeOutputError, match="is missing"):
        load(probe).parse(Raw(tmp_path, "x"))
