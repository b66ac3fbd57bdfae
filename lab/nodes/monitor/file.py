# SPDX-License-Identifier: MIT
"""A radio that only listens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from lab.model import channels
from lab.model.base import Integer
from lab.model.node import WLANS_MOST, Antenna, Site, Width, WithRadio, Wlan, not_a_number, width_mhz
from lab.shared.types import Radio


class MonitorRadio(Antenna):
    """Keys of a radio that only listens."""

    channel: Integer = Field(
        1,
        description="The channel it listens to (at 40 MHz: the primary channel). 2.4 GHz: 1 to 13 (in some countries "
        "to 11); 5 GHz: 36, 40, 44, 48, and in some countries 149, 153, 157, 161, 165.",
    )
    width: Width = Field(
        "20 MHz", description="Channel width. At 40 MHz the secondary channel is the same as that of an ap."
    )

    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return its radio, which receives all rates of its band."""
        wide = width_mhz(self.width)
        site.check_channel(self.channel, "n", wide)
        return Radio(
            interface=interface,
            mac=mac,
            ssid="",
            mode="n",
            channel=self.channel,
            frequency_mhz=channels.frequency_mhz(self.channel),
            scan_mhz=[],
            country=site.country,
            encrypt=None,
            passwd=None,
            width_mhz=wide,
            ht40_secondary=channels.ht40_secondary(self.channel) if wide == 40 else None,
        )


class MonitorWlan(MonitorRadio, Wlan):
    """A further radio of a monitor."""

    kind: Literal["monitor"] = Field("monitor", description="monitor: a radio that only listens.")


class Monitor(MonitorRadio, WithRadio):
    """Radios in monitor mode: they send nothing and receive all frames that reach them, for tcpdump."""

    addressed: ClassVar[bool] = False
    radio_number: ClassVar[int | None] = 0
    wired: ClassVar[bool] = False
    other_names: ClassVar[Mapping[str, str]] = {
        **WithRadio.other_names,
        "channels": "write channel: 1, and wlans: [{channel: 6}, {channel: 11}] for the others",
    }

    kind: Literal["monitor"] = Field(
        description="monitor: radios that only listen; run the probe tcpdump on it. It needs no network."
    )
    wlans: Annotated[list[MonitorWlan], BeforeValidator(not_a_number)] = Field(
        [],
        max_length=WLANS_MOST,
        description="Further radios, on other channels: [{channel: 6}, {channel: 11}]. Their interfaces are "
        "NAME-wlan1, NAME-wlan2, …; the probe tcpdump takes them as interface:.",
    )

    @property
    def further(self) -> Sequence[Wlan]:
        """Its radios after the first."""
        return self.wlans
