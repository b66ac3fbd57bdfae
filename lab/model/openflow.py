# SPDX-License-Identifier: MIT
"""Keys of nodes that Open vSwitch bridges: a controller, flow rules, what happens without a controller."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from lab.errors import suggestion
from lab.model.base import Flag, Text, Texts, refuse
from lab.model.node import Ip, Node
from lab.model.vlans import Vlan


def _of_ovs(written: Any) -> Any:
    """Refuse rules that are not text."""
    for rule in written if isinstance(written, list) else [written]:
        if isinstance(rule, dict):
            refuse('write rules as ovs-ofctl does: ["icmp,in_port=s1-eth1,actions=drop"]')
    return written


def _names(text: str) -> list[str]:
    return text.split()


# What ovs-ofctl 3.5 knows, from ovs-fields(7) and ovs-actions(7); not metadata of tunnels, which have numbers.
_FIELDS = _names("""
    in_port in_port_oxm dl_src dl_dst dl_type dl_vlan dl_vlan_pcp vlan_tci vlan_vid vlan_pcp eth_src eth_dst eth_type
    nw_src nw_dst nw_proto nw_tos nw_ecn nw_ttl nw_frag ip_src ip_dst ip_proto ip_dscp ip_ecn ip_frag
    ipv6_src ipv6_dst ipv6_label nd_target nd_sll nd_tll nd_reserved nd_options_type
    tp_src tp_dst tcp_src tcp_dst tcp_flags udp_src udp_dst sctp_src sctp_dst
    icmp_type icmp_code icmpv6_type icmpv6_code arp_op arp_spa arp_tpa arp_sha arp_tha
    mpls_label mpls_tc mpls_bos mpls_ttl tun_id tunnel_id tun_src tun_dst tun_ipv6_src tun_ipv6_dst tun_flags tun_tos
    tun_ttl tun_gbp_id tun_gbp_flags tun_erspan_dir tun_erspan_hwid tun_erspan_idx tun_erspan_ver tun_gtpu_flags
    tun_gtpu_msgtype metadata ct_state ct_zone ct_mark ct_label ct_nw_src ct_nw_dst ct_nw_proto ct_tp_src ct_tp_dst
    ct_ipv6_src ct_ipv6_dst pkt_mark skb_priority dp_hash recirc_id conj_id actset_output packet_type
    nsh_flags nsh_ttl nsh_mdtype nsh_np nsh_spi nsh_si nsh_c1 nsh_c2 nsh_c3 nsh_c4
    eth ip ipv6 icmp icmp6 tcp tcp6 udp udp6 sctp sctp6 arp rarp mpls mplsm
    priority table cookie idle_timeout hard_timeout importance out_port out_group duration n_packets n_bytes idle_age
    hard_age check_overlap send_flow_rem reset_counts no_packet_counts no_byte_counts no_readonly_table
    allow_hidden_fields
""")
_ACTIONS = _names("""
    output normal flood all local drop controller enqueue in_port table set_field load move mod_vlan_vid mod_vlan_pcp
    set_vlan_vid set_vlan_pcp strip_vlan pop_vlan push_vlan push_mpls pop_mpls mod_dl_src mod_dl_dst mod_nw_src
    mod_nw_dst mod_nw_tos mod_nw_ecn mod_nw_ttl mod_tp_src mod_tp_dst dec_ttl set_mpls_ttl set_mpls_label set_mpls_tc
    dec_mpls_ttl set_queue pop_queue set_tunnel set_tunnel64 resubmit learn conjunction ct ct_clear nat clone note
    sample meter group bundle bundle_load multipath fin_timeout exit goto_table write_metadata write_actions
    apply_actions clear_actions push pop encap decap dec_nsh_ttl check_pkt_larger delete_field
""")
_NUMBERED = re.compile(r"(?:reg|xreg|xxreg|tun_metadata)\d+|(?:nxm|oxm)_\w+")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def _words(text: str) -> Iterator[str]:
    """Yield the words between commas and spaces, in small letters, without what is in brackets."""
    while (shorter := _IN_BRACKETS.sub("", text)) != text:
        text = shorter
    return (word.lower() for word in re.split(r"[,\s]+", text) if word)


def _match(text: str) -> str:
    """Check the names of the fields in a match; values are for ovs-ofctl."""
    if not text.isprintable():
        refuse("a rule must be one line of printable text")
    for word in _words(text):
        field = re.split("[=:/]", word)[0]
        if field not in _FIELDS and not _NUMBERED.fullmatch(field):
            refuse(f'"{field}" is not a field of Open vSwitch{suggestion(field, _FIELDS)}; ovs-fields(7) lists them')
    return text


def _rule(text: str) -> str:
    """Check the names of fields and actions in a flow; the rest is for ovs-ofctl."""
    match, has_actions, actions = text.replace("action=", "actions=").partition("actions=")
    if not has_actions:
        refuse(
            f'"{text}" has no actions; write a rule as ovs-ofctl does, such as priority=10,in_port=1,actions=output:2'
        )
    _match(match)
    for word in _words(actions):
        action = re.split("[=:]", word)[0]
        if action not in _ACTIONS and not action.isdecimal() and "-" not in action:  # a port has no other word
            refuse(f'"{action}" is not an action of Open vSwitch{suggestion(action, _ACTIONS)}; ovs-actions(7) lists '
                   "them")  # fmt: skip
    return text


def unknown_port(rule: str, ports: Collection[str]) -> str | None:
    """Return the first interface in a rule that the bridge does not have."""
    named = re.findall(r"\b(?:in_port=|output[:=])\"?([A-Za-z]\w*-[\w.-]+)", rule)
    return next((name for name in named if name not in ports), None)


Matches = Annotated[Texts, BeforeValidator(_of_ovs), AfterValidator(lambda rules: [_match(rule) for rule in rules])]
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
        "addresses by itself. Default: secure with controller: or openflow:, otherwise standalone. Open vSwitch "
        "bridges an access point that has this key.",
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
