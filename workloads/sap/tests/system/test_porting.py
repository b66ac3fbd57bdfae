# SPDX-License-Identifier: MIT
"""The program of porting.md, written and run exactly as on that page, in a user's directory."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from lab import runs
from lab.checkout import CHECKOUT
from tests.shown.document import Command, File, parse
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest
PAGE = CHECKOUT / "workloads" / "sap" / "porting.md"
MISTAKES = ("lab: workloads/lidar/stacks:1", "lab: 2 mistakes:")  # the first words of what these commands print


def words(line: str) -> list[str]:
    """The words of a line, with 0 for each number: make docs compares numbers."""
    return re.sub(r"\d+(\.\d+)?", "0", line.replace("…", "")).split()


def expected_status(command: Command) -> int:
    """2 for a mistake in a file, 1 if checks fail."""
    if command.shown and command.shown[0].startswith(MISTAKES):
        return 2
    return int(any("FAILED" in line or "checks failed" in line for line in command.shown))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Path:
    """A directory in which all steps of the page were done; what each command printed is compared with the page."""
    here = tmp_path_factory.mktemp("user")
    for part in parse(PAGE.read_text()):
        if isinstance(part, File):
            (here / part.name).parent.mkdir(parents=True, exist_ok=True)
            (here / part.name).write_text(part.text)
            continue
        verb, *others = part.argv[1:]
        figures = ["--out", "figures"] if verb == "reproduce" else []
        out = ["--out", f"run-{part.line}"] if verb == "run" else []
        done = lab(verb, *others, *figures, *out, cwd=here, status=expected_status(part))
        said = [words(line) for line in (done.stdout + done.stderr).splitlines()]
        for line in part.shown:
            assert not words(line) or set(line) <= {"─", " "} or words(line) in said, f"{part.argv}: {line}"
    return here


def metrics(place: Path, name: str) -> list[dict[str, dict[str, float]]]:
    """The values of the metrics of each run of a workload, in the order of the page."""
    records = [json.loads(path.read_text()) for path in sorted(place.glob("run-*/record.json"), key=_line)]
    return [
        {metric: result["values"] for metric, result in record["metrics"].items()}
        for record in records
        if record["plan"]["workload"] == name
    ]


def _line(path: Path) -> int:
    return int(path.parent.name.removeprefix("run-"))


def test_both_transports_have_the_metrics_of_the_page(place: Path) -> None:
    (tcp,) = metrics(place, "lidar-tcp")
    sap, *_ = metrics(place, "lidar-sap")
    assert tcp["loss"]["max"] == tcp["range-error"]["max"] == 0
    assert 0 < sap["loss"]["max"] < 10 and 0 < sap["range-error"]["mean"] < sap["range-error"]["max"]
    assert sap["delay"]["max"] < 10 < tcp["delay"]["max"], "in ms"


def test_the_report_and_the_figures_show_them(place: Path) -> None:
    report = max(place.glob("run-*/report.html"), key=lambda path: "range-error" in path.read_text()).read_text()
    assert all(word in report for word in ("range-error", "loss", "delay", "mm"))
    figures = sorted(path.name for path in (place / "figures").glob("figure-*.svg"))
    assert figures == ["figure-1.svg", "figure-2.svg"]
    rows = json.loads((place / "figures" / "results.json").read_text())["rows"]
    assert [(row["distance"], row["range-error"]["n"]) for row in rows] == [
        (f"{metres} m", 3) for metres in (20, 28, 30, 32)
    ]
    assert rows[0]["range-error"]["mean"] == 0 < rows[-1]["range-error"]["mean"]


def test_exit_status_0_comes_with_lost_data(place: Path) -> None:
    _, ended, judged = metrics(place, "lidar-sap")
    assert ended == judged and ended["loss"]["max"] > 90 and ended["range-error"]["max"] == 0


def test_the_build_of_both_stacks_is_shown(place: Path) -> None:
    lines = lab("run", "--dry-run", "approximate-link", "lidar/sap", cwd=place).stdout.splitlines()
    builds = [line for line in lines if line.startswith("make ")]
    assert ["PREFIX=/opt/sap" in builds[0], "PREFIX=/opt/lidar" in builds[1]] == [True, True]
    assert any(line.startswith("export PATH=/opt/lidar/bin:/opt/sap/bin:") for line in lines)


def test_nothing_of_it_needs_the_labs_tree(place: Path) -> None:
    assert not place.is_relative_to(CHECKOUT) and not (CHECKOUT / "workloads" / "lidar").exists()
