# SPDX-License-Identifier: MIT
"""hostapd and wpa_supplicant: their configuration from a radio of the plan."""

from __future__ import annotations

from lab.plan import types

HOSTAPD_CONTROL = "/run/hostapd"
SUPPLICANT_CONTROL = "/run/wpa_supplicant"

# hostapd's words for Mininet-WiFi's modes
_HW_MODES = {"b": ["hw_mode=b"], "g": ["hw_mode=g"], "a": ["hw_mode=a"]}
_AP_SECURITY = {
    "open": [],
    "wpa2": ["wpa=2", "wpa_key_mgmt=WPA-PSK", "rsn_pairwise=CCMP"],
    "wpa3": ["wpa=2", "wpa_key_mgmt=SAE", "rsn_pairwise=CCMP", "ieee80211w=2", "sae_require_mfp=1"],
}
_STATION_SECURITY = {
    "open": ["key_mgmt=NONE"],
    "wpa2": ["key_mgmt=WPA-PSK", "proto=RSN"],
    "wpa3": ["key_mgmt=SAE", "proto=RSN", "ieee80211w=2"],
}


def _mode_lines(radio: types.Radio) -> list[str]:
    if radio.mode == "n":
        band = "a" if (radio.channel or 0) > 14 else "g"
        capabilities = _ht_capabilities(radio)
        lines = [f"hw_mode={band}", "ieee80211n=1", "wmm_enabled=1"]
        return [*lines, f"ht_capab={capabilities}"] if capabilities else lines
    return [*_HW_MODES[radio.mode], *(["wmm_enabled=1"] if radio.wmm else _dcf_lines(radio.mode))]


def _dcf_lines(mode: str) -> list[str]:
    """DCF in all four queues of a network without WMM.

    hostapd sets its own parameters of EDCA there too (AIFSN 3, CW 15 to 63 for best effort), which cost 802.11a a
    fortieth of its throughput and gave 802.11b a fourteenth too much. IEEE 802.11-2020 10.3.2.3.5, Tables 15-5, 17-21.
    """
    cw_min = 31 if mode == "b" else 15
    parameters = {"aifs": 2, "cwmin": cw_min, "cwmax": 1023, "burst": 0}
    return [f"tx_queue_data{queue}_{name}={value}" for queue in range(4) for name, value in parameters.items()]


def _ht_capabilities(radio: types.Radio) -> str:
    """What hostapd announces beyond 20 MHz and the long guard interval."""
    wide = radio.second_half is not None
    words = {
        f"[HT40{radio.second_half}]": wide,
        "[SHORT-GI-20]": radio.short_gi,
        "[SHORT-GI-40]": radio.short_gi and wide,
    }
    return "".join(word for word, wanted in words.items() if wanted)


def hostapd_conf(radio: types.Radio, bridge: str) -> str:
    """hostapd.conf of an access point."""
    encrypt = radio.encrypt or "open"
    lines = [
        f"interface={radio.interface}",
        f"bridge={bridge}",
        "driver=nl80211",
        f"ctrl_interface={HOSTAPD_CONTROL}",
        f"ssid={radio.ssid}",
        f"country_code={radio.country}",
        f"channel={radio.channel}",
        *_mode_lines(radio),
        *_AP_SECURITY[encrypt],
    ]
    if encrypt == "wpa2":
        lines.append(f"wpa_passphrase={radio.passwd}")
    if encrypt == "wpa3":
        lines.append(f"sae_password={radio.passwd}")
    return "\n".join(lines) + "\n"


def wpa_supplicant_conf(radio: types.Radio) -> str:
    """wpa_supplicant.conf of a station.

    It scans only where its network is (``scan_freq``), as a client that remembers its channels does; a full scan of
    both bands takes seconds of air time.
    """
    encrypt = radio.encrypt or "open"
    frequencies = " ".join(str(mhz) for mhz in radio.scan_mhz)
    network = [
        f'ssid="{radio.ssid}"',
        *([f"scan_freq={frequencies}"] if frequencies else []),
        *_STATION_SECURITY[encrypt],
    ]
    if encrypt == "wpa2":
        network.append(f'psk="{radio.passwd}"')
    if encrypt == "wpa3":
        network.append(f'sae_password="{radio.passwd}"')
    inside = "\n".join(f"\t{line}" for line in network)
    # no device for Wi-Fi Direct: it would have the radio's own address, which another node's may be
    head = f"ctrl_interface={SUPPLICANT_CONTROL}\ncountry={radio.country}\np2p_disabled=1\n"
    return f"{head}network={{\n{inside}\n}}\n"
