# SPDX-License-Identifier: MIT
"""Keys of nodes that Open vSwitch bridges: a controller, flow rules, what happens without a controller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from lab.model.base import Flag, Text, Texts, refuse
from lab.model.node import Ip, Node
from lab.model.vlans import Vlan


def _of_ovs(written: Any) -> Any:
    """Refuse rules that are not text."""
    for rule in written if isinstance(written, list) else [written]:
        if isinstance(rule, dict):
            refuse('write rules as ovs-ofctl does: ["icmp,in_port=s1-eth1,actions=drop"]')
    return written


def _rule(text: str) -> str:
    """Check that a flow is one line with actions; the rest is for ovs-ofctl."""
    if not text.isprintable():
        refuse("a rule must be one line of printable text")
    if "actions=" not in text.replace("action=", "actions="):
        refuse(
            f'"{text}" has no actions; write a rule as ovs-ofctl does, such as priority=10,in_port=1,actions=output:2'
        )
    return text


Rules = Annotated[Texts, BeforeValidator(_of_ovs), AfterValidator(lambda rules: [_rule(rule) for rule in rules])]


class OpenFlowBridge(Node):
    """A bridge that OpenFlow can program, and that may have an address of its own."""

    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "fail_mode": {"open": "write standalone", "closed": "write secure"},
    }

    ip: Ip | None = Field(
        None,
        description="IPv4 address by which other nodes reach it, such as 10.0.0.250/8 (management). Default: none.",
    )
    vlan: Vlan | None = Field(None, description="The VLAN of that address. Default: that of untagged frames.")
    controller: Text | None = Field(
        None,
        description="Its OpenFlow controller, a node of kind: controller. They are connected by a wire of their own, "
        "which links: may shape: {between: [c0, s1], delay: 5 ms}. The lab then no longer helps bridges to follow "
        "stations. Default: none; it learns addresses by itself.",
    )
    fail_mode: Literal["secure", "standalone"] | None = Field(
        None,
        description="Without a connection to its controller: secure: only its flow rules apply; standalone: it learns "
        "addresses by itself. Default: secure with controller: or openflow:, otherwise standalone.",
    )
    openflow: Rules = Field(
        [],
        description="Flow rules that it has from the start, as ovs-ofctl add-flow takes them (OpenFlow 1.3), with "
        'interfaces by name: ["in_port=s1-eth1,actions=output:s1-eth2"].',
    )

    stp: Flag = Field(
        False,
        description="Whether it runs the rapid spanning tree protocol (RSTP), so that links may form loops. All "
        "switches and access points of a segment with a loop need it.",
    )

    @property
    def given_ip(self) -> str | None:
        return self.ip

    @property
    def ip6(self) -> None:
        """No IPv6 address but that of the same number in its subnet."""

    @property
    def routes(self) -> None:
        """No routes but those that the lab makes."""

    @property
    def bridges(self) -> bool:
        return True

    @property
    def is_programmed(self) -> bool:
        """Whether OpenFlow rules decide where frames go."""
        return self.controller is not None or bool(self.openflow) or self.fail_mode == "secure"
