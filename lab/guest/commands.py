# SPDX-License-Identifier: MIT
"""The commands that make a network, from the plan alone: the guest gives them, ``lab run --dry-run`` prints them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.guest import hostap_config
from lab.shared import types
from lab.shared.paths import AIR_CAPTURE

AP_BRIDGE = "br0"
OVS_DATABASE = "/etc/openvswitch/conf.db"
OVS_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
OVS_SOCKET = "/run/openvswitch/db.sock"
_OVS_CONTROL = "/run/openvswitch/vswitchd.ctl"
FOLLOW_IN_NODE = "/run/lab/follow"
HOSTAPD_CONF = "/etc/hostapd/hostapd.conf"
SUPPLICANT_CONF = "/etc/wpa_supplicant/wpa_supplicant.conf"
AIR_INTERFACE = "hwsim0"  # of the kernel: while it is up, it shows every frame of the medium
_OVS_LOG = ("-vconsole:warn", "-vsyslog:off", "-vfile:off")

Pid = Callable[[str], int | str]  # of a node's first process, whose namespaces are the node's


def phys(plan: types.Plan) -> dict[str, int]:
    """The number of each node's phy."""
    return types.radio_numbers(plan.nodes)


def countries(plan: types.Plan) -> list[list[str]]:
    """Regulatory domain. The kernel looked for its database before the image was mounted, hence the reload."""
    wanted = sorted({node.radio.country for node in plan.nodes if node.radio})
    return [["iw", "reg", "reload"], ["iw", "reg", "set", wanted[0]]] if wanted else []


def pair_lines(plan: types.Plan, pid: Pid) -> list[str]:
    """``ip -batch`` lines that make all veth pairs at once, each end born in its container."""
    macs = {interface.name: interface.mac for node in plan.nodes for interface in node.interfaces}
    return [
        f"link add name {link.a} address {macs[link.a]} netns {pid(link.node_a)} "
        f"type veth peer name {link.b} address {macs[link.b]} netns {pid(link.node_b)}"
        for link in plan.links
    ]


def move_radio(phy: int, pid: int | str) -> list[str]:
    """Move a radio into a container."""
    return ["iw", "phy", f"phy{phy}", "set", "netns", str(pid)]


def _wired_lines(node: types.Node) -> list[str]:
    """A packet in a link is one that an Ethernet would carry: no bunches of segments, of which netem would lose or
    delay several at once.
    """
    lines = ["link set lo up"]
    for interface in node.interfaces:
        lines.append(f"link set {interface.name} up gso_max_segs 1")
        if interface.ip:
            lines.append(f"addr add {interface.ip} brd + dev {interface.name}")
    return lines


def _radio_lines(node: types.Node, phy: int | None) -> list[str]:
    """The interface that mac80211_hwsim made gets the name and address of the plan."""
    if node.radio is None:
        return []
    return [f"link set wlan{phy} name {node.radio.interface} address {node.radio.mac}"]


def _station_lines(node: types.Node, phy: int | None) -> list[str]:
    lines = _radio_lines(node, phy) + _wired_lines(node)
    if node.ip and node.radio:
        lines.append(f"addr add {node.ip} brd + dev {node.radio.interface}")
    return lines


def _ap_lines(node: types.Node, phy: int | None) -> list[str]:
    """A bridge without spanning tree over the wired ports; hostapd adds the radio to it."""
    lines = [f"link add {AP_BRIDGE} type bridge forward_delay 0 stp_state 0"]
    lines += _radio_lines(node, phy) + _wired_lines(node)
    lines += [f"link set {interface.name} master {AP_BRIDGE}" for interface in node.interfaces]
    return [*lines, f"link set {AP_BRIDGE} up"]


def _monitor_lines(node: types.Node, phy: int | None) -> list[str]:
    return ["link set lo up", *_radio_lines(node, phy)]


def monitor(radio: types.Radio) -> list[list[str]]:
    """Have a radio listen; the regulatory domain must be set."""
    name = radio.interface
    width = f"HT40{radio.ht40_secondary}" if radio.ht40_secondary else "HT20"
    return [
        ["iw", "dev", name, "set", "type", "monitor"],
        ["ip", "link", "set", name, "up"],
        ["iw", "dev", name, "set", "freq", str(radio.frequency_mhz), width],
    ]


_SETUP: Mapping[str, Callable[[types.Node, int | None], list[str]]] = {
    "host": lambda node, phy: _wired_lines(node),
    "switch": lambda node, phy: _wired_lines(node),
    "sta": _station_lines,
    "ap": _ap_lines,
    "monitor": _monitor_lines,
}


def setup_lines(node: types.Node, phy: int | None) -> list[str]:
    """``ip -batch`` lines inside a node's container that bring its interfaces up."""
    return _SETUP[node.kind](node, phy)


def radio_settings(node: types.Node, phy: int | None) -> list[list[str]]:
    """Commands inside a node's container that tell its radio what neither hostapd nor wpa_supplicant does."""
    threshold_bytes = node.radio.rts_threshold_bytes if node.radio else None
    return [] if threshold_bytes is None else [["iw", "phy", f"phy{phy}", "set", "rts", str(threshold_bytes)]]


def netem_words(netem: types.Netem) -> list[str]:
    """Arguments of ``tc qdisc … root``; empty when there is nothing to emulate.

    Reordering in netem means: this share of packets skips the delay, so it needs one.
    """
    words: list[str] = []
    if netem.delay_ns or netem.jitter_ns:
        words += ["delay", f"{netem.delay_ns}ns"]
        if netem.jitter_ns:
            words += [f"{netem.jitter_ns}ns"]
    if netem.reorder_percent:
        words += ["reorder", f"{netem.reorder_percent:.12g}%"]
    if netem.loss_percent:
        words += ["loss", f"{netem.loss_percent:.12g}%"]
    if netem.rate_bps:
        words += ["rate", f"{netem.rate_bps}bit"]
    return ["netem", *words, "limit", str(netem.limit_packets)] if words else []


def sysctls(node: types.Node) -> list[str]:
    """Settings of a node's network stack, for ``sysctl -w``.

    A station keeps its neighbours while it changes access points, as network managers have it: by default the
    kernel forgets them with the carrier, and the first packet after a handoff waits 1 s for the second ARP request
    (Documentation/networking/ip-sysctl.rst, arp_evict_nocarrier).
    """
    if node.kind != "sta" or node.radio is None:
        return []
    name = node.radio.interface
    return [f"net.ipv4.conf.{name}.arp_evict_nocarrier=0", f"net.ipv6.conf.{name}.ndisc_evict_nocarrier=0"]


def shaping_lines(node: str, links: list[types.Link]) -> list[str]:
    """``tc -batch`` lines inside a node's container."""
    lines = []
    for link in links:
        words = netem_words(link.netem)
        for owner, interface in ((link.node_a, link.a), (link.node_b, link.b)):
            if owner == node and words:
                lines.append(f"qdisc add dev {interface} root {' '.join(words)}")
    return lines


def ovs_create() -> list[str]:
    """An empty configuration database."""
    return ["ovsdb-tool", "create", OVS_DATABASE, OVS_SCHEMA]


def ovs_database() -> list[str]:
    """The database server, in the foreground."""
    return [
        "ovsdb-server",
        OVS_DATABASE,
        f"--remote=punix:{OVS_SOCKET}",
        "--no-chdir",
        "--unixctl=/run/openvswitch/ovsdb.ctl",
        *_OVS_LOG,
    ]


def ovs_daemon() -> list[str]:
    """The switch daemon, in the foreground; it uses the kernel's datapath."""
    return [
        "ovs-vswitchd",
        f"unix:{OVS_SOCKET}",
        "--no-chdir",
        f"--unixctl={_OVS_CONTROL}",
        *_OVS_LOG,
    ]


def ovs_follow(node: types.Node) -> list[str]:
    """Makes the switch follow stations that change access points (images/initrd/follow.c)."""
    return [FOLLOW_IN_NODE, "switch", _OVS_CONTROL, node.name]


def ap_follow(plan: types.Plan, node: types.Node) -> list[str]:
    """Makes an access point let go of stations that left for another one; empty where there is no other."""
    others = [other for other in plan.nodes if other.kind == "ap" and other is not node]
    if not others or not node.interfaces or node.radio is None:
        return []
    return [
        FOLLOW_IN_NODE,
        "access-point",
        f"{hostap_config.HOSTAPD_CONTROL}/{node.radio.interface}",
        f"{node.name}-eth",
    ]


def neighbours(plan: types.Plan, node: types.Node) -> list[types.Radio]:
    """The other access points of its network between which transitions are fast."""
    radios = [other.radio for other in plan.nodes if other.kind == "ap" and other.radio and other is not node]
    if node.radio is None or node.radio.mobility_domain is None:
        return []
    domain = node.radio.ssid, node.radio.mobility_domain
    return [radio for radio in radios if (radio.ssid, radio.mobility_domain) == domain]


def hostapd_conf(plan: types.Plan, node: types.Node) -> str:
    """hostapd.conf of an access point."""
    if node.radio is None:
        raise ValueError(f"{node.name} has no radio")
    return hostap_config.hostapd_conf(node.radio, AP_BRIDGE, neighbours(plan, node))


def ovs_bridge(node: types.Node) -> list[str]:
    """One transaction: a learning bridge named as the switch over all its ports; waits until it is applied.

    QoS type linux-noop keeps Open vSwitch from deleting the netem queues of its ports.
    """
    words = ["ovs-vsctl", f"--db=unix:{OVS_SOCKET}", "--timeout=10", "--", "init", "--", "add-br", node.name]
    words += ["--", "set-fail-mode", node.name, "standalone"]
    words += ["--", "--id=@tc", "create", "QoS", "type=linux-noop"]
    for interface in node.interfaces:
        words += ["--", "add-port", node.name, interface.name]
        words += ["--", "set", "Port", interface.name, "qos=@tc"]
    return words


def hostapd() -> list[str]:
    """The access point's daemon, in the foreground."""
    return ["hostapd", "-t", HOSTAPD_CONF]


def wpa_supplicant(radio: types.Radio) -> list[str]:
    """The station's daemon, in the foreground."""
    return ["wpa_supplicant", "-t", f"-i{radio.interface}", "-Dnl80211", f"-c{SUPPLICANT_CONF}"]


def air_up() -> list[str]:
    """Have the kernel show what is on the medium."""
    return ["ip", "link", "set", AIR_INTERFACE, "up"]


def air_capture() -> list[str]:
    """Capture the medium: whole frames with the kernel's stamps.

    A block of frames wakes tcpdump, not each frame. Time does not go on while tcpdump has something to do, so its
    buffer (16 MiB; -B counts KiB) holds more than there can be in it.
    """
    command = ["tcpdump", "-i", AIR_INTERFACE, "-w", str(AIR_CAPTURE), "-n", "-p", "-Q", "in", "-B", "16384"]
    return [*command, "--time-stamp-precision=nano", "-Z", "root"]
