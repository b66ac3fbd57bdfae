# SPDX-License-Identifier: MIT
"""A RADIUS server in the guest: hostapd without a radio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest import hostap_config
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import Step, Write, attach, await_listening, start_daemon
from lab.shared import types

_CONFIG = f"{hostap_config.HOSTAPD_FOLDER}/hostapd.conf"
_CLIENTS = f"{hostap_config.HOSTAPD_FOLDER}/clients"
_INTERFACE = "lo"  # hostapd wants one, and does nothing with it


class RadiusServer(NodeKind):
    """A RADIUS server; Mininet counts it as a host."""

    class_name: ClassVar[str] = "RadiusServer"
    phase: ClassVar[Phase | None] = Phase.SERVE

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        given = node.radius
        if given is None:
            return
        for file, text in hostap_config.eap_files(given.eap).items():
            yield Write(f"{hostap_config.HOSTAPD_FOLDER}/{file}", text, node.name)
        clients = "".join(f"{ip} {given.secret}\n" for ip in given.clients)
        yield Write(_CLIENTS, clients, node.name)
        yield Write(_CONFIG, hostapd_conf(given), node.name)
        yield start_daemon(node.name, "hostapd", ["hostapd", "-t", _CONFIG])
        yield attach(node.name, "hostapd", f"{hostap_config.HOSTAPD_CONTROL}/{_INTERFACE}", _CONFIG)

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        yield await_listening(node.name, "hostapd", f"udp/{types.RADIUS_PORT}")


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
