# SPDX-License-Identifier: MIT
"""``lab run two-aps-handoff http/download``, run once: what it prints, its record and report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lab import runs
from lab.numbers import plain
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest


@pytest.fixture(scope="module")
def flagship(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> tuple[Path, str]:
    """Directory and output of the flagship run."""
    place = tmp_path_factory.mktemp("flagship")
    output = lab("run", "two-aps-handoff", "http/download", cwd=place).stdout
    return place / "runs" / "latest", output


def test_the_flagship_prints_its_tables_and_leaves_a_report(flagship: tuple[Path, str]) -> None:
    directory, output = flagship
    for text in ("Handoffs", "auth", "assoc", "first data", "ap1 → ap2", "ap2 → ap1", "67 108 864"):
        assert text in output
    assert "All 2 checks passed" in output
    page = (directory / "report.html").read_text()
    assert page.count("<svg") >= 3
    assert "http://" not in page.replace("http://www.w3.org/", "").replace("http://10.0.0.1/", "")


def test_the_flagship_roams_twice_by_itself_and_transfers_every_byte(flagship: tuple[Path, str]) -> None:
    directory, _ = flagship
    record = json.loads((directory / "record.json").read_text())
    handoffs = record["metrics"]["outage"]["rows"]
    assert [(row["from"], row["to"], row["cause"]) for row in handoffs] == [
        ("ap1", "ap2", "station"),
        ("ap2", "ap1", "station"),
    ]
    for row in handoffs:
        assert row["completed"]
        assert 60 < row["scan"] < 500  # two channels
        assert 10 < row["outage"] < 500  # what the old access point still holds is lost: TCP's timer takes 200 ms


def test_the_report_of_the_flagship_says_what_data_waited_for(flagship: tuple[Path, str], tmp_path: Path) -> None:
    """TCP's timer expires in about half of the handoffs, with this seed or with others."""
    timers = waited_for_timers(flagship[0])
    for seed in range(2, 12):
        if not timers:
            lab("run", "two-aps-handoff", "http/download", "--seed", str(seed), "--out", str(seed), cwd=tmp_path)
            timers = waited_for_timers(tmp_path / str(seed))
    assert timers


def waited_for_timers(directory: Path) -> int:
    """Check what the report says about each handoff; return how many waited for a timer."""
    record = json.loads((directory / "record.json").read_text())
    picture = " ".join(re.sub("<[^>]*>", " ", (directory / "plots" / "outage-around.svg").read_text()).split())
    timers = 0
    for row in record["metrics"]["outage"]["rows"]:
        scan, *others = row["why"]
        began_ns = max(row["scan_started_ns"], row["last_data_ns"])  # what was before the pause does not count
        assert (scan["cause"], scan["took_ns"]) == ("scan", row["scan_done_ns"] - began_ns)
        if row["outage"] > 200:  # Linux's shortest retransmission timeout
            (timer,) = others
            assert (timer["cause"], timer["node"]) == ("rto", "h1") and 200 < timer["rto_ns"] / 1e6 < row["outage"]
            timers += 1
        assert f"At {plain(row['at_ns'] / 1e9)} s, sta1 received no data for" in picture
    assert ("h1 retransmitted only when" in picture) == (timers > 0)
    samples = (directory / "csv" / "cwnd-over-time.csv").read_text()
    assert samples.count(",segments") > 40
    return timers


def test_goodput_and_rate_of_the_flagship_follow_the_signal(flagship: tuple[Path, str]) -> None:
    directory, _ = flagship
    record = json.loads((directory / "record.json").read_text())
    metrics = record["metrics"]
    assert -85 < metrics["signal"]["values"]["min"] < -75 and -55 < metrics["signal"]["values"]["max"] < -45
    assert metrics["rx-bitrate"]["values"]["max"] == 54 and metrics["rx-bitrate"]["values"]["min"] <= 24
    (goodput,) = metrics["goodput"]["series"]
    by_second = {t_ns // 1_000_000_000: rate for t_ns, rate in zip(goodput["t_ns"], goodput["values"], strict=True)}
    for row in metrics["outage"]["rows"]:
        second = row["begin_ns"] // 1_000_000_000
        best = max(by_second.values())
        assert 22 < best < 27  # what TCP gets of 54 Mbit/s
        assert by_second[second] < 0.7 * best  # the last whole second at the old access point
        assert by_second[second + 3] > 0.9 * best


def test_a_report_drawn_again_is_the_same(flagship: tuple[Path, str]) -> None:
    directory, _ = flagship
    before = {name: (directory / name).read_bytes() for name in ("record.json", "report.html")}
    lab("report", str(directory), cwd=directory)
    assert before == {name: (directory / name).read_bytes() for name in before}
