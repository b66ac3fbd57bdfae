# SPDX-License-Identifier: MIT
"""Keys that change, and channels that both sides validate: Extended Key ID, WNM sleep mode, OCV."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import pytest

from tests import air
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

AP, STA, OTHER = (address(number) for number in (1, 2, 3))
KEYS = ["wpa_key_mgmt=WPA-PSK-SHA256", "wpa_passphrase=secret-words"]
PROTECTED = ["ssid=x", "wpa=2", "rsn_pairwise=CCMP", *KEYS, "ieee80211w=2"]
OWN = ['ssid="x"', "key_mgmt=WPA-PSK-SHA256", 'psk="secret-words"', "ieee80211w=2", "scan_freq=2412"]
STARTED = [start_access_point("ap"), start_station("sta"), until_said("ap", "EAPOL-4WAY-HS-COMPLETED")]
PROTECTED_FRAME = 0x40  # IEEE 802.11-2020 9.2.4.1
PROTECTED_ACTION = bytes([0xD0, PROTECTED_FRAME])


def actions(played: Played, channel_mhz: int) -> list[tuple[str, int]]:
    """Sender and length of each encrypted action frame to one station or its access point."""
    found = [frame for frame in frames(played, channel_mhz) if frame.body[:2] == PROTECTED_ACTION]
    return [(frame.transmitter.hex(":"), len(frame.body)) for frame in found]


@pytest.mark.parametrize("validates", [1, 0])
def test_a_handshake_that_names_another_channel_is_refused(boot: Boot, validates: int) -> None:
    """Message 3 says channel 6, and was heard on channel 1: somebody may have repeated it there."""
    files = {
        "ap": access_point("ap", *PROTECTED, "ocv=1", "oci_freq_override_eapol_m3=2437"),
        "sta": STATION + network(*OWN, f"ocv={validates}"),
    }
    end = until_said("sta", "OCV-FAILURE" if validates else "CTRL-EVENT-CONNECTED")
    played = play(boot, files, [start_access_point("ap"), start_station("sta"), end, wpa("sta", "status")], seconds=3)
    failures = re.findall("OCV-FAILURE addr=(.*) frame=(.*) error=(.*) mismatch", played.said["sta"])
    assert failures == [(AP, "eapol-key-m3", "primary channel")] * validates
    assert f"wpa_state={'4WAY_HANDSHAKE' if validates else 'COMPLETED'}\n" in played.printed[-1]


CHECK_S = 15  # after a switch, hostapd expects an SA Query from each station within this time


def switched(boot: Boot, *before: tuple[str, str], stays: bool) -> Played:
    """An access point switches its channel, and its station validates it."""
    files = {"ap": access_point("ap", *PROTECTED, "ocv=1"), "sta": STATION + network(*OWN, "ocv=1")}
    commands = [
        *(*STARTED, *before, hostapd("ap", "chan_switch 5 2437"), until_said("sta", "CTRL-EVENT-CHANNEL-SWITCH")),
        ("sta", f"sleep {CHECK_S + 1}") if stays else until_said("sta", "CTRL-EVENT-DISCONNECTED"),
        hostapd("ap", f"sta {STA}"),
    ]
    return play(boot, files, commands, pcap="air", seconds=20)


def test_a_station_and_its_access_point_prove_that_they_switched(boot: Boot) -> None:
    """By an SA Query on the new channel, without which the access point would end the association."""
    played = switched(boot, stays=True)
    assert "[AUTHORIZED]" in played.printed[-1] and "DISCONNECTED" not in played.said["sta"]
    assert [sender for sender, _ in actions(played, 2437)] == [STA, AP]


def test_a_station_leaves_whoever_claims_to_be_on_the_old_channel(boot: Boot) -> None:
    played = switched(boot, hostapd("ap", "set oci_freq_override_saquery_resp 2412"), stays=False)
    failures = re.findall("OCV-FAILURE addr=(.*) frame=(.*) error=(.*) mismatch", played.said["sta"])
    assert set(failures) == {(AP, "saqueryresp", "primary channel")}


KEY_BYTES = 16  # of CCMP, and of BIP
CALL = ("ap", "ping -c 3 -i 0.2 -W 0.2 ff02::1%ap-wlan0; true")


def has_address(node: str) -> tuple[str, str]:
    """Wait for the end of duplicate address detection."""
    return until(node, f"ip -6 address show dev {node}-wlan0 | grep inet6 | grep -v tentative")


def answers(printed: str) -> set[int]:
    """Which radios answered a ping to everybody, from their link-local addresses."""
    return {int(number, 16) for number in re.findall("from fe80::1ff:fe00:(.)00%", printed)} - {1}


@pytest.mark.parametrize("allowed", [1, 0])
def test_a_station_that_sleeps_gets_new_group_keys_when_it_wakes(boot: Boot, allowed: int) -> None:
    """WNM sleep mode: it takes no part in the handshakes for new keys; without it, it does."""
    files = {
        "ap": access_point("ap", *PROTECTED, f"wnm_sleep_mode={allowed}"),
        "sta": STATION + network(*OWN),
        "other": STATION + network(*OWN),
    }
    look = hostapd("ap", f"sta {STA}")
    commands = [
        *(*STARTED, start_station("other"), until_said("ap", "EAPOL-4WAY-HS-COMPLETED", times=2)),
        *(*(has_address(node) for node in files), CALL, wpa("sta", "wnm_sleep enter"), ("ap", "sleep 0.1"), look),
        *(hostapd("ap", "raw REKEY_GTK"), until_said("other", "Group rekeying completed"), CALL),
        *(wpa("sta", "wnm_sleep exit"), ("ap", "sleep 0.1"), look, CALL),
    ]
    played = play(boot, files, commands, pcap="air", seconds=6)
    everybody = {2, 3}
    answered = [answers(printed) for printed in played.printed if "ping statistics" in printed]
    assert answered == [everybody, {3} if allowed else everybody, everybody]
    asleep = ["[WNM_SLEEP_MODE]" in printed for printed in played.printed if "aid=" in printed]
    assert asleep == [bool(allowed), False]
    rekeyed = re.findall("STA (.*) WPA: group key handshake completed", played.said["ap"])
    assert rekeyed == [OTHER] if allowed else set(rekeyed) == {STA, OTHER}
    exchanged = actions(played, 2412)
    assert [sender for sender, _ in exchanged] == ([STA, AP] * 2 if allowed else [STA] * 2)
    if allowed:  # the answer to a station that wakes contains keys
        assert exchanged[3][1] > exchanged[1][1] + 2 * KEY_BYTES


PROTECTED_FRAME, QOS = 0x40, 0x80  # IEEE 802.11-2020 9.2.4.1: in the second octet of frame control, and in the first
PINGS, REKEYS = 150, 3


def unicast(played: Played) -> Iterator[tuple[air.Frame, bytes]]:
    """The data frames between the two, each with the header of its cipher (12.5.3.2), which is empty in clear."""
    ends = {bytes.fromhex(one.replace(":", "")) for one in (AP, STA)}
    for frame in frames(played):
        if frame.kind == air.DATA and {frame.transmitter, frame.receiver} == ends:
            begin = 26 if frame.body[0] & QOS else 24
            yield frame, frame.body[begin : begin + 8] if frame.body[1] & PROTECTED_FRAME else b""


def key_ids(played: Played, sender: str) -> list[int]:
    """Key ID of the encrypted data frames of one of them, in order; each once as long as it is used."""
    own = (header[3] >> 6 for frame, header in unicast(played) if header and frame.transmitter.hex(":") == sender)
    return [key for key, _ in groupby(own)]


def too_late(played: Played) -> int:
    """How many data frames of the station follow its message 4, which is in clear, under the key that it replaces."""
    found = 0
    is_old = False  # its next frame could have the old key
    for frame, header in unicast(played):
        if frame.transmitter.hex(":") != STA:
            continue
        if not header:
            is_old = True
        elif int.from_bytes(header[:2] + header[4:], "little") == 1:  # the packet number of a new key
            is_old = False
        found += is_old and bool(header)
    return found


@pytest.mark.parametrize(("ap", "sta", "expected"), [(1, 1, [0, 1, 0, 1]), (2, 1, [1, 0, 1, 0]), (1, 0, [0])])
def test_a_new_pairwise_key_has_the_other_id(boot: Boot, ap: int, sta: int, expected: list[int]) -> None:
    """Extended Key ID: with both keys at hand, nothing is lost. An access point set to 2 starts with key 1.

    Without it, a ping that message 4 overtakes as voice is encrypted after it, and arrives. A change loses an answer
    that is sent while message 4 waits, if one is: the station has the new key then, the access point only afterwards.
    """
    files = {
        "ap": access_point("ap", *PROTECTED, f"extended_key_id={ap}"),
        "sta": f"{STATION}extended_key_id={sta}\n{network(*OWN)}",
    }
    rekeys = [
        step
        for number in range(2, REKEYS + 2)
        for step in (
            hostapd("ap", f"raw REKEY_PTK {STA}"),
            until_said("ap", "EAPOL-4WAY-HS-COMPLETED", times=number),
        )
    ]
    commands = [
        *(*STARTED, ("ap", "ip addr add 10.1.0.1/24 dev ap-wlan0"), ("sta", "ip addr add 10.1.0.2/24 dev sta-wlan0")),
        *(("sta", f"(ping -i 0.01 -c {PINGS} 10.1.0.1 > /tmp/ping &)"), until("sta", "[ -s /tmp/ping ]"), *rekeys),
        until("sta", "grep received /tmp/ping"),
    ]
    played = play(boot, files, commands, pcap="air", seconds=6)
    assert [key_ids(played, sender) for sender in (AP, STA)] == [expected] * 2
    assert too_late(played) == 0
    (received,) = re.findall(r"(\d+) received", played.printed[-1])
    assert int(received) == PINGS if sta else PINGS - REKEYS <= int(received) <= PINGS


PSK = ["ssid=x", "wpa=2", "rsn_pairwise=CCMP", "wpa_key_mgmt=WPA-PSK", "wpa_passphrase=secret-words"]
LEAVES = "#!/bin/sh\nif [ $2 = CONNECTED ]; then sleep {}; wpa_cli -p /run/own -i $1 disconnect; fi\n"
WATCH = "chmod +x /etc/leaves.conf; wpa_cli -B -p /run/own -i sta-wlan0 -a /etc/leaves.conf"


@pytest.mark.parametrize(("after_s", "sent"), [(0, 1), (0.01, 2)], ids=["at once", "later"])
def test_who_leaves_when_it_says_that_it_is_connected_sends_no_message_4(boot: Boot, after_s: float, sent: int) -> None:
    """mac80211 drops what waits when a station leaves: for its host and the air, message 4 of 4 takes a millisecond."""
    files = {
        "ap": access_point("ap", *PSK),
        "sta": STATION + network('ssid="x"', "key_mgmt=WPA-PSK", 'psk="secret-words"', "scan_freq=2412"),
        "sta/leaves": LEAVES.format(after_s),
    }
    commands = [start_access_point("ap"), start_station("sta"), ("sta", WATCH), until_said("sta", "DISCONNECTED")]
    played = play(boot, files, commands, pcap="air", seconds=4)
    data = [frame for frame in frames(played) if frame.kind == air.DATA and frame.transmitter.hex(":") == address(2)]
    messages = [frame for frame in data if not frame.body[1] & PROTECTED_FRAME]
    assert len(messages) == sent  # message 2 of 4, and message 4
    assert ("EAPOL-4WAY-HS-COMPLETED" in played.said["ap"]) == (sent == 2)
    assert "CTRL-EVENT-DISCONNECTED" in played.said["sta"]
