# SPDX-License-Identifier: MIT
"""Parameters of a mesh in iw's words: what ``iw dev … set mesh_param`` takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from lab.errors import unknown
from lab.model.base import refuse

_KNOWN = (  # those that wpa_supplicant leaves to the kernel
    "mesh_ttl",
    "mesh_element_ttl",
    "mesh_hwmp_max_preq_retries",
    "mesh_path_refresh_time",
    "mesh_min_discovery_timeout",
    "mesh_hwmp_active_path_timeout",
    "mesh_hwmp_preq_min_interval",
    "mesh_hwmp_net_diameter_traversal_time",
    "mesh_hwmp_rootmode",
    "mesh_hwmp_rann_interval",
    "mesh_gate_announcements",
    "mesh_fwding",
    "mesh_sync_offset_max_neighor",
    "mesh_rssi_threshold",
    "mesh_hwmp_active_path_to_root_timeout",
    "mesh_hwmp_root_interval",
    "mesh_hwmp_confirmation_interval",
    "mesh_power_mode",
    "mesh_awake_window",
    "mesh_connected_to_gate",
    "mesh_nolearn",
    "mesh_connected_to_as",
)
_PEERING: Mapping[str, str] = {  # by which wpa_supplicant peers, and the keys in its own words
    "mesh_max_peer_links": "wpa_supplicant: {max_peer_links: …}",
    "mesh_plink_timeout": "wpa_supplicant: {mesh_max_inactivity: …}",
    "mesh_max_retries": "network: {dot11MeshMaxRetries: …}",
    "mesh_retry_timeout": "network: {dot11MeshRetryTimeout: …}",
    "mesh_confirm_timeout": "network: {dot11MeshConfirmTimeout: …}",
    "mesh_holding_timeout": "network: {dot11MeshHoldingTimeout: …}",
    "mesh_auto_open_plinks": "network: {no_auto_peer: …}",
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "propertyNames": {"enum": list(_KNOWN)},
    "additionalProperties": {"type": ["string", "integer", "boolean"]},
}


def _checked(written: Any) -> Any:
    """Return the values as iw takes them."""
    if not isinstance(written, dict):
        refuse("must be a mapping, such as {mesh_rssi_threshold: -80}")
    for name, value in written.items():
        if name in _PEERING:
            refuse(f"wpa_supplicant makes the peer links; write {_PEERING[name]}", name)
        if name not in _KNOWN:
            refuse(unknown("mesh parameter", str(name), _KNOWN), name)
        if isinstance(value, float) or not isinstance(value, int | str):
            refuse("needs a whole number, true (1) or false (0), or a word of iw", name)
    return {name: str(int(value)) if isinstance(value, bool) else str(value) for name, value in written.items()}


MeshParams = Annotated[dict[str, str], BeforeValidator(_checked), WithJsonSchema(_SCHEMA)]
