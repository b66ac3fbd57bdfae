# SPDX-License-Identifier: MIT
"""EDCA parameters of an access point: from its keys to hostapd.conf and to the terminal, and what is refused."""

from __future__ import annotations

import pytest
from rich.console import Console

from lab.errors import InputError
from lab.guest.hostap_config import hostapd_conf
from lab.model.edca import Edca
from lab.shared.types import ACCESS_CATEGORIES, EdcaParameters, Plan, Radio
from lab.show.plan import render
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
VOICE = "voice: {aifsn: 3, cw_min: 1, cw_max: 15, txop_limit: 1504 us}"


def topology(keys: str) -> str:
    return f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, {keys}}}\nmedium: {{}}\n"


def radio(plan: Plan) -> Radio:
    (node,) = plan.nodes
    assert node.radio is not None
    return node.radio


def test_the_names_of_the_categories_are_the_keys() -> None:
    assert list(Edca.model_fields) == list(ACCESS_CATEGORIES)


def test_parameters_are_in_the_plan_in_the_order_of_categories(plans: Plans) -> None:
    plan = plans(topology(f"wmm: true, edca: {{background: {{aifsn: 9}}, video: {{}}, {VOICE}}}"), WORKLOAD)
    assert radio(plan).edca == [EdcaParameters("voice", 3, 1, 15, 1_504_000), EdcaParameters("background", 9)]
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize("keys", ["wmm: true", "wmm: true, edca: {}", "wmm: true, edca: {voice: {}}"])
def test_without_parameters_nothing_changes(plans: Plans, keys: str) -> None:
    plan = plans(topology(keys), WORKLOAD)
    assert '"edca"' not in plan.to_json()
    assert "_ac_" not in hostapd_conf(radio(plan), lambda _: "br0") and "tx_queue" not in hostapd_conf(
        radio(plan), lambda _: "br0"
    )


def test_hostapd_announces_and_uses_them(plans: Plans) -> None:
    edca = f"{{{VOICE}, best_effort: {{txop_limit: 2080 us}}, background: {{txop_limit: 0 us, aifsn: 15}}}}"
    lines = hostapd_conf(radio(plans(topology(f"mode: n, edca: {edca}"), WORKLOAD)), lambda _: "br0").splitlines()
    assert sorted(line for line in lines if line.startswith(("wmm_ac", "tx_queue"))) == [
        "tx_queue_data0_aifs=3",
        "tx_queue_data0_burst=1.5",
        "tx_queue_data0_cwmax=15",
        "tx_queue_data0_cwmin=1",
        "tx_queue_data2_burst=2.1",
        "tx_queue_data3_aifs=15",
        "tx_queue_data3_burst=0.0",
        "wmm_ac_be_txop_limit=65",
        "wmm_ac_bk_aifs=15",
        "wmm_ac_bk_txop_limit=0",
        "wmm_ac_vo_aifs=3",
        "wmm_ac_vo_cwmax=4",
        "wmm_ac_vo_cwmin=1",
        "wmm_ac_vo_txop_limit=47",
    ]


def test_its_own_limit_is_exact_or_at_most_two_units_off() -> None:
    """hostapd takes milliseconds with one decimal, and rounds them to units of 32 us."""
    off = {units: EdcaParameters("voice", txop_limit_ns=units * 32_000).own_txop_limit_ns() for units in range(65_536)}
    assert {(own_ns - units * 32_000) // 32_000 for units, own_ns in off.items()} == {-1, 0, 1, 2}
    # the defaults of hostapd and, but for two, of IEEE 802.11-2020, Table 9-155
    exact = {1504, 3008, 4096, 6016}
    assert {us for us in (*exact, 2080, 2528, 3264) if off[us // 32] == us * 1000} == exact


def test_they_are_shown(plans: Plans) -> None:
    plan = plans(topology(f"wmm: true, edca: {{{VOICE}, best_effort: {{txop_limit: 2080 us}}}}"), WORKLOAD)
    console = Console(width=300, color_system=None)
    with console.capture() as capture:
        console.print(render(plan))
    words = (
        "WMM, voice (AIFSN 3, CW 1 to 15, TXOP limit 1504 us), best effort (TXOP limit 2080 us, its own 2112 us), open"
    )
    assert words in capture.get()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("edca: {voice: {aifsn: 2}}", "edca: EDCA needs WMM; write wmm: true or mode: n too, or remove this"),
        ("wmm: true, edca: {voice: {aifsn: 1}}", "edca.voice.aifsn: 1 is out of range; write 2 to 15"),
        ("wmm: true, edca: {voice: {aifsn: 16}}", "edca.voice.aifsn: 16 is out of range; write 2 to 15"),
        (
            "wmm: true, edca: {video: {cw_min: 8, cw_max: 15}}",
            "edca.video.cw_min: 8 is not a contention window, which is a power of 2, minus 1; write 7 or 15",
        ),
        (
            "wmm: true, edca: {video: {cw_min: 0, cw_max: 65535}}",
            "edca.video.cw_min: 0 is not a contention window, which is a power of 2, minus 1; write 1\n"
            "t.yaml:3  nodes.ap1.edca.video.cw_max: 65535 is not a contention window, which is a power of 2, minus 1; "
            "write 32767",
        ),
        (
            "wmm: true, edca: {video: {cw_min: 31, cw_max: 15}}",
            "edca.video.cw_min: 31 is more than cw_max, 15; write the smaller one here",
        ),
        (
            "wmm: true, edca: {video: {cw_min: 31}}",
            "edca.video.cw_min: needs cw_max: as well; write both, or remove this",
        ),
        (
            "wmm: true, edca: {video: {cw_max: 31}}",
            "edca.video.cw_max: needs cw_min: as well; write both, or remove this",
        ),
        (
            "wmm: true, edca: {video: {txop_limit: 1500 us}}",
            "edca.video.txop_limit: 1.5 ms is not a multiple of 32 us, the unit of TXOP limits; write 1472 us "
            "or 1504 us",
        ),
        (
            "wmm: true, edca: {video: {txop_limit: 2097152 us}}",
            'edca.video.txop_limit: "2097152 us" is too large; the maximum is 2097120 us',
        ),
        ("wmm: true, edca: {video: {txop_limit: 1504}}", 'edca.video.txop_limit: "1504" has no unit; write 1504 us'),
        (
            "wmm: true, edca: {video: {txop_limit: 65}}",
            'edca.video.txop_limit: "65" has no unit; if it counts units of 32 us, as in hostapd, write 2080 us',
        ),
        (
            "wmm: true, edca: {VO: {}}",
            'edca.VO: unknown key "VO" (did you mean voice?); known keys: voice, video, best_effort, background',
        ),
        (
            "wmm: true, edca: {video: {cwmin: 7}}",
            'edca.video.cwmin: unknown key "cwmin" (did you mean cw_min?); known keys: aifsn, cw_min, cw_max, '
            "txop_limit",
        ),
    ],
)
def test_what_cannot_be(plans: Plans, keys: str, message: str) -> None:
    assert refused(plans, topology(keys), WORKLOAD) == f"t.yaml:3  nodes.ap1.{message}"


def test_the_perfect_medium_has_no_contention(plans: Plans) -> None:
    with pytest.raises(
        InputError, match=r"nodes\.ap1\.edca: has no effect on the perfect medium, which has no contention"
    ):
        plans(topology(f"wmm: true, edca: {{{VOICE}}}").replace("medium: {}", "medium: perfect"), WORKLOAD)
