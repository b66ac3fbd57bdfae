# SPDX-License-Identifier: MIT
"""Sensitivity: ranges, drawn places, what they set, the shares of places, and what claims follow."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from lab.drawing.marks import HeatCell
from lab.errors import InputError
from lab.experiments.file import resolve
from lab.experiments.run.trials import trial
from lab.experiments.types import Claim, Experiment, Repetitions, TrialOutcome
from lab.experiments.variations import show
from lab.experiments.variations.changes import in_all
from lab.experiments.variations.judged import Held, Judged, Sensitivity, in_places
from lab.experiments.variations.uncertain import Parameter, known_parameters, parameters, places
from lab.plan.load import load as load_plan
from tests.unit.experiments.files import EXPERIMENT, TOPOLOGY, WORKLOAD

UNCERTAIN = """\
uncertain:
  power: {keys: [nodes.ap1.txpower, nodes.ap2.txpower], from: 12 dBm, to: 18 dBm, source: datasheets}
  delay: {keys: links.1.delay, from: 1 ms, to: 100 ms, spacing: log, source: a guess}
"""
OWN = """\
uncertain:
  retries: {keys: [medium.retries], values: ["4", "7"], source: drivers}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path


def write(folder: Path, topology: str = UNCERTAIN, own: str = OWN) -> None:
    (folder / "place.yaml").write_text(TOPOLOGY + topology)
    (folder / "load.yaml").write_text(WORKLOAD)
    (folder / "mine.yaml").write_text(EXPERIMENT + own)


def found() -> tuple[Experiment, tuple[Parameter, ...]]:
    experiment = resolve.load("mine.yaml")
    return experiment, known_parameters(experiment)


def test_the_parameters_of_topology_and_experiment(here: Path) -> None:
    _, (power, delay, retries) = found()
    assert (power.name, power.range, power.source) == ("power", "12 dBm to 18 dBm", "datasheets")
    assert [power.at(share)[0] for share in (0.0, 0.5, 0.999)] == ["12 dBm", "15 dBm", "17.99 dBm"]
    assert [delay.at(share)[0] for share in (0.0, 0.5)] == ["1 ms", "10 ms"]
    assert [retries.at(share) for share in (0.0, 0.49, 0.5)] == [("4", 0.0), ("4", 0.0), ("7", 1.0)]
    assert power.where == "place.yaml:12"


def test_a_whole_number_stays_whole(here: Path) -> None:
    write(here, 'uncertain: {map: {keys: medium.shadowing.map, from: "1", to: "9", source: x}}\n', "")
    (chosen,) = found()[1]
    assert [chosen.at(share)[0] for share in (0.0, 0.3, 0.999)] == ["1", "3", "9"]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "{keys: a, from: much, to: 18 dBm, source: x}",
            '"much" is not a number; write for example 12 dBm, or values:',
        ),
        ("{keys: a, from: 12 dBm, to: 18 ms, source: x}", '"18 ms" and "12 dBm" have units of different dimensions'),
        ("{keys: a, from: 12 dBm, to: 2 dBm, source: x}", "2 dBm is not above from: 12 dBm; write the larger value"),
        ("{keys: a, from: 0 ms, to: 2 ms, spacing: log, source: x}", "0 ms is not above 0, as spacing: log requires"),
        ("{keys: a, from: 0 ms, source: x}", "needs either from and to (such as 12 dBm and 18 dBm) or values (a list)"),
        ("{keys: a, from: 0 ms, to: 2 ms}", "source: is missing"),
    ],
)
def test_ranges_that_cannot_be(here: Path, written: str, message: str) -> None:
    write(here, f"uncertain: {{power: {written}}}\n")
    with pytest.raises(InputError) as failure:
        found()
    assert str(failure.value).startswith("place.yaml:11  uncertain.power") and message in str(failure.value)


def test_without_parameters_it_says_what_to_write(here: Path) -> None:
    write(here, "", "")
    with pytest.raises(
        InputError, match=r"neither mine nor its topology says what is uncertain\n  write uncertain: into"
    ):
        parameters(resolve.load("mine.yaml"))


def test_some_parameters_are_selected(here: Path) -> None:
    experiment, _ = found()
    assert [one.name for one in parameters(experiment, ("retries", "power"))] == ["power", "retries"]
    with pytest.raises(InputError, match=r'--vary: unknown parameter "powr" \(did you mean power\?\); known: '):
        parameters(experiment, ("powr",))


def test_places_are_a_latin_hypercube(here: Path) -> None:
    _, known = found()
    drawn = places(known, 20, 1)
    powers = sorted(place.numbers["power"] for place in drawn)
    assert all(12 + 0.3 * number <= power + 0.01 <= 12.32 + 0.3 * number for number, power in enumerate(powers))
    assert sum(place.values["retries"] == "7" for place in drawn) == 10
    assert drawn == places(known, 20, 1) != places(known, 20, 2)
    with pytest.raises(InputError, match="--sensitivity 1: write 2 to 1000 places"):
        places(known, 1, 1)


def test_each_point_is_run_in_each_place(here: Path) -> None:
    experiment, known = found()
    drawn = places(known, 3, 1)
    whole = in_all(experiment, [place.at for place in drawn], Repetitions(2, 2))
    assert len(whole.points) == 3 * len(experiment.points) and whole.repetitions.most == 2
    point = whole.points[len(experiment.points) + 1]
    plan = load_plan(point.topology, point.workload, 1, point.overrides, locations=point.locations, draft=True)
    powers = {node.name: node.radio.txpower_dbm for node in plan.nodes if node.radio}
    assert powers["ap1"] == powers["ap2"] == float(drawn[1].values["power"].split()[0])
    assert point.locations["nodes.ap1.txpower"] == "place.yaml:12"
    seeds = {trial(whole, one, 0).seed for one in whole.points}
    assert len(seeds) == 3 and 1 not in seeds  # each place has its own


def test_what_the_grid_varies_is_not_overridden(here: Path) -> None:
    write(here, "uncertain: {delay: {keys: links.0.delay, from: 1 ms, to: 9 ms, source: x}}\n", "")
    experiment, known = found()
    whole = in_all(experiment, [place.at for place in places(known, 2, 1)])
    assert [text for text in whole.points[0].overrides if text.startswith("links.0")] == ["links.0.delay=5 ms"]
    with pytest.raises(InputError, match="the experiment itself sets all that is uncertain, so nothing is left"):
        parameters(experiment)


def test_values_are_whole_where_a_quantity_has_a_smallest_unit(here: Path) -> None:
    write(here, "uncertain: {size: {keys: processes.load.run.size, from: 100 B, to: 500 B, source: x}}\n", "")
    (size,) = found()[1]
    assert [size.at(share)[0] for share in (0.0, 0.118, 0.5)] == ["100 B", "147 B", "300 B"]


def test_a_parameter_of_a_topology_is_not_set_in_others(here: Path) -> None:
    (here / "other.yaml").write_text(TOPOLOGY.replace("name: place", "name: other"))
    text = EXPERIMENT.replace("topology: place.yaml", 'topology: "{where}.yaml"')
    text = text.replace("grid:\n", "grid:\n  where: [place, other]\n")
    (here / "mine.yaml").write_text(text.replace("by: roaming}\npaper", "by: roaming, where: {where: place}}\npaper"))
    experiment, known = found()
    whole = in_all(experiment, [place.at for place in places(known, 2, 1)])
    powers = {one.topology: any("txpower" in text for text in one.overrides) for one in whole.points}
    assert powers == {"place.yaml": True, "other.yaml": False}


def test_a_key_of_two_parameters_is_refused(here: Path) -> None:
    write(here, UNCERTAIN, "uncertain: {mine: {keys: links.1.delay, from: 1 ms, to: 2 ms, source: x}}\n")
    with pytest.raises(InputError, match=r"mine.yaml:\d+  links.1.delay is also a key of delay \(place.yaml:13\)"):
        found()


def test_values_without_an_order_have_no_correlation(here: Path) -> None:
    write(here, UNCERTAIN.replace("source: datasheets", "ordered: false, source: datasheets"))
    assert {one.parameter for one in sensitivity(here).held[0].correlations} == {"delay", "retries"}


def sensitivity(here: Path, count: int = 40) -> Sensitivity:
    """The claim holds where the power is above 15 dBm, and hangs on nothing else; one trial fails."""
    experiment, known = found()
    experiment = replace(
        experiment,
        claims=(
            Claim("quick is better", "all(throughput[quick] > throughput[never])"),
            Claim("always", "all(throughput[quick] > 0 Mbit/s)"),
        ),
    )
    drawn = places(known, count, 1)
    chance = random.Random(1)
    outcomes = []
    for place in drawn:
        for point in experiment.points:
            gain = place.numbers["power"] - 15 if point.labels["roaming"] == "quick" else 0
            value = 10 + gain + chance.gauss(0, 0.01)
            fails = place.number == 0 and point.number == 0
            number = place.number * len(experiment.points) + point.number
            error = "it failed" if fails else None
            values: dict[str, float | None] = {} if fails else {"throughput": value, "delay": 1.0}
            outcomes.append(
                TrialOutcome(number, 1, f"{number:064x}", "lab run", values, error, None, 1.0, 1.0, cached=False)
            )
    return in_places(experiment, known, drawn, outcomes, 1)


def test_shares_and_correlations(here: Path) -> None:
    analysed = sensitivity(here)
    better, always = analysed.held
    assert (better.evaluated, better.holds, analysed.failed) == (39, 20, 1)
    assert better.interval == pytest.approx((0.361, 0.661), abs=0.002)  # Wilson, 20 of 39
    assert [one.parameter for one in better.reasons] == ["power"] and better.reasons[0].rho > 0.99
    assert always.share == 1.0
    assert always.interval == pytest.approx((0.912, 1.0), abs=0.002)


def test_a_share_of_nothing() -> None:
    held = Held(Claim("c", "x"), (Judged(None, None, "no c"),) * 2, ())
    assert (held.share, held.interval, held.reasons) == (None, None, [])


def test_tables_and_files(here: Path) -> None:
    analysed = sensitivity(here)
    section = show.of_places(analysed)
    claims, ranges = section.tables
    assert claims.title == "In 40 plausible places, 1 trial of each point" and claims.remark == "1 trial failed."
    assert [row["holds"] for row in claims.rows] == ["20 of 39 (51 %), 1 without a value", "40 of 40 (100 %)"]
    assert claims.rows[0]["interval"] == "36 to 66 %" and claims.rows[0]["follows"].startswith("power +")
    assert ranges.rows[2] == {"parameter": "retries", "range": "4, 7", "source": "drivers"}
    lines = list(csv.DictReader(section.files["sensitivity.csv"].splitlines()))
    assert len(lines) == 40 and lines[0]["holds quick is better"] == ""
    assert {line["holds quick is better"] for line in lines[1:]} == {"true", "false"}
    document = json.loads(section.files["sensitivity.json"])
    assert (
        document == json.loads(json.dumps(section.document))
        and document["claims"][0]["holds"] == 20
        and document["parameters"][0]["keys"][0] == "nodes.ap1.txpower"
    )
    assert section.written == ["sensitivity.json", "sensitivity.csv", "sensitivity.svg"]


def test_the_figure_has_a_row_for_each_parameter(here: Path) -> None:
    chart = show.chart(sensitivity(here))
    (panel,) = chart.panels
    assert panel.axes.y.names == ("retries", "delay", "power", "holds in")
    texts = {(mark.column, mark.row): mark.text for mark in panel.axes.marks if isinstance(mark, HeatCell)}
    assert (texts[0, 3], texts[1, 3], texts[0, 1]) == ("51 %", "100 %", "")
    assert texts[0, 2].startswith("+0.9") or texts[0, 2] == "+1.00"
