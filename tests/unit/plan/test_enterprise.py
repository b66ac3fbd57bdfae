# SPDX-License-Identifier: MIT
"""Networks with 802.1X: certificates that OpenSSL accepts, users, and what contradicts itself."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from lab.guest.hostap_config import eap_files, wpa_supplicant_conf
from lab.nodes.ap.guest import hostapd_conf
from lab.plan.network import ed25519
from lab.shared.types import Eap, Plan, Radio
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
OFFICE = "ap1: {kind: ap, ssid: office, encrypt: 8021x}"
OPEN = "ap1: {kind: ap, ssid: office}"


def topology(*nodes: str) -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes)


def office(encrypt: str) -> str:
    return OFFICE.replace("8021x", encrypt)


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


def eap(plan: Plan, name: str) -> Eap:
    found = radio(plan, name).eap
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("key", "public", "message", "signature"),
    [  # RFC 8032 7.1, tests 1 to 3
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
            "24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
            "eeb00d291612bb0c00",
        ),
    ],
)
def test_signatures(key: str, public: str, message: str, signature: str) -> None:
    private = bytes.fromhex(key)
    assert ed25519.public(private).hex() == public
    assert ed25519.sign(private, bytes.fromhex(message)).hex() == signature


def context(folder: Path, name: str, given: Eap, protocol: int) -> ssl.SSLContext:
    """One side of TLS 1.2, which wants a certificate of the other."""
    for file, text in eap_files(given).items():
        (folder / f"{name}-{file}").write_text(text)
    made = ssl.SSLContext(protocol)
    made.maximum_version = ssl.TLSVersion.TLSv1_2
    made.check_hostname, made.verify_mode = False, ssl.CERT_REQUIRED
    made.load_cert_chain(folder / f"{name}-certificate.pem", folder / f"{name}-key.pem")
    made.load_verify_locations(folder / f"{name}-authority.pem")
    return made


def shake_hands(folder: Path, server: Eap, client: Eap) -> str:
    """Return what goes wrong in a handshake, as OpenSSL has it."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        context(folder, "client", client, ssl.PROTOCOL_TLS_CLIENT).wrap_bio(to_client, to_server),
        context(folder, "server", server, ssl.PROTOCOL_TLS_SERVER).wrap_bio(to_server, to_client, server_side=True),
    ]
    while sides:
        try:
            sides[0].do_handshake()
            sides.pop(0)
        except ssl.SSLWantReadError:
            sides.reverse()
        except ssl.SSLError as error:
            return error.reason or ""
    return ""


@pytest.mark.parametrize(
    ("ap", "sta", "fails"),
    [
        ("", "", ""),
        ("", ", certificate: stranger", "CERTIFICATE_VERIFY_FAILED"),
        (", certificate: stranger", "", "CERTIFICATE_VERIFY_FAILED"),
    ],
)
def test_openssl_accepts_certificates_of_the_lab(plans: Plans, tmp_path: Path, ap: str, sta: str, fails: str) -> None:
    plan = plans(topology(OFFICE.replace("}", f"{ap}}}"), f"sta1: {{kind: sta{sta}}}"), WORKLOAD)
    assert shake_hands(tmp_path, eap(plan, "ap1"), eap(plan, "sta1")) == fails


def test_equal_seeds_have_equal_certificates(plans: Plans) -> None:
    first, again, other = (
        eap(plans(topology(OFFICE, "sta1: {kind: sta}"), WORKLOAD, seed=seed), "sta1") for seed in (1, 1, 2)
    )
    assert first == again and first.certificate != other.certificate and first.key != other.key


def test_an_access_point_knows_the_users_of_its_network(plans: Plans) -> None:
    stations = [
        "sta1: {kind: sta, ssid: office}",
        "sta2: {kind: sta, ssid: office, identity: bob, passwd: espresso}",
        "sta3: {kind: sta, ssid: office, passwd: ristretto, eap: pwd}",
    ]
    plan = plans(topology(OFFICE, "ap2: {kind: ap, ssid: other, encrypt: 8021x}", *stations), WORKLOAD)
    assert eap_files(eap(plan, "ap1"))["users"].splitlines() == [
        f'"bob" PEAP,PWD {b"espresso".hex()}',
        f'"sta3" PEAP,PWD {b"ristretto".hex()}',
        "* TLS",
        f'"bob" MSCHAPV2 {b"espresso".hex()} [2]',
        f'"sta3" MSCHAPV2 {b"ristretto".hex()} [2]',
    ]
    assert eap_files(eap(plan, "ap2"))["users"] == "* TLS\n"
    assert [eap(plan, name).method for name in ("sta1", "sta2", "sta3")] == ["tls", "peap", "pwd"]
    given = topology(OFFICE.replace("}", ", users: {bob: lungo-lungo}}"), *stations[1:])
    assert eap(plans(given, WORKLOAD), "ap1").users == {"bob": "lungo-lungo"}


def test_the_configurations(plans: Plans) -> None:
    plan = plans(topology(OFFICE, "sta1: {kind: sta}", "sta2: {kind: sta, passwd: espresso}"), WORKLOAD)
    assert {"wpa_key_mgmt=WPA-EAP", "ieee8021x=1", "eap_server=1"} <= set(
        hostapd_conf(plan, plan.node("ap1")).splitlines()
    )
    tls, peap = (wpa_supplicant_conf(radio(plan, name)) for name in ("sta1", "sta2"))
    assert '\teap=TLS\n\tidentity="sta1"\n\tca_cert=' in tls and "\tprivate_key=" in tls and "password" not in tls
    assert '\tpassword="espresso"\n\tphase2="auth=MSCHAPV2"\n' in peap and "private_key" not in peap


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ((office("802.1x"),), '"802.1x" is not one of open, owe, wpa2, wpa3, wpa2/wpa3, 8021x; write 8021'),
        ((office("enterprise"),), "; write 8021x"),
        ((office("8021x, passwd: espresso"),), "passwd: each station has its own password; write"),
        ((office("wpa2, passwd: espresso, users: {bob: espresso}"),), "users: needs encrypt: 8021x"),
        ((office("open, certificate: stranger"),), "certificate: needs encrypt: 8021x; write it, or remove"),
        ((office("8021x, users: {bob: short}"),), "a passphrase must be 8 to 63 printable ASCII"),
        ((office("8021x, users: [bob]"),), "users: must be a mapping: {key: value}, not a list"),
        ((office("8021x, eap_user_file: /etc/x"),), "(did you mean users?)"),
        ((office("8021x, server_cert: x.pem"),), "(did you mean certificate?)"),
        ((OFFICE, "sta1: {kind: sta, eap: tls, passwd: espresso}"), "tls has a certificate instead of a password"),
        ((OFFICE, "sta1: {kind: sta, eap: peap}"), "eap: peap needs a password; write passwd: with 8 to 63"),
        ((OFFICE, "sta1: {kind: sta, eap: pwd, passwd: espresso, certificate: stranger}"), "with pwd has no cert"),
        ((OFFICE, "sta1: {kind: sta, eap: ttls}"), '"ttls" is not one of tls, peap, pwd'),
        ((OFFICE, "sta1: {kind: sta, radius_identity: bob}"), "(did you mean identity?)"),
        ((OFFICE, "sta1: {kind: sta, identity: 'b\"ob', passwd: espresso}"), "an identity must be printable ASCII"),
        ((OPEN, "sta1: {kind: sta, identity: bob}"), "office does not ask who joins; write encrypt: 8021x"),
        ((OPEN, "sta1: {kind: sta, encrypt: 8021x, certificate: me}"), "not one of lab, stranger"),
    ],
)
def test_mistakes(plans: Plans, nodes: tuple[str, ...], said: str) -> None:
    assert said in refused(plans, topology(*nodes), WORKLOAD)
