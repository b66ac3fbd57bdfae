# SPDX-License-Identifier: MIT
"""The kernel's answer to each request that it must refuse, and that the user sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.errors import LabError
from lab.shared.types import Plan
from tests.system.asking import RUN, agent_machine, asked, with_script
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

TOPOLOGY = """\
name: refused
nodes:
  ap1: {kind: ap, ssid: campus}
  sta1: {kind: sta, ssid: campus, roles: [client]}
  sta2: {kind: sta, ssid: campus, roles: [server]}
  ap2: {kind: ap, ssid: five, mode: a, channel: 36}
medium: {}
"""
WORKLOAD = """\
name: refused
duration: 3 s
roles: {client: 1, server: 1}
processes:
  - {on: client, at: 1500 ms, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: 10}, as: call}
"""
# Prints {name: [words, attribute]} of what was refused.
BEGIN = """
import ctypes, json, struct
from lab.guest.netlink.generic import Family, KernelSocket, RefusedError
from lab.guest.medium import uapi
from lab.guest.medium.uapi import FAMILY, VERSION, Attr as A, Command as C, LinkAttr, RateAttr
from lab.guest.netlink.wire import NESTED, attribute, text
from lab.shared.medium_types import MediumLink, MediumRate

family = Family(FAMILY, VERSION, KernelSocket())
refused = {}

def u32(number):
    return struct.pack("=i" if number < 0 else "=I", number)

def ask(name, command, **attributes):
    nests = {"LINK": NESTED, "RATE": NESTED}
    payload = b"".join(attribute(A[key] | nests.get(key, 0), value) for key, value in attributes.items())
    try:
        family.send([(command, payload)])
    except RefusedError as error:
        refused[name] = [error.message, A(error.blamed).name if error.blamed else None]

"""
# the agent
ASK = (
    BEGIN
    + """
ONE, TWO, FIRST, SECOND = u32(1), u32(2), u32(0), u32(1)
zero = struct.pack("=Q", 0)
curve = dict(ID=TWO, CURVE=u32(0), START_MB=u32(0), STEP_MB=u32(10), HAZARDS=zero)
content = lambda whole: whole[4:]
link = lambda **keys: content(uapi.link({**dict(a=0, b=1, gain=0, fading=0, coherence=0, delay=0), **keys}.values()))
rate = lambda *numbers: content(uapi.rate(MediumRate(*numbers)))

ask("medium 1 again", C.NEW, ID=ONE, SEED=zero)
ask("medium without a seed", C.NEW, ID=TWO)
ask("medium 2", C.NEW, ID=TWO, SEED=zero)
ask("unknown medium", C.SET_LINKS, ID=u32(3), LINK=link())
ask("radio without curves", C.ADD_RADIO, ID=TWO, RADIO=FIRST)
ask("negative step", C.SET_CURVE, **{**curve, "STEP_MB": u32(-10)})
ask("step of 0", C.SET_CURVE, **{**curve, "STEP_MB": u32(0)})
ask("start beyond all", C.SET_CURVE, **{**curve, "START_MB": u32(20001)})
ask("start as low as can be", C.SET_CURVE, **{**curve, "START_MB": u32(-(2**31))})
ask("hazards cut", C.SET_CURVE, **{**curve, "HAZARDS": zero[:7]})
ask("hazards empty", C.SET_CURVE, **{**curve, "HAZARDS": b""})
ask("hazards too many", C.SET_CURVE, **{**curve, "HAZARDS": zero * 4097})
ask("hazards rising", C.SET_CURVE, **{**curve, "HAZARDS": zero + struct.pack("=Q", 1)})
ask("burst of 0", C.SET_CURVE, **curve, BURST=u32(0))
ask("unknown curve", C.SET_CURVE, **{**curve, "CURVE": u32(15)})
for number in range(15):
    ask("curve of medium 2", C.SET_CURVE, **{**curve, "CURVE": u32(number)})
ask("fading cut", C.SET_FADING, ID=TWO, FADING=u32(1), QUANTILES=b"xxxxxx")
ask("fading as low as can be", C.SET_FADING, ID=TWO, FADING=u32(1), QUANTILES=u32(-(2**31)))
ask("fading falling", C.SET_FADING, ID=TWO, FADING=u32(1), QUANTILES=u32(1) + u32(0))
ask("radio on two media", C.ADD_RADIO, ID=TWO, RADIO=FIRST)
ask("radio twice on one", C.ADD_RADIO, ID=ONE, RADIO=FIRST)
ask("unknown radio", C.SET_RADIO, RADIO=u32(99), RETRIES=u32(7))
ask("radio in use", C.REMOVE_RADIO, RADIO=FIRST)
ask("medium in use", C.DEL, ID=ONE)
ask("no such OFDM rate", C.SET_RADIO, RADIO=FIRST, RATE=rate(1, 8, 1, 0, 0, 0))
ask("no such HT stream", C.SET_RADIO, RADIO=FIRST, RATE=rate(2, 7, 5, 0, 0, 0))
ask("DSSS of 40 MHz", C.SET_RADIO, RADIO=FIRST, RATE=rate(0, 0, 1, 1, 0, 0))
ask("DSSS at 5 GHz", C.SET_RADIO, RADIO=u32(3), RATE=rate(0, 0, 1, 0, 0, 0))
ask("40 MHz on a channel of 20 MHz", C.SET_RADIO, RADIO=FIRST, RATE=rate(2, 7, 1, 1, 0, 0))
ask("VHT MCS 9 at 20 MHz", C.SET_RADIO, RADIO=FIRST, RATE=rate(3, 9, 1, 0, 0, 0))
ask("short GI of OFDM", C.SET_RADIO, RADIO=FIRST, RATE=rate(1, 7, 1, 0, 1, 0))
ask("rate of an unknown PHY", C.SET_RADIO, RADIO=FIRST, RATE=rate(4, 7, 1, 0, 0, 0))
ask("rate without MCS", C.SET_RADIO, RADIO=FIRST, RATE=attribute(RateAttr.PHY, b"\\x01"))
ask("rate cut", C.SET_RADIO, RADIO=FIRST, RATE=rate(1, 7, 1, 0, 0, 0)[:11])
ask("too many retries", C.SET_RADIO, RADIO=FIRST, RETRIES=u32(256))
hwsim = Family("MAC80211_HWSIM", 1, KernelSocket())

def new_radio(name, *attributes):
    try:
        hwsim.send([(4, b"".join(attributes))])  # HWSIM_CMD_NEW_RADIO
    except RefusedError as error:
        refused[name] = [error.message, error.blamed]

STREAMS, DSSS_ONLY, CHANNELS = 30, 31, 9  # HWSIM_ATTR_*
new_radio("no streams", attribute(STREAMS, b"\\x00"))
new_radio("five streams", attribute(STREAMS, b"\\x05"))
new_radio("a radio of 802.11b with one stream", attribute(DSSS_ONLY, b""), attribute(STREAMS, b"\\x01"))
new_radio("802.11b on two channels", attribute(DSSS_ONLY, b""), attribute(CHANNELS, u32(2)))
new_radio("one stream on two channels", attribute(STREAMS, b"\\x01"), attribute(CHANNELS, u32(2)))
ask("a rate that 802.11b lacks", C.ADD_RADIO, ID=ONE, RADIO=u32(4), RATE=rate(1, 7, 1, 0, 0, 0))
ask("a stream that a radio lacks", C.SET_RADIO, RADIO=FIRST, RATE=rate(2, 7, 3, 0, 0, 0))
ask("quieter than any receiver", C.SET_RADIO, RADIO=FIRST, NOISE_MBM=u32(-11001))
ask("PPDU too long", C.SET_RADIO, RADIO=FIRST, MAX_PPDU_US=u32(5485))
ask("link to itself", C.SET_LINKS, ID=ONE, LINK=link(b=0))
ask("link to nobody", C.SET_LINKS, ID=ONE, LINK=link(b=99))
ask("link of another medium", C.SET_LINKS, ID=TWO, LINK=link())
ask("link cut", C.SET_LINKS, ID=ONE, LINK=link()[:19])
ask("link without gain", C.SET_LINKS, ID=ONE, LINK=link()[:16])
ask("link with more", C.SET_LINKS, ID=ONE, LINK=link() + attribute(7, u32(1)))
ask("level beyond all", C.SET_LINKS, ID=ONE, LINK=link(gain=-50001))
ask("level as low as can be", C.SET_LINKS, ID=ONE, LINK=link(gain=-(2**31)))
ask("unknown fading", C.SET_LINKS, ID=ONE, LINK=link(fading=3))
ask("coherence too long", C.SET_LINKS, ID=ONE, LINK=link(coherence=100_000_001))
ask("delay too long", C.SET_LINKS, ID=ONE, LINK=link(delay=30_001))
ask("fault of nothing", C.ADD_FAULT, ID=ONE, FAULT_KIND=u32(0), FAULT_ACTION=u32(0), FAULT_COUNT=u32(0))
ask("fault of an unknown kind", C.ADD_FAULT, ID=ONE, FAULT_KIND=u32(9), FAULT_ACTION=u32(0), FAULT_COUNT=u32(1))
fault = dict(ID=ONE, FAULT_KIND=u32(0), FAULT_ACTION=u32(0), FAULT_COUNT=u32(1))
ask("fault from nobody", C.ADD_FAULT, **fault, FAULT_FROM=u32(99))
ask("fault at another medium", C.ADD_FAULT, **{**fault, "ID": TWO}, FAULT_LISTENER=FIRST)
ask("fault of no share", C.ADD_FAULT, **fault, FAULT_SHARE=u32(0))
for number in range(1025):
    ask("one fault too many", C.ADD_FAULT, **fault, FAULT_SKIP=u32(10**6))
ask("end of medium 2", C.DEL, ID=TWO)
for number in range(100, 164):
    ask("one medium too many", C.NEW, ID=u32(number), SEED=zero)
for number in range(100, 163):
    ask("end of a medium", C.DEL, ID=u32(number))
print(json.dumps(refused))
"""
)
# A node asks for everything, changes that would be right included, and then so does root of a user namespace.
INTRUDE = (
    BEGIN
    + """
ONE, FIRST, SECOND = u32(1), u32(0), u32(1)
zero = struct.pack("=Q", 0)
GAIN = uapi.link([0, 1, -20000, 0, 0, 0])[4:]
fault = dict(ID=ONE, FAULT_KIND=u32(0), FAULT_ACTION=u32(0), FAULT_COUNT=u32(1000))

def everything(who):
    ask(f"{who}: NEW", C.NEW, ID=u32(7), SEED=zero)
    ask(f"{who}: DEL", C.DEL, ID=ONE)
    ask(f"{who}: SET_CURVE", C.SET_CURVE, ID=ONE, CURVE=u32(0), START_MB=u32(0), STEP_MB=u32(10), HAZARDS=zero)
    ask(f"{who}: SET_FADING", C.SET_FADING, ID=ONE, FADING=u32(1), QUANTILES=u32(-10000))
    ask(f"{who}: ADD_RADIO", C.ADD_RADIO, ID=ONE, RADIO=SECOND)
    ask(f"{who}: SET_RADIO", C.SET_RADIO, RADIO=SECOND, POWER_MBM=u32(10000))
    ask(f"{who}: REMOVE_RADIO", C.REMOVE_RADIO, RADIO=FIRST)
    ask(f"{who}: SET_LINKS", C.SET_LINKS, ID=ONE, LINK=GAIN)
    ask(f"{who}: ADD_FAULT", C.ADD_FAULT, **fault)
    for dump in ("GET_RADIO", "GET_LINK", "GET_AIR", "GET_PEER"):
        try:
            family.dump(C[dump], attribute(A.ID, ONE))
        except RefusedError as error:
            refused[f"{who}: {dump}"] = [error.message, None]

everything("node")
ask("payload of another's radio", C.SET_PAYLOAD, RADIO=FIRST, ADDR=bytes.fromhex("020000000001"), PAYLOAD=b"x")
ask("payload of its own radio", C.SET_PAYLOAD, RADIO=SECOND, ADDR=bytes.fromhex("020000000001"), PAYLOAD=b"")
hwsim = Family("MAC80211_HWSIM", 1, KernelSocket())
for name, radio in ("node: its own radio removed", SECOND), ("node: another's radio removed", FIRST):
    try:
        hwsim.send([(5, attribute(10, radio))])  # HWSIM_CMD_DEL_RADIO, HWSIM_ATTR_RADIO_ID
    except RefusedError as error:
        refused[name] = [error.message, None]
assert ctypes.CDLL(None).unshare(0x10000000 | 0x40000000) == 0  # user and network namespaces of its own
family = Family(FAMILY, VERSION, KernelSocket())
everything("user")
print(json.dumps(refused))
"""
)
REFUSED = {
    "medium 1 again": ["the medium already exists", "ID"],
    "medium without a seed": ["Invalid argument", "SEED"],
    "unknown medium": ["the medium does not exist", "ID"],
    "radio without curves": ["error curve 0 is missing", None],
    "negative step": ["the step of a curve must be 0.01 to 1 dB", None],
    "step of 0": ["the step of a curve must be 0.01 to 1 dB", None],
    "start beyond all": ["a curve must start between -200 and 200 dB", None],
    "start as low as can be": ["a curve must start between -200 and 200 dB", None],
    "hazards cut": ["hazards must be 64-bit numbers", "HAZARDS"],
    "hazards empty": ["a curve must have 1 to 4096 points", None],
    "hazards too many": ["a curve must have 1 to 4096 points", None],
    "hazards rising": ["hazards must not rise with the SINR", None],
    "burst of 0": ["an error event must have 1 to 64 wrong bits", None],
    "unknown curve": ["integer out of range", "CURVE"],
    "fading cut": ["a fading table must have 1 to 4096 32-bit numbers", "QUANTILES"],
    "fading as low as can be": ["gains must rise, and be between -200 and 200 dB", "QUANTILES"],
    "fading falling": ["gains must rise, and be between -200 and 200 dB", "QUANTILES"],
    "radio on two media": ["the radio is already on a medium", None],
    "radio twice on one": ["the radio is already on a medium", None],
    "unknown radio": ["the radio does not exist, or uses several channels", "RADIO"],
    "radio in use": ["take the radio's interfaces down first", None],
    "medium in use": ["the medium still has radios", None],
    "no such OFDM rate": ["the PHY does not support this rate", "RATE"],
    "no such HT stream": ["the PHY does not support this rate", "RATE"],
    "DSSS of 40 MHz": ["the PHY does not support this rate", "RATE"],
    "DSSS at 5 GHz": ["the radio's band does not support this rate", "RATE"],
    "40 MHz on a channel of 20 MHz": ["the radio's channel is narrower", "RATE"],
    "VHT MCS 9 at 20 MHz": ["the PHY does not support this rate", "RATE"],
    "short GI of OFDM": ["the PHY does not support this rate", "RATE"],
    "rate of an unknown PHY": ["integer out of range", "RATE"],
    "rate without MCS": ["a rate needs PHY and MCS", "RATE"],
    "rate cut": ["bytes leftover after parsing attributes", None],
    "too many retries": ["integer out of range", "RETRIES"],
    "no streams": ["integer out of range", 30],
    "five streams": ["integer out of range", 30],
    "802.11b on two channels": ["a radio of several channels has no medium", None],
    "one stream on two channels": ["a radio of several channels has no medium", None],
    "a stream that a radio lacks": ["the radio has fewer spatial streams", "RATE"],
    "a rate that 802.11b lacks": ["a radio of 802.11b only has DSSS rates", "RATE"],
    "quieter than any receiver": ["integer out of range", "NOISE_MBM"],
    "PPDU too long": ["integer out of range", "MAX_PPDU_US"],
    "link to itself": ["radio 0 cannot hear itself", None],
    "link to nobody": ["radio 99 is not on this medium", None],
    "link of another medium": ["radio 0 is not on this medium", None],
    "link cut": ["bytes leftover after parsing attributes", None],
    "link without gain": ["a link needs FROM, TO and GAIN_MB", "LINK"],
    "link with more": ["Unknown attribute type", "LINK"],
    "level beyond all": ["a path gain must be between -500 and 500 dB", None],
    "level as low as can be": ["a path gain must be between -500 and 500 dB", None],
    "unknown fading": ["fading table 3 does not exist", None],
    "coherence too long": ["a coherence time must not exceed 100 s", None],
    "delay too long": ["a propagation delay must not exceed 30 us", None],
    "fault of nothing": ["integer out of range", "FAULT_COUNT"],
    "fault of an unknown kind": ["integer out of range", "FAULT_KIND"],
    "fault from nobody": ["radio 99 is not on this medium", "FAULT_FROM"],
    "fault at another medium": ["radio 0 is not on this medium", "FAULT_LISTENER"],
    "fault of no share": ["integer out of range", "FAULT_SHARE"],
    "one fault too many": ["the medium already has 1024 faults", None],
    "one medium too many": ["64 media already exist", None],
}
COMMANDS = ("NEW", "DEL", "SET_CURVE", "SET_FADING", "ADD_RADIO", "SET_RADIO", "REMOVE_RADIO", "SET_LINKS", "ADD_FAULT")
DUMPS = ("GET_RADIO", "GET_LINK", "GET_AIR", "GET_PEER")
INTRUDER = {
    **{f"node: {name}": ["media can only be changed from the initial network namespace", None] for name in COMMANDS},
    **{f"user: {name}": ["Operation not permitted", None] for name in COMMANDS + DUMPS},
    "payload of another's radio": ["the radio is in another network namespace", None],
    "node: its own radio removed": ["the radio is on a medium", None],
    "node: another's radio removed": ["No such device", None],
}


def test_the_kernel_refuses_in_words_and_stays_as_it_was(
    plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine, directory = agent_machine(tmp_path, monkeypatch), tmp_path / "run"
    directory.mkdir()
    runs.boot(plan_of(TOPOLOGY, WORKLOAD + f"timeline: [{{at: 1 s, {asked(ASK)}}}]\n"), machine, directory)
    ran = Ran(directory)
    assert json.loads(ran.raw("asked")) == REFUSED
    assert "10 received" in ran.raw("call.out")


def test_a_node_can_change_nothing(plan_of: Callable[..., Plan], machine: runs.Machine, tmp_path: Path) -> None:
    """Its root has all capabilities in the initial user namespace, and yet the medium is the agent's."""
    event = f"timeline: [{{at: 1 s, exec: sta1, run: {RUN.format(arguments='')}}}]\n"
    plan = with_script(plan_of(TOPOLOGY, WORKLOAD + event), "sta1", INTRUDE)
    directory = tmp_path / "run"
    directory.mkdir()
    runs.boot(plan, machine, directory)
    ran = Ran(directory)
    assert json.loads(ran.outputs()[0]) == INTRUDER
    assert "10 received" in ran.raw("call.out")


@pytest.mark.parametrize(
    ("radio", "message"),
    [
        ({"index": 99}, "the radio does not exist, or uses several channels (RADIO)"),
        ({"index": 1}, "the radio is already on a medium"),
        ({"max_ppdu_us": 5485}, "integer out of range (MAX_PPDU_US)"),
    ],
)
def test_the_user_sees_what_the_kernel_refuses(
    plan_of: Callable[..., Plan], machine: runs.Machine, tmp_path: Path, radio: dict[str, Any], message: str
) -> None:
    """No topology gets that far, so the test corrupts the last radio of its plan."""
    plan = plan_of(TOPOLOGY, "name: idle\nduration: 1 s\n")
    assert plan.medium is not None
    *others, last = plan.medium.radios
    spoilt = replace(plan.medium, radios=[*others, replace(last, **radio)])
    directory = tmp_path / "run"
    directory.mkdir()
    with pytest.raises(LabError) as failure:
        runs.boot(replace(plan, medium=spoilt), machine, directory)
    reported = str(failure.value).splitlines()[0]
    assert reported.startswith("medium: the kernel refuses ADD_RADIO id=1 radio=") and reported.endswith(f": {message}")


def test_a_channel_outside_the_band_is_refused_by_cfg80211(boot: Callable[..., Ran]) -> None:
    """A topology's channels are checked before anything boots; this bypasses the check."""
    listening = TOPOLOGY.replace("medium:", "  mon1: {kind: monitor}\nmedium:")
    event = "  - {at: 500 ms, exec: mon1, run: [iw, dev, mon1-wlan0, set, freq, '2500']}\n"
    with pytest.raises(LabError) as failure:
        boot(listening, f"name: astray\nduration: 1 s\ntimeline:\n{event}")
    reported = str(failure.value)
    assert "workload.yaml:4: exec mon1: iw dev mon1-wlan0 set freq 2500 ended with 234\n" in reported
    assert "kernel reports: Unknown channel\n" in reported
