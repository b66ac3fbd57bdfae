# SPDX-License-Identifier: MIT
"""What network research expects of a kernel and of a shell is in the guest: tunnels, meshes, bonds, CAKE, MPTCP, nc."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.system.conftest import WIRED, Ran

pytestmark = pytest.mark.guest

# One end of each device. $1 is the last number of this node's addresses, $2 that of the other node's.
DEVICES = {
    "10.1.0.1 WireGuard": """
        key() { printf '%032d' "$1" | base64; }
        key $1 > key
        ip link add wg0 type wireguard
        wg set wg0 private-key key listen-port 51820 \
            peer "$(key $2 | wg pubkey)" allowed-ips 10.1.0.$2/32 endpoint 10.0.0.$2:51820
        ip address add 10.1.0.$1/24 dev wg0
        ip link set wg0 up
    """,
    "10.2.0.1 VXLAN": """
        ip link add vx0 type vxlan id 7 remote 10.0.0.$2 dstport 4789 dev h$1-eth0
        ip address add 10.2.0.$1/24 dev vx0
        ip link set vx0 up
    """,
    "10.3.0.1 GRE": """
        ip link add tap0 type gretap local 10.0.0.$1 remote 10.0.0.$2
        ip address add 10.3.0.$1/24 dev tap0
        ip link set tap0 up
    """,
    "10.4.0.1 GRE over IPv6": """
        ip address add fd00::$1/64 dev h$1-eth0 nodad
        ip link add tap6 type ip6gretap local fd00::$1 remote fd00::$2
        ip address add 10.4.0.$1/24 dev tap6
        ip link set tap6 up
    """,
    "10.5.0.1 macvlan": """
        ip link add mv0 link h$1-eth0 type macvlan mode bridge
        ip address add 10.5.0.$1/24 dev mv0
        ip link set mv0 up
    """,
    "10.6.0.1 B.A.T.M.A.N.": """
        ip link add bat0 type batadv
        batctl bridge_loop_avoidance 0  # which waits for half a minute
        ip link set h$1-eth0 master bat0
        ip address add 10.6.0.$1/24 dev bat0
        ip link set bat0 up
    """,
    "10.8.0.1 ipvlan": """
        ip link add iv0 link vx0 type ipvlan mode l2
        ip address add 10.8.0.$1/24 dev iv0
        ip link set iv0 up
    """,
    "10.9.0.1 IPIP": """
        ip link add tun4 type ipip local 10.0.0.$1 remote 10.0.0.$2
        ip address add 10.9.0.$1/24 dev tun4
        ip link set tun4 up
    """,
    "fd09::1 SIT": """
        ip link add tun64 type sit local 10.0.0.$1 remote 10.0.0.$2
        ip address add fd09::$1/64 dev tun64 nodad
        ip link set tun64 up
    """,
    "10.10.0.1 IPsec": """
        esp() {
            ip xfrm state add src 10.0.0.$1 dst 10.0.0.$2 proto esp spi 0x10$1 mode tunnel if_id 7 \\
                aead 'rfc4106(gcm(aes))' 0x000102030405060708090a0b0c0d0e0f10111213 128
            ip xfrm policy add dir $3 tmpl src 10.0.0.$1 dst 10.0.0.$2 proto esp mode tunnel if_id 7
        }
        ip link add xfrm0 type xfrm if_id 7
        esp $1 $2 out
        esp $2 $1 in
        ip address add 10.10.0.$1/24 dev xfrm0
        ip link set xfrm0 up
    """,
    "10.7.0.1 bond": """
        ip link add bond0 mtu 1400 type bond mode active-backup miimon 10
        for lower in vx1 vx2; do
            ip link add $lower type vxlan id ${lower#vx} remote 10.0.0.$2 dstport 4789 dev h$1-eth0
            ip link set $lower master bond0
        done
        ip address add 10.7.0.$1/24 dev bond0
        ip link set bond0 up
    """,
}
PING = "ping -q -c 2 -i 0.2"


def workload(duration_s: int, *events: tuple[float, str, str]) -> str:
    """A workload whose timeline runs those scripts: (when in s, node, text)."""
    lines = [
        f"  - {{at: {at_s} s, exec: {node}, run: {json.dumps(['sh', '-ec', text])}}}" for at_s, node, text in events
    ]
    return f"name: scripts\nduration: {duration_s} s\ntimeline:\n" + "\n".join(lines) + "\n"


def test_devices_of_each_kind_carry_packets(boot: Callable[..., Ran]) -> None:
    ends = "".join(f"({text})\n" for text in DEVICES.values())
    pings = [(5 + number * 0.5, "h2", f"{PING} {name.split()[0]}") for number, name in enumerate(DEVICES)]
    ran = boot(
        WIRED,
        workload(
            15,
            (0.5, "h1", "ip -br link"),
            (1.0, "h1", f"set -- 1 2\n{ends}"),
            (1.0, "h2", f"set -- 2 1\n{ends}"),
            *pings,
            (13.0, "h2", "wg show; batctl neighbors -H; ip -d link show bond0"),
            (13.5, "h1", "ip link set vx1 down"),
            (13.5, "h2", f"ip link set vx1 down; sleep 0.1; ip -d link show bond0; {PING} 10.7.0.1"),
        ),
    )
    before, _, _, *pinged, state, _, failed_over = ran.outputs()
    assert [line.split()[0].partition("@")[0] for line in before.splitlines()] == ["lo", "h1-eth0"]
    lost = [name for name, output in zip(DEVICES, pinged, strict=True) if ", 0% packet loss" not in output]
    assert not lost, pinged
    for found in ("latest handshake", "h2-eth0", "active_slave vx1"):
        assert found in state
    assert "active_slave vx2" in failed_over
    assert ", 0% packet loss" in failed_over


RULES = """
table inet filter {
  flowtable short { hook ingress priority 0; devices = { h1-eth0 }; }
  quota month { over 100 mbytes }
  chain input {
    type filter hook input priority 0;
    icmp type echo-request limit rate over 1/second burst 1 packets drop
    tcp dport 81 ct count over 2 reject with tcp reset
    udp dport 82 log prefix "seen " reject
    udp dport 83 quota name "month" drop
    fib saddr . iif oif missing drop
    socket transparent 1 accept
  }
  chain forward { type filter hook forward priority 0; ip protocol tcp flow add @short; }
}
table ip nat {
  chain output { type nat hook output priority -100; tcp dport 84 redirect to :85; }
  chain before {
    type nat hook prerouting priority -100;
    tcp dport 86 dnat to numgen inc mod 2 map { 0: 10.0.0.1, 1: 10.0.0.2 };
  }
}
table ip proxy {
  chain before {
    type filter hook prerouting priority -150;
    tcp dport 87 tproxy to :88
  }
}
table netdev early {
  chain in { type filter hook ingress device h1-eth0 priority 0; ether type 0x88b5 drop; tcp dport 89 counter; }
}
table bridge between {
  chain in { type filter hook input priority 0; ct state established accept; meta ibrname "br9" reject; }
}
"""


def test_rules_of_firewalls(boot: Callable[..., Ran]) -> None:
    """All families and expressions are accepted, and a limit, a reject and a redirection do what they say."""
    ran = boot(
        WIRED,
        workload(
            6,
            (0.5, "h1", f"nft -f - <<'end'\n{RULES}\nend"),
            (1.0, "h2", "ping -q -c 4 -i 0.2 -W 0.5 10.0.0.1"),
            (3.0, "h2", "echo x | nc -u -w 1 10.0.0.1 82 2>&1; nft list ruleset | wc -l"),
            (5.0, "h1", "nft list ruleset | grep -c -E 'flow add|ct count|tproxy|numgen|netdev|redirect'"),
        ),
    )
    _, pinged, _, listed = ran.outputs()
    assert "4 packets transmitted, 2 received" in pinged or "4 packets transmitted, 1 received" in pinged, pinged
    assert listed == "6\n"


MARKS_AND_ARP = """
table ip marks {
  chain marking { type filter hook prerouting priority -150; icmp type echo-request ct mark set 7 accept; }
  chain dropping { type filter hook output priority 0; icmp type echo-reply ct mark 7 counter drop; }
}
table arp quiet {
  chain in { type filter hook input priority 0; arp daddr ip 10.0.0.9 counter drop; }
}
"""


def test_rules_by_marks_of_connections_and_of_arp(boot: Callable[..., Ran]) -> None:
    """A connection keeps the mark that its first packet got; a host does not answer ARP for an address it hides."""
    twice = "! ping -q -c 2 -i 0.2 -W 0.5"
    ran = boot(
        WIRED,
        workload(
            7,
            (0.5, "h1", f"ip address add 10.0.0.9/24 dev h1-eth0; nft -f - <<'end'\n{MARKS_AND_ARP}\nend"),
            (1.0, "h2", f"{twice} 10.0.0.1; {twice} 10.0.0.9"),
            (6.0, "h1", "nft list ruleset | grep counter"),
            (6.0, "h2", "ip neigh show 10.0.0.9"),
        ),
    )
    _, pinged, counted, neighbour = ran.outputs()
    assert pinged.count("100% packet loss") == 2, pinged
    marked, asked = counted.splitlines()
    assert "ct mark 0x00000007 counter packets 2 " in marked
    assert "arp daddr ip 10.0.0.9 counter packets 3 " in asked
    assert neighbour.endswith(" FAILED \n"), neighbour


def test_a_routing_table_for_an_interface(boot: Callable[..., Ran]) -> None:
    """VRF: an interface has routes of its own, which others do not see."""
    script = """
        ip link add blue type vrf table 7
        ip link set blue up
        ip link set h2-eth0 master blue
        ip route add table 7 192.0.2.0/24 via 10.0.0.1
    """
    ran = boot(
        WIRED,
        workload(
            3,
            (0.5, "h1", "ip address add 192.0.2.1/32 dev lo"),
            (0.5, "h2", script),
            (1.0, "h2", f"{PING} -I blue 192.0.2.1"),
            (2.0, "h2", "! ip route get 192.0.2.1 2>&1"),
        ),
    )
    *_, pinged, without = ran.outputs()
    assert ", 0% packet loss" in pinged
    assert "unreachable" in without


def test_cake_shapes(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        workload(
            6,
            (0.5, "h2", "tc qdisc replace dev h2-eth0 root cake bandwidth 5mbit ethernet"),
            (1.0, "h1", "iperf3 -s -1 -D"),
            (1.5, "h2", "iperf3 -c 10.0.0.1 -t 3 -J"),
            (5.5, "h2", "tc -s qdisc show dev h2-eth0"),
        ),
    )
    _, _, flow, qdisc = ran.outputs()
    received_bps = json.loads(flow)["end"]["sum_received"]["bits_per_second"]
    # 1448 of 1538 bytes on the wire are payload
    assert received_bps == pytest.approx(5e6 * 1448 / 1538, rel=0.06)
    assert "qdisc cake" in qdisc


SERVER = """
import socket
with socket.socket(proto=socket.IPPROTO_MPTCP) as server:
    server.bind(("", 5001))
    server.listen()
    connection, _ = server.accept()
    with connection:
        while connection.recv(65536):
            pass
"""
CLIENT = """
import socket, time
with socket.socket(proto=socket.IPPROTO_MPTCP) as flow:
    flow.connect(("10.0.0.1", 5001))
    for _ in range(20):
        flow.send(bytes(10000))
        time.sleep(0.1)
"""


def test_a_connection_takes_a_second_path(boot: Callable[..., Ran]) -> None:
    """MPTCP: the server announces a second address, the client joins by it."""
    ran = boot(
        WIRED,
        workload(
            6,
            (0.5, "h1", "ip address add 10.2.0.1/24 dev h1-eth0; ip mptcp endpoint add 10.2.0.1 dev h1-eth0 signal"),
            (0.5, "h2", "ip address add 10.2.0.2/24 dev h2-eth0; ip mptcp limits set subflow 1 add_addr_accepted 1"),
            (1.0, "h1", f"python3 -c '{SERVER}' >/dev/null 2>&1 &"),
            (2.0, "h2", f"python3 -c '{CLIENT}' >/dev/null 2>&1 &"),
            (3.0, "h2", "ss -tnHO dport = :5001; ss -MnHOi dport = :5001"),
        ),
    )
    sockets = ran.outputs()[-1]
    assert "10.0.0.1:5001" in sockets
    assert "10.2.0.1:5001" in sockets
    assert "subflows:1" in sockets


def test_tools_at_the_prompt(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        workload(
            5,
            (1.0, "h1", "echo hello | nc -l -N 7 >/dev/null 2>&1 &"),
            (2.0, "h2", "nc -d 10.0.0.1 7"),
            (3.0, "h2", "traceroute -n 10.0.0.1"),
            (4.0, "h2", "less /etc/hosts; nano --version"),
        ),
    )
    _, received, path, text = ran.outputs()
    assert received == "hello\n"
    assert " 1  10.0.0.1 " in path
    assert "localhost" in text
    assert "GNU nano" in text
