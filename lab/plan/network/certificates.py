# SPDX-License-Identifier: MIT
"""Certificates of networks with 802.1X: a small authority made from the seed of the run, and what it certifies.

Format: X.509 (RFC 5280), with keys of Ed25519 (RFC 8410). They are valid whatever the guest's clock says.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace

from lab.plan.network import ed25519
from lab.plan.network.network import PlannedNetwork
from lab.shared.types import Eap, Node, Radio, radios

LAB, STRANGER = "lab", "stranger"  # authorities: the one that everybody trusts, and another one
_SEQUENCE, _SET, _INTEGER, _BITS, _OCTETS, _TRUE = 0x30, 0x31, 0x02, 0x03, 0x04, bytes.fromhex("0101ff")
_UTF8, _UTC_TIME, _VERSION, _EXTENSIONS = 0x0C, 0x17, 0xA0, 0xA3
# object identifiers, encoded
_ED25519 = bytes.fromhex("06032b6570")
_COMMON_NAME = bytes.fromhex("0603550403")
_BASIC_CONSTRAINTS, _KEY_USAGE, _EXTENDED = (bytes.fromhex(f"0603551d{last}") for last in ("13", "0f", "25"))
_SERVER, _CLIENT = (bytes.fromhex(f"06082b0601050507030{last}") for last in "12")
_VALID = (b"000101000000Z", b"491231235959Z")


def _der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x82]) + size.to_bytes(2, "big")
    return bytes([tag]) + length + content


_ALGORITHM = _der(_SEQUENCE, _ED25519)


def _name(text: str) -> bytes:
    return _der(_SEQUENCE, _der(_SET, _der(_SEQUENCE, _COMMON_NAME, _der(_UTF8, text.encode()))))


def _pem(label: str, content: bytes) -> str:
    text = base64.b64encode(content).decode()
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


@dataclass(frozen=True)
class Identity:
    """A name with its private key."""

    name: str
    key: bytes

    @property
    def key_pem(self) -> str:
        """The private key as a file (PKCS #8)."""
        key = _der(_OCTETS, _der(_OCTETS, self.key))
        return _pem("PRIVATE KEY", _der(_SEQUENCE, _der(_INTEGER, b"\0"), _ALGORITHM, key))

    def certificate(self, issuer: Identity, use: bytes) -> str:
        """Return a certificate for that use, signed by ``issuer``: itself, if it is an authority."""
        if issuer is self:
            constraints = _der(_SEQUENCE, _BASIC_CONSTRAINTS, _TRUE, _der(_OCTETS, _der(_SEQUENCE, _TRUE)))
            signs = _der(_SEQUENCE, _KEY_USAGE, _TRUE, _der(_OCTETS, bytes.fromhex("03020204")))
            extensions = constraints + signs
        else:
            extensions = _der(_SEQUENCE, _EXTENDED, _der(_OCTETS, _der(_SEQUENCE, use)))
        serial = hashlib.sha256(self.key).digest()[:8]
        body = _der(
            _SEQUENCE,
            _der(_VERSION, _der(_INTEGER, b"\2")),
            _der(_INTEGER, b"\1" + serial),  # positive
            _ALGORITHM,
            _name(issuer.name),
            _der(_SEQUENCE, *(_der(_UTC_TIME, time) for time in _VALID)),
            _name(self.name),
            _der(_SEQUENCE, _ALGORITHM, _der(_BITS, b"\0", ed25519.public(self.key))),
            _der(_EXTENSIONS, _der(_SEQUENCE, extensions)),
        )
        signature = _der(_BITS, b"\0", ed25519.sign(issuer.key, body))
        return _pem("CERTIFICATE", _der(_SEQUENCE, body, _ALGORITHM, signature))


def identity(seed: int, name: str) -> Identity:
    """Return an identity whose key follows from the seed of the run and its name."""
    return Identity(name, hashlib.sha256(f"802.1X {seed} {name}".encode()).digest())


def certified(net: PlannedNetwork, seed: int) -> PlannedNetwork:
    """Return the network with certificates where 802.1X needs them, and the users that access points know."""
    authorities = {name: identity(seed, f"{name} authority") for name in (LAB, STRANGER)}
    trusted = authorities[LAB].certificate(authorities[LAB], b"")

    def prove(eap: Eap, name: str, ssids: Collection[str]) -> Eap:
        own = identity(seed, eap.identity or name)
        is_station = eap.method is not None
        found = replace(eap, authority=trusted)
        if eap.method in (None, "tls"):
            use = _CLIENT if is_station else _SERVER
            found = replace(found, certificate=own.certificate(authorities[eap.issuer], use), key=own.key_pem)
        return found if is_station or eap.users else replace(found, users=_users(net, ssids))

    def member(radio: Radio, name: str) -> Radio:
        asked = radio.radius
        return replace(
            radio,
            eap=prove(radio.eap, name, [radio.ssid]) if radio.eap else None,
            radius=replace(asked, secret=secret(seed, asked.server)) if asked else None,
        )

    def members(radio: Radio, name: str) -> Radio:
        first, *bss = (member(one, name) for one in radio.networks())
        return replace(first, bss=bss)

    def know(node: Node) -> Node:
        if node.radius is not None:
            server = prove(node.radius.eap, node.name, _networks(net, node.name))
            return replace(node, radius=replace(node.radius, eap=server, secret=secret(seed, node.name)))
        if node.radio is None:
            return node
        wlans = [replace(one, radio=members(one.radio, node.name)) for one in node.wlans]
        return replace(node, radio=members(node.radio, node.name), wlans=wlans)

    return replace(net, nodes=[know(node) for node in net.nodes])


def _networks(net: PlannedNetwork, server: str) -> list[str]:
    """Return the SSIDs of the access points that ask a RADIUS server."""
    found = [one for node in radios(net.nodes) if node.radio for one in node.radio.networks()]
    return [one.ssid for one in found if one.radius and one.radius.server == server]


def secret(seed: int, server: str) -> str:
    """Return what a RADIUS server and its access points share."""
    return hashlib.sha256(f"RADIUS {seed} {server}".encode()).hexdigest()[:32]


def _users(net: PlannedNetwork, ssids: Collection[str]) -> dict[str, str]:
    """Return the users of networks with their passwords, as their stations have them; the first of each name."""
    found: dict[str, str] = {}
    for radio in (node.radio for node in radios(net.nodes)):
        if radio and radio.ssid in ssids and radio.eap and radio.passwd:
            found.setdefault(radio.eap.identity, radio.passwd)
    return found
