# SPDX-License-Identifier: MIT
"""Ways into a network that the lab itself does not use: OWE, H2E, FILS, DPP and PKEX, FT over the wire; TDLS."""

from __future__ import annotations

import re

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

RSN = ["wpa=2", "rsn_pairwise=CCMP"]
PROTECTED = [*RSN, "ieee80211w=2"]
AP, STA = address(1), address(2)
HIDDEN = "02:00:01:00:77:00"
AUTHENTICATION, ASSOCIATION_REQUEST = 0xB0, 0x00  # IEEE 802.11-2020 9.2.4.1.3: the first octet of frame control
PROTECTED_FRAME = 0x40  # 9.2.4.1.9: in the second octet
PING_BYTES = 84  # as an IP packet
SAE, FILS = 3, 4  # authentication algorithms, 9.4.1.1
HASH_TO_ELEMENT, ANTI_CLOGGING, UNSUPPORTED_GROUP = 126, 76, 77  # status codes, 9.4.1.9


def join(boot: Boot, ap: list[str], sta: list[str], extra: str = "") -> Played:
    """One access point, one station, which joins and is asked for its status."""
    files = {"ap": access_point("ap", *ap), "sta": STATION + extra + network("scan_freq=2412", *sta)}
    commands = [start_access_point("ap"), start_station("sta"), until_said("sta", "CTRL-EVENT-CONNECTED")]
    return play(boot, files, [*commands, wpa("sta", "status")], pcap="air", seconds=5)


def authentications(played: Played) -> list[tuple[int, int, int]]:
    """Algorithm, transaction and status of the authentication frames on the air."""
    bodies = [frame.body for frame in frames(played) if frame.kind == "other" and frame.body[0] == AUTHENTICATION]
    words = [[int.from_bytes(body[at : at + 2], "little") for at in (24, 26, 28)] for body in bodies]
    return [(algorithm, transaction, status) for algorithm, transaction, status in words]


def test_opportunistic_encryption(boot: Boot) -> None:
    played = join(boot, ["ssid=owe", *PROTECTED, "wpa_key_mgmt=OWE"], ['ssid="owe"', "key_mgmt=OWE", "ieee80211w=2"])
    assert "\nkey_mgmt=OWE\n" in played.printed[-1] and played.said["ap"].count("AP-STA-CONNECTED") == 1


def test_an_open_network_leads_to_its_hidden_encrypted_one(boot: Boot) -> None:
    """OWE transition mode: a scan finds the second network of the radio through the first one's beacon."""
    encrypted = ["bss=ap-owe", f"bssid={HIDDEN}", "ssid=hidden", "ignore_broadcast_ssid=1", *PROTECTED]
    transition = [*encrypted, "wpa_key_mgmt=OWE", "owe_transition_ifname=ap-wlan0"]
    ap = ["ssid=open", "owe_transition_ifname=ap-owe", *transition]
    played = join(boot, ap, ['ssid="open"', "key_mgmt=OWE", "ieee80211w=2"])
    assert f"bssid={HIDDEN}\n" in played.printed[-1] and "\nkey_mgmt=OWE\n" in played.printed[-1]


def test_sae_by_hash_to_element_after_two_rejections(boot: Boot) -> None:
    """The access point asks for a token, and for another group: three rounds of authentication, one connection."""
    ap = ["ssid=sae", *PROTECTED, "wpa_key_mgmt=SAE", "sae_password=secret-words", "sae_pwe=1"]
    sta = ['ssid="sae"', "key_mgmt=SAE", "ieee80211w=2", 'sae_password="secret-words"']
    played = join(boot, [*ap, "sae_anti_clogging_threshold=0", "sae_groups=20"], sta, "sae_pwe=1\nsae_groups=19 20\n")
    assert {"sae_h2e=1", "sae_group=20"} <= set(played.printed[-1].split())
    statuses = [status for algorithm, _, status in authentications(played) if algorithm == SAE]
    assert statuses.count(UNSUPPORTED_GROUP) == 1 and statuses.count(ANTI_CLOGGING) == 1
    assert statuses.count(HASH_TO_ELEMENT) >= 3 and statuses[-2:] == [0, 0]  # commits, and a confirm from each side


def test_fils_rejoins_with_two_exchanges(boot: Boot) -> None:
    """FILS shared key authentication by a cached PMK: keys come with the association, without four-way handshake."""
    key_management = ["ssid=fils", *RSN, "wpa_key_mgmt=FILS-SHA256", "ieee8021x=1", "eap_server=1"]
    ap = [*key_management, "eap_user_file=/etc/users.conf"]
    eap = ["eap=PSK", 'identity="someone"', 'password="a-16-byte-secret"']
    files = {
        "ap": access_point("ap", *ap),
        "sta": STATION + network("scan_freq=2412", 'ssid="fils"', "key_mgmt=FILS-SHA256", *eap),
        "ap/users": '"someone" PSK "a-16-byte-secret"\n',
    }
    commands = [start_access_point("ap"), start_station("sta"), until_said("sta", "CTRL-EVENT-CONNECTED")]
    again = [wpa("sta", "disconnect"), wpa("sta", "reconnect"), until_said("sta", "CTRL-EVENT-CONNECTED", times=2)]
    played = play(boot, files, [*commands, *again, wpa("sta", "status")], pcap="air", seconds=5)
    assert "\nkey_mgmt=FILS-SHA256\n" in played.printed[-1]
    assert authentications(played)[-2:] == [(FILS, 1, 0), (FILS, 2, 0)]
    assert played.said["ap"].count("EAPOL-4WAY-HS-COMPLETED") == 1 and played.said["sta"].count("EAP-STARTED") == 1


def test_stations_of_an_encrypted_network_talk_directly(boot: Boot) -> None:
    """TDLS: keys are agreed on through the access point, and what follows does not pass it."""
    own = ['ssid="x"', "key_mgmt=WPA-PSK", 'psk="secret-words"']
    station = STATION + network("scan_freq=2412", *own)
    ap = ["ssid=x", *RSN, "wpa_key_mgmt=WPA-PSK", "wpa_passphrase=secret-words", "wmm_enabled=1", "ieee80211n=1"]
    other = address(3)
    commands = [
        *(start_access_point("ap"), start_station("a"), start_station("b")),
        *(until_said("a", "CTRL-EVENT-CONNECTED"), until_said("b", "CTRL-EVENT-CONNECTED")),
        *(("a", "ip addr add 10.1.0.1/24 dev a-wlan0"), ("b", "ip addr add 10.1.0.2/24 dev b-wlan0")),
        wpa("a", f"tdls_setup {other}"),
        until("a", f"wpa_cli -p /run/own -i a-wlan0 tdls_link_status {other} | grep -q ': connected'"),
        ("a", "ping -c 10 -i 0.1 10.1.0.2"),
    ]
    played = play(boot, {"ap": access_point("ap", *ap), "a": station, "b": station}, commands, pcap="air", seconds=20)
    assert "10 received" in played.printed[-1]
    direct = [frame for frame in frames(played) if frame.kind == air.DATA and frame.body[1] & 3 == 0]
    ends = [bytes.fromhex(one.replace(":", "")) for one in (STA, other)]
    pings = [frame for frame in direct if len(frame.body) > PING_BYTES and frame.body[1] & PROTECTED_FRAME]
    assert [sum(frame.transmitter == one for frame in pings) for one in ends] == [10, 10]


# bootstrapping keys (P-256, DER in hexadecimal) and the URIs that the QR codes of their devices have
_KEY = "30310201010420{}a00a06082a8648ce3d030107"
AP_KEY = _KEY.format("7978f506baa16285f4f3f6cee4f425c0bd5e06883e37ede4a8d8e62c03d660ef")
STA_KEY = _KEY.format("0df73546480d4d75c7d84af01745ce66721ad4e031a6747d424af5ee1b8f85ca")
_URI = "'DPP:C:81/{};V:2;K:MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA{};;'"
AP_URI = _URI.format(1, "CSJTqZyvoBzB0+V6YlsPuCBYqRYQgD8Z0DrWR3ZNW3uA=")
STA_URI = _URI.format(6, "DHs42WoVCspLJ9wkwAcTfuztNiKd1tfgeg9WlvpTs60Q=")
# hostapd reports what it was configured with, and leaves it to others to set it
TAKE_OVER = "; ".join(
    f'hostapd_cli -p /run/own set {name} "$(sed -n "s/.*{event} //p" /tmp/said)"'
    for name, event in [
        ("dpp_connector", "DPP-CONNECTOR"),
        ("dpp_csign", "DPP-C-SIGN-KEY"),
        ("dpp_netaccesskey", "DPP-NET-ACCESS-KEY"),
    ]
)


def test_dpp_from_qr_codes_to_a_connection(boot: Boot) -> None:
    """A configurator provisions an access point on its channel, then a station that listens on another one."""
    files = {
        "ap": access_point("ap", "ssid=easy", *PROTECTED, "wpa_key_mgmt=DPP"),
        "sta": f"{STATION}dpp_config_processing=2\n",
        "conf": STATION,
    }
    commands = [
        *(start_access_point("ap"), start_station("sta"), start_station("conf")),
        hostapd("ap", f"dpp_bootstrap_gen type=qrcode chan=81/1 key={AP_KEY}", "dpp_listen 2412"),
        wpa("sta", f"dpp_bootstrap_gen type=qrcode chan=81/6 key={STA_KEY}", "dpp_listen 2437"),
        wpa("conf", "dpp_configurator_add", f"dpp_qr_code {AP_URI}", f"dpp_qr_code {STA_URI}"),
        wpa("conf", f"dpp_auth_init peer=1 conf=ap-dpp configurator=1 ssid={b'easy'.hex()}"),
        *(until_said("ap", "DPP-NET-ACCESS-KEY"), ("ap", TAKE_OVER), until_said("conf", "DPP-CONF-SENT")),
        wpa("conf", f"dpp_auth_init peer=2 conf=sta-dpp configurator=1 ssid={b'easy'.hex()}"),
        until_said("sta", "CTRL-EVENT-CONNECTED"),
        wpa("sta", "status"),
    ]
    played = play(boot, files, commands, seconds=20)
    assert "\nkey_mgmt=DPP\n" in played.printed[-1] and "bssid=" + AP in played.printed[-1]
    conf, sta, ap = (played.said[node] for node in ("conf", "sta", "ap"))
    assert conf.count("DPP-AUTH-SUCCESS init=1") == 2 and "FAIL" not in conf + sta + ap
    assert [said.count("GAS-QUERY-DONE") for said in (ap, sta)] == [1, 1]
    # a request to everybody goes out once on each channel, and the rest needs acknowledgements
    sent = re.findall(r"DPP-TX-STATUS dst=(\S+) .*result=(\S+)", conf)
    everybody = ("ff:ff:ff:ff:ff:ff", "no-ACK")
    assert sent == [everybody, (AP, "SUCCESS"), everybody, (STA, "SUCCESS")]


RECEIVED = re.compile(r"DPP-RX .* type=(\d+)")
PKEX_REQUEST, PKEX_RESPONSE, REVEAL_REQUEST, REVEAL_RESPONSE = 7, 8, 9, 10  # types of DPP's public action frames


def typed(boot: Boot, code: str) -> Played:
    """A configurator looks for a device whose user has typed a code, and provisions it for a network."""
    ap = ["ssid=easy", *RSN, "wpa_key_mgmt=WPA-PSK", "wpa_passphrase=secret-words"]
    files = {"ap": access_point("ap", *ap), "sta": f"{STATION}dpp_config_processing=2\n", "conf": STATION}
    what = f"conf=sta-psk configurator=1 ssid={b'easy'.hex()} pass={b'secret-words'.hex()}"
    commands = [
        *(start_access_point("ap"), start_station("sta"), start_station("conf")),
        wpa("sta", "dpp_bootstrap_gen type=pkex", f"dpp_pkex_add own=1 code={code}", "dpp_listen 2437"),
        wpa("conf", "dpp_configurator_add", "dpp_bootstrap_gen type=pkex"),
        wpa("conf", f"dpp_pkex_add own=1 init=1 {what} code=a-code-of-both"),
        *(until_said("sta", "CTRL-EVENT-CONNECTED\\|DPP-FAIL"), wpa("sta", "status")),
    ]
    return play(boot, files, commands, seconds=8)


def test_dpp_from_a_code_that_two_people_know(boot: Boot) -> None:
    """PKEX: both sides prove that they know the code, and exchange their bootstrapping keys."""
    played = typed(boot, "a-code-of-both")
    sta, conf = ([int(kind) for kind in RECEIVED.findall(played.said[node])] for node in ("sta", "conf"))
    assert sta[:2] == [PKEX_REQUEST, REVEAL_REQUEST] and conf[:2] == [PKEX_RESPONSE, REVEAL_RESPONSE]
    assert "DPP-AUTH-SUCCESS init=1" in played.said["conf"] and "DPP-CONFOBJ-SSID easy" in played.said["sta"]
    assert "wpa_state=COMPLETED" in played.printed[-1] and "ssid=easy" in played.printed[-1]


def test_dpp_from_two_codes(boot: Boot) -> None:
    played = typed(boot, "another-code")
    sta, conf = ([int(kind) for kind in RECEIVED.findall(played.said[node])] for node in ("sta", "conf"))
    assert (sta, conf) == ([PKEX_REQUEST, REVEAL_REQUEST], [PKEX_RESPONSE])
    assert "DPP-FAIL AES-SIV decryption failed - possible PKEX code mismatch" in played.said["sta"]
    assert "wpa_state=DISCONNECTED" in played.printed[-1] and "AUTH-SUCCESS" not in played.said["conf"]


CELLS = """\
name: two-cells
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, encrypt: wpa2, passwd: secret-words, fast_transition: true}
  ap2: {kind: ap, ssid: x, mode: a, channel: 40, encrypt: wpa2, passwd: secret-words, fast_transition: true}
  sta1: {kind: sta, roles: [client]}
links: [{between: [h1, s1]}, {between: [s1, ap1]}, {between: [s1, ap2]}]
medium: {}
"""
# hostapd announces what it has been configured with only when it begins anew
ALLOW = "; ".join(f"hostapd_cli -p /run/hostapd {what}" for what in ("set ft_over_ds 1", "disable", "enable"))
HERE = "$(wpa_cli -i sta1-wlan0 status | sed -n s/^bssid=//p)"
OTHER = f"$(wpa_cli -i sta1-wlan0 scan_results | grep ^02 | grep -v {HERE} | cut -c1-17)"
OVER_THE_WIRE = f"""\
name: roam
roles: {{server: 1, client: 1}}
duration: 8 s
processes:
  - {{on: client, at: 4 s, run: {{probe: ping, to: "{{server.ip}}", every: 100 ms, count: 20}}, as: call}}
probes:
  - {{on: client, probe: wpa-events, as: events}}
timeline:
  - {{at: 50 ms, exec: ap1, run: [sh, -c, "{ALLOW}"]}}
  - {{at: 60 ms, exec: ap2, run: [sh, -c, "{ALLOW}"]}}
  - {{at: 3 s, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, scan, 'freq=5180,5200']}}
  - {{at: 3500 ms, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, status]}}
  - {{at: 5 s, exec: sta1, run: [sh, -c, "wpa_cli -i sta1-wlan0 ft_ds {OTHER}"]}}
  - {{at: 7 s, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, status]}}
"""


def test_a_fast_transition_over_the_wire(boot: Boot) -> None:
    """The station asks its access point, which asks the other one; on its channel the station only reassociates."""
    ran = boot(CELLS, OVER_THE_WIRE, pcap="air")
    before, _, after = ran.outputs()[-3:]
    bssid = re.compile(r"bssid=(\S+)")
    assert bssid.findall(before) != bssid.findall(after) and "\nkey_mgmt=FT-PSK\n" in after
    *_, since_the_scan = ran.raw("events.out").split("CTRL-EVENT-SCAN-RESULTS")
    assert "Trying to authenticate" not in since_the_scan and since_the_scan.count("CTRL-EVENT-CONNECTED") == 1
    assert "20 received" in ran.raw("call.out")
