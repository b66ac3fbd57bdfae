# SPDX-License-Identifier: MIT
"""What the client takes for a disconnection, and for a peer-id that is kept: its headers, compiled for this machine."""

from __future__ import annotations

import ctypes
import socket
import struct
import subprocess
from pathlib import Path

import pytest

STACK = Path(__file__).parents[2]
CODE = """\
#include "wp2p/connection-clock.h"
#include "wp2p/identity.h"
#include <cstring>
extern "C" int uplinks(char const* ipv4, char const* ipv6, char* names)
{
    auto found = Uplinks{};
    auto routes = std::istringstream{ ipv4 }, routes6 = std::istringstream{ ipv6 };
    found.read_ipv4(routes);
    found.read_ipv6(routes6);
    *names = '\\0';
    for (auto const& name : found.names())
    {
        std::strcat(std::strcat(names, name.c_str()), " ");
    }
    return 0;
}
extern "C" int lost(void const* message, unsigned interface)
{
    return is_disconnection(static_cast<nlmsghdr const*>(message), { interface });
}
extern "C" int keep(int saves)
{
    setenv("WP2P_KEEP_PEER_ID", "1", 1);
    auto const kept = kept_peer_id(
        std::string{ "-TR4100-" },
        "/etc/peer-id",
        [](auto const&, auto&) { return false; },
        [saves](auto const&, auto) { return saves != 0; });
    std::fflush(stderr);
    return kept == "-TR4100-";
}
"""
NEW_LINK, DELETED_LINK, NEW_ADDRESS, DELETED_ADDRESS = 16, 17, 20, 21
UP, RUNNING = 1, 0x40
UNIVERSE, LINK = 0, 253  # scopes
OURS, ANOTHER = 3, 4  # interfaces


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    directory = tmp_path_factory.mktemp("clock")
    (directory / "clock.cc").write_text(CODE)
    flags = ["-Wall", "-Wextra", "-Werror", "-std=gnu++17", "-shared", "-fPIC", f"-I{STACK}"]
    subprocess.run(["g++", *flags, "-o", directory / "clock.so", directory / "clock.cc"], check=True)
    return ctypes.CDLL(str(directory / "clock.so"))


def link(kind: int, flags: int, interface: int = OURS) -> bytes:
    return struct.pack("=IHHII", 32, kind, 0, 0, 0) + struct.pack("=BxHiII", 0, 1, interface, flags, 0)


def address(kind: int, family: int, scope: int = UNIVERSE, interface: int = OURS) -> bytes:
    return struct.pack("=IHHII", 24, kind, 0, 0, 0) + struct.pack("=BBBBI", family, 24, 0, scope, interface)


@pytest.mark.parametrize(
    ("message", "lost"),
    [
        pytest.param(link(NEW_LINK, UP), True, id="no carrier"),
        pytest.param(link(NEW_LINK, UP | RUNNING), False, id="a carrier"),
        pytest.param(link(DELETED_LINK, UP | RUNNING), True, id="the interface is gone"),
        pytest.param(link(NEW_LINK, UP, ANOTHER), False, id="no carrier of another"),
        pytest.param(link(DELETED_LINK, 0, ANOTHER), False, id="another is gone"),
        pytest.param(address(DELETED_ADDRESS, socket.AF_INET), True, id="an address of IPv4"),
        pytest.param(address(DELETED_ADDRESS, socket.AF_INET6), True, id="an address of IPv6"),
        pytest.param(address(DELETED_ADDRESS, socket.AF_INET6, LINK), False, id="an address of its link"),
        pytest.param(address(DELETED_ADDRESS, socket.AF_INET, interface=ANOTHER), False, id="an address of another"),
        pytest.param(address(NEW_ADDRESS, socket.AF_INET), False, id="a new address"),
        pytest.param(struct.pack("=IHHII", 32, 24, 0, 0, 0) + bytes(16), False, id="a route"),
    ],
)
def test_what_is_a_disconnection(code: ctypes.CDLL, message: bytes, lost: bool) -> None:
    assert bool(code.lost(message, OURS)) is lost


def route(interface: str, destination: str = "00000000", mask: str = "00000000", metric: int = 0) -> str:
    return f"{interface}\t{destination}\t0101000A\t0003\t0\t0\t{metric}\t{mask}\t0\t0\t0\n"


def network(interface: str) -> str:
    return route(interface, "0000000A", "000000FF")


def route6(interface: str, destination: str = "", length: str = "00", metric: int = 1024) -> str:
    zero = "0" * 32
    return f"{destination:0<32} {length} {zero} 00 {zero} {metric:08x} 00000001 00000000 00000003 {interface:>8}\n"


HEADING = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"


@pytest.mark.parametrize(
    ("ipv4", "ipv6", "names"),
    [
        ("", "", ""),
        (network("eth0") + route("wlan0"), "", "wlan0"),
        (route("eth0", metric=100) + route("wlan0", metric=600), "", "eth0"),
        (route("wlan0", metric=600) + route("eth0", metric=100), "", "eth0"),
        (network("eth0") + network("wlan0"), "", "eth0 wlan0"),
        (route("eth0", metric=100), route6("wlan0"), "eth0 wlan0"),
        (network("eth0"), route6("wlan0", metric=1024) + route6("eth1", metric=2048), "wlan0"),
        ("", route6("lo", metric=2**32 - 1) + route6("eth0", "fe80", "40") + route6("eth0", "ff", "08"), ""),
        ("", route6("eth0", "20010db8", "40") + route6("eth1", "fe80", "40"), "eth0"),
    ],
    ids=[
        "none",
        "the default",
        "the better default",
        "the better default, second",
        "no default",
        "two families",
        "IPv6",
        "links only",
        "a network of IPv6",
    ],
)
def test_the_interfaces_that_matter(code: ctypes.CDLL, ipv4: str, ipv6: str, names: str) -> None:
    found = ctypes.create_string_buffer(100)
    code.uplinks((HEADING + ipv4).encode(), ipv6.encode(), found)
    assert found.value.decode().split() == names.split()


@pytest.mark.parametrize("saves", [True, False])
def test_a_peer_id_that_cannot_be_saved_is_reported(
    code: ctypes.CDLL, capfd: pytest.CaptureFixture[str], saves: bool
) -> None:
    assert code.keep(saves)
    said = "" if saves else "the peer-id cannot be saved in /etc/peer-id: it will not be kept\n"
    assert capfd.readouterr().err == said
