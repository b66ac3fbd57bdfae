# SPDX-License-Identifier: MIT
"""Nodes have their sysctls before their first program starts; one that the kernel refuses ends the run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from lab.errors import RunError
from tests.system.conftest import WIRED, Ran

pytestmark = pytest.mark.guest

LISTENING = """
name: listening
roles: {server: 1, client: 1}
duration: 2 s
processes:
  - {on: server, run: [iperf3, -s], as: one, ready: {listening: tcp/5201}}
  - {on: client, run: [iperf3, -s], as: other, ready: {listening: tcp/5201}}
timeline:
  - {at: 1 s, exec: h1, run: [ss, -tlmnHO]}
  - {at: 1 s, exec: h2, run: [ss, -tlmnHO]}
  - {at: 1 s, exec: h1, run: [sysctl, -n, net.ipv6.conf.h1-eth0.hop_limit, net.ipv6.conf.lo.hop_limit]}
"""


def place(*sysctls: str) -> str:
    """A wired pair, with those lines of sysctls for h1 from line 6 of the file on."""
    node = "h1:\n    kind: host\n    roles: [server]\n    sysctls:\n" + "".join(f"      {line}\n" for line in sysctls)
    return WIRED.replace("h1: {kind: host, roles: [server]}\n", node)


def buffer_bytes(listed: str) -> int:
    """The receive buffer of the only socket."""
    (found,) = re.findall(r"skmem:\(r0,rb(\d+),", listed)
    return int(found)


def test_a_server_that_listens_has_the_buffers_of_its_node(boot: Callable[..., Ran]) -> None:
    """It was started before the timeline, where an event would come too late; its neighbour has the kernel's."""
    keys = ("net.ipv4.tcp_rmem: 4096 262144 524288", "net.ipv6.conf.h1-eth0.hop_limit: 9")
    ran = boot(place(*keys), LISTENING)
    own, other, limits = ran.outputs()
    assert (buffer_bytes(own), buffer_bytes(other)) == (262_144, 131_072)
    assert limits.split() == ["9", "64"]


def test_an_interface_takes_over_what_is_default(boot: Callable[..., Ran]) -> None:
    ran = boot(place("net.ipv6.conf.default.hop_limit: 9"), LISTENING)
    assert ran.outputs()[2].split() == ["9", "64"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("net.ipv4.tcp_nosuch: 1", 'a node has no "net.ipv4.tcp_nosuch"; `sysctl -a` in a node lists what it has'),
        ("net.core.netdev_max_backlog: 5", 'a node has no "net.core.netdev_max_backlog"; `sysctl'),
        ("net.ipv4.tcp_sack: on", 'the kernel refuses "on" for net.ipv4.tcp_sack: Invalid argument'),
        (
            "net.ipv4.tcp_congestion_control: tahoe",
            'the kernel refuses "tahoe" for net.ipv4.tcp_congestion_control: No such file or directory',
        ),
        ("net.ipv4.tcp_available_congestion_control: reno", '"net.ipv4.tcp_available_congestion_control" cannot be'),
        ("net.ipv4.tcp_rmem: 8192", 'net.ipv4.tcp_rmem: the kernel makes "8192 131072 6291456" of "8192"; write the'),
    ],
)
def test_what_the_kernel_does_not_take(boot: Callable[..., Ran], line: str, said: str) -> None:
    with pytest.raises(RunError, match=re.escape(f"topology.yaml:8: {said}")):
        boot(place("net.ipv4.tcp_timestamps: 0", line), LISTENING)
