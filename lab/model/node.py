# SPDX-License-Identifier: MIT
"""What all nodes of a topology have, and what nodes with a radio have in addition; the kinds are in lab/nodes.

Not modelled: radar detection (so no DFS channels), 6 GHz, channel widths above 40 MHz.
"""

from __future__ import annotations

import inspect
import ipaddress
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

from pydantic import AfterValidator, BeforeValidator, Field, create_model, model_validator

from lab import units
from lab.docker import reference
from lab.errors import InputError
from lab.library import shown
from lab.model.base import (
    ANY_VALUE,
    Anything,
    Flag,
    Gain,
    Integer,
    Model,
    NamedPosition,
    Position,
    Power,
    Quantity,
    Text,
    Texts,
    refuse,
)
from lab.model.cell import Cell
from lab.model.radio_setting import SETTINGS, table
from lab.registry import Room

if TYPE_CHECKING:
    from lab.shared.types import Radio, RadioOption

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}\Z")
_SYSCTL = re.compile(r"net(\.[A-Za-z0-9_-]+)+\Z")
COUNT_MAX = 1000
MEMORY_LEAST_BYTES = 16 << 20
GUEST_MOST_BYTES = 256 << 30  # the guest's kernel has 512 GiB of addresses (three levels of page tables)
MEMORY_BYTES = 256 << 20  # by default
_SSID_BYTES_MAX = 32  # IEEE 802.11-2020 9.4.2.2
PASSPHRASE_LENGTHS = range(8, 64)  # IEEE 802.11-2020 J.4.1


def check_mac(text: str) -> str:
    """Check for a unicast Ethernet address; return it in lower case."""
    lower = text.lower()
    if not _MAC.match(lower):
        refuse(f'"{text}" is not a valid MAC address; write one such as 02:aa:00:00:00:01')
    if int(lower[:2], 16) & 1:
        refuse(f'"{text}" is a group address (its first byte is odd); a node needs a unicast address, such as 02:…')
    if lower == "00:00:00:00:00:00":
        refuse(f'"{text}" is the null address; leave it out to get a generated one')
    return lower


def check_ip(text: str) -> str:
    """Check for an IPv4 host address, with or without prefix length."""
    try:
        interface = ipaddress.IPv4Interface(text)
    except ValueError:
        refuse(f'"{text}" is not a valid IPv4 address; write one such as 10.0.0.1/8')
    network = interface.network
    if "/" in text and network.prefixlen < 31 and interface.ip in (network.network_address, network.broadcast_address):
        refuse(f'"{text}" is the network or broadcast address of {network}; use an address in between')
    return text


def _ssid(text: str) -> str:
    size = len(text.encode())
    if not text.isprintable():
        refuse(f"an SSID must be 1 to {_SSID_BYTES_MAX} bytes of printable text, without {_unprintable(text)}")
    if not 1 <= size <= _SSID_BYTES_MAX:
        refuse(f'an SSID must be 1 to {_SSID_BYTES_MAX} bytes of printable text; "{text}" has {size}')
    return text


def _unprintable(text: str, ascii_only: bool = False) -> str:
    r"""Return the first character that is none, for a message: ``"\n"``."""
    found = next(one for one in text if not one.isprintable() or (ascii_only and not one.isascii()))
    return f'"{found.encode("unicode_escape").decode()}"' if not found.isprintable() else f'"{found}"'


def _passwd(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        unfit = _unprintable(text, ascii_only=True)
        refuse(f"a passphrase must be 8 to 63 printable ASCII characters, without {unfit}")
    if len(text) not in PASSPHRASE_LENGTHS:
        refuse(f"a passphrase must be 8 to 63 printable ASCII characters; this one has {len(text)}")
    return text


def _identity(text: str) -> str:
    """Check a name of a user of 802.1X, which is in quotes in the programs' files."""
    if not text or not text.isascii() or not text.isprintable() or set('"\\#') & set(text):
        refuse('an identity must be printable ASCII text without ", \\ and #, such as alice or alice@campus.example')
    return text


def _sysctls(values: dict[str, str]) -> dict[str, str]:
    """Check that names are those of a network namespace, written with dots, and that values are text of one line."""
    for name, value in values.items():
        dotted = name.replace("/", ".")
        if name.startswith(("kernel.", "vm.", "fs.", "user.", "debug.", "dev.", "abi.")):
            refuse(
                f'"{name}" is a setting of the kernel, which all nodes share; a node has those that begin with net.',
                name,
            )
        if dotted.startswith(("core.", "ipv4.", "ipv6.")):
            refuse(f'"{name}" is not a whole name; write net.{dotted}', name)
        if not _SYSCTL.match(dotted):
            refuse(f'"{name}" is not a valid name; write one such as net.ipv4.tcp_timestamps', name)
        if name != dotted:
            refuse(f'"{name}" is a path; write {dotted}', name)
        if not value or not value.isprintable():
            refuse("needs a value of one line", name)
    return values


def role_name(text: str) -> str:
    """Check that a word can be the name of a role."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", text):
        refuse(f'"{text}" is not a valid name for a role; use letters, digits, _ and -, starting with a letter')
    return text


def _image(text: str) -> str:
    if reference.is_reference(text):
        try:
            reference.parse(text)
        except ValueError as error:
            refuse(str(error))
    return text


Mac = Annotated[Text, AfterValidator(check_mac)]
Ip = Annotated[Text, AfterValidator(check_ip)]
Ssid = Annotated[Text, AfterValidator(_ssid)]
Identity = Annotated[Text, AfterValidator(_identity)]
Passwd = Annotated[Text, AfterValidator(_passwd)]
Sysctls = Annotated[dict[Text, Text], AfterValidator(_sysctls)]


class Site(Protocol):
    """What a node with a radio can ask about its topology."""

    @property
    def country(self) -> str:
        """Country whose radio regulations apply."""

    def cells(self, ssid: str | None = None) -> list[Cell]:
        """Return all networks that nodes can join, one entry for each access point; or only those with that SSID."""

    def own_cells(self, ssid: str) -> list[Cell]:
        """Return the networks of the node itself that have that SSID."""

    def members(self, ssid: str) -> int:
        """Return how many radios may join the networks of that SSID."""

    def option(self, name: str, value: int | str, *keys: str) -> RadioOption:
        """Return an option of hostapd or wpa_supplicant that follows from the value at these keys."""

    def raw(self, key: str, options: Mapping[str, list[str]]) -> list[RadioOption]:
        """Return the options that a key gives in the words of a program."""

    def check_channel(self, channel: int, mode: str, width_mhz: int, *keys: str) -> None:
        """Report a channel that is not allowed, or not with that width; ``keys`` lead to where it is written."""

    def at(self, *keys: str | int) -> Site:
        """Return the same for what is written at these keys of the node."""

    def mac(self, given: str | None, number: int) -> str:
        """Return the BSSID of a further network of the radio: the given one, or a generated one."""

    def refuse(self, message: str, *keys: str | int) -> None:
        """Report a mistake in the value at these keys."""

    def warn(self, message: str, *keys: str | int) -> None:
        """Report what is unusual in the value at these keys."""


class Node(Model):
    """A node: a container on the lab's network."""

    first_port: ClassVar[int] = 0  # number of the first wired interface, as Mininet counts: h1-eth0, s1-eth1
    addressed: ClassVar[bool] = True  # gets an IP address
    radio_number: ClassVar[int | None] = None  # ap1-wlan1, sta1-wlan0
    wired: ClassVar[bool] = True  # may have links
    routes_packets: ClassVar[bool] = False  # forwards between subnets
    loses_power: ClassVar[bool] = False  # events power: are about such nodes
    controls: ClassVar[bool] = False  # programs bridges by OpenFlow
    authenticates: ClassVar[bool] = False  # decides who may join networks with 802.1X
    noun: ClassVar[str] = ""  # what pictures call it, if not by its kind

    other_names: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("radios", "wlan"), "wlans"),
        "range": "with a medium:, it follows from txpower:, antenna_gain: and the propagation: of the medium",
        "mobility": "it belongs next to nodes:, with a model: and the nodes: that move",
        "antennaheight": "it is the third number of position:",
        "antennagain": "antenna_gain",
        "ieee80211r": "fast_transition",
        **dict.fromkeys(("ieee80211w", "mfp"), "pmf"),
        **dict.fromkeys(("ignore_broadcast_ssid", "hide_ssid", "hidden_ssid"), "hidden"),
        **dict.fromkeys(("ap_isolate", "isolate_clients", "client_isolation", "isolation"), "isolate"),
        **dict.fromkeys(("wpa_passphrase", "sae_password", "wpa_psk"), "passwd"),
        **dict.fromkeys(("wpa", "wpa_key_mgmt", "key_mgmt", "authmode", "auth_algs"), "encrypt"),
        **dict.fromkeys(("wps_state", "wps_pbc"), "wps"),
        **dict.fromkeys(("bss_transition", "ieee80211v"), "btm"),
        **dict.fromkeys(("rrm_neighbor_report", "rrm_beacon_report", "ieee80211k"), "rrm"),
        **dict.fromkeys(
            ("scan_freq", "freq_list", "scan_ssid", "active_scan"), "write network: {scan_freq: 2412 2437}"
        ),
        **dict.fromkeys(("radius_identity", "user"), "identity"),
        **dict.fromkeys(("radius_passwd",), "passwd"),
        "eap_user_file": "users",
        **dict.fromkeys(("radius_server", "auth_server_addr", "auth_server"), "radius"),
        **dict.fromkeys(
            ("radius_secret", "auth_server_shared_secret", "secret"),
            "the lab makes it from the seed of the run, for access points and server",
        ),
        **dict.fromkeys(("radius_port", "auth_server_port"), "RADIUS servers always use port 1812"),
        **dict.fromkeys(("client_cert", "server_cert", "ca_cert", "private_key"), "certificate"),
        **dict.fromkeys(("wds", "wds_sta", "_4address", "4addr", "wds_bridge"), "four_address"),
        "hw_mode": "mode",
        "ieee80211n": "write mode: n",
        "wmm_enabled": "wmm",
        "beacon_int": "beacon_interval",
        "country_code": "write country: next to nodes:",
        **dict.fromkeys(("vssids", "vssid", "ssids"), "write bss: [{ssid: NAME}] for the SSIDs after the first"),
        **dict.fromkeys(
            ("bgscan_module", "bgscan_threshold", "s_inverval", "s_interval", "l_interval"),
            "write bgscan: {short_interval: 5 s, signal: -65 dBm, long_interval: 60 s}",
        ),
        "meshid": "mesh_id",
        "mesh": "write a node of kind mesh: {kind: mesh, mesh_id: village}",
        **dict.fromkeys(("gateway", "defaultroute", "default_route"), "write routes: [{to: default, via: r1}]"),
        "links": "links belong next to nodes:, each with between: and its two ends",
    }

    kind: str
    roles: Annotated[Texts, AfterValidator(lambda names: [role_name(name) for name in names])] = Field(
        [],
        description="Roles by which workloads find this node, in words of your choice, such as [server]. Its kind is "
        "also a role.",
    )
    count: Integer | None = Field(
        None,
        ge=1,
        le=COUNT_MAX,
        description="Number of such nodes: node sta with count: 3 is sta1, sta2 and sta3. A link to sta is a link to "
        "each of them; the same holds for events and references. Default: one node, with its name unchanged. Texts in "
        'other keys may contain expressions of index, the number of the node: position: ["{5 * index} m", 0 m, 1 m].',
    )
    each: dict[Text, list[Anything]] | None = Field(
        None,
        description="With count: keys that differ, and a list with the value of each node, such as "
        "{roles: [server, client, client], channel: [1, 6, 11]}.",
    )
    image: Annotated[Text, AfterValidator(_image)] | None = Field(
        None,
        description="Its image, a folder of images/ (next to this file or its folder, in the current directory, or the "
        "lab's own): more programs and files than other nodes have, such as browser. lab list images lists those of "
        "the last two. Or a Docker image: docker-daemon:NAME:TAG (of the Docker engine), oci:DIR, oci:DIR:TAG, "
        "docker-archive:FILE or docker-archive:FILE:NAME:TAG, with paths from the folder of this file. It "
        "starts its entrypoint and command.",
    )
    entrypoint: Texts | None = Field(
        None,
        description="With a Docker image: what it starts instead of its entrypoint and command, such as [/server, -v]; "
        '[]: nothing, or only command. Placeholders such as "{h1.ip}" are replaced, here and in command.',
    )
    command: Texts | None = Field(
        None,
        description="With a Docker image: the words after its entrypoint, or after entrypoint, instead of its own "
        "command.",
    )
    memory: Annotated[int, Quantity(units.SIZE, least=MEMORY_LEAST_BYTES, most=GUEST_MOST_BYTES)] | None = Field(
        None,
        description="Memory limit of its processes and temporary files, 16 MiB to 256 GiB: with less, hostapd and Open "
        "vSwitch do not start. Default: that of its image (memory: of image.yaml), or 256 MiB.",
    )
    pids: int = Field(256, ge=8, le=100_000, strict=True, description="Limit of processes and threads.")
    privileged: Flag = Field(
        False,
        description="Whether its programs may do what concerns the whole guest: mount, set the clock, write all of "
        "/proc and /sys, create devices. Such a node can change other nodes and results, and reach your files. "
        "The plan and the report name it.",
    )
    sysctls: Sysctls = Field(
        {},
        description="Settings of its network in the kernel, such as {net.ipv4.tcp_timestamps: 0}, which it has before "
        "its first program starts. Those of an interface, such as net.ipv4.conf.h1-eth0.rp_filter, are set once it has "
        "its addresses. Names begin with net.; what the kernel refuses ends the run.",
    )

    @property
    def bridges(self) -> bool:
        """Whether it forwards between all its interfaces, as a switch does."""
        return False

    @property
    def backhaul(self) -> str | None:
        """The mesh that connects it with other bridges, if any."""
        return None

    @property
    def uplinks(self) -> list[str]:
        """The networks of other access points that it repeats."""
        return []

    @property
    def wired_mac(self) -> str | None:
        """The address given to its first wired interface, if any."""
        return None

    @property
    def given_ip(self) -> str | None:
        """The IP address given to it, if any."""
        return None

    @property
    def has_address(self) -> bool:
        """Whether it has an IP address; a bridge has one only if wanted."""
        return self.addressed or self.given_ip is not None

    @property
    def cells(self) -> list[Cell]:
        """The networks that others join there."""
        return []

    def files(self) -> list[str]:
        """Return the names of text files that it needs, as paths from the folder of the topology."""
        return []

    @classmethod
    def hint(cls, word: str) -> str:
        """Suggest as the base class does; also keys of other kinds of nodes, and of the medium."""
        from lab.model.medium import Medium

        meant = cls.other_names.get(word.lower(), word)
        owners = [kind for kind, model in NODES.classes().items() if meant in model.described()]
        if owners and meant not in cls.described():
            renamed = f" (here: {meant})" if meant != word else ""
            return f": it is for {' and '.join(f'kind: {kind}' for kind in owners)}{renamed}"
        if word in Medium.described():
            return ": it belongs in medium:"
        return super().hint(word)

    @model_validator(mode="after")
    def _of_docker(self) -> Node:
        """Refuse what only Docker images have."""
        if self.image is None or not reference.is_reference(self.image):
            for key in ("entrypoint", "command"):
                if getattr(self, key) is not None:
                    refuse("is for nodes with a Docker image (image: docker-daemon:NAME:TAG); remove it", key)
        return self

    @model_validator(mode="after")
    def _one_address(self) -> Node:
        """Refuse an address for several nodes, and values for several nodes where there is one."""
        if self.each is not None:
            refuse("needs count: with the number of nodes", key="each")
        given = ["ip"] if self.given_ip is not None else []  # not a word for how each gets one
        given += [key for key in ("mac", "bssid") if getattr(self, key, None) is not None]
        if self.count is not None and given:
            refuse(f"is the address of one node, but count: {self.count} makes several; remove one of them", given[0])
        return self


NODES = Room("nodes", Node, part="file")


def _width(value: Any) -> Any:
    """Return ``40MHz`` as ``40 MHz``; refuse a number without unit."""
    text = " ".join(str(value).replace("MHz", " MHz").split())
    if text.isdigit():
        refuse(f'"{text}" has no unit; write {text} MHz')
    return text


Pmf = Literal["off", "optional", "required"]
_PMFS = {  # other words for them
    **dict.fromkeys(("false", "0", "disabled", "none", "no"), "write off"),
    **dict.fromkeys(("true", "1", "enabled", "capable", "yes", "on"), "write optional, or required"),
    **dict.fromkeys(("2", "mandatory"), "write required"),
}
PMF_NUMBERS = {"off": 0, "optional": 1, "required": 2}  # hostapd's and wpa_supplicant's ieee80211w
WITH_PASSPHRASE = ("wpa2", "wpa3", "wpa2/wpa3")
_NEED_PMF = {"wpa3": ("required",), "owe": ("required",), "wpa2/wpa3": ("optional", "required")}
_ENCRYPTIONS = {  # other names for them
    "wpa": "wpa2; WPA with TKIP is not modelled",
    "wep": "wpa2; WEP is not modelled",
    "none": "open",
    **dict.fromkeys(("psk", "wpa-psk", "wpa2-psk", "wpa2-personal", "ccmp", "aes"), "wpa2"),
    **dict.fromkeys(("sae", "wpa3-sae", "wpa3-personal"), "wpa3"),
    **dict.fromkeys(("wpa2-wpa3", "wpa3/wpa2", "wpa3-wpa2", "wpa2+wpa3", "mixed", "transition"), "wpa2/wpa3"),
    **dict.fromkeys(("802.1x", "eap", "enterprise", "wpa-eap", "wpa2-enterprise", "wpa2-eap", "radius"), "8021x"),
    **dict.fromkeys(("enhanced-open", "enhanced open"), "owe"),
}


def pmf_complaint(pmf: str, encrypt: str | None) -> str | None:
    """Return why a network with that encryption cannot have ``pmf``, or None."""
    if encrypt in (None, "open"):
        return "an open network has no keys to protect management frames; write encrypt: too, or remove this"
    if pmf not in _NEED_PMF.get(encrypt or "", PMF_NUMBERS):
        return f"{encrypt} needs pmf: {_NEED_PMF[encrypt or ''][0]}; write that, or remove this"
    return None


WLANS_MOST = 7  # radios of a node after its first


def not_a_number(value: Any) -> Any:
    """Refuse Mininet-WiFi's number of radios, which says nothing of them."""
    if isinstance(value, int | str):
        refuse("must be a list of the radios after the first, such as [{ssid: office}]")
    return value


Width = Annotated[Literal["20 MHz", "40 MHz"], BeforeValidator(_width)]


def width_mhz(width: str) -> int:
    """Return a ``Width`` as a number."""
    return int(width.split()[0])


class Protected(Model):
    """Keys of encryption, which networks of access points and stations share."""

    joins: ClassVar[bool] = False  # whether it takes what it leaves out from a network

    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "pmf": _PMFS,
        "certificate": {ANY_VALUE: "the lab makes it; files of yours are options in hostapd: or network:"},
    }

    @classmethod
    def value_hint(cls, key: str, word: str) -> str:
        """Say what encryptions are called here, and how to write SSIDs."""
        if key == "ssid" and word == "a list":
            return "; write the first one, and the others in bss: [{ssid: NAME}]"
        if key == "encrypt" and word.lower() in _ENCRYPTIONS:
            return f"; write {_ENCRYPTIONS[word.lower()]}"
        return super().value_hint(key, word)

    encrypt: Literal["open", "owe", "wpa2", "wpa3", "wpa2/wpa3", "8021x"] | None = Field(
        None,
        description="Encryption of the network: open, owe (encrypted without a passphrase), wpa2 (WPA2-PSK), wpa3 "
        "(SAE), wpa2/wpa3 (transition mode: stations choose, and prefer wpa3), or 8021x (WPA2-Enterprise: each station "
        "proves who it is; see eap: of a station, users: and radius: of an access point). Default: open for an access "
        "point; for a station, as in the network with its SSID.",
    )
    passwd: Passwd | None = Field(
        None,
        description="Passphrase of a wpa2 or wpa3 network, 8 to 63 characters. Stations need not repeat it. In a "
        "network with 8021x, the own password of a station.",
    )
    certificate: Literal["lab", "stranger"] = Field(
        "lab",
        description="With encrypt: 8021x, who signed its certificate: lab, an authority that all trust, made from the "
        "seed of the run; or stranger, which nobody trusts.",
    )
    pmf: Pmf | None = Field(
        None,
        description="Protected management frames (802.11w): off, optional or required. With it, a forged "
        "deauthentication has no effect. Default: off with wpa2, optional with wpa2/wpa3, required with wpa3 and owe; "
        "for a station, as in its network.",
    )

    @model_validator(mode="after")
    def _protection(self) -> Protected:
        protected = self.encrypt in WITH_PASSPHRASE
        adopted = self.joins and (self.encrypt is None or self.encrypt == "8021x")
        if self.passwd is not None and self.encrypt == "8021x" and not self.joins:
            refuse("each station has its own password; write users: {NAME: PASSWORD}, or leave both out", key="passwd")
        if self.certificate != "lab" and self.encrypt != "8021x" and not adopted:
            refuse("needs encrypt: 8021x; write it, or remove this", key="certificate")
        if self.passwd is not None and not protected and not adopted:
            refuse("a passphrase needs encrypt: wpa2, wpa3 or wpa2/wpa3", key="passwd")
        if protected and self.passwd is None:
            refuse(f"{self.encrypt} needs a passphrase; write passwd: with 8 to 63 characters", key="encrypt")
        if self.pmf is not None and not adopted and (wrong := pmf_complaint(self.pmf, self.encrypt)):
            refuse(wrong, key="pmf")
        return self


class Antenna(Model):
    """What every radio has."""

    mac_key: ClassVar[tuple[str, str]] = ("mac", "MAC address")  # key and name of its address

    antenna_gain: Gain | None = Field(None, description="Gain of its antenna relative to an isotropic one, in dBi.")

    @property
    def radio_mac(self) -> str | None:
        """The address given to the radio, if any."""
        return None

    @abstractmethod
    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return the radio of the node ``name`` for the plan, without the settings that all with such keys share."""


class WithRadio(Antenna, Node):
    """What every node with a radio has."""

    position: NamedPosition | None = Field(
        None, description="Position of its antenna: [x, y, z], each with a unit, or a name of positions:."
    )

    @property
    def further(self) -> Sequence[Wlan]:
        """Its radios after the first."""
        return ()


if TYPE_CHECKING:
    _WithSettings = Antenna
else:
    _WithSettings = create_model(
        "_WithSettings",
        __base__=Antenna,
        **{key: (one.type, Field(one.default, description=one.about)) for key, one in table().items()},
    )


class Transmitter(_WithSettings):
    """Keys of all radios that send: those here, and the table of settings."""

    raw: ClassVar[tuple[str, ...]] = ()  # keys with options in the words of a program (lab.model.raw_options)

    txpower: Power | None = Field(None, description="Transmission power, for the medium. Default: 20 dBm.")

    @property
    def settings(self) -> dict[str, Any]:
        """The values of the keys in the table of settings."""
        return {key: getattr(self, key) for key in table()}

    @classmethod
    def value_hint(cls, key: str, word: str) -> str:
        """Say what is not modelled: newer modes, whose names resemble those of older ones."""
        newer = key == "mode" and word.lower().removeprefix("802.").removeprefix("11") in ("ac", "ax", "be")
        return "; 802.11ac, ax and be are not modelled (docs/limits.md)" if newer else super().value_hint(key, word)

    @classmethod
    def __pydantic_init_subclass__(cls, **given: Any) -> None:
        """Refuse a setting of radios that has the name of something else."""
        for key in table():
            owners = [one for one in cls.__mro__ if key in {*vars(one), *vars(one).get("__annotations__", ())}]
            if len(owners) > 1:
                other = next(one for one in owners if one.__name__ != "_WithSettings")
                raise InputError(
                    f'nodes already have "{key}" ({shown(Path(inspect.getfile(other)))}); rename this setting',
                    where=SETTINGS.where(key.replace("_", "-")),
                )


class Wireless(Protected, Transmitter):
    """Keys that access points and stations share."""

    @property
    def radio_cells(self) -> list[Cell]:
        """The networks that others join at this radio."""
        return []


class Wlan(Antenna):
    """A radio of a node after its first one; a subclass for each kind says the rest."""

    @classmethod
    def hint(cls, word: str) -> str:
        """Suggest as the base class does; also say what belongs to the node."""
        if word == "position":
            return ": the radios of a node are where it is; write offset:"
        return ": it belongs to the node, next to wlans:" if word in Node.described() else super().hint(word)

    kind: str
    offset: Position | None = Field(
        None, description="Where its antenna is, from that of the node: [x, y, z], each with a unit. Default: there."
    )

    @property
    def given_ip(self) -> str | None:
        """The IP address given to it, if any."""
        return None
