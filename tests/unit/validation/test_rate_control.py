# SPDX-License-Identifier: MIT
"""The sweep of rate control: what it runs, what it prints, and how far goodput may fall by its explanation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from lab.experiments.file import resolve
from tests.validation import rate_control
from tests.validation.rate_control import HT20, RADIOS, Level, Radio, experiment, least


@pytest.mark.parametrize("name", RADIOS)
def test_each_level_is_run_free_and_with_its_best_rate(name: str, tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text(experiment(RADIOS[name]))
    points = resolve.load(str(path)).points
    first = min(RADIOS[name].best)
    assert [point.labels["case"].partition(",")[0] for point in points[::2]] == [
        f"{snr} dB" for snr in range(first, 31)
    ]
    assert points[-1].overrides[-1] == f"nodes.sta1.rate={RADIOS[name].levels[30]}"
    assert not any("rate" in override for override in points[-2].overrides)


def test_the_best_rate_is_that_of_the_last_level_below() -> None:
    levels = Radio({}, HT20).levels
    assert [levels[snr_db] for snr_db in (5, 6, 7, 24, 25, 26, 30)] == [
        "MCS 0", "MCS 0", "MCS 1", "MCS 12", "MCS 13", "MCS 14", "MCS 15"
    ]  # fmt: skip


def test_a_faster_rate_that_loses_a_third_costs_up_to_a_quarter() -> None:
    ofdm = [6, 9, 12, 18, 24, 36, 48, 54]
    found = [least(slower, faster) for slower, faster in pairwise(ofdm)]
    assert found == pytest.approx([0.836, 0.854, 0.798, 0.826, 0.754, 0.804, 0.849], abs=0.001)


def test_what_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def sweep(radio: Radio, jobs: int) -> Iterator[Level]:
        assert radio is RADIOS["802.11a"] and jobs == 2
        yield Level(20, "36 Mbit/s", 22.0, 23.0)
        yield Level(21, "36 Mbit/s", 19.8, 23.0)

    monkeypatch.setattr(rate_control, "sweep", sweep)
    monkeypatch.setattr("sys.argv", ["sweep", "--only", "802.11a", "--jobs", "2"])
    rate_control.main()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[2:] == [
        ["20", "dB", "22.00", "23.00", "36", "Mbit/s", "0.957", "1.000"],
        ["21", "dB", "19.80", "23.00", "36", "Mbit/s", "0.861", "0.900"],
    ]
