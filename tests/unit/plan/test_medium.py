# SPDX-License-Identifier: MIT
"""The medium of a plan: levels by hand, moves, streams, tables, and what cannot be."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lab.cli.check import check
from lab.errors import InputError
from lab.phy.curves import CURVES, NAMED
from lab.phy.error_models import load as error_model
from lab.phy.error_rates import hazard
from lab.plan.medium.snr import frequency_mhz
from lab.shared.medium_types import ErrorCurve, Medium, MediumLink, MediumUpdate, unpacked
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
S = 10**9
ONE = 2**60


def topology(medium: str, *nodes: str, timeline: str = "") -> str:
    listed = nodes or (
        "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
        "sta1: {kind: sta, position: [100 m, 0 m, 0 m]}",
    )
    text = "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in listed) + f"medium: {medium}\n"
    return text + (f"timeline:\n  - {{{timeline}}}\n" if timeline else "")


def medium(plans: Plans, text: str, seed: int = 1) -> Medium:
    plan = plans(text, WORKLOAD, seed)
    assert plan.medium is not None
    assert Plan.from_json(plan.to_json()) == plan
    return plan.medium


def levels(found: Medium) -> dict[tuple[str, str], int]:
    names = found.names()
    return {(names[link.transmitter], names[link.receiver]): snr_mb for link, snr_mb in found.levels(found.links)}


def refusal(plans: Plans, text: str) -> str:
    return refused(plans, text, WORKLOAD)


FREE = "{propagation: {model: friis}}"


def test_the_stock_medium_is_not_mentioned(plans: Plans) -> None:
    plan = plans(topology("perfect"), WORKLOAD)
    assert plan.medium is None and "medium" not in json.loads(plan.to_json())


def test_without_a_radio_there_is_no_medium(plans: Plans) -> None:
    assert plans(topology("{}", "h1: {kind: host}"), WORKLOAD).medium is None


# Levels


def test_free_space_by_hand(plans: Plans) -> None:
    # 20 dBm - 80.0953 dB (friis at 100 m, 2412 MHz) + 93.9897 dBm (noise of 20 MHz and 7 dB) = 33.8944 dB
    found = medium(plans, topology(FREE))
    assert levels(found) == {("ap1", "sta1"): 3389, ("sta1", "ap1"): 3389}
    assert [radio.noise_mbm for radio in found.radios] == [-9399, -9399]


def test_log_distance_by_hand(plans: Plans) -> None:
    # 40.0953 + 30 log 100 = 100.0953 dB: 20 - 100.0953 + 93.9897 = 13.8944 dB; with exponent 4, 20 dB less
    assert levels(medium(plans, topology("{}")))["ap1", "sta1"] == 1389
    assert levels(medium(plans, topology("{propagation: {model: logDistance, exp: 4}}")))["ap1", "sta1"] == -611


def test_power_gains_noise_and_walls_count(plans: Plans) -> None:
    found = medium(
        plans,
        topology(
            "{propagation: {model: friis}, noise_figure: 5 dB, "
            "walls: [{from: [50 m, -1 m], to: [50 m, 1 m], loss: 8 dB}]}",
            "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m], txpower: 14 dBm, antenna_gain: 5 dBi}",
            "sta1: {kind: sta, position: [100 m, 0 m, 0 m], antenna_gain: 1 dBi}",
        ),
    )
    # 33.8944 + 5 + 1 (gains) + 2 (less noise) - 8 (wall) = 33.8944 dB from sta1 with 20 dBm, 6 dB less from ap1
    assert levels(found) == {("ap1", "sta1"): 2789, ("sta1", "ap1"): 3389}
    assert found.radios[0].noise_mbm == -9599
    assert [(wall.from_m, wall.to_m, wall.loss_db) for wall in found.walls] == [([50.0, -1.0], [50.0, 1.0], 8.0)]


def test_a_pair_is_on_the_access_points_channel(plans: Plans) -> None:
    found = medium(
        plans,
        topology(
            FREE,
            "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
            "ap2: {kind: ap, ssid: campus, mode: a, channel: 36, position: [200 m, 0 m, 0 m]}",
            "sta1: {kind: sta, position: [100 m, 0 m, 0 m]}",
            "sta2: {kind: sta, position: [100 m, 100 m, 0 m]}",
        ),
    )
    # at 5180 MHz 86.7346 dB: 20 - 86.7346 + 93.9897 = 27.2551
    here = levels(found)
    assert here["ap1", "sta1"] == here["sta1", "ap1"] == here["sta1", "sta2"] == 3389
    assert here["ap2", "sta1"] == here["sta1", "ap2"] == 2726
    # 200 m: 6.0206 dB less; between access points the transmitter's channel
    assert (here["ap1", "ap2"], here["ap2", "ap1"]) == (2787, 2123)


def test_stations_of_two_networks_meet_on_the_transmitters_channel(plans: Plans) -> None:
    plan = plans(
        topology(
            "perfect",
            "ap1: {kind: ap, ssid: a, channel: 6}",
            "ap2: {kind: ap, ssid: b, mode: a, channel: 36}",
            "sta1: {kind: sta, ssid: a}",
            "sta2: {kind: sta, ssid: b}",
        ),
        WORKLOAD,
    )
    one, other = plan.node("sta1").radio, plan.node("sta2").radio
    assert one is not None and other is not None
    assert (frequency_mhz(one, other), frequency_mhz(other, one)) == (2437, 5180)


def test_who_has_no_position_is_heard_at_40_db(plans: Plans) -> None:
    found = medium(
        plans,
        topology(
            FREE,
            "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
            "sta1: {kind: sta, position: [100 m, 0 m, 0 m]}",
            "sta2: {kind: sta}",
        ),
    )
    here = levels(found)
    assert here["ap1", "sta1"] == 3389
    assert {level for pair, level in here.items() if "sta2" in pair} == {4000} and len(here) == 6


def test_what_is_said_stands_and_one_direction_before_both(plans: Plans) -> None:
    found = medium(
        plans,
        topology(
            "{snr: [{from: ap1, to: sta1, is: 20 dB}, {between: [ap1, sta1], is: 30.5 dB}, "
            "{between: [sta2, sta1], is: -10 dB}]}",
            "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
            "sta1: {kind: sta, position: [100 m, 0 m, 0 m]}",
            "sta2: {kind: sta}",
        ),
    )
    assert levels(found) == {
        ("ap1", "sta1"): 2000,
        ("sta1", "ap1"): 3050,
        ("sta1", "sta2"): -1000,
        ("sta2", "sta1"): -1000,
        ("ap1", "sta2"): 4000,
        ("sta2", "ap1"): 4000,
    }


def test_no_level_is_beyond_what_the_kernel_takes(plans: Plans) -> None:
    far = medium(
        plans,
        topology(
            "{}",
            "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m], txpower: 100 dBm, antenna_gain: 50 dBi}",
            f"sta1: {{kind: sta, position: [{'9' * 30} km, 0 m, 0 m], txpower: 100 dBm}}",
            "sta2: {kind: sta, position: [0 m, 0 m, 0 m]}",
        ),
    )
    assert levels(far)["ap1", "sta1"] == -20000
    assert levels(far)["ap1", "sta2"] == 20000


# Moves


def test_a_jump_is_one_update(plans: Plans) -> None:
    found = medium(plans, topology(FREE, timeline="at: 5 s, move: sta1, to: [10 m, 0 m, 0 m]"))
    assert found.updates == [MediumUpdate(5 * S, [MediumLink(0, 1, -6010, 0, 0), MediumLink(1, 0, -6010, 0, 0)])]


def test_frames_take_time_to_travel(plans: Plans) -> None:
    # 300 m and 600 m at 0.29979 m/ns; by default they take none
    text = topology(
        "{propagation: {model: friis}, propagation_delay: true}", timeline="at: 5 s, move: sta1, to: [600 m, 0 m, 0 m]"
    )
    text = text.replace("[100 m,", "[300 m,")
    found = medium(plans, text)
    assert [link.delay_ns for link in found.links] == [1001, 1001]
    assert [link.delay_ns for link in found.updates[0].links] == [2001, 2001]
    assert {link.delay_ns for link in medium(plans, text.replace("true", "false")).links} == {0}


def test_nodes_too_far_for_frames_to_arrive_in_time(plans: Plans) -> None:
    text = topology(
        "{propagation: {model: friis}, propagation_delay: true}",
        timeline="at: 5 s, move: sta1, to: [8.901 km, 0 m, 0 m]",
    )
    assert refusal(plans, text).endswith(
        "medium.propagation_delay: ap1 and sta1 are 8.901 km apart, and frames travel 8.9 km at most; place them "
        "nearer to each other, or leave propagation_delay out"
    )
    within = medium(plans, text.replace("8.901", "8.9"))
    assert [link.delay_ns for link in within.updates[0].links] == [29_687, 29_687]


def test_a_way_is_one_update_a_step(plans: Plans) -> None:
    # from 100 m to 400 m at 200 m/s; friis: 33.8944 dB - 20 log(d/100)
    found = medium(
        plans,
        topology(FREE[:-1] + ", step: 500 ms}", timeline="at: 5 s, move: sta1, to: [400 m, 0 m, 0 m], speed: 200 m/s"),
    )
    assert [(update.at_ns, found.levels(update.links)[0][1]) for update in found.updates] == [
        (5_500_000_000, 2787),  # 200 m: -6.0206
        (6_000_000_000, 2435),  # 300 m: -9.5424
        (6_500_000_000, 2185),  # 400 m: -12.0412
    ]
    assert all([link[:2] for link in update.links] == [(0, 1), (1, 0)] for update in found.updates)
    assert found.step_ns == 500_000_000


def test_only_links_that_change_are_sent(plans: Plans) -> None:
    text = topology(
        "{propagation: {model: friis}, snr: [{from: sta1, to: ap1, is: 9 dB}]}",
        "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
        "sta1: {kind: sta, position: [100 m, 0 m, 0 m]}",
        "sta2: {kind: sta, position: [-100 m, 0 m, 0 m]}",
        timeline="at: 5 s, move: sta1, to: [0 m, 200 m, 0 m]",
    )
    (update,) = medium(plans, text).updates
    assert [link[:2] for link in update.links] == [(0, 1), (1, 2), (2, 1)]


def test_a_node_gets_a_position_by_a_move(plans: Plans) -> None:
    text = topology(
        FREE,
        "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
        "sta1: {kind: sta}",
        timeline="at: 5 s, move: sta1, to: [100 m, 0 m, 0 m]",
    )
    found = medium(plans, text)
    assert [found.levels(links)[0][1] for links in (found.links, found.updates[0].links)] == [4000, 3389]


def test_a_move_that_changes_nothing_is_no_update(plans: Plans) -> None:
    assert medium(plans, topology(FREE, timeline="at: 5 s, move: sta1, to: [0 m, 100 m, 0 m]")).updates == []


def test_a_workload_may_move_nodes_too(plans: Plans) -> None:
    plan = plans(topology(FREE), WORKLOAD + "timeline: [{at: 5 s, move: sta1, to: [10 m, 0 m, 0 m]}]\n")
    assert plan.medium is not None and len(plan.medium.updates) == 1


# Randomness


def test_streams_belong_to_names_and_seeds_to_the_run(plans: Plans) -> None:
    few = medium(plans, topology("{}", "ap1: {kind: ap, ssid: campus}", "sta1: {kind: sta}"))
    more = medium(plans, topology("{}", "ap1: {kind: ap, ssid: campus}", "sta0: {kind: sta}", "sta1: {kind: sta}"))
    streams = [{radio.node: radio.stream for radio in found.radios} for found in (few, more)]
    assert streams[0]["sta1"] == streams[1]["sta1"] and streams[0]["ap1"] == streams[1]["ap1"]
    assert len(set(streams[1].values())) == 3
    assert [radio.index for radio in more.radios] == [0, 1, 2]
    other = medium(plans, topology("{}", "ap1: {kind: ap, ssid: campus}", "sta1: {kind: sta}"), seed=2)
    assert few.seed == more.seed != other.seed
    assert [radio.stream for radio in other.radios] == [radio.stream for radio in few.radios]
    assert all(0 <= number < 2**64 for number in (few.seed, other.seed, *streams[1].values()))


def test_streams_are_fixed_for_ever(plans: Plans) -> None:
    # the last 8 bytes of sha256("radio/ap1"), and of sha256("1/medium/")
    found = medium(plans, topology("{}"))
    assert (found.seed, found.radios[0].stream) == (8575202225943223307, 5374487297359294768)


def test_shadowing_follows_the_seed(plans: Plans) -> None:
    text = topology("{propagation: {model: logNormalShadowing, variance: 6 dB}}")
    one, again, other = (medium(plans, text, seed) for seed in (1, 1, 2))
    assert one.links == again.links != other.links


# Tables


def hazards(curve: ErrorCurve) -> list[int]:
    data = unpacked(curve.hazards)
    return list(struct.unpack(f"<{len(data) // 8}Q", data))


def test_every_curve_of_the_kernel_is_there(plans: Plans) -> None:
    found = medium(plans, topology("{}"))
    assert [(curve.name, curve.index) for curve in found.curves] == [(curve.name, curve.index) for curve in CURVES]
    for curve in found.curves:
        values = np.array(hazards(curve), dtype=float)
        levels_db = (curve.start_mb + curve.step_mb * np.arange(len(values))) / 100
        wanted = np.minimum(hazard(error_model("nist"), NAMED[curve.name], levels_db), 15) * ONE
        assert values[:-1] == pytest.approx(wanted[:-1], rel=2**-23, abs=0.5)
        assert values[-1] == 0 and np.all(np.diff(values) <= 0)
        assert all(float(np.float32(value)) == value for value in values), "24 bits, the same on every machine"


def test_bursts(plans: Plans) -> None:
    assert {curve.burst_q8 for curve in medium(plans, topology("{}")).curves} == {256}
    bursts = {curve.name: curve.burst_q8 for curve in medium(plans, topology("{bursts: true}")).curves}
    assert (bursts["bpsk-1/2"], bursts["64qam-5/6"], bursts["dsss-1"]) == (845, 1690, 256)


def test_fading(plans: Plans) -> None:
    found = medium(plans, topology("{fading: {model: rayleigh, coherence: 10 ms}}"))
    (table,) = found.fadings
    quantiles = struct.unpack("<4096i", unpacked(table.quantiles))
    # p = 1/8192: 10 log(-ln(1 - p)) = -39.13 dB; ln 8192: 9.55 dB
    assert (table.number, quantiles[0], quantiles[-1]) == (1, -3913, 955)
    assert {link[3:5] for link in found.links} == {(1, 10_000)}
    assert found.fading == {"model": "rayleigh", "coherence_ns": [10_000_000]}
    each = medium(plans, topology("{fading: {model: rayleigh, coherence: frame}}"))
    assert {link[3:5] for link in each.links} == {(1, 0)}


def test_levels_hold_by_default_as_long_as_indoors(plans: Plans) -> None:
    """1.2 km/h at 2412 MHz: a Doppler spread of 2.68 Hz; 9/(16 pi) of its inverse."""
    found = medium(plans, topology("{fading: {model: rayleigh}}"))
    assert {link[3:5] for link in found.links} == {(1, 66_763)}
    assert found.fading == {"model": "rayleigh", "coherence_ns": [66_763_000]}


WALLED = """\
{propagation: {model: friis}, fading: {model: rician, k: 12 dB, coherence: 20 ms},
 fading_behind_walls: {model: rayleigh, coherence: 10 ms},
 walls: [{from: [50 m, -9 m], to: [50 m, 9 m], loss: 5 dB}]}"""
THREE = (
    "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}",
    "sta1: {kind: sta, position: [100 m, 0 m, 0 m]}",
    "sta2: {kind: sta, position: [10 m, 0 m, 0 m]}",
)


def test_links_behind_walls_have_a_fading_of_their_own(plans: Plans) -> None:
    found = medium(plans, topology(WALLED, *THREE, timeline="at: 9 s, move: sta1, to: [20 m, 0 m, 0 m]"))
    names = found.names()
    fading = {f"{names[link[0]]} {names[link[1]]}": link[3:5] for link in found.links}
    open_, behind = (1, 20_000), (2, 10_000)
    assert (fading["ap1 sta2"], fading["ap1 sta1"], fading["sta1 sta2"]) == (open_, behind, behind)
    assert [table.number for table in found.fadings] == [1, 2]
    assert found.fading_behind_walls == {"model": "rayleigh", "coherence_ns": [10_000_000]}
    (update,) = found.updates
    assert {link[3:5] for link in update.links} == {open_}


def test_shadowing_is_the_same_wherever_a_map_is_numbered(plans: Plans) -> None:
    free = levels(medium(plans, topology(FREE)))["ap1", "sta1"]
    shadowed = "{propagation: {model: friis}, shadowing: {deviation: 6 dB%s}}"
    numbered = {levels(medium(plans, topology(shadowed % ", map: 3"), seed))["ap1", "sta1"] for seed in (1, 2)}
    drawn = {levels(medium(plans, topology(shadowed % ""), seed))["ap1", "sta1"] for seed in (1, 2, 3)}
    assert len(numbered) == 1 and free not in numbered
    assert len(drawn) == 3 and numbered < drawn  # seed 3 has map 3
    assert medium(plans, topology(shadowed % ", map: 3")).shadowing == {
        "deviation_db": 6.0,
        "decorrelation_m": 2.0,
        "number": 3,
    }


def test_outages_take_the_level_of_their_link_away_and_give_it_back(plans: Plans) -> None:
    text = "{propagation: {model: friis}, outages: [{between: [ap1, sta1], every: 2 s, lasts: 500 ms, loss: 30 dB}]}"
    found = medium(plans, topology(text, *THREE))
    normal = levels(found)["ap1", "sta1"]
    assert 5 <= len(found.outages) <= 25  # of 12 on average
    times = sorted({time for one in found.outages for time in (one.begin_ns, one.end_ns) if time < 30 * S})
    assert [update.at_ns for update in found.updates] == times
    for number, update in enumerate(found.updates):
        assert {snr_mb for _, snr_mb in found.levels(update.links)} == {normal - 3000 if number % 2 == 0 else normal}
        assert {(link.transmitter, link.receiver) for link in update.links} == {(0, 1), (1, 0)}
    assert found.outages != medium(plans, topology(text, *THREE), 2).outages


def test_outages_have_their_mean_times(plans: Plans) -> None:
    text = "{outages: [{between: [ap1, sta1], every: 20 ms, lasts: 5 ms}]}"
    found = medium(plans, topology(text)).outages
    lasts = [one.end_ns - one.begin_ns for one in found]
    gaps = [later.begin_ns - one.end_ns for one, later in pairwise(found)]
    assert np.mean(lasts) / 5e6 == pytest.approx(1.0, abs=0.1)
    assert np.mean(gaps) / 20e6 == pytest.approx(1.0, abs=0.1)
    assert np.std(gaps) / np.mean(gaps) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("outages", "says"),
    [
        (
            "{between: [ap1, sta9], every: 60 s, lasts: 1 s}",
            'unknown radio "sta9" (did you mean sta1?); known: ap1, sta1',
        ),
        ("{between: [ap1, ap1], every: 60 s, lasts: 1 s}", "ap1 has no link to itself; name two nodes"),
        ("{between: [ap1, sta1], every: 1 ms, lasts: 1 ms}", "gives more than 10000 outages; write a longer time"),
    ],
)
def test_outages_that_cannot_be(plans: Plans, outages: str, says: str) -> None:
    assert says in refusal(plans, topology(f"{{outages: [{outages}]}}"))


def test_no_fading_has_no_table(plans: Plans) -> None:
    for text in ("{}", "{fading: {model: none, coherence: 10 ms}}"):
        found = medium(plans, topology(text))
        assert found.fadings == [] and {link[3:5] for link in found.links} == {(0, 0)}


def test_thresholds(plans: Plans) -> None:
    found = medium(
        plans, topology("{capture: 10 dB, energy_detection: -70.5 dBm, longest_ppdu: 4 ms, retries: 7, errors: yans}")
    )
    radio = found.radios[0]
    assert (found.capture_mb, radio.ed_mbm, radio.max_ppdu_us, radio.retries) == (1000, -7050, 4000, 7)
    assert found.errors == "yans"
    plain = medium(plans, topology("{}"))
    assert (plain.capture_mb, plain.radios[0].max_ppdu_us, plain.radios[0].retries) == (None, 5484, 0)
    assert plain.propagation == {"model": "logDistance", "exp": 3.0, "sL": 1.0}


# Tables of one's own

OFDM = ("bpsk-1/2", "bpsk-3/4", "qpsk-1/2", "qpsk-3/4", "16qam-1/2", "16qam-3/4", "64qam-2/3", "64qam-3/4")
MODE_A = ("ap1: {kind: ap, ssid: campus, mode: a, channel: 36}", "sta1: {kind: sta}")
OWN = "{errors: {table: own.csv}}"


def own(*curves: str, rates: str = "0,0.1 2,0.001 9,0") -> None:
    rows = [f"{curve},{pair}" for curve in curves for pair in rates.split()]
    Path("own.csv").write_text("\N{BYTE ORDER MARK}curve,snr_db,ber\n" + "\n".join(rows) + "\n", encoding="utf-8")


def test_a_table_needs_the_curves_that_are_used(plans: Plans) -> None:
    own(*OFDM)
    found = {curve.name: curve for curve in medium(plans, topology(OWN, *MODE_A)).curves}
    assert hazards(found["bpsk-1/2"])[-1] == 0 and found["bpsk-1/2"].start_mb < 0
    unused = found["dsss-1"]
    assert (unused.start_mb, hazards(unused)) == (10_000, [15 * ONE]), "nothing gets through below 100 dB"
    assert len(found) == len(CURVES)


def test_a_table_without_a_curve_that_is_used(plans: Plans) -> None:
    text = "t.yaml:5  medium.errors: the file has no curve {}, which mode {} uses; add rows for it"
    for missing in OFDM:
        own(*(name for name in OFDM if name != missing))
        assert refusal(plans, topology(OWN, *MODE_A)) == text.format(missing, "a")
    own(*OFDM, "dsss-1", "dsss-2", "cck-5.5")
    assert refusal(plans, topology(OWN, "ap1: {kind: ap, ssid: campus}")) == (
        text.format("cck-11", "g").replace("t.yaml:5", "t.yaml:4")
    )


def test_mistakes_in_a_table_name_its_line(plans: Plans) -> None:
    own(*OFDM, rates="0,0.1 2,lots")
    assert refusal(plans, topology(OWN, *MODE_A)).startswith('own.csv:3  ber is "lots"; write a number\nown.csv:5  ber')


def test_a_table_that_falls_too_slowly(plans: Plans) -> None:
    own(*OFDM, rates="0,0.1 2,0.0999")
    assert refusal(plans, topology(OWN, *MODE_A)).startswith(
        "t.yaml:5  medium.errors: curve bpsk-1/2 of error model table still has errors at 100 dB; "
    )


def test_a_table_that_is_not_there(plans: Plans) -> None:
    assert refusal(plans, topology("{errors: {table: none.csv}}")) == (
        "t.yaml:5  medium.errors.table: none.csv cannot be read: No such file or directory"
    )


# What cannot be


@pytest.mark.parametrize(
    ("snr", "message"),
    [
        (
            "{between: [ap1, sta2], is: 3 dB}",
            't.yaml:5  medium.snr.0.between.1: unknown node "sta2" (did you mean sta1?); known: ap1, sta1',
        ),
        ("{from: ap1, to: x, is: 3 dB}", 't.yaml:5  medium.snr.0.to: unknown node "x"; known: ap1, sta1'),
        ("{from: ap1, to: ap1, is: 3 dB}", "t.yaml:5  medium.snr.0: ap1 cannot hear itself; name two nodes"),
        (
            "{from: ap1, to: sta1, is: 3 dB}, {from: ap1, to: sta1, is: 5 dB}",
            "t.yaml:5  medium.snr.1: the SNR from ap1 to sta1 is already given (t.yaml:5); remove one of them",
        ),
        (
            "{between: [ap1, sta1], is: 3 dB}, {between: [sta1, ap1], is: 3 dB}",
            "t.yaml:5  medium.snr.1: the SNR from sta1 to ap1 is already given (t.yaml:5); remove one of them",
        ),
    ],
)
def test_levels_of_nobody(plans: Plans, snr: str, message: str) -> None:
    assert refusal(plans, topology(f"{{snr: [{snr}]}}")) == message


def test_a_host_hears_nothing(plans: Plans) -> None:
    text = topology("{snr: [{between: [ap1, h1], is: 3 dB}]}", "ap1: {kind: ap, ssid: campus}", "h1: {kind: host}")
    assert refusal(plans, text) == "t.yaml:5  medium.snr.0.between.1: h1 has no radio (it is a host); known: ap1"


def test_who_is_nowhere_cannot_walk(plans: Plans) -> None:
    text = topology(
        "{}",
        "ap1: {kind: ap, ssid: campus}",
        "sta1: {kind: sta}",
        timeline="at: 5 s, move: sta1, to: [1 m, 1 m, 1 m], speed: 1 m/s",
    )
    assert refusal(plans, text) == (
        "t.yaml:7  timeline.0.speed: sta1 has no start position; write position: in nodes.sta1, or remove speed:"
    )


def test_too_many_updates(plans: Plans) -> None:
    text = topology("{step: 1 ms}", timeline="at: 0 s, move: sta1, to: [1 m, 0 m, 0 m], speed: 0.01 m/s")
    assert refused(plans, text, "name: there\nduration: 2 h\n") == (
        "t.yaml:5  medium.step: movements take 7200000 steps, which change too many levels; write a longer step, "
        "such as step: 1 s"
    )


def test_a_topology_is_judged_by_itself(plans: Plans) -> None:
    Path("alone.yaml").write_text(topology("{snr: [{between: [ap1, x], is: 3 dB}]}"))
    with pytest.raises(InputError, match=r"alone.yaml:5  medium.snr.0.between.1: unknown node"):
        check(Path("alone.yaml"))
    Path("alone.yaml").write_text(topology("{}"))
    assert check(Path("alone.yaml")) == "topology"


def test_settings_reach_the_medium(plans: Plans) -> None:
    plan = plans(topology("{}"), WORKLOAD, overrides=["medium.errors=yans", "medium.propagation={model: friis}"])
    assert (
        plan.medium is not None and plan.medium.errors == "yans" and plan.medium.levels(plan.medium.links)[0][1] == 3389
    )
    plan = plans(topology("perfect"), WORKLOAD, overrides=["medium={}"])
    assert plan.medium is not None
    with pytest.raises(InputError, match=r"^--set medium.step=5  medium.step: \"5\" has no unit; write 5 ms$"):
        plans(topology("{}"), WORKLOAD, overrides=["medium.step=5"])


# The plan as a file


def test_links_are_lines_of_the_plan(plans: Plans) -> None:
    text = plans(topology(FREE, timeline="at: 5 s, move: sta1, to: [10 m, 0 m, 0 m]"), WORKLOAD).to_json()
    assert '    "links": [\n      [0, 1, -8010, 0, 0, 0],\n      [1, 0, -8010, 0, 0, 0]\n    ],\n' in text
    assert "          [0, 1, -6010, 0, 0, 0],\n" in text


def test_a_level_just_below_what_radios_notice_has_its_digits(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    plans(topology("{snr: [{between: [ap1, sta1], is: -4.3 dB}]}"), WORKLOAD)
    message = "sta1 hears ap1 at -4.3 dB SNR, but radios notice frames from -4 dB on: sta1 starts unassociated\n"
    assert capsys.readouterr().err.endswith(message)


def test_stations_out_of_reach_are_one_line(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    far = "{kind: sta, count: 5, position: [9 km, 0 m, 0 m]}"
    plans(topology("{}", "ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 0 m]}", f"sta: {far}"), WORKLOAD)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lab: t.yaml:4  sta1 hears ap1 at ")
    assert line.endswith(": sta1 starts unassociated, like sta2, sta3 and 2 more")


@pytest.mark.parametrize("speed", ["", ", speed: 1 m/s"])
def test_a_topology_alone_may_move_what_has_no_position(tmp_path: Path, speed: str) -> None:
    """A move of the workload may come before."""
    file = tmp_path / "t.yaml"
    file.write_text(
        "name: t\nmedium: {}\nnodes:\n  ap1: {kind: ap, ssid: x, mode: a, channel: 36}\n  sta1: {kind: sta, ssid: x}\n"
        f"timeline:\n  - {{at: 1 s, move: sta1, to: [1 m, 0 m, 0 m]{speed}}}\n"
    )
    assert check(file) == "topology"
