"""A controller for the switch s1. It learns where addresses are, and gives the switch a flow for each."""

from os_ken.base.app_manager import OSKenApp
from os_ken.controller import ofp_event
from os_ken.controller.handler import CONFIG_DISPATCHER, MAIN_DISPATCHER, set_ev_cls
from os_ken.lib.packet import ethernet, packet
from os_ken.ofproto import ofproto_v1_3


class App(OSKenApp):
    """Tells the switch where frames go."""

    OFP_VERSIONS = (ofproto_v1_3.OFP_VERSION,)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.ports = {}  # where addresses are: {address: port}

    @set_ev_cls(ofp_event.EventOFPSwitchFeatures, CONFIG_DISPATCHER)
    def connected(self, event):
        """Have a switch that has connected send us what no other flow matches."""
        switch = event.msg.datapath
        self.add_flow(switch, 0, switch.ofproto_parser.OFPMatch(), switch.ofproto.OFPP_CONTROLLER)

    @set_ev_cls(ofp_event.EventOFPPacketIn, MAIN_DISPATCHER)
    def received(self, event):
        """Learn from a frame that no flow matches, which the switch has sent us, and say where it is to go."""
        message, switch = event.msg, event.msg.datapath
        frame = packet.Packet(message.data).get_protocol(ethernet.ethernet)
        self.learn(switch, frame.src, message.match["in_port"])
        out = self.ports.get(frame.dst, switch.ofproto.OFPP_FLOOD)
        if out != switch.ofproto.OFPP_FLOOD:
            match = switch.ofproto_parser.OFPMatch(
                in_port=message.match["in_port"], eth_src=frame.src, eth_dst=frame.dst
            )
            self.add_flow(switch, 1, match, out)
        self.send(switch, message, out)

    def learn(self, switch, address, port):
        """Note that a frame from an address has arrived at a port of the switch."""
        if self.ports.get(address, port) != port:
            self.delete_flows(switch, switch.ofproto_parser.OFPMatch(eth_dst=address))
        self.ports[address] = port

    def add_flow(self, switch, priority, match, out):
        """Give the switch a flow. It replaces one of the same priority and match; otherwise, others stay."""
        parser, ofproto = switch.ofproto_parser, switch.ofproto
        actions = [parser.OFPActionOutput(out, ofproto.OFPCML_NO_BUFFER)]
        apply = [parser.OFPInstructionActions(ofproto.OFPIT_APPLY_ACTIONS, actions)]
        switch.send_msg(parser.OFPFlowMod(switch, priority=priority, match=match, instructions=apply))

    def delete_flows(self, switch, match):
        """Delete the flows that match this, and no others: OFPMatch(in_port=1) stands for all from port 1."""
        parser, ofproto = switch.ofproto_parser, switch.ofproto
        everywhere = {"out_port": ofproto.OFPP_ANY, "out_group": ofproto.OFPG_ANY}
        switch.send_msg(parser.OFPFlowMod(switch, command=ofproto.OFPFC_DELETE, match=match, **everywhere))

    def send(self, switch, message, out):
        """Have the switch send a frame to a port."""
        parser, ofproto = switch.ofproto_parser, switch.ofproto
        actions = [parser.OFPActionOutput(out)]
        in_port = message.match["in_port"]
        switch.send_msg(parser.OFPPacketOut(switch, ofproto.OFP_NO_BUFFER, in_port, actions, message.data))
