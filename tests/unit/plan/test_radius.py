# SPDX-License-Identifier: MIT
"""Access points that ask a RADIUS server: addresses, secrets, users, and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.guest.hostap_refusal import refusal
from lab.nodes.ap.guest import hostapd_conf
from lab.nodes.radius.guest import freeradius_files
from lab.nodes.radius.guest import hostapd_conf as server_conf
from lab.shared.types import Plan, RadiusServer
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
SERVER = "aaa1: {kind: radius}"
OFFICE = "ap1: {kind: ap, ssid: office, encrypt: 8021x, radius: aaa1}"
LINK = "links: [{between: [aaa1, ap1]}]\n"


def topology(*nodes: str, rest: str = LINK) -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + rest


def server(plan: Plan) -> RadiusServer:
    found = plan.node("aaa1").radius
    assert found is not None
    return found


def test_server_and_access_points_know_each_other(plans: Plans) -> None:
    stations = "sta1: {kind: sta}", "sta2: {kind: sta, identity: bob, passwd: espresso}"
    plan = plans(topology(SERVER, OFFICE, *stations), WORKLOAD)
    assert [node.ip for node in plan.nodes] == ["10.0.0.1/8", "10.0.0.2/8", "10.0.0.3/8", "10.0.0.4/8"]
    radio = plan.node("ap1").radio
    assert radio is not None and radio.radius is not None and radio.eap is None
    given = server(plan)
    assert given.clients == ["10.0.0.2"] and given.eap.users == {"bob": "espresso"}
    assert (radio.radius.ip, radio.radius.secret) == ("10.0.0.1", given.secret) and len(given.secret) == 32
    lines = hostapd_conf(plan, plan.node("ap1")).splitlines()
    assert {"ieee8021x=1", "auth_server_addr=10.0.0.1", f"auth_server_shared_secret={given.secret}"} <= set(lines)
    assert not any(line.startswith(("eap_server", "server_cert")) for line in lines)
    assert {"driver=none", "eap_server=1"} <= set(server_conf(given).splitlines())
    assert server(plans(topology(SERVER, OFFICE), WORKLOAD, seed=2)).secret != given.secret


def test_users_of_the_server_and_its_options(plans: Plans) -> None:
    own = SERVER.replace("}", ", users: {alice: ristretto}, hostapd: {tls_session_lifetime: -1}}")
    plan = plans(topology(own, OFFICE, "sta1: {kind: sta, passwd: espresso}"), WORKLOAD)
    assert server(plan).eap.users == {"alice": "ristretto"}
    config = server_conf(server(plan))
    assert config.endswith("\ntls_session_lifetime=-1\n")
    log = f"Line {len(config.splitlines())}: invalid value\n"
    said = "t.yaml:3: hostapd refuses tls_session_lifetime: invalid value"
    assert refusal("hostapd", plan.node("aaa1"), config, log) == said


def test_a_group_of_access_points(plans: Plans) -> None:
    many = OFFICE.replace("ap1", "ap").replace("}", ", count: 3}")
    links = "links: [{between: [aaa1, s1]}, {between: [s1, ap]}]\n"
    plan = plans(topology(SERVER, "s1: {kind: switch}", many, rest=links), WORKLOAD)
    assert server(plan).clients == ["10.0.0.2", "10.0.0.3", "10.0.0.4"]


def changed(**keys: str) -> str:
    return OFFICE.replace("}", "".join(f", {key}: {value}" for key, value in keys.items()) + "}")


@pytest.mark.parametrize(
    ("nodes", "rest", "said"),
    [
        ((SERVER, OFFICE.replace("radius: aaa1", "radius: aaa")), LINK, 'unknown RADIUS server "aaa" (did you mean'),
        (("h1: {kind: host}", OFFICE.replace("aaa1", "h1")), "", "h1 is not a RADIUS server (it is a host); name"),
        ((SERVER, OFFICE), "", "ap1.radius: no wire leads from ap1 to aaa1; link both to a switch, or to each other"),
        (
            (SERVER, OFFICE, "s1: {kind: switch}", "r1: {kind: router}"),
            "links: [{between: [aaa1, r1]}, {between: [r1, s1], vlan: 5}, {between: [s1, ap1]}]\n",
            "ap1.radius: no router leads from ap1 to aaa1 (ap1 has 10.0.1.1/24 and no default route, aaa1 has",
        ),
        ((SERVER, OFFICE.replace("8021x", "open")), LINK, "radius: needs encrypt: 8021x; write it, or remove this"),
        ((SERVER, changed(users="{bob: espresso}")), LINK, "users: aaa1 decides who may join; write users: there"),
        ((SERVER, changed(certificate="stranger")), LINK, "certificate: stations see the certificate of aaa1"),
        ((SERVER, changed(fail_mode="secure")), LINK, "radius: an access point that OpenFlow programs, or with stp:"),
        ((SERVER, changed(radius_secret="x")), LINK, "the lab makes it from the seed of the run"),
        ((SERVER, OFFICE.replace("radius:", "auth_server_addr:")), LINK, "(did you mean radius?)"),
        ((SERVER, OFFICE, "sta1: {kind: sta, radius: aaa1}"), LINK, 'unknown key "radius": it is for kind: ap'),
        ((SERVER.replace("}", ", config: {users: mine}}"), OFFICE), LINK, "config: needs program: freeradius; hostapd"),
        (
            (SERVER.replace("}", ", program: freeradius, hostapd: {okc: 1}}"), OFFICE),
            LINK,
            "hostapd: freeradius is not hostapd; write its files in config:",
        ),
        (
            (SERVER.replace("}", ", program: freeradius, config: {/etc/x: mine}}"), OFFICE),
            LINK,
            '"/etc/x" is not a path in /etc/freeradius/3.0; write one such as mods-available/eap',
        ),
        (
            (SERVER.replace("}", ", program: freeradius, config: {users: mine}}"), OFFICE),
            LINK,
            "mine",
        ),
        ((SERVER.replace("}", ", program: free-radius}"), OFFICE), LINK, "(did you mean freeradius?)"),
        ((SERVER.replace("}", ", encrypt: 8021x}"), OFFICE), LINK, 'unknown key "encrypt": it is for kind: ap and'),
        ((SERVER.replace("}", ", users: {bob: short}}"), OFFICE), LINK, "aaa1.users.bob: a passphrase must be 8 to 63"),
    ],
)  # fmt: skip
def test_mistakes(plans: Plans, nodes: tuple[str, ...], rest: str, said: str) -> None:
    assert said in refused(plans, topology(*nodes, rest=rest), WORKLOAD)


def test_freeradius_has_files_of_the_lab_and_of_the_user(plans: Plans, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text('bob Cleartext-Password := "x"\n')
    keys = "program: freeradius, config: {mods-config/files/authorize: mine}"
    plan = plans(topology(f"aaa1: {{kind: radius, {keys}}}", OFFICE), WORKLOAD)
    assert plan.node("aaa1").image == "freeradius"
    files = freeradius_files(server(plan))
    assert files["clients.conf"] == (
        f"client access-point-1 {{\n\tipaddr = 10.0.0.2\n\tsecret = {server(plan).secret}\n}}\n"
    )
    assert files["mods-config/files/authorize"] == 'bob Cleartext-Password := "x"\n'
    assert files["certs/key.pem"].startswith("-----BEGIN PRIVATE KEY")
