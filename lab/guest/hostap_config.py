# SPDX-License-Identifier: MIT
"""hostapd and wpa_supplicant: their configuration from a radio of the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lab.shared import types

HOSTAPD_CONTROL = "/run/hostapd"
SUPPLICANT_CONTROL = "/run/wpa_supplicant"

_RSN = ["wpa=2", "rsn_pairwise=CCMP"]
HOSTAPD_FOLDER = "/etc/hostapd"
SUPPLICANT_FOLDER = "/etc/wpa_supplicant"
_AP_SECURITY = {
    "open": [],
    "owe": [*_RSN, "ieee80211w=2"],
    "wpa2": _RSN,
    "wpa3": [*_RSN, "ieee80211w=2", "sae_require_mfp=1"],
    "wpa2/wpa3": [*_RSN, "ieee80211w=1", "sae_require_mfp=1"],
    "8021x": [*_RSN, "ieee8021x=1"],
}
_STATION_SECURITY = {
    "open": [],
    "owe": ["proto=RSN", "ieee80211w=2"],
    "wpa2": ["proto=RSN"],
    "wpa3": ["proto=RSN", "ieee80211w=2"],
    "wpa2/wpa3": ["proto=RSN", "ieee80211w=1"],
    "8021x": ["proto=RSN"],
}
_OF_EAP = {  # of a station, by method
    "tls": ['client_cert="{folder}/certificate.pem"', 'private_key="{folder}/key.pem"'],
    "peap": ['phase2="auth=MSCHAPV2"'],
    "pwd": [],
}
_KEY_MANAGEMENT = {
    "open": ["NONE"],
    "owe": ["OWE"],
    "wpa2": ["WPA-PSK"],
    "wpa3": ["SAE"],
    "wpa2/wpa3": ["SAE", "WPA-PSK"],
    "8021x": ["WPA-EAP"],
}
_FAST_KEY_MANAGEMENT = {
    "WPA-PSK": "FT-PSK",
    "SAE": "FT-SAE",
    "WPA-EAP": "FT-EAP",
}  # with fast transition, besides the above


def _mode_lines(radio: types.Radio) -> list[str]:
    if radio.mode == "n":
        band = "a" if (radio.channel or 0) > 14 else "g"
        capabilities = _ht_capabilities(radio)
        lines = [f"hw_mode={band}", "ieee80211n=1", "wmm_enabled=1"]
        return [*lines, f"ht_capab={capabilities}"] if capabilities else lines
    return [f"hw_mode={radio.mode}", *(["wmm_enabled=1"] if radio.wmm else _dcf_lines(radio.mode))]


def _dcf_lines(mode: str) -> list[str]:
    """Return lines for DCF in all four queues of a network without WMM.

    hostapd sets its own EDCA parameters there too (AIFSN 3, CW 15 to 63 for best effort). They reduced the throughput
    of 802.11a by a fortieth and increased that of 802.11b by a fourteenth.
    IEEE 802.11-2020 10.3.2.3.5, Tables 15-5, 17-21.
    """
    cw_min = 31 if mode == "b" else 15
    parameters = {"aifs": 2, "cwmin": cw_min, "cwmax": 1023, "burst": 0}
    return [f"tx_queue_data{queue}_{name}={value}" for queue in range(4) for name, value in parameters.items()]


def _edca_lines(radio: types.Radio) -> Iterator[str]:
    """Yield EDCA parameters of its stations (``wmm_ac``) and its own (``tx_queue``).

    The first has exponents of windows and units of 32 us, the second windows and milliseconds with one decimal.
    """
    order = list(types.ACCESS_CATEGORIES)
    for one in radio.edca:
        announced, own = f"wmm_ac_{types.ACCESS_CATEGORIES[one.category]}", f"tx_queue_data{order.index(one.category)}"
        if one.aifsn is not None:
            yield from (f"{announced}_aifs={one.aifsn}", f"{own}_aifs={one.aifsn}")
        for name, window in (("cwmin", one.cw_min), ("cwmax", one.cw_max)):
            if window is not None:
                yield from (f"{announced}_{name}={window.bit_length()}", f"{own}_{name}={window}")
        if one.txop_limit_ns is not None:
            yield f"{announced}_txop_limit={one.txop_limit_ns // 32_000}"
            yield f"{own}_burst={one.burst_tenths_ms() / 10}"


def _ht_capabilities(radio: types.Radio) -> str:
    """Return what hostapd announces beyond 20 MHz and the long guard interval."""
    wide = radio.ht40_secondary is not None
    words = {
        f"[HT40{radio.ht40_secondary}]": wide,
        "[SHORT-GI-20]": radio.short_gi,
        "[SHORT-GI-40]": radio.short_gi and wide,
    }
    return "".join(word for word, wanted in words.items() if wanted)


def _key_management(radio: types.Radio) -> str:
    """Return the key management as both daemons write it; fast transition first, since it is preferred."""
    usual = _KEY_MANAGEMENT[radio.encrypt or "open"]
    fast = [_FAST_KEY_MANAGEMENT[one] for one in usual] if radio.mobility_domain else []
    return " ".join([*fast, *usual])


def _transition_lines(radio: types.Radio, neighbours: Iterable[types.Radio]) -> Iterator[str]:
    """Yield lines for fast BSS transition over the air (IEEE 802.11-2020 13), without a RADIUS server.

    With a passphrase each access point computes the keys itself. With SAE they come from an exchange with one access
    point, which sends them to the others over the wire as soon as a station has joined.
    """
    yield f"mobility_domain={radio.mobility_domain}"
    yield f"nas_identifier={radio.interface}"  # its name as the holder of first keys (R0KH-ID)
    yield f"r1_key_holder={radio.mac.replace(':', '')}"
    yield "ft_over_ds=0"
    if radio.encrypt in ("wpa2", "wpa2/wpa3"):
        yield "ft_psk_generate_local=1"
    if radio.encrypt == "wpa2":
        return
    yield "pmk_r1_push=1"
    import hashlib  # it loads OpenSSL, which most runs do not need

    secret = hashlib.sha256(f"{radio.ssid} {radio.mobility_domain} {radio.passwd}".encode()).hexdigest()
    for other in neighbours:
        yield f"r0kh={other.mac} {other.interface} {secret}"
        yield f"r1kh={other.mac} {other.mac} {secret}"


def _raw(options: Iterable[types.RadioOption]) -> list[str]:
    """Return what the topology gives in the program's own words; the last lines override those before."""
    return [f"{option.name}={option.value}" for option in options]


HOSTAPD_BEACON_TU = 100  # its default


def _basic_rates(radio: types.Radio) -> list[str]:
    """Return the rates in hostapd's unit of 100 kbit/s; the host has rejected rates that are not of b, g or a."""
    tenths = [f"{float(rate.split()[0]) * 10:g}" for rate in radio.basic_rates]
    return [f"basic_rates={' '.join(tenths)}"] if tenths else []


Bridge = Callable[[types.Radio], str | None]  # of a network; None: hostapd adds it to none
Neighbours = Callable[[types.Radio], Iterable[types.Radio]]  # the others of the mobility domain of a network


def hostapd_conf(
    radio: types.Radio, bridge: Bridge, neighbours: Neighbours = lambda _: (), folder: str = HOSTAPD_FOLDER
) -> str:
    """Return hostapd.conf of a radio; ``folder`` has the other files of its first network."""
    lines = [
        f"interface={radio.interface}",
        *_bridge_lines(radio, bridge),
        "driver=nl80211",
        f"ctrl_interface={HOSTAPD_CONTROL}",
        f"ssid={radio.ssid}",
        f"country_code={radio.country}",
        f"channel={radio.channel}",
        *([f"beacon_int={radio.beacon_interval_tu}"] if radio.beacon_interval_tu != HOSTAPD_BEACON_TU else []),
        *_mode_lines(radio),
        *_edca_lines(radio),
        *_basic_rates(radio),
        *(["use_driver_iface_addr=1"] if radio.bss else []),  # BSSIDs need not be consecutive
        *_network_lines(radio, folder, neighbours),
    ]
    for one in radio.bss:
        lines += [
            f"bss={one.interface}",
            f"bssid={one.mac}",
            *_bridge_lines(one, bridge),
            f"ctrl_interface={HOSTAPD_CONTROL}",
            f"ssid={one.ssid}",
            *(["wmm_enabled=1"] if one.wmm or one.mode == "n" else []),
            *_network_lines(one, f"{HOSTAPD_FOLDER}/{one.interface}", neighbours),
        ]
    return "\n".join(lines) + "\n"


def _bridge_lines(radio: types.Radio, bridge: Bridge) -> list[str]:
    name = bridge(radio)
    return [f"bridge={name}"] if name else []


def _network_lines(radio: types.Radio, folder: str, neighbours: Neighbours) -> list[str]:
    """Return what belongs to one network of a radio, whose files are in ``folder``; the topology's lines come last."""
    encrypt = radio.encrypt or "open"
    lines = list(_AP_SECURITY[encrypt])
    if radio.eap:
        lines += eap_server_lines(folder)
    if radio.radius:
        lines += _radius_lines(radio, radio.radius)
    if encrypt in ("wpa2", "wpa2/wpa3"):
        lines.append(f"wpa_passphrase={radio.passwd}")
    if encrypt in ("wpa3", "wpa2/wpa3"):
        lines.append(f"sae_password={radio.passwd}")
    if encrypt != "open":
        lines.append(f"wpa_key_mgmt={_key_management(radio)}")
    if radio.mobility_domain:
        lines += _transition_lines(radio, neighbours(radio))
    return [*lines, *_raw(radio.hostapd)]


def eap_server_lines(folder: str) -> list[str]:
    """Return lines for hostapd's own EAP server, whose files are in that folder."""
    return [
        "eap_server=1",
        f"eap_user_file={folder}/users",
        f"ca_cert={folder}/authority.pem",
        f"server_cert={folder}/certificate.pem",
        f"private_key={folder}/key.pem",
    ]


def _radius_lines(radio: types.Radio, server: types.RadiusClient) -> list[str]:
    """Return lines for an access point that asks a RADIUS server."""
    return [
        *([] if radio.mobility_domain else [f"nas_identifier={radio.interface}"]),
        f"auth_server_addr={server.ip}",
        f"auth_server_port={types.RADIUS_PORT}",
        f"auth_server_shared_secret={server.secret}",
    ]


def eap_files(eap: types.Eap) -> dict[str, str]:
    """Return the files next to the configuration of a daemon with 802.1X, by name.

    The users of an access point have a line for each phase; everybody else may come with a certificate.
    """
    files = {"authority.pem": eap.authority, "certificate.pem": eap.certificate, "key.pem": eap.key}
    if eap.method is None:
        hexadecimal = {name: password.encode().hex() for name, password in eap.users.items()}
        outer = [f'"{name}" PEAP,PWD {password}\n' for name, password in hexadecimal.items()]
        inner = [f'"{name}" MSCHAPV2 {password} [2]\n' for name, password in hexadecimal.items()]
        files["users"] = "".join([*outer, "* TLS\n", *inner])
    return {name: text for name, text in files.items() if text}


def _eap_lines(eap: types.Eap, method: str, passwd: str | None, folder: str) -> Iterator[str]:
    yield f"eap={method.upper()}"
    yield f'identity="{eap.identity}"'
    if method != "pwd":
        yield f'ca_cert="{folder}/authority.pem"'
    if passwd:
        yield f'password="{passwd}"'
    yield from (line.format(folder=folder) for line in _OF_EAP[method])


def _ad_hoc_lines(radio: types.Radio) -> list[str]:
    """Return lines for an IBSS with a fixed channel; with a fixed BSSID, no station has to search for it, or merge."""
    lines = ["mode=1", f"frequency={radio.frequency_mhz}", "fixed_freq=1"]
    if radio.ibss_bssid != types.SEARCH:
        lines.append(f"bssid={radio.ibss_bssid}")
    if radio.mode != "n":
        lines.append("disable_ht=1")
    return [*lines, "disable_ht40=1", "disable_vht=1"]


def _mesh_lines(radio: types.Radio) -> list[str]:
    """Return lines for a mesh point on a fixed channel."""
    lines = ["mode=5", f"frequency={radio.frequency_mhz}", *(["disable_ht=1"] if radio.mode != "n" else [])]
    return [*lines, "disable_ht40=1", "disable_vht=1"]


def wpa_supplicant_conf(radio: types.Radio, folder: str = SUPPLICANT_FOLDER) -> str:
    """Return wpa_supplicant.conf of a station or mesh point; ``folder`` has its other files.

    Unless it is to scan all channels, it scans only where its network is (``scan_freq``), as a client that remembers
    its channels does; a full scan of both bands takes seconds of air time.
    """
    encrypt = radio.encrypt or "open"
    frequencies = " ".join(str(mhz) for mhz in radio.scan_mhz)
    network = [
        f'ssid="{radio.ssid}"',
        *([f"scan_freq={frequencies}"] if frequencies and not radio.scan_all else []),
        f"key_mgmt={_key_management(radio)}",
        *_STATION_SECURITY[encrypt],
        *(_ad_hoc_lines(radio) if radio.ibss_bssid else []),
        *(_mesh_lines(radio) if radio.mesh else []),
        *(["disable_ht=1"] if radio.without_ht else []),
        *(["disable_ht40=1"] if radio.without_ht40 else []),
    ]
    if encrypt in ("wpa2", "wpa2/wpa3"):
        network.append(f'psk="{radio.passwd}"')
    if encrypt == "wpa3":
        network.append(f'sae_password="{radio.passwd}"')
    if radio.eap and radio.eap.method:
        network += _eap_lines(radio.eap, radio.eap.method, radio.passwd, folder)
    if radio.bgscan:
        network.append(f'bgscan="{radio.bgscan}"')
    inside = "\n".join(f"\t{line}" for line in [*network, *_raw(radio.network)])
    # no device for Wi-Fi Direct: its address, derived from the radio's, may be another node's
    head = f"ctrl_interface={SUPPLICANT_CONTROL}\ncountry={radio.country}\np2p_disabled=1\n"
    if radio.ibss_bssid:
        head += "ap_scan=2\n"  # wpa_supplicant uses the BSSID of an IBSS only without scanning
    if radio.wps:
        head += "config_methods=virtual_push_button\n"
    head += "".join(f"{line}\n" for line in _raw(radio.wpa_supplicant))
    if radio.wps:  # it learns its network
        return head
    return f"{head}network={{\n{inside}\n}}\n"
