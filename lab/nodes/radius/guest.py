# SPDX-License-Identifier: MIT
"""A RADIUS server in the guest: hostapd without a radio, or FreeRADIUS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest import hostap_config
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import Step, Write, attach, await_listening, start_daemon
from lab.shared import types

_CONFIG = f"{hostap_config.HOSTAPD_FOLDER}/hostapd.conf"
_CLIENTS = f"{hostap_config.HOSTAPD_FOLDER}/clients"
_FREERADIUS = "/etc/freeradius/3.0"
_EAP_MODULE = """\
eap {
	default_eap_type = tls
	tls-config tls-common {
		private_key_file = ${certdir}/key.pem
		certificate_file = ${certdir}/certificate.pem
		ca_file = ${certdir}/authority.pem
		tls_min_version = "1.2"
		tls_max_version = "1.2"
	}
	tls {
		tls = tls-common
	}
	peap {
		tls = tls-common
		default_eap_type = mschapv2
		virtual_server = "inner-tunnel"
	}
	mschapv2 {
	}
	pwd {
		group = 19
		server_id = radius
		virtual_server = "inner-tunnel"
	}
}
"""
_INTERFACE = "lo"  # hostapd wants one, and does nothing with it


class RadiusServer(NodeKind):
    """A RADIUS server; Mininet counts it as a host."""

    class_name: ClassVar[str] = "RadiusServer"
    phase: ClassVar[Phase | None] = Phase.SERVE

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        given = node.radius
        if given is None:
            return
        if given.freeradius:
            for file, text in freeradius_files(given).items():
                yield Write(f"{_FREERADIUS}/{file}", text, node.name)
            yield start_daemon(node.name, "freeradius", ["freeradius", "-X"])  # one thread, and a log
            return
        for file, text in hostap_config.eap_files(given.eap).items():
            yield Write(f"{hostap_config.HOSTAPD_FOLDER}/{file}", text, node.name)
        clients = "".join(f"{ip} {given.secret}\n" for ip in given.clients)
        yield Write(_CLIENTS, clients, node.name)
        yield Write(_CONFIG, hostapd_conf(given), node.name)
        yield start_daemon(node.name, "hostapd", ["hostapd", "-t", _CONFIG])
        yield attach(node.name, "hostapd", f"{hostap_config.HOSTAPD_CONTROL}/{_INTERFACE}", _CONFIG)

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        program = "freeradius" if node.radius and node.radius.freeradius else "hostapd"
        yield await_listening(node.name, program, f"udp/{types.RADIUS_PORT}")


def hostapd_conf(server: types.RadiusServer) -> str:
    """Return the hostapd.conf of a RADIUS server."""
    lines = [
        f"interface={_INTERFACE}",
        "driver=none",
        f"ctrl_interface={hostap_config.HOSTAPD_CONTROL}",
        f"radius_server_clients={_CLIENTS}",
        f"radius_server_auth_port={types.RADIUS_PORT}",
        *hostap_config.eap_server_lines(hostap_config.HOSTAPD_FOLDER),
        *(f"{option.name}={option.value}" for option in server.hostapd),
    ]
    return "\n".join(lines) + "\n"


def freeradius_files(server: types.RadiusServer) -> dict[str, str]:
    """Return what the lab writes over Debian's configuration of FreeRADIUS, and the user's files, by path."""
    clients = [
        f"client access-point-{number} {{\n\tipaddr = {ip}\n\tsecret = {server.secret}\n}}\n"
        for number, ip in enumerate(server.clients, 1)
    ]
    certificates = hostap_config.eap_files(server.eap)
    return {
        "clients.conf": "".join(clients),
        "mods-config/files/authorize": "".join(
            f'"{name}"\tCleartext-Password := "{password}"\n' for name, password in server.eap.users.items()
        ),
        "mods-available/eap": _EAP_MODULE,
        **{f"certs/{name}": text for name, text in certificates.items() if name.endswith(".pem")},
        **server.config,
    }
