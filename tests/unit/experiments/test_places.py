# SPDX-License-Identifier: MIT
"""One experiment in several places: the same grid in each, side by side."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from lab.drawing.marks import Bar, HeatCell
from lab.errors import InputError
from lab.experiments.command import ReproduceOptions, assemble, reproduce
from lab.experiments.file.grid import trials
from lab.experiments.output import figures, files, tables
from lab.experiments.run.engine import SweepResult
from lab.experiments.types import Experiment, FigureSpec, Results, TrialOutcome

from . import files as samples

TWO = "places:\n  yard: {}\n  hall: {topology: hall.yaml, set: {links.0.delay: 9 ms}}\ngrid:\n"
AGAIN = '  - {name: falls, that: "falling(throughput[never])", guess: the walls}\n'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hall.yaml").write_text(samples.TOPOLOGY.replace("name: place", "name: hall"))


def written(places: str = TWO) -> str:
    return samples.changed(("grid:\n", places), ("{ci95: 5%, from: 3, at_most: 9}", "2")) + AGAIN


def experiment(places: str = TWO, only: tuple[str, ...] = ()) -> Experiment:
    return samples.loaded(written(places), only=only)


def throughput(labels: Mapping[str, str], seed: int) -> float:
    """In the yard, quick is better and throughput falls; in the hall, neither."""
    metres, quick = float(labels["distance"].split()[0]), labels["roaming"] == "quick"
    return seed / 10 + (20 - metres + 3 * quick if labels["place"] == "yard" else metres - quick)


def results(of: Experiment | None = None) -> Results:
    of = of or experiment()
    outcomes = [
        TrialOutcome(
            point.number,
            seed,
            "",
            f"lab run --seed {seed}",
            {"throughput": throughput(point.labels, seed), "delay": 5.0},
            None,
            None,
            5.0,
            1.0,
            cached=False,
        )
        for point in of.points
        for seed in (1, 2)
    ]
    return assemble(of, SweepResult(tuple(outcomes), {}, {}), "lab reproduce mine", 1.0)


def test_the_whole_grid_is_in_each_place() -> None:
    found = experiment()
    assert (found.places, [axis.name for axis in found.axes]) == (("yard", "hall"), ["place", "distance", "roaming"])
    assert trials(found) == 2 * 3 * 2 * 2 and [point.number for point in found.points] == list(range(12))
    yard, hall = found.points[1], found.points[7]
    assert hall.labels == {"place": "hall", "distance": "2 m", "roaming": "quick"}
    assert (yard.topology, hall.topology) == ("place.yaml", "hall.yaml")
    assert yard.overrides[0] == "links.0.delay=5 ms" and hall.overrides[0] == "links.0.delay=9 ms"
    assert yard.overrides[1:] == hall.overrides[1:]
    assert set(found.contents.files["topology"]) == {"place.yaml", "hall.yaml"}


def test_a_place_is_as_if_there_were_no_others() -> None:
    alone, both = experiment("grid:\n"), experiment()
    assert alone.places == () and "place" not in alone.points[0].labels
    assert both.in_place("yard").points == alone.points and both.in_place("yard").axes == alone.axes
    one = experiment(only=("place=hall",))
    assert one.points == both.in_place("hall").points and one.places == () and one.about.endswith(" Place: hall.")
    assert [found.point.number for found in results(both).by_place()["hall"].rows] == list(range(6))


@pytest.mark.parametrize(
    ("places", "reported"),
    [
        ("places: {yard: {}}\ngrid:\n", "places: has one place; write its topology and set: without places:"),
        ("places: {yard: {}, hall: {}}\ngrid:\n", "places.hall: sets the same as yard; remove one of them"),
        ("places: {a: {}, b: {topology: c.yaml}}\ngrid:\n", "places.b.topology: c.yaml does not exist"),
        ("places: {a: {}, b: {topology: '{c}.yaml'}}\ngrid:\n", "places.b.topology: unknown axis {c}"),
        ("places: {a: {}, b: {set: {links.0.delay: 5}}}\ngrid:\n", 'places.b.set.links.0.delay: "5" has no unit'),
        (f"{TWO}  place: {{x: {{}}, y: {{links.0.loss: 1%}}}}\n", "grid.place: is the name of the axis of places:"),
    ],
)
def test_mistakes(places: str, reported: str) -> None:
    with pytest.raises(InputError) as caught:
        experiment(places)
    assert reported.replace("places.b.set.", "") in str(caught.value)


def test_claims_are_judged_in_each_place() -> None:
    found = results()
    judged = [(one.claim.name, one.place, one.passed) for one in found.verdicts]
    assert judged == [
        ("quick is better", "yard", True),
        ("quick is better", "hall", False),
        ("falls", "yard", True),
        ("falls", "hall", False),
    ]
    assert not found.passed and tables.verdict(found) == "Claims that hold: yard 2 of 2 | hall 0 of 2"
    table = tables.claims(found)
    assert [column.heading for column in table.columns] == [
        "yard",
        "hall",
        "claim",
        "value",
        "expected",
        "the paper says",
    ]
    first = table.rows[0]
    assert (first["passed yard"], first["passed hall"]) == (True, False)
    assert first["value"].startswith("yard: holds at all 3 points; ") and "\nhall: holds at none of 3" in first["value"]
    assert table.rows[1]["reasons"] == ["A guess, not tested: the walls"]
    held = replace(found, verdicts=tuple(replace(one, passed=True) for one in found.verdicts))
    assert tables.verdict(held) == "All 2 claims hold in all 2 places, after 24 trials"


OF_PLACES = '  - {name: falls, that: "falling(throughput[never])", guess: {hall: the walls, yard: the wind}}\n'


def test_a_reason_of_one_place_is_shown_where_the_claim_fails_there() -> None:
    found = results(samples.loaded(written().replace(AGAIN, OF_PLACES)))
    assert tables.claims(found).rows[1]["reasons"] == ["hall: A guess, not tested: the walls"]
    assert [one["guess"] for one in files.as_json(found)["claims"]][2] == {"hall": "the walls", "yard": "the wind"}
    assert "A guess, not tested: the walls" in files.junit(found)
    assert "the wind" not in files.junit(found), "it holds there"
    alone = samples.loaded(written().replace(AGAIN, OF_PLACES), only=("place=hall",))
    assert alone.claims[1].reasons() == ["A guess, not tested: the walls"]


@pytest.mark.parametrize(
    ("places", "reported"),
    [
        (TWO, 'claims.1.guess.hal: unknown place "hal" (did you mean hall?); known: yard, hall'),
        ("grid:\n", "claims.1.guess.hal: is of a place, but the experiment has none; write the text alone"),
    ],
)
def test_a_reason_of_an_unknown_place(places: str, reported: str) -> None:
    with pytest.raises(InputError) as caught:
        samples.loaded(written(places).replace(AGAIN, OF_PLACES.replace("{hall: the walls, yard", "{hal")))
    assert reported in str(caught.value)


def test_tables_have_a_column_for_each_place() -> None:
    table = tables.means(results())[0]
    assert [table.heading(column) for column in table.columns] == [
        "distance", "roaming", "paper", "yard", "yard: ours / paper", "hall", "hall: ours / paper"
    ]  # fmt: skip
    assert len(table.rows) == 6
    quick = table.rows[3]
    assert [column.text(quick) for column in table.columns] == [
        "4 m", "quick", "0.005", "19.15 ± 0.64", "3830", "3.15 ± 0.64", "630"
    ]  # fmt: skip


def test_figures_have_a_panel_for_each_place() -> None:
    (chart,) = figures.charts(results())
    assert [panel.axes.title for panel in chart.panels] == ["yard", "hall"]
    first, second = ([mark for mark in panel.axes.marks if isinstance(mark, Bar)] for panel in chart.panels)
    assert next(bar.dot.y for bar in first if not bar.published) == pytest.approx(18.15)
    assert next(bar.dot.y for bar in second if not bar.published) == pytest.approx(2.15)
    assert [key.label for key in chart.legend if not isinstance(key, tuple)][:2] == ["never", "quick"]
    assert chart.about.startswith("Mean of throughput, 2 trials per point")


def test_scales_are_those_of_all_places_and_remarks_have_the_place() -> None:
    found = results()
    gone = tuple(row for row in found.rows if row.point.labels["place"] == "yard")
    cdf = FigureSpec("cdf", "", "throughput", "", "roaming")
    (chart,) = figures.charts(replace(found, experiment=replace(found.experiment, figures=(cdf,))))
    yard, hall = (panel.axes.x for panel in chart.panels)
    assert (yard.low, yard.high) == (hall.low, hall.high) and yard.low < 1.1 and yard.high > 21
    (chart,) = figures.charts(replace(found, rows=gone))
    assert [warning.split(",")[0] for warning in chart.warnings] == ["Hall: Missing"]
    assert chart.about.startswith("Yard: Mean of throughput, 2 trials per point. ") and " Hall: Mean of" in chart.about


def test_a_heat_map_has_one_ramp() -> None:
    found = results()
    heat = FigureSpec("heat-map", "", "distance", "roaming", value="throughput")
    (chart,) = figures.charts(replace(found, experiment=replace(found.experiment, figures=(heat,))))
    assert [panel.axes.title for panel in chart.panels] == ["yard", "hall"]
    shares = [mark.share for panel in chart.panels for mark in panel.axes.marks if isinstance(mark, HeatCell)]
    assert min(shares[:6], key=lambda share: share or 0.0) != 0 and 0 in shares[6:] and 1 in shares[:6]


def test_files_name_the_place(tmp_path: Path) -> None:
    page = files.write(results(), tmp_path, formats=[]).read_text()
    found = files.read(tmp_path)
    assert [one["place"] for one in found["claims"]] == ["yard", "hall"] * 2
    assert found["rows"][6]["place"] == "hall" and found["axes"][0]["name"] == "place"
    lines = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text())))
    assert [line["place"] for line in lines if line["metric"] == "delay"] == ["yard"] * 6 + ["hall"] * 6
    names = [case.attrib["name"] for case in ET.parse(tmp_path / "junit.xml").getroot().iter("testcase")]
    assert names[:2] == ["quick is better (yard)", "quick is better (hall)"]
    assert "<th>yard</th><th>hall</th><th>claim</th>" in page and "<b>2 of 2 | 0 of 2</b>" in page
    assert '<th>set in hall</th><td class="hash">links.0.delay=9 ms</td>' in page


def test_variations_need_one_place() -> None:
    Path("place.yaml").write_text(samples.TOPOLOGY)
    Path("load.yaml").write_text(samples.WORKLOAD)
    Path("mine.yaml").write_text(written())
    with pytest.raises(InputError, match="--one-at-a-time judges claims in one place; add --only place=yard or --only"):
        reproduce(ReproduceOptions("mine.yaml", changed_at_a_time=1))
