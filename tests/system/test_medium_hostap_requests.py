# SPDX-License-Identifier: MIT
"""What stations and access points ask of each other: channels to avoid, other access points, traffic streams."""

from __future__ import annotations

import re

import pytest

from tests.air import BEACON
from tests.system.radios import (
    STATION,
    Boot,
    Played,
    access_point,
    address,
    frames,
    hostapd,
    network,
    play,
    start_access_point,
    start_station,
    until,
    until_said,
    wpa,
)

pytestmark = pytest.mark.guest

AP1, STA, AP2 = (address(number) for number in (1, 2, 3))
WPA2 = ["wpa=2", "rsn_pairwise=CCMP", "wpa_key_mgmt=WPA-PSK", "wpa_passphrase=secret-words"]
AGILE = ["ssid=x", *WPA2, "ieee80211w=2", "mbo=1"]
OWN = network('ssid="x"', "key_mgmt=WPA-PSK", 'psk="secret-words"', "ieee80211w=2", "scan_freq=2412 2437")
STARTED = [start_access_point("ap1"), start_station("sta"), until_said("ap1", "EAPOL-4WAY-HS-COMPLETED")]
PROTECTED_ACTION = bytes([0xD0, 0x40])  # IEEE 802.11-2020 9.2.4.1
# of Multiband Operation: capabilities for cellular data, and an element with attributes 1 (capability) and 4 (reason)
CELLULAR, NO_CELLULAR = 1, 3
DISALLOWED = bytes.fromhex("506f9a16 010100 040101")


def test_a_station_says_which_channels_it_avoids(boot: Boot) -> None:
    """MBO: with its association, and in a notification when that changes."""
    files = {
        "ap1": access_point("ap1", *AGILE),
        "sta": f"{STATION}non_pref_chan=81:6:20:1\nmbo_cell_capa={CELLULAR}\n{OWN}",
    }
    change = wpa("sta", "set non_pref_chan 81:11:0:2", f"set mbo_cell_capa {NO_CELLULAR}")
    look = hostapd("ap1", f"sta {STA}")
    changed = until("ap1", f"hostapd_cli -p /run/own sta {STA} | grep mbo_cell_capa={NO_CELLULAR}")
    played = play(boot, files, [*STARTED, look, change, changed, look], pcap="air", seconds=3)
    known = [re.findall("mbo_cell_capa=.*|non_pref_chan.*", printed) for printed in played.printed if "aid=" in printed]
    # operating class, preference, reason, channel
    assert known == [
        [f"mbo_cell_capa={CELLULAR}", "non_pref_chan[0]=81:20:1:6"],
        [f"mbo_cell_capa={NO_CELLULAR}", "non_pref_chan[0]=81:0:2:11"],
    ]
    sent = [frame for frame in frames(played) if frame.body[:2] == PROTECTED_ACTION]
    assert [frame.transmitter.hex(":") for frame in sent] == [STA, STA]


@pytest.mark.parametrize(("setting", "chosen"), [(0, AP1), (1, AP2)])
def test_an_access_point_that_wants_no_more_stations_gets_none(boot: Boot, setting: int, chosen: str) -> None:
    """MBO: its beacons say so, and a station chooses another one, which it hears less well."""
    files = {
        "ap1": access_point("ap1", *AGILE),
        "sta": STATION + OWN,
        "ap2": access_point("ap2", *AGILE, "channel=6"),
    }
    commands = [
        *(start_access_point("ap1"), start_access_point("ap2"), hostapd("ap1", f"set mbo_assoc_disallow {setting}")),
        *(start_station("sta"), until_said("sta", "CTRL-EVENT-CONNECTED"), wpa("sta", "status")),
    ]
    snr = [{"between": ["ap2", "sta"], "is": "20 dB"}]
    played = play(boot, files, commands, medium={"snr": snr}, pcap="air", seconds=3)
    assert f"bssid={chosen}" in played.printed[-1]
    *_, last = [frame for frame in frames(played) if frame.kind == BEACON]
    assert (DISALLOWED in last.body) == (setting > 0)


DELAY_S = 3
MAINTENANCE = 5
ACCEPTED, NO_CANDIDATE = 0, 7  # IEEE 802.11-2020 9.6.13.10


def request(candidate: str, channel: int, mbo: str) -> str:
    """A BSS transition management request that names one candidate."""
    return f"bss_tm_req {STA} pref=1 abridged=1 valid_int=255 neighbor={candidate},0x0000,81,{channel},7,0301ff {mbo}"


def transition(boot: Boot, mbo: str, *more: tuple[str, str]) -> Played:
    """A station is asked to go to an access point that is as good as its own."""
    files = {
        "ap1": access_point("ap1", *AGILE),
        "sta": f"{STATION}mbo_cell_capa={CELLULAR}\n{OWN}",
        "ap2": access_point("ap2", *AGILE, "channel=6"),
    }
    go = hostapd("ap1", request(AP2, 6, f"disassoc_imminent=1 {mbo}"))
    commands = [*STARTED, start_access_point("ap2"), go, until_said("ap1", "BSS-TM-RESP"), *more, wpa("sta", "status")]
    return play(boot, files, commands, seconds=10)


def test_a_transition_with_a_reason_and_a_delay(boot: Boot) -> None:
    """MBO: the reason moves a station between equals, and the delay keeps it from returning."""
    back = hostapd("ap2", request(AP1, 1, f"mbo={MAINTENANCE}:0:0"))
    there_and_back = [
        *(until_said("ap2", "EAPOL-4WAY-HS-COMPLETED"), back, until_said("ap2", "BSS-TM-RESP")),
        *(wpa("sta", "status"), ("sta", f"sleep {DELAY_S}"), back),
        until_said("ap1", "EAPOL-4WAY-HS-COMPLETED", times=2),
    ]
    played = transition(boot, f"mbo={MAINTENANCE}:{DELAY_S}:255", *there_and_back)
    answers = [re.findall(r"BSS-TM-RESP \S+ status_code=(\d+)", played.said[node]) for node in ("ap1", "ap2")]
    # it still knows the other one from its scan, so it leaves in the instant of its last answer
    assert answers == [[str(ACCEPTED)], [str(NO_CANDIDATE), str(ACCEPTED)]]
    assert re.findall("MBO-.*", played.said["sta"]) == [
        "MBO-CELL-PREFERENCE preference=255",
        f"MBO-TRANSITION-REASON reason={MAINTENANCE}",
        *["MBO-CELL-PREFERENCE preference=0", f"MBO-TRANSITION-REASON reason={MAINTENANCE}"] * 2,
    ]
    bssids = [re.findall("bssid=(.*)", printed)[0] for printed in played.printed if "wpa_state" in printed]
    assert bssids == [AP2, AP1]


def test_without_a_reason_a_station_stays_with_one_of_two_equals(boot: Boot) -> None:
    played = transition(boot, "")
    (stays_at,) = re.findall("BSS-TM-RESP .* target_bssid=(.*)", played.said["ap1"])
    assert stays_at == AP1 and f"bssid={AP1}" in played.printed[-1] and "MBO-" not in played.said["sta"]


ACTION = 0xD0
WMM_ACTION, REQUEST, RESPONSE, DELETION = 17, 0, 1, 2  # Wi-Fi Multimedia: action frames that add or delete streams
ADMITTED, REFUSED = 0, 3
STREAM = "tsid=2 up=6 nominal_msdu_size=200 min_phy_rate=6000000 sba=12288"  # surplus: 1.5
# hostapd's estimate for 64 kbit/s: 40 packets/s, of 200 bytes at 6 Mbit/s and 50 us each; in units of 32 us
MEDIUM_TIME = 40 * (200 * 8 // 6 + 50) * 3 // 2 // 32
PING_BYTES = 84  # as an IP packet
QOS_DATA = 0x88
VOICE, VIDEO = 7, 5  # the higher of the two user priorities of an access category


def streams(boot: Boot, mandatory: int) -> Played:
    """A station that sends voice, and asks for two streams downlink, the second of which is too large."""
    files = {
        "ap1": access_point("ap1", "ssid=x", "wmm_enabled=1", f"wmm_ac_vo_acm={mandatory}"),
        "sta": STATION + network('ssid="x"', "key_mgmt=NONE", "scan_freq=2412"),
    }
    few, many = (wpa("sta", f"wmm_ac_addts downlink {STREAM} mean_data_rate={bps}") for bps in (64_000, 64_000_000))
    commands = [
        *(start_access_point("ap1"), start_station("sta"), until_said("sta", "CTRL-EVENT-CONNECTED")),
        *(("ap1", "ip addr add 10.1.0.1/24 dev ap1-wlan0"), ("sta", "ip addr add 10.1.0.2/24 dev sta-wlan0")),
        *(("sta", "ping -c 5 -i 0.1 -Q 0xc0 10.1.0.1"), few, ("sta", "sleep 0.2"), many, ("sta", "sleep 0.2")),
        wpa("sta", "wmm_ac_delts 2"),
    ]
    return play(boot, files, commands, pcap="air", seconds=3)


def priorities(played: Played) -> dict[str, set[int]]:
    """User priorities of the pings, by sender."""
    found: dict[str, set[int]] = {}
    for frame in frames(played):
        if frame.body[0] == QOS_DATA and len(frame.body) > PING_BYTES + 30:
            found.setdefault(frame.transmitter.hex(":"), set()).add(frame.body[24] & 7)
    return found


def test_an_access_point_admits_a_stream(boot: Boot) -> None:
    """Admission control: without a stream uplink, a station sends its voice as video; too large a stream is refused."""
    played = streams(boot, mandatory=1)
    assert priorities(played) == {STA: {VIDEO}, AP1: {VOICE}}
    said = re.findall("TSPEC-.*", played.said["sta"])
    stream = f"tsid=2 addr={AP1}"
    assert said == [
        f"TSPEC-ADDED {stream} admitted_time={MEDIUM_TIME}",
        "TSPEC-REQ-FAILED tsid=2",
        f"TSPEC-REMOVED {stream}",
    ]
    sent = [frame.body[24:] for frame in frames(played) if frame.body[0] == ACTION and frame.body[24] == WMM_ACTION]
    assert [(body[1], body[3], int.from_bytes(body[-2:], "little")) for body in sent] == [
        *((REQUEST, 0, 0), (RESPONSE, ADMITTED, MEDIUM_TIME)),
        *((REQUEST, 0, 0), (RESPONSE, REFUSED, 0)),
        (DELETION, 0, MEDIUM_TIME),
    ]


def test_where_admission_is_not_mandatory_voice_is_voice(boot: Boot) -> None:
    played = streams(boot, mandatory=0)
    assert priorities(played) == {STA: {VOICE}, AP1: {VOICE}}
    assert [printed for printed in played.printed if printed in ("OK\n", "FAIL\n")] == ["FAIL\n"] * 3
