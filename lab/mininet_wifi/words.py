# SPDX-License-Identifier: MIT
"""Parameters of Mininet-WiFi's calls in the words of a topology file.

Only the translation is here: whether a value is valid, the models of the topology decide, on the host.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

Params = Mapping[str, Any]
Keys = dict[str, Any]

TXPOWER_DBM = 14.0  # Mininet-WiFi's defaults
ANTENNA_GAIN_DBI = 5.0
ANTENNA_HEIGHT_M = 1.0
MOBILITY_DEFAULTS = {"min_x": 0, "min_y": 0, "max_x": 100, "max_y": 100, "min_v": 1, "max_v": 10}
_GROUP = 8  # the radius of a group is this part of the area's shorter side
_LEAST_GAP_S = 0.001  # between two points of a way
_MODES = {  # that the medium does not have: the nearest that it has
    "ac": "n",
    "ax": "n",
    "be": "n",
    "ax2": "n",
    "ax5": "n",
    "g2": "g",
    "n2": "n",
    "n5": "n",
    "a5": "a",
}
NEWER = ("ac", "ax", "be")  # of them those that can do more
# what nothing in the lab depends on
_IDLE = {
    "band", "batch", "client_isolation", "cls", "cores", "datapath", "dpid", "driver", "failMode", "freq", "hard",
    "inNamespace", "isAP", "isStation", "isSwitch", "isolate_clients", "listenPort", "plotted", "privateDirs",
    "protocols", "reconnectms", "stp_prio", "verbose", "xterm", "ip6",
}  # fmt: skip
_OF_MOVERS = {"min_x", "max_x", "min_y", "max_y", "min_z", "max_z", "min_v", "max_v", "min_wt", "max_wt"}
_RADIO = {
    "mac", "mode", "channel", "txpower", "antennaGain", "antennaHeight", "range", "ssid", "passwd", "encrypt",
    "position", "wlans", "ieee80211w", "authmode", "ip",
}  # fmt: skip
_AP = {"_4addr", "vssids", "ieee80211r", "mobility_domain", "hidden_ssid", "radius_server", "model", "config"}
_STATION = {"radius_identity", "radius_passwd", "defaultRoute", "bgscan_threshold", "s_inverval", "l_interval",
            "speed", "bgscan_module", "active_scan", "scan_freq", "freq_list"}  # fmt: skip
OF_LINKS = {  # used, or without an effect on what is sent
    "snr", "bw", "delay", "jitter", "loss", "max_queue_size", "params1", "intf", "use_htb", "fast", "link", "cls",
}  # fmt: skip
IDLE_OF_NETWORKS = {
    "link", "intf", "inNamespace", "listenPort", "autoPinCpus", "xterms", "cleanup", "fading_cof",
}  # fmt: skip
_PMF = {"1": "optional", "2": "required"}


def unit(value: Any, name: str) -> str:
    """Return a number with its unit: ``unit("2.50", "m")`` is ``2.5 m``."""
    return f"{float(value):.9g} {name}"


def position(written: Any, height_m: float = 0.0) -> list[str]:
    """Return a position; Mininet-WiFi's antennas are above it.

    Raises:
        ValueError: If it is not one.
    """
    parts = written.split(",") if isinstance(written, str) else list(written)
    if len(parts) not in (2, 3):
        raise ValueError(f"{written!r} is not a position; write one such as '10,20,0'")
    try:
        x, y, z = (*map(float, parts), *([0.0] * (3 - len(parts))))
    except (TypeError, ValueError):
        raise ValueError(f"{written!r} is not a position; write one such as '10,20,0'") from None
    return [unit(x, "m"), unit(y, "m"), unit(z + height_m, "m")]


def height_m(params: Params) -> float:
    """Return the height of a node's antenna above its position."""
    return float(of_radio(params, "antennaHeight", 0) or ANTENNA_HEIGHT_M)


def of_radio(params: Params, key: str, number: int) -> str | None:
    """Return the value for a radio of a node; None if nothing is given.

    Values of several radios are separated by commas. The last one is also that of those after it, unless it is an
    address.
    """
    value = params.get(key)
    if value in (None, ""):
        return None
    several = [str(one).strip() for one in (value if isinstance(value, list | tuple) else str(value).split(","))]
    if number >= len(several) and key in ("mac", "ip"):
        return None
    return several[min(number, len(several) - 1)] or None


def channel(mhz: int) -> int:
    """Return the channel of a frequency."""
    return (mhz - 2407) // 5 if mhz < 5000 else (mhz - 5000) // 5


def mhz(channel: int) -> int:
    """Return the frequency of a channel."""
    return 2407 + 5 * channel if channel <= 13 else 5000 + 5 * channel


def mesh_name(interface: str) -> str:
    """Return the name of the interface of a mesh point in Mininet-WiFi: sta1-mp0 for sta1-wlan0."""
    return interface.replace("-wlan", "-mp")


def dpid(name: str, kind: str) -> str:
    """Return the datapath id of a switch or access point, as Mininet and Mininet-WiFi number them: by their names."""
    digits = "".join(char for char in name if char.isdecimal()) or "0"
    return f"{'1' if kind == 'ap' else '0'}{int(digits):015x}"


def radios(params: Params) -> int:
    """Return how many radios a node has."""
    return max(1, int(params.get("wlans", 1)))


def further_networks(params: Params) -> list[str]:
    """Return the SSIDs of further networks of an access point's first radio."""
    given = params.get("vssids") or []
    return [one.strip() for one in (given.split(",") if isinstance(given, str) else given)]


def left_over(params: Params, kind: str) -> list[str]:
    """Return the parameters that the lab does nothing with, of those that may matter."""
    known = _IDLE | {"ip", "mac"}
    if kind in ("ap", "sta"):
        known |= _RADIO | _OF_MOVERS | (_AP if kind == "ap" else _STATION)
    else:
        known |= {"defaultRoute", "position"}
    return sorted(set(params) - known)


def mode(written: str) -> str:
    """Return the mode of the medium for one of Mininet-WiFi's."""
    return _MODES.get(written, written)


def modes(params: Params) -> list[str]:
    """Return the modes of a node's radios as the script has them."""
    return [of_radio(params, "mode", number) or "g" for number in range(radios(params))]


def transmitter(params: Params, placed: bool, number: int = 0) -> Keys:
    """Return power and antenna of a radio; ``range`` is for the host, which knows the propagation.

    ``placed``: levels follow from where the node is; otherwise Mininet-WiFi's defaults change none.
    """
    keys: Keys = {}
    if placed or of_radio(params, "antennaGain", number):
        keys["antenna_gain"] = unit(of_radio(params, "antennaGain", number) or ANTENNA_GAIN_DBI, "dBi")
    if placed and (reach := of_radio(params, "range", number)) and not of_radio(params, "txpower", number):
        keys["range"] = float(reach)
    elif placed or of_radio(params, "txpower", number):
        keys["txpower"] = unit(of_radio(params, "txpower", number) or TXPOWER_DBM, "dBm")
    return keys


def _protection(params: Params, number: int) -> Keys:
    keys: Keys = {}
    if encrypt := of_radio(params, "encrypt", number):
        keys["encrypt"] = encrypt
        if passwd := of_radio(params, "passwd", number):
            keys["passwd"] = passwd
    if of_radio(params, "authmode", number) == "8021x":
        keys["encrypt"] = "8021x"
        keys.pop("passwd", None)
    if pmf := of_radio(params, "ieee80211w", number):
        keys["pmf"] = _PMF.get(pmf, pmf)
    return keys


def _is_on(value: Any) -> bool:
    return str(value).lower() in ("yes", "true", "1", "on")


def access_point(params: Params, placed: bool, number: int = 0) -> Keys:
    """Return the keys of a radio of an access point."""
    keys: Keys = {
        "ssid": of_radio(params, "ssid", number),
        "mode": mode(of_radio(params, "mode", number) or "g"),
        "channel": _number(of_radio(params, "channel", number) or "1"),
        **transmitter(params, placed, number),
        **_protection(params, number),
    }
    if mac := of_radio(params, "mac", number):
        keys["bssid"] = mac
    if number == 0 and (further := further_networks(params)):
        keys["bss"] = [{"ssid": ssid, **_protection(params, number)} for ssid in further]
    if params.get("client_isolation") or params.get("isolate_clients"):
        keys["isolate"] = True
    if _is_on(params.get("hidden_ssid", "")):
        keys["hidden"] = True
    if _is_on(params.get("ieee80211r", "")):
        keys["fast_transition"] = True
        if domain := params.get("mobility_domain"):
            keys["mobility_domain"] = domain
    return keys


def station(params: Params, ssid: str | None, placed: bool, number: int = 0) -> Keys:
    """Return the keys of a radio that joins a network."""
    keys: Keys = {**transmitter(params, placed, number), **_protection(params, number)}
    if ssid is not None:
        keys["ssid"] = ssid
    if mac := of_radio(params, "mac", number):
        keys["mac"] = mac
    if keys.get("encrypt") == "8021x":
        if identity := of_radio(params, "radius_identity", number):
            keys["identity"] = identity
        if password := of_radio(params, "radius_passwd", number):
            keys["passwd"] = password
    return keys


def ad_hoc(params: Params, link: Params, placed: bool, number: int = 0) -> Keys:
    """Return the keys of a radio in an ad hoc network, with the parameters of addLink(cls=adhoc)."""
    keys = transmitter(params, placed, number)
    if mac := of_radio(params, "mac", number):
        keys["mac"] = mac
    return {**keys, "adhoc": _open(link, "ssid", "adhocNet")}


def mesh(params: Params, link: Params, placed: bool) -> Keys:
    """Return the keys of a mesh point, with the parameters of addLink(cls=mesh)."""
    keys = transmitter(params, placed, 0)
    if mac := of_radio(params, "mac", 0):
        keys["mac"] = mac
    if passwd := link.get("passwd"):
        keys |= {"encrypt": "wpa3", "passwd": passwd}
    return {**keys, **_open(link, "mesh_id", "meshNet")}


def _open(link: Params, name: str, default: str) -> Keys:
    return {
        name: str(link.get("ssid", default)),
        "channel": _number(str(link.get("channel", 1))),
        "mode": mode(str(link.get("mode", "g"))),
    }


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def wired(params: Params) -> Keys:
    """Return the keys of a wired link, with the parameters of TCLink."""
    keys: Keys = {}
    if (rate := params.get("bw")) is not None:
        keys["rate"] = unit(rate, "Mbit/s")
    for key in ("delay", "jitter"):
        if (value := params.get(key)) is not None:
            keys[key] = _tc_time(value)
    if loss := params.get("loss"):
        keys["loss"] = f"{float(loss):.9g}%"
    if (queue := params.get("max_queue_size")) is not None:
        keys["limit"] = f"{int(queue)} packets"
    return keys


def netem(keys: Keys) -> str:
    """Return what ``wired`` returned in the words of tc."""
    said = {key: str(value).replace(" ", "") for key, value in keys.items()}
    found = []
    if "delay" in said:
        found.append(f"delay {said['delay']} {said.get('jitter', '')}")
    found += [f"{key} {said[key]}" for key in ("loss", "rate") if key in said]
    if "limit" in said:
        found.append(f"limit {said['limit'].removesuffix('packets')}")
    return " ".join(found).replace("Mbit/s", "mbit")


def _tc_time(value: Any) -> str:
    """Return a time of tc, whose plain numbers are microseconds, and which calls them us, usec, ms, msec, s, sec."""
    text = str(value).strip().lower()
    if text.replace(".", "", 1).isdecimal():
        return f"{text} us"
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    return f"{number} {text[len(number) :].strip().removesuffix('s').removesuffix('ec').removesuffix('s')}s"


def route(written: str) -> list[Keys]:
    """Return the routes of ``defaultRoute='via 10.0.0.254'``."""
    words = written.split()
    return [{"to": "default", "via": words[words.index("via") + 1] if "via" in words[:-1] else words[-1]}]


def own_bgscan(params: Params) -> str | None:
    """Return what a station says of its scans in the background; None if it says nothing."""
    if params.get("bgscan_threshold") is None:
        return None
    module = str(params.get("bgscan_module", "simple"))
    return bgscan(module, params.get("s_inverval", 30), params["bgscan_threshold"], params.get("l_interval", 300))


def bgscan(module: str, short_s: int, signal_dbm: int, long_s: int) -> str:
    """Return the parameters of setBgscan in wpa_supplicant's notation."""
    return f"{module}:{short_s}:{signal_dbm}:{long_s}"


def roaming(model: str, nodes: Sequence[str], params: Params) -> Keys:
    """Return an entry of ``mobility:`` for nodes that setMobilityModel moves."""
    given = {**MOBILITY_DEFAULTS, **{key: params[key] for key in _OF_MOVERS & set(params)}}
    keys: Keys = {"model": model, "nodes": list(nodes)}
    keys |= {key: unit(given[key], "m") for key in ("min_x", "max_x", "min_y", "max_y")}
    keys |= {key: unit(given[key], "m/s") for key in ("min_v", "max_v")}
    if model == "ReferencePoint":
        side = min(float(given["max_x"]) - float(given["min_x"]), float(given["max_y"]) - float(given["min_y"]))
        keys["radius"] = unit(side / _GROUP, "m")
    if model in ("RandomWayPoint", "TruncatedLevyWalk"):
        for key, name in (("min_wt", "min_pause"), ("max_wt", "max_pause")):
            if key in given:
                keys[name] = unit(given[key], "s")
    if float(params.get("time", 0)) > 0:
        keys["start"] = unit(params["time"], "s")
    return keys


Spot = tuple[float, float, float]


def way(start_s: float, stop_s: float, spots: Sequence[Spot], times: int, period_s: float, back: bool) -> list[Keys]:
    """Return the path of a node that goes through spots at constant speed, so often, every ``period_s``.

    ``back``: every second time it goes the other way.

    Raises:
        ValueError: If the times do not ascend.
    """
    if stop_s <= start_s:
        raise ValueError(f"its mobility stops at {stop_s:g} s, which is not later than its start at {start_s:g} s")
    points: list[tuple[float, Spot]] = []
    for turn in range(max(1, times)):
        going = list(reversed(spots)) if back and turn % 2 else list(spots)
        begin_s = turn * period_s + start_s
        if points and going[0] != points[-1][1] and begin_s - points[-1][0] > _LEAST_GAP_S:
            points.append((begin_s - _LEAST_GAP_S, points[-1][1]))  # it is there at once, and not on its way before
        points += _along(going, begin_s, turn * period_s + stop_s)
    ascending = [point for index, point in enumerate(points) if not index or point[0] > points[index - 1][0]]
    return [{"at": unit(at_s, "s"), "position": [unit(one, "m") for one in spot]} for at_s, spot in ascending]


def _along(spots: Sequence[Spot], start_s: float, stop_s: float) -> list[tuple[float, Spot]]:
    if len(spots) == 1:
        spots = [*spots, *spots]
    lengths = [math.dist(one, other) for one, other in pairwise(spots)]
    whole = sum(lengths)
    found, gone = [(start_s, spots[0])], 0.0
    for number, (length, spot) in enumerate(zip(lengths, spots[1:], strict=True), 1):
        gone += length
        share = gone / whole if whole else number / len(lengths)
        found.append((start_s + share * (stop_s - start_s), spot))
    return found
