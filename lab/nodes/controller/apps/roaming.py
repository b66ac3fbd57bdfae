# SPDX-License-Identifier: MIT
"""A learning switch that follows stations from one access point to another.

When an access point has associated a station, it sends a layer 2 update frame (IEEE 802.11F) from the station's
address, as a broadcast. Each switch on the way sends that frame here, since it has no flow for it; if the station was
at another port before, the flows to it are removed, and made anew by the next frames.
"""

from typing import Any

from learning import Learning


class Roaming(Learning):
    """Learns the port of each address on each switch, and removes flows to addresses that have moved."""

    def learn(self, switch: Any, address: str, port: int) -> None:
        """Note where an address is; forget the way to where it was."""
        if self.ports[switch.id].get(address, port) != port:
            parser, ofproto = switch.ofproto_parser, switch.ofproto
            everywhere = {"out_port": ofproto.OFPP_ANY, "out_group": ofproto.OFPG_ANY}
            to_it = parser.OFPMatch(eth_dst=address)
            switch.send_msg(parser.OFPFlowMod(switch, command=ofproto.OFPFC_DELETE, match=to_it, **everywhere))
            self.logger.warning("switch %d: %s has moved to port %d", switch.id, address, port)
        super().learn(switch, address, port)
