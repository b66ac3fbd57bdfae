# SPDX-License-Identifier: MIT
"""Rate control on weak and good links, compared with the best fixed rate: a saturated download over UDP.

Most levels lie between those at which the next faster rate begins to carry something: there, minstrel_ht changes
between both rates and carries less. tests/validation/rate_control.py measures all levels, and says how much less.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean

import pytest

from tests.system.conftest import Ran
from tests.validation import rate_control
from tests.validation.rows import Row, point, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

Boot = Callable[..., Ran]

OFFERED_MBPS = {"20 MHz": 160, "40 MHz": 320}
STARTS_S, LEARNS_S, MEASURES_S = 2, 2, 3  # the sender starts at the first full second after the sink has answered


def goodput_mbps(boot: Boot, radio: str, snr_db: int, width: str) -> float:
    """What arrives in the seconds after rate control has had time to learn."""
    place = (
        f"name: weak\ncountry: US\nmedium: {{snr: [{{between: [ap1, sta1], is: {snr_db} dB}}]}}\nnodes:\n"
        f"  h1: {{kind: host, roles: [server]}}\n  ap1: {{kind: ap, ssid: x, {radio}}}\n"
        "  sta1: {kind: sta, roles: [client]}\nlinks: [{between: [h1, ap1]}]\n"
    )
    every_us = 1400 * 8 / OFFERED_MBPS[width]
    work = (
        f"name: saturate\nroles: {{server: 1, client: 1}}\nduration: {STARTS_S + LEARNS_S + MEASURES_S} s\nprocesses:\n"
        "  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}\n"
        '  - {on: server, at: 1 s, run: {probe: udp-sender, to: "{client.ip}", size: 1400 B, '
        f"every: {every_us:.1f} us}}, as: load}}\n"
    )
    sink = boot(place, work).sink()
    (name,) = sink.values["flows"]
    series = sink.series_of(f"goodput/{name}")
    begins_s, ends_s = STARTS_S + LEARNS_S, STARTS_S + LEARNS_S + MEASURES_S
    intervals = [
        value / 1e6
        for t_ns, value in zip(series.t_ns, series.values, strict=True)
        if begins_s <= t_ns / 1e9 - 1 < ends_s  # each lasts a second, and is named by its end
    ]
    assert len(intervals) == MEASURES_S
    return mean(intervals)


def share(boot: Boot, radio: str, snr_db: int, best: str, width: str = "20 MHz") -> float:
    """The goodput of rate control over that of the best fixed rate."""
    wide = "" if width == "20 MHz" else f", width: {width}"
    controlled, fixed = (goodput_mbps(boot, f"{radio}{wide}{rate}", snr_db, width) for rate in ("", f", rate: {best}"))
    return rounded(controlled / fixed)


@pytest.mark.parametrize(
    ("snr_db", "best"),
    [
        (5, "MCS 0"),
        point(8, "MCS 1"),
        point(11, "MCS 9"),
        point(14, "MCS 10"),
        point(18, "MCS 11"),
        point(22, "MCS 12"),
        (28, "MCS 15"),
    ],
)
def test_80211n(boot: Boot, snr_db: int, best: str) -> None:
    value = share(boot, "mode: n, channel: 36", snr_db, best)
    record(Row("rate-control", f"802.11n, 20 MHz, {snr_db} dB: {best}", value, between=(0.9, 1.02)))


@pytest.mark.parametrize(("snr_db", "best"), [(11, "MCS 1"), point(25, "MCS 12")])
def test_80211n_in_40_mhz(boot: Boot, snr_db: int, best: str) -> None:
    value = share(boot, "mode: n, channel: 36", snr_db, best, "40 MHz")
    record(Row("rate-control", f"802.11n, 40 MHz, {snr_db} dB: {best}", value, between=(0.9, 1.02)))


@pytest.mark.sweep
@pytest.mark.parametrize(("snr_db", "best", "width"), [(14, "MCS 10", "20 MHz"), (25, "MCS 12", "40 MHz")])
def test_80211n_at_2_4_ghz(boot: Boot, snr_db: int, best: str, width: str) -> None:
    value = share(boot, "mode: n, channel: 1", snr_db, best, width)
    record(Row("rate-control", f"802.11n, 2.4 GHz, {width}, {snr_db} dB: {best}", value, between=(0.9, 1.02)))


@pytest.mark.parametrize(("snr_db", "best"), [(8, "12 Mbit/s"), point(18, "36 Mbit/s")])
def test_80211a(boot: Boot, snr_db: int, best: str) -> None:
    value = share(boot, "mode: a, channel: 36", snr_db, best)
    record(Row("rate-control", f"802.11a, {snr_db} dB: {best}", value, between=(0.95, 1.02)))


def test_80211g(boot: Boot) -> None:
    value = share(boot, "mode: g, channel: 1", 18, "36 Mbit/s")
    record(Row("rate-control", "802.11g, 18 dB: 36 Mbit/s", value, between=(0.95, 1.02)))


@pytest.mark.parametrize(
    ("name", "radio", "snr_db", "least"),
    [
        point("802.11a", "mode: a, channel: 36", 21, rate_control.least(36, 48)),
        ("802.11g", "mode: g, channel: 1", 21, rate_control.least(36, 48)),
        ("802.11n, 20 MHz", "mode: n, channel: 36", 19, rate_control.LEAST_HT),
        point("802.11n, 40 MHz", "mode: n, channel: 36, width: 40 MHz", 27, rate_control.LEAST_HT),
    ],
)
def test_goodput_falls_no_further_than_the_estimate_of_minstrel_ht_explains(
    boot: Boot, name: str, radio: str, snr_db: int, least: float
) -> None:
    width = "40 MHz" if "40 MHz" in radio else "20 MHz"
    before, after = (goodput_mbps(boot, radio, level, width) for level in (snr_db - 1, snr_db))
    row = f"{name}, {snr_db} dB to {snr_db - 1} dB: goodput"
    record(Row("rate-control", row, rounded(after / before), between=(rounded(least), 1.02)))
