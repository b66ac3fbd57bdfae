# SPDX-License-Identifier: MIT
"""The cost of TCP/HACK: what is run, in which order, and what is computed from it. Without a guest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.lab_runs import Times, children_cpu_s
from lab.errors import RunError
from lab.plan.load import load
from lab.shared.types import Plan
from workloads.hack.cost import (
    HACK,
    NOTHING_MB,
    OFF_MOST,
    Cost,
    Download,
    Side,
    alternate,
    compressed,
    costs,
    downloads,
    interval,
    row,
    verify,
    without_hack,
)


def resolved(folder: Path, download: Download, options: tuple[str, ...]) -> Plan:
    place, work = folder / "topology.yaml", folder / "workload.yaml"
    place.write_text(download.topology)
    work.write_text(download.text(download.megabytes))
    return load(str(place), str(work), 1, [word for word in options if word != "--set"])


@pytest.mark.parametrize("options", [(), HACK], ids=["off", "on"])
@pytest.mark.parametrize("name", [*downloads(), *without_hack()])
def test_a_station_downloads_the_bytes_and_only_the_second_side_has_hack(
    tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    download = (downloads() | without_hack())[name]
    plan = resolved(tmp_path, download, options)
    (source,) = (process for process in plan.processes if process.id == "flow")
    assert str(download.megabytes * 10**6) in (source.argv or [])
    (sink,) = (process for process in plan.processes if process.id == "sink")
    assert ((sink.argv or [])[-3] == "1") == ("every-2nd" in name)
    with_hack = [node.name for node in plan.nodes if node.radio and "hack" in node.radio.settings]
    assert with_hack == (["ap1", "sta1"] if options else [])


def test_each_second_turn_goes_backwards() -> None:
    order: list[tuple[str, int]] = []

    def measure(side: Side, seed: int) -> Times:
        order.append((side.program, seed))
        return Times(0, 0, 0, float(side.program) + seed / 10)

    found = alternate(measure, [Side("1"), Side("2"), Side("3")], 2)
    assert order == [("1", 1), ("2", 1), ("3", 1), ("3", 2), ("2", 2), ("1", 2)]
    assert [[each.cpu_s for each in side] for side in found] == [[1.1, 1.2], [2.1, 2.2], [3.1, 3.2]]


@pytest.mark.parametrize(
    ("count", "dropped"),
    [(1, 0), (5, 0), (8, 0), (9, 1), (11, 1), (12, 2), (20, 5)],  # the table of the sign test at 5 %
)
def test_interval_of_the_median(count: int, dropped: int) -> None:
    values = [float(value) for value in range(count)]
    assert interval(values[::-1]) == (dropped, count - 1 - dropped)


def made(*cpus_s: float) -> list[Cost]:
    return [Cost(cpu_s, 2 * cpu_s) for cpu_s in cpus_s]


def test_ratios_are_those_of_pairs() -> None:
    """The machine was slower in the second and third turn; the medians of both sides are the same."""
    line, well = row("x", 1000, made(1, 2, 4), made(1.5, 2, 2), OFF_MOST)
    assert well
    assert line.split() == ["x", "2.00", "2.00", "1.000", "0.500-1.500", "0.50-1.50", "4.00", "4.00", "1.000"]


@pytest.mark.parametrize(("second_s", "over"), [(1.019, False), (1.021, True)])
def test_a_limit_that_is_missed_is_named(second_s: float, over: bool) -> None:
    line, well = row("x", 1000, made(1), made(second_s), OFF_MOST)
    assert line.endswith("OVER") == over == (not well)
    assert row("x", 1000, made(1), made(second_s), None)[1]


def test_only_the_same_bytes_are_compared() -> None:
    verify(150_000_000, 0, 150, with_hack=False)
    verify(150_000_000, 50_000, 150, with_hack=True)
    verify(1000, 0, NOTHING_MB, with_hack=True)
    with pytest.raises(RunError, match="of 150000000 bytes, 149999999 arrived"):
        verify(149_999_999, 0, 150, with_hack=False)
    with pytest.raises(RunError, match="no TCP ACK went with an answer"):
        verify(150_000_000, 0, 150, with_hack=True)
    with pytest.raises(RunError, match="3 TCP ACKs went with answers, though"):
        verify(150_000_000, 3, 150, with_hack=False)


def test_acks_of_all_pairs_count() -> None:
    assert compressed({"hack": [{"sent": {"acks": 5}}, {"sent": {"acks": 2}}]}) == 7
    assert compressed({}) == 0


LAB = """\
#!{python}
import json, pathlib, sys, time
words = sys.argv[1:]
out = pathlib.Path(words[words.index("--out") + 1])
work = pathlib.Path(words[2]).read_text()
size = int(work.split("'0', '")[-1].split("'")[0])
until_s = time.process_time() + (0.3 if size > 1000 else 0.1)
while time.process_time() < until_s:
    pass
(out / "raw").mkdir(parents=True)
(out / "wall.json").write_text(json.dumps({{"boot_wall_s": 0}}))
(out / "raw" / "medium.json").write_text(json.dumps({{"looks": [{{}}]}}))
(out / "raw" / "flow.err").touch()
(out / "raw" / "flow.out").write_text(json.dumps({{"arrived": size}}))
"""


def test_what_boot_takes_is_subtracted(tmp_path: Path) -> None:
    """A lab that computes 0.3 s for the bytes, and 0.1 s for nothing."""
    program = tmp_path / "lab"
    program.write_text(LAB.format(python=sys.executable))
    program.chmod(0o755)
    before_s = children_cpu_s()
    ((found,),) = costs(Download("", "client", 1, 10), [Side(str(program))], 1)
    assert found.cpu_s == pytest.approx(0.2, abs=0.08)
    assert children_cpu_s() - before_s > 0.6
