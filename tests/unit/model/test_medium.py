# SPDX-License-Identifier: MIT
"""``medium:`` as users write it, and how mistakes in it are reported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.model.build import build
from lab.model.document import parse
from lab.model.medium import ErrorTable, Medium, SnrBetween, SnrOneWay
from lab.model.mobility import MOBILITY
from lab.model.topology import Topology
from lab.phy import fading, propagation
from lab.reference.schema import schema
from tests.refused import refused

HEAD = "name: mine\nnodes:\n  ap1: {kind: ap, ssid: campus}\n"


def topology(text: str) -> Topology:
    return build(Topology, parse(HEAD + text, Path("mine.yaml"), "mine.yaml"))


def medium(keys: str = "") -> Medium:
    found = topology(f"medium: {{{keys}}}\n").medium
    assert found is not None
    return found


def refusal(text: str) -> str:
    return refused(topology, text)


def test_nothing_and_perfect_are_the_stock_medium() -> None:
    assert topology("").medium is None
    assert topology("medium: perfect\n").medium is None


def test_a_topology_without_a_medium_imports_no_numerics() -> None:
    code = "import sys, lab.plan.load as load; load.load('one-ap', 'idle'); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("errors", ["nist", "yans"])
def test_a_medium_is_planned_without_what_takes_longest_to_import(errors: str) -> None:
    settings = [f"medium.errors={errors}", "medium.fading={model: rayleigh}"]
    code = (
        f"import sys, lab.plan.load as load; load.load('walk', 'idle', 1, {settings}); sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_key_has_a_default() -> None:
    found = medium()
    assert (found.errors, found.bursts, found.noise_figure, found.energy_detection) == ("nist", False, 7.0, -62.0)
    assert (found.capture, found.longest_ppdu, found.retries, found.step) == (None, 5_484_000, None, 100_000_000)
    assert found.propagation.made() == propagation.load("logDistance")
    assert (found.fading, found.walls, found.snr) == (None, [], [])
    assert (found.latency, found.statistics) == (100_000, 1_000_000_000)


def test_quantities_are_held_in_base_units() -> None:
    found = medium(
        "errors: yans, bursts: true, noise_figure: 5 dB, energy_detection: -70 dBm, capture: 10 dB, "
        "longest_ppdu: 4 ms, retries: 7, step: 1 s, walls: [{from: [0 m, 500 cm], to: [10 m, 5 m], loss: 8 dB}]"
    )
    assert (found.errors, found.bursts, found.noise_figure, found.energy_detection) == ("yans", True, 5.0, -70.0)
    assert (found.capture, found.longest_ppdu, found.retries, found.step) == (10.0, 4_000_000, 7, 1_000_000_000)
    (wall,) = found.walls
    assert (wall.from_, wall.to, wall.loss) == ((0.0, 5.0), (10.0, 5.0), 8.0)


def test_kinds_take_the_parameters_that_lab_phy_has() -> None:
    assert medium("propagation: {model: logDistance, exp: 4, sL: 2}").propagation.made() == propagation.load(
        "logDistance", exp=4.0, sL=2.0
    )
    assert medium("propagation: {model: ITU, lF: 5 dB, nFloors: 2, pL: 30}").propagation.made() == propagation.load(
        "ITU", lF=5.0, nFloors=2, pL=30.0
    )
    rician = medium("fading: {model: rician, k: 6 dB, coherence: 10 ms}").fading
    assert rician is not None
    assert (rician.made(), rician.coherence) == (fading.load("rician", k_db=6.0), 10_000_000)
    nakagami = medium("fading: {model: nakagami, m: 2}").fading
    assert nakagami is not None
    assert (nakagami.made(), nakagami.coherence) == (fading.load("nakagami", m=2.0), None)


def test_every_kind_of_model_can_be_written() -> None:
    defined = schema("topology")["$defs"]
    models = [
        entry["properties"]["model"]["const"] for entry in defined.values() if "model" in entry.get("properties", {})
    ]
    assert sorted(models) == sorted((*propagation.known(), *fading.known(), *MOBILITY.known()))


def test_a_table_of_ones_own() -> None:
    found = medium("errors: {table: mine.csv}").errors
    assert isinstance(found, ErrorTable) and found.table == "mine.csv"


def test_levels_of_pairs_and_of_one_direction() -> None:
    both, one_way = medium("snr: [{between: [ap1, sta1], is: 30 dB}, {from: ap1, to: sta1, is: -5 dB}]").snr
    assert isinstance(both, SnrBetween) and isinstance(one_way, SnrOneWay)
    assert (both.directed(), both.is_) == ([("ap1", "sta1"), ("sta1", "ap1")], 30.0)
    assert (one_way.directed(), one_way.is_) == ([("ap1", "sta1")], -5.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "medium: prefect\n",
            'mine.yaml:4  medium: "prefect" is not a valid medium (did you mean perfect?); write perfect, or a mapping '
            "({} takes every default)",
        ),
        (
            "medium:\n",
            "mine.yaml:4  medium: nothing is not a valid medium; write perfect, or a mapping ({} takes every default)",
        ),
        (
            "medium:\n  stp: 5 ms\n",
            'mine.yaml:5  medium.stp: unknown key "stp" (did you mean step?); known keys: errors, bursts, propagation, '
            "fading, fading_behind_walls, walls, shadowing, outages, snr, noise_figure, energy_detection, "
            "propagation_delay, capture, longest_ppdu, retries, latency, clock_accuracy, statistics, step",
        ),
        (
            "medium:\n  fading_behind_walls: {model: rayleigh}\n",
            "mine.yaml:5  medium.fading_behind_walls: needs walls; add walls:, or write fading: for all links",
        ),
        (
            "medium:\n  outages: [{between: [ap1, sta1], every: 60 s}]\n",
            "mine.yaml:5  medium.outages.0.lasts: is missing (mean duration, exponentially distributed)",
        ),
        (
            "medium:\n  shadowing: {deviation: 5 dB, distance: 0 m}\n",
            'mine.yaml:5  medium.shadowing.distance: "0 m" is too small; the minimum is 10 cm',
        ),
        (
            "medium:\n  errors: nst\n",
            'mine.yaml:5  medium.errors: unknown error model "nst" (did you mean nist?); known: nist, yans, '
            "{table: FILE.csv}",
        ),
        ("medium:\n  errors: table\n", "mine.yaml:5  medium.errors: a table needs its file; write {table: FILE.csv}"),
        (
            "medium:\n  propagation: {model: logdistance}\n",
            'mine.yaml:5  medium.propagation.model: unknown propagation model "logdistance" (did you mean '
            "logDistance?); known: ITU, friis, logDistance, logNormalShadowing, twoRayGround",
        ),
        (
            "medium:\n  propagation: friis\n",
            "mine.yaml:5  medium.propagation: must be a mapping, such as {model: friis}",
        ),
        (
            "medium:\n  propagation: {exp: 3}\n",
            'mine.yaml:5  medium.propagation: "model" is missing; write one of ITU, friis, logDistance, '
            "logNormalShadowing, "
            "twoRayGround",
        ),
        (
            "medium:\n  propagation:\n    model: friis\n    exp: 3\n",
            'mine.yaml:7  medium.propagation.exp: unknown key "exp"; known keys: model, sL',
        ),
        (
            "medium:\n  propagation: {model: logDistance, exp: 25}\n",
            "mine.yaml:5  medium.propagation.exp: 25 is out of bounds; write a number from 0 to 20",
        ),
        (
            "medium:\n  propagation: {model: logDistance, exp: 3 dB}\n",
            'mine.yaml:5  medium.propagation.exp: must be a number, not "3 dB"',
        ),
        (
            "medium:\n  propagation: {model: logNormalShadowing, variance: 4}\n",
            'mine.yaml:5  medium.propagation.variance: "4" has no unit; write 4 dB',
        ),
        (
            "medium:\n  fading: {model: ricean, k: 6 dB}\n",
            'mine.yaml:5  medium.fading.model: unknown fading "ricean" (did you mean rician?); known: nakagami, '
            "none, rayleigh, rician",
        ),
        (
            "medium:\n  fading: {model: rician}\n",
            "mine.yaml:5  medium.fading.k: is missing (power ratio of the direct wave to all echoes)",
        ),
        (
            "medium:\n  fading: {model: rician, k: 50 dB}\n",
            "mine.yaml:5  medium.fading.k: 50 dB is out of bounds; write a number from -40 to 40 dB",
        ),
        (
            "medium:\n  fading: {model: rayleigh, coherence: 1500 ns}\n",
            "mine.yaml:5  medium.fading.coherence: 1.5 us is not a whole number of µs, the resolution of the medium",
        ),
        (
            "medium:\n  walls:\n    - {from: [0 m, 0 m], to: [0 m, 0 m], loss: 8}\n",
            'mine.yaml:6  medium.walls.0.loss: "8" has no unit; write 8 dB',
        ),
        (
            "medium:\n  walls:\n    - {from: [0 m, 0 m], to: [0 m, 0 m], loss: 8 dB}\n",
            "mine.yaml:6  medium.walls.0.to: is the same point as from; give the wall a length",
        ),
        (
            "medium:\n  snr: [{is: 30 dB}]\n",
            "mine.yaml:5  medium.snr.0: must be {between: [ap1, sta1], is: 30 dB} or {from: ap1, to: sta1, is: 30 dB}",
        ),
        (
            "medium:\n  snr: [{between: [ap1, sta1], is: 300 dB}]\n",
            'mine.yaml:5  medium.snr.0.is: "300 dB" is too large; the maximum is 200 dB',
        ),
        ("medium:\n  noise_figure: 7\n", 'mine.yaml:5  medium.noise_figure: "7" has no unit; write 7 dB'),
        (
            "medium:\n  energy_detection: -62 dB\n",
            'mine.yaml:5  medium.energy_detection: "-62 dB": dB measures a ratio of powers, not a power; '
            "a power is written in dBm",
        ),
        (
            "medium:\n  longest_ppdu: 6 ms\n",
            'mine.yaml:5  medium.longest_ppdu: "6 ms" is too large; the maximum is 5484 us',
        ),
        (
            "medium:\n  retries: 0\n",
            "mine.yaml:5  medium.retries: 0 is out of range; write 1 to 255, "
            "or leave retries out for rate control to decide",
        ),
        (
            "medium:\n  latency: 11 ms\n",
            'mine.yaml:5  medium.latency: "11 ms" is too large; the maximum is 10 ms',
        ),
        (
            "medium:\n  latency: 20500 ns\n",
            "mine.yaml:5  medium.latency: 20.5 us is not a whole number of µs, the resolution of the medium",
        ),
        ("medium:\n  statistics: 5\n", 'mine.yaml:5  medium.statistics: "5" has no unit; write 5 s'),
        (
            "medium:\n  statistics: 0 s\n",
            'mine.yaml:5  medium.statistics: "0 s" is too small; the minimum is 1 ms',
        ),
        ("medium:\n  bursts: 1\n", 'mine.yaml:5  medium.bursts: must be true or false, not "1"'),
        (
            "timeline:\n  - {at: 1 s, move: ap1, to: [1 m, 1 m, 1 m], speed: 5}\n",
            'mine.yaml:5  timeline.0.speed: "5" has no unit; write 5 m/s',
        ),
        (
            "timeline:\n  - {at: 1 s, move: ap1, to: [1 m, 1 m, 1 m], speed: 0 m/s}\n",
            'mine.yaml:5  timeline.0.speed: "0 m/s" is too small; the minimum is 0.001 m/s',
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    assert refusal(text) == message


def test_several_mistakes_are_reported_together() -> None:
    text = refusal("medium:\n  step: 5\n  fading: {model: rician, k: 6}\n  walls: [{}]\n")
    assert [line.split(": ")[0] for line in text.splitlines()] == [
        "mine.yaml:5  medium.step",
        "mine.yaml:6  medium.fading.k",
        "mine.yaml:7  medium.walls.0.from",
        "mine.yaml:7  medium.walls.0.to",
        "mine.yaml:7  medium.walls.0.loss",
    ]
