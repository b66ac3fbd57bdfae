# SPDX-License-Identifier: MIT
"""A workload over IPv6 by one setting: addresses, references, and what is different then."""

import pytest

from tests.refused import refused

from .conftest import Plans

WORKLOAD = """\
name: there
roles: {server: 1, client: 1..}
duration: 30 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink}
  - on: client
    run: [run, "{server.ip}", "http://{server.ip}/x", "http://{server.ip}:80", "{server.ip}:80", "on:{server.ip}"]
    as: run
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 1 ms}, as: load}
"""
ROUTED = """\
name: here
nodes:
  h1: {kind: host, roles: [server]}
  r1: {kind: router, dhcp: server}
  ap1: {kind: ap, ssid: campus}
  sta1: {kind: sta, ip: dhcp, roles: [client]}
links:
  - {between: [h1, r1]}
  - {between: [r1, ap1]}
subnets: {ap1: {ip: 10.9.0.0/24, ip6: "2001:db8:0:0::/64"}}
"""
IPV6 = ["family=ipv6"]


def test_references_are_ipv6_addresses_with_brackets_in_urls(plans: Plans) -> None:
    plan = plans(workload=WORKLOAD, overrides=IPV6)
    assert plan.node("h1").ip == "10.0.0.1/8" and plan.node("h1").ip6 == "2001:db8::1/64"
    assert plan.node("h1").interfaces[0].ip6 == "2001:db8::1/64"
    words = next(process for process in plan.processes if process.name == "run").argv[1:]
    assert words[:2] == ["2001:db8::1", "http://[2001:db8::1]/x"]
    assert words[2:4] == ["http://[2001:db8::1]:80", "[2001:db8::1]:80"]
    assert words[4] == "on:2001:db8::1"
    assert next(process for process in plan.processes if process.name == "sink").argv[-1] == "6"


def test_without_the_setting_nothing_is_different(plans: Plans) -> None:
    plan = plans(workload=WORKLOAD + "ipv6: {processes.nothing.like.this: 5}\n")
    assert plan.node("h1").ip6 is None and "ip6" not in plan.to_json()
    assert plan.to_json() == plans(workload=WORKLOAD).to_json()


def test_each_segment_has_a_subnet_and_stations_with_dhcp_make_their_addresses(plans: Plans) -> None:
    plan = plans(ROUTED, WORKLOAD, overrides=IPV6)
    assert plan.node("h1").ip6 == "2001:db8:0:1::2/64"  # the given one is not used twice
    station = plan.node("sta1").addressing
    assert station is not None and station.asks == {"sta1-wlan0": ["dhcp", "slaac"]}


def test_changes_for_ipv6_come_before_those_of_the_user(plans: Plans) -> None:
    changed = WORKLOAD + "ipv6: {processes.load.run.size: 1452 B, duration: 40 s}\n"
    plan = plans(workload=changed, overrides=[*IPV6, "duration=50 s"])
    assert plan.duration_ns == 50_000_000_000
    assert {one.params["size"] for one in plan.processes if one.name == "load"} == {1452}
    assert plans(workload=changed).duration_ns == 30_000_000_000


@pytest.mark.parametrize(
    ("more", "overrides", "message"),
    [
        ("", ["family=6"], 'family: "6" is not'),
        ("family: IPv6\n", [], '"IPv6" is not'),
        ("ipv6: {processes.lode.run.size: 5 B}\n", IPV6, 'processes.lode.run.size: processes has no entry "lode"'),
        ("needs: {ipv4: it is old}\n", IPV6, "family: there runs only over IPv4: it is old; remove this"),
        ("ipv6: {processes.load.run.size: 5}\n", IPV6, 'w.yaml:10  processes.2.run.size: "5" has no unit'),
    ],
)  # fmt: skip
def test_mistakes(plans: Plans, more: str, overrides: list[str], message: str) -> None:
    assert message in refused(plans, workload=WORKLOAD + more, overrides=overrides)


def test_a_node_without_an_address_of_its_own_is_explained(plans: Plans) -> None:
    other = WORKLOAD.replace("{server.ip}", "{client.ip}").replace("on: client", "on: server")
    wrong = refused(plans, ROUTED, other, overrides=IPV6)
    assert "sta1 gets its address during the run, by SLAAC" in wrong
