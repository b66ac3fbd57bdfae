# SPDX-License-Identifier: MIT
"""hostapd.conf of an access point: nothing of mode n where it is not asked for, DCF where there is no WMM."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.guest.hostap_config import hostapd_conf
from lab.shared.types import Radio

G = Radio("ap1-wlan1", "02:00:00:00:01:00", "campus", "g", 1, 2412, [], "DE", "open", None)
N = replace(G, mode="n", channel=36, frequency_mhz=5180)
HEAD = "interface=ap1-wlan1\nbridge=br0\ndriver=nl80211\nctrl_interface=/run/hostapd\nssid=campus\ncountry_code=DE\n"


def dcf(cw_min: int) -> str:
    """Every queue as in IEEE 802.11-2020 10.3.2.3.5: DIFS, and the contention window of the PHY."""
    queues = (
        f"tx_queue_data{queue}_aifs=2\ntx_queue_data{queue}_cwmin={cw_min}\n"
        f"tx_queue_data{queue}_cwmax=1023\ntx_queue_data{queue}_burst=0\n"
        for queue in range(4)
    )
    return "".join(queues)


@pytest.mark.parametrize(
    ("radio", "lines"),
    [
        (G, "channel=1\nhw_mode=g\n" + dcf(15)),
        (replace(G, mode="b"), "channel=1\nhw_mode=b\n" + dcf(31)),
        (replace(G, mode="a", channel=36, frequency_mhz=5180), "channel=36\nhw_mode=a\n" + dcf(15)),
        (replace(G, wmm=True), "channel=1\nhw_mode=g\nwmm_enabled=1\n"),
        (replace(G, wmm=True, beacon_interval_tu=1000), "channel=1\nbeacon_int=1000\nhw_mode=g\nwmm_enabled=1\n"),
        (
            replace(G, basic_rates=["1 Mbit/s", "5.5 Mbit/s"]),
            "channel=1\nhw_mode=g\n" + dcf(15) + "basic_rates=10 55\n",
        ),
        (N, "channel=36\nhw_mode=a\nieee80211n=1\nwmm_enabled=1\n"),
        (
            replace(N, width_mhz=40, ht40_secondary="+"),
            "channel=36\nhw_mode=a\nieee80211n=1\nwmm_enabled=1\nht_capab=[HT40+]\n",
        ),
        (
            replace(N, short_gi=True),
            "channel=36\nhw_mode=a\nieee80211n=1\nwmm_enabled=1\nht_capab=[SHORT-GI-20]\n",
        ),
        (
            replace(N, channel=8, width_mhz=40, ht40_secondary="-", short_gi=True),
            "channel=8\nhw_mode=g\nieee80211n=1\nwmm_enabled=1\nht_capab=[HT40-][SHORT-GI-20][SHORT-GI-40]\n",
        ),
    ],
)
def test_hostapd_conf(radio: Radio, lines: str) -> None:
    assert hostapd_conf(radio, lambda _: "br0") == HEAD + lines
