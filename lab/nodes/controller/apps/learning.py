# SPDX-License-Identifier: MIT
"""A learning switch on OpenFlow 1.3, which adds a flow for each pair of addresses that exchanges frames.

Flows stay until something removes them. So a station that moves to another port is lost to nodes that have a flow to
it; roaming.py is the answer to that.
"""

from typing import Any

from os_ken.base.app_manager import OSKenApp
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_3


class Learning(OSKenApp):
    """Learns the port of each address on each switch."""

    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ports: dict[int, dict[str, int]] = {}  # of addresses, by switch

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def connected(self, event: Any) -> None:
        """Have a switch send what no flow matches."""
        switch = event.msg.datapath
        to_here = switch.ofproto_parser.OFPActionOutput(switch.ofproto.OFPP_CONTROLLER, switch.ofproto.OFPCML_NO_BUFFER)
        self.ports[switch.id] = {}
        self.add_flow(switch, 0, switch.ofproto_parser.OFPMatch(), [to_here])

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def received(self, event: Any) -> None:
        """Learn from a frame without a flow, and send it on: to the port of its receiver, or to all."""
        message, switch = event.msg, event.msg.datapath
        parser, port = switch.ofproto_parser, message.match["in_port"]
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        self.learn(switch, frame.src, port)
        out = self.ports[switch.id].get(frame.dst, switch.ofproto.OFPP_FLOOD)
        actions = [parser.OFPActionOutput(out)]
        if out != switch.ofproto.OFPP_FLOOD:
            self.add_flow(switch, 1, parser.OFPMatch(in_port=port, eth_dst=frame.dst, eth_src=frame.src), actions)
        switch.send_msg(
            parser.OFPPacketOut(switch, switch.ofproto.OFP_NO_BUFFER, in_port=port, actions=actions, data=message.data)
        )

    def learn(self, switch: Any, address: str, port: int) -> None:
        """Note where an address is."""
        self.ports[switch.id][address] = port

    def add_flow(self, switch: Any, priority: int, match: Any, actions: list[Any]) -> None:
        """Add a flow that stays."""
        parser = switch.ofproto_parser
        apply = [parser.OFPInstructionActions(switch.ofproto.OFPIT_APPLY_ACTIONS, actions)]
        switch.send_msg(parser.OFPFlowMod(switch, priority=priority, match=match, instructions=apply))
