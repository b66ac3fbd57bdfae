# SPDX-License-Identifier: MIT
"""Wired links and their tc/netem parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from lab.model.base import Duration, Model, Packets, Percent, Rate, Text, refuse
from lab.model.node import Ip
from lab.model.vlans import Vlan, VlanList

if TYPE_CHECKING:
    from lab.shared.types import Netem


class Shape(Model):
    """What a link does to packets, in each direction (tc-netem(8)). Everything is off by default."""

    delay: Duration | None = Field(None, description="One-way delay of each packet.")
    jitter: Duration | None = Field(None, description="Random variation of the delay, plus or minus.")
    loss: Percent | None = Field(None, description="Share of packets lost, independently of each other.")
    rate: Rate | None = Field(None, description="Data rate. Default: unlimited.")
    reorder: Percent | None = Field(None, description="Share of packets sent immediately instead of after the delay.")
    limit: Packets | None = Field(None, description="Queue length. Default: 1000 packets.")

    def applied_to(self, before: Netem) -> Netem:
        """Return ``before`` with every parameter that is given here replaced."""
        given: dict[str, Any] = {
            "delay_ns": self.delay,
            "jitter_ns": self.jitter,
            "loss_percent": self.loss,
            "rate_bps": self.rate,
            "reorder_percent": self.reorder,
            "limit_packets": self.limit,
        }
        return dataclasses.replace(before, **{key: value for key, value in given.items() if value is not None})


def complaint(netem: Netem) -> tuple[str, str] | None:
    """Return (key, problem) if tc would refuse the combination or not do what it says, else None."""
    if netem.reorder_percent and not netem.delay_ns:
        return "reorder", "packets can only overtake delayed ones; add a delay, such as delay: 10 ms"
    if netem.jitter_ns > netem.delay_ns:
        return "jitter", "is larger than the delay, so delays would be negative; use a longer delay or a smaller jitter"
    return None


def _ends(value: Any) -> Any:
    """Refuse a list of other than two nodes; everything else that is wrong is reported as anywhere."""
    if isinstance(value, list) and len(value) != 2:
        ends = value if len(value) == 1 else []
        named = f"{ends[0]} and another one, such as [{ends[0]}, s1]" if ends else "its ends, such as [h1, s1]"
        more = "; write a link for each pair" if len(value) > 2 else ""
        refuse(f"a link has two ends; name {named}{more}")
    return value


class Link(Shape):
    """A wired link between two nodes."""

    other_names: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("tag", "access", "vlan_id", "vid"), "vlan"),
        **dict.fromkeys(("native", "native_vlan", "pvid", "untagged"), "write vlan: with that number next to vlans:"),
        **dict.fromkeys(("trunk", "trunks", "tagged", "vlan_mode"), "write vlans: [10, 20]"),
        **dict.fromkeys(
            ("cls", "intf", "ssid", "mesh_id", "ht_cap", "proto"),
            "links here are wired: a mesh is nodes of kind mesh with the same mesh_id:, an ad hoc network is stations "
            "with adhoc: {ssid: …}",
        ),
    }

    between: Annotated[tuple[Text, Text], BeforeValidator(_ends)] = Field(description="Its two ends, such as [h1, s1].")
    name: Text | None = Field(None, description="Name. Default: its ends, such as h1-s1.")
    ip: dict[str, Ip] = Field(
        {},
        description="IPv4 addresses of its ends, for hosts with several links: {h1: 192.168.1.1/24}. "
        "The first interface of a host has the node's address. With vlans: {r1.10: 10.0.10.1/24}.",
    )
    vlan: Vlan | None = Field(
        None,
        description="The VLAN of its untagged frames, at its ends that are switches or access points: an access port, "
        "or with vlans: the native VLAN of a trunk. Default: none.",
    )
    vlans: VlanList = Field(
        [],
        description="The VLANs of its tagged frames (a trunk), such as [10, 20]. Ends that are not switches or access "
        "points have an interface for each, such as r1-eth0.10, and without vlan: no address outside of them. Default: "
        "none, or between switches and access points without vlan: all.",
    )

    @model_validator(mode="after")
    def _tagged_or_not(self) -> Link:
        if self.vlan in self.vlans:
            refuse(f"VLAN {self.vlan} is also in vlans:, whose frames are tagged; remove it from one", key="vlan")
        return self
