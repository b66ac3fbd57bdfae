# SPDX-License-Identifier: MIT
"""What every node of a topology has, and what those with a radio have besides; kinds are in lab/nodes.

Not modelled: several radios in one node, radar detection (so no DFS channels), 6 GHz, channel widths above 40 MHz.
"""

from __future__ import annotations

import ipaddress
import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from lab import units
from lab.model import channels
from lab.model.base import Gain, Integer, Model, Position, Power, Quantity, Size, Text, refuse
from lab.model.rates import FixedRate

if TYPE_CHECKING:
    from lab.shared.types import Radio

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}\Z")
_RTS_BYTES_MAX = 65_535  # what hostapd takes; dot11RTSThreshold goes one further (IEEE 802.11-2020 C.3)
_COUNT_MAX = 250  # ports of a switch
_SSID_BYTES_MAX = 32  # IEEE 802.11-2020 9.4.2.2
PASSPHRASE_LENGTHS = range(8, 64)  # IEEE 802.11-2020 J.4.1


def _mac(text: str) -> str:
    """A unicast Ethernet address, in lower case."""
    lower = text.lower()
    if not _MAC.match(lower):
        refuse(f'"{text}" is no MAC address; write one like 02:aa:00:00:00:01')
    if int(lower[:2], 16) & 1:
        refuse(f'"{text}" is a group address (its first byte is odd); a node needs a unicast one, such as 02:…')
    if lower == "00:00:00:00:00:00":
        refuse(f'"{text}" is the null address; leave it out to have one made')
    return lower


def _ip(text: str) -> str:
    """An IPv4 host address, with or without its prefix length."""
    try:
        interface = ipaddress.IPv4Interface(text)
    except ValueError:
        refuse(f'"{text}" is no IPv4 address; write one like 10.0.0.1/8')
    network = interface.network
    if "/" in text and network.prefixlen < 31 and interface.ip in (network.network_address, network.broadcast_address):
        refuse(f'"{text}" is the network or broadcast address of {network}; a node needs one in between')
    return text


def _ssid(text: str) -> str:
    size = len(text.encode())
    if not 1 <= size <= _SSID_BYTES_MAX or not text.isprintable():
        refuse(f'an SSID has 1 to {_SSID_BYTES_MAX} bytes of printable text, "{text}" has {size}')
    return text


def _passwd(text: str) -> str:
    if len(text) not in PASSPHRASE_LENGTHS or not (text.isascii() and text.isprintable()):
        refuse(f"a passphrase has 8 to 63 printable ASCII characters, this one has {len(text)}")
    return text


def _roles(names: list[str]) -> list[str]:
    check: Callable[[str], str] = role_name
    return [check(name) for name in names]


def role_name(text: str) -> str:
    """A word that may name a role."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", text):
        refuse(f'"{text}" is no name for a role; write letters, digits, _ and -, a letter first')
    return text


Mac = Annotated[Text, AfterValidator(_mac)]
Ip = Annotated[Text, AfterValidator(_ip)]
Ssid = Annotated[Text, AfterValidator(_ssid)]
Passwd = Annotated[Text, AfterValidator(_passwd)]


@dataclass(frozen=True)
class Cell:
    """The network of a node that others join, with what they take from it."""

    ssid: str
    mode: str
    channel: int
    width_mhz: int
    short_gi: bool
    encrypt: str | None
    passwd: str | None
    mobility_domain: str | None  # None: no fast transitions

    @property
    def frequency_mhz(self) -> int:
        """Of its channel, the primary one."""
        return channels.frequency_mhz(self.channel)


class Site(Protocol):
    """What a node with a radio may ask about the place where it is."""

    @property
    def country(self) -> str:
        """Whose radio rules hold."""

    def cells(self, ssid: str | None = None) -> list[Cell]:
        """All networks that nodes may join, an entry for each access point; or those with that SSID."""

    def check_channel(self, channel: int, mode: str, width_mhz: int, *keys: str) -> None:
        """Report a channel that may not be used, or is not as wide; ``keys`` lead to where it is written."""

    def refuse(self, message: str, *keys: str | int) -> None:
        """Report a mistake about what is written there."""


class Node(Model):
    """A node: a container of its own on the lab's network."""

    first_port: ClassVar[int] = 0  # number of the first wired interface, as Mininet counts: h1-eth0, s1-eth1
    addressed: ClassVar[bool] = True  # gets an IP address
    bridges: ClassVar[bool] = False  # forwards between all its interfaces
    radio_number: ClassVar[int | None] = None  # ap1-wlan1, sta1-wlan0
    wired: ClassVar[bool] = True  # may have links
    mac_key: ClassVar[tuple[str, str]] = ("mac", "MAC address")  # of its radio: key, and what it is called

    kind: str
    roles: Annotated[list[Text], AfterValidator(_roles)] = Field(
        [],
        description="What workloads may use this node for, in words of your choice, such as [server]. "
        "Every node also has its kind as a role.",
    )
    count: Integer | None = Field(
        None,
        ge=1,
        le=_COUNT_MAX,
        description="How many of them there are: node sta with count: 3 is sta1, sta2 and sta3. A link to sta is one "
        "to each of them, as are events and references. If nothing is said: one, with the name as it is.",
    )
    memory: Size = Field(256 << 20, description="The most memory that its processes and temporary files may use.")
    pids: int = Field(256, ge=8, le=100_000, strict=True, description="The most processes and threads it may have.")

    @property
    def radio_mac(self) -> str | None:
        """The address given to its radio, if any."""
        return None

    @property
    def wired_mac(self) -> str | None:
        """The address given to its first wired interface, if any."""
        return None

    @property
    def given_ip(self) -> str | None:
        """The IP address given to it, if any."""
        return None

    @property
    def cell(self) -> Cell | None:
        """The network that others join there, if any."""
        return None

    @model_validator(mode="after")
    def _one_address(self) -> Node:
        """An address is that of one node."""
        given = [key for key in ("ip", "mac", "bssid") if getattr(self, key, None) is not None]
        if self.count is not None and given:
            refuse(f"is the address of one node, and count: {self.count} nodes have its keys; leave one out", given[0])
        return self


def _width(value: Any) -> Any:
    """``40MHz`` as ``40 MHz``; refuses a bare number."""
    text = " ".join(str(value).replace("MHz", " MHz").split())
    if text.isdigit():
        refuse(f'"{text}" has no unit; write {text} MHz')
    return text


Width = Annotated[Literal["20 MHz", "40 MHz"], BeforeValidator(_width)]


def width_mhz(width: str) -> int:
    """A ``Width`` as a number."""
    return int(width.split()[0])


class WithRadio(Node):
    """What every node with a radio has."""

    position: Position | None = Field(None, description="Where its antenna is: [x, y, z], each with a unit.")
    antenna_gain: Gain | None = Field(None, description="Gain of its antenna over an isotropic one, in dBi.")

    @abstractmethod
    def resolve(self, name: str, mac: str, site: Site) -> Radio:
        """The radio as the plan has it, but for what all radios with such keys have in common."""

    def interface(self, name: str) -> str:
        """What the radio's interface is called."""
        return f"{name}-wlan{self.radio_number}"


def unreadable(ssid: str, encrypt: str | None) -> str | None:
    """Why damaged frames of a network are of no use; None where they are."""
    if encrypt not in ("wpa2", "wpa3"):
        return None
    return (
        f"{ssid} is encrypted ({encrypt}): one wrong bit makes a frame's integrity check fail, so that no damaged "
        "frame can be decrypted; write encrypt: open, or leave this out"
    )


class Wireless(WithRadio):
    """What access points and stations have in common."""

    encrypt: Literal["open", "wpa2", "wpa3"] | None = Field(
        None,
        description="How the network is protected: open, wpa2 (WPA2-PSK) or wpa3 (SAE). "
        "An access point is open if nothing is said; a station does what the network with its SSID does.",
    )
    passwd: Passwd | None = Field(
        None, description="The passphrase of a wpa2 or wpa3 network, 8 to 63 characters. Stations need not repeat it."
    )
    txpower: Power | None = Field(None, description="Transmission power, for the medium. If nothing is said: 20 dBm.")
    rate: FixedRate | None = Field(
        None,
        description="The rate at which it sends data to a node, such as 54 Mbit/s, or in mode n MCS 7 (0 to 31, eight "
        "for each spatial stream). Needs a medium:. If nothing is said: rate control (minstrel_ht) decides.",
    )
    rts_threshold: Annotated[int, Quantity(units.SIZE, least=0, most=_RTS_BYTES_MAX, usual="B")] | None = Field(
        None,
        description="Before a frame to a node that is longer than this (MAC header, FCS and all MPDUs of an A-MPDU "
        "counted) it sends an RTS and waits for a CTS; 0 B: before each. Needs a medium:. If nothing is said: never, "
        "but where rate control or a network of mixed modes wants it.",
    )
    approximate: bool = Field(
        False,
        description="Whether it takes data frames that arrive with a wrong FCS, as they are: IP and UDP-Lite still "
        "check what they protect. Needs a medium: and an open network. A UDP-Lite datagram whose checksum does not "
        "cover all of it is tried once, whatever is said here.",
    )

    @model_validator(mode="after")
    def _protection(self) -> Wireless:
        protected = self.encrypt in ("wpa2", "wpa3")
        if self.passwd is not None and not protected:
            refuse("a passphrase needs encrypt: wpa2 or encrypt: wpa3 beside it", key="passwd")
        if protected and self.passwd is None:
            refuse(f"{self.encrypt} needs a passphrase; write passwd: and 8 to 63 characters", key="encrypt")
        return self
