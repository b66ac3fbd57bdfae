# SPDX-License-Identifier: MIT
"""Answers that TCP ACKs make longer, near a radio that does not hear them: it does not send at the same time.

Duration covers an answer without TCP ACKs. What makes it longer takes no more than what everybody waits after that, or
after an EIFS: SIFS and a slot, the shortest AIFS.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

from lab.shared.types import Plan
from tests import air, stored
from tests.air import BA, DATA, Frame
from tests.system.asking import agent_machine
from tests.system.conftest import Ran
from tests.system.test_air import SIFS_5GHZ_NS
from tests.system.test_medium_faults import SLOT_NS
from tests.system.test_medium_stacks import ask
from workloads.hack.tests.system.hacking import (
    AP,
    STA,
    Exchange,
    counts,
    exchanges,
    nothing_is_wrong,
    quoted,
    transmissions,
)

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

SERVER, OTHER = "02:00:00:00:dd:00", "02:00:00:00:cc:00"
BEST_EFFORT, VOICE = 0, 224  # TOS; voice has the shortest AIFS and backoff

# sends a little on each of many connections, again and again: the ACKs of all go with few answers
MANY = """\
import socket, sys, time
host, count, size, gap, rounds = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4]), int(sys.argv[5])
connections = [socket.create_connection((host, 5201)) for _ in range(count)]
for number in range(rounds):
    for connection in connections:
        connection.sendall(bytes(size))
    time.sleep(gap)
"""
READER = """\
import selectors, socket
chosen = selectors.DefaultSelector()
server = socket.create_server(("", 5201), backlog=100)
chosen.register(server, selectors.EVENT_READ)
while True:
    for key, _ in chosen.select():
        if key.fileobj is server:
            chosen.register(server.accept()[0], selectors.EVENT_READ)
        elif not key.fileobj.recv(1 << 20):
            chosen.unregister(key.fileobj)
"""
# of the third, when nothing keeps it from sending
FLOOD = (
    "import socket,time;s=socket.socket(2,2);s.setsockopt(0,1,{tos});s.setsockopt(1,7,20000)\\n"
    "s.connect(('{{{to}.ip}}',9))\\n"
    "while 1:\\n time.sleep(.0002)\\n try: s.send(b'x'*100)\\n except ConnectionError: pass"
)
# by longest_ppdu, the A-MPDUs of a burst have enough answers for all its TCP ACKs; with one or two of them, more and
# more were held, until all were sent uncompressed
PLACE = """\
name: third
nodes:
  h1: {{kind: host, roles: [server], mac: "{server}"}}
  ap1: {{kind: ap, ssid: x, channel: 36, bssid: "{ap}", {radio}, hack: more-data}}
  sta1: {{kind: sta, ssid: x, mac: "{sta}", roles: [client], hack: {{mode: timer, timer: 200 ms, turnaround: 10 ms}}}}
"""
STATION = """\
  sta2: {{kind: sta, ssid: x, mac: "{other}", roles: [third, fourth], rate: {rate}}}
links: [{{between: [h1, ap1]}}]
medium:
  longest_ppdu: 620 us
  snr:
    - {{between: [ap1, sta1], is: 35 dB}}
    - {{between: [ap1, sta2], is: {snr}}}
    - {{between: [sta1, sta2], is: -30 dB}}
"""
ACCESS_POINT = """\
  h2: {{kind: host, roles: [third]}}
  ap2: {{kind: ap, ssid: y, channel: 36, bssid: "{other}", {radio}}}
  sta2: {{kind: sta, ssid: y, roles: [fourth]}}
links: [{{between: [h1, ap1]}}, {{between: [h2, ap2]}}]
medium:
  longest_ppdu: 620 us
  snr:
    - {{between: [ap1, sta1], is: 35 dB}}
    - {{between: [ap1, ap2], is: {snr}}}
    - {{between: [ap1, sta2], is: 30 dB}}
    - {{between: [ap2, sta2], is: 30 dB}}
    - {{between: [sta1, sta2], is: -30 dB}}
    - {{between: [sta1, ap2], is: -30 dB}}
"""
WORK = """\
name: third
roles: {{server: 1, client: 1, third: 1, fourth: 1}}
duration: 2100 ms
files:
  many: {{on: server, path: /opt/many.py, text: {many}}}
  reader: {{on: client, path: /opt/reader.py, text: {reader}}}
processes:
  - {{on: client, run: [python3, /opt/reader.py], as: sink, ready: {{listening: tcp/5201}}}}
  - {{on: server, at: 1 s, run: [python3, /opt/many.py, "{{client.ip}}", "24", "{size}", "0.02", "45"], as: flows,
     may_run_on: true}}
  - {{on: third, at: 1100 ms, run: [python3, -c, "{flood}"], as: load, may_run_on: true}}
timeline:
"""
# not all that the access point sends reaches the third, such as an ARP reply
KNOWN = """\
  - {{at: 1 s, exec: third, run: [ip, neigh, replace, "{{server.ip}}", lladdr, "{server}", dev, sta2-wlan0]}}
"""
RADIOS = {  # of the access point; the third's rate; bytes of a burst on each connection
    "a": ("mode: a, rate: 54 Mbit/s", "6 Mbit/s", 200),
    "n": ("mode: n, rate: MCS 7", "MCS 0", 1400),
}
# what the third learns from data: their Duration; or only that there was something, by which it waits for an EIFS
HEARD = {"nav": "30 dB", "eifs": "12 dB"}


def files(third: str, mode: str, heard: str, tos: int) -> tuple[str, str]:
    """Return a topology and a workload."""
    radio, rate, size_bytes = RADIOS[mode]
    names = {"ap": AP, "sta": STA, "server": SERVER, "other": OTHER}
    topology = (PLACE + third).format(**names, radio=radio, rate=rate, snr=HEARD[heard])
    is_station = third == STATION
    flood = FLOOD.format(tos=tos, to="server" if is_station else "fourth")
    workload = WORK.format(many=quoted(MANY), reader=quoted(READER), size=size_bytes, flood=flood)
    return topology, workload + (KNOWN.format(server=SERVER) if is_station else "  []\n")


def run(boot: Boot, third: str, mode: str, heard: str, tos: int) -> Ran:
    return boot(*files(third, mode, heard, tos), pcap="air")


def carrying(ran: Ran) -> list[Exchange]:
    """Exchanges whose answers carried TCP ACKs, and whose data the third could hear: nobody else was sending."""
    spans = sorted((sent[0].stamp_ns, air.end_ns(sent)) for sent in transmissions(ran))
    starts_ns = [start_ns for start_ns, _ in spans]
    ended_ns = [0, *accumulate((end_ns for _, end_ns in spans), max)]  # all before each

    def alone(one: Exchange) -> bool:
        start_ns = one.sent[0].stamp_ns
        first, behind = bisect_left(starts_ns, start_ns), bisect_left(starts_ns, one.end_ns)
        return ended_ns[first] <= start_ns and behind - first == 1

    return [one for one in exchanges(ran) if one.items and alone(one)]


def answer_of(one: Exchange) -> Frame:
    assert one.answer is not None
    return one.answer


def reserved_ns(one: Exchange) -> int:
    """When what Duration reserves ends."""
    return one.end_ns + 1000 * int.from_bytes(one.sent[-1].body[2:4], "little")


def talked_into(ran: Ran, longer_ns: int = 0) -> int:
    """How many answers the third begins to talk into; or would if they were longer."""
    begun_ns = sorted(sent[0].stamp_ns for sent in transmissions(ran) if sent[0].kind == DATA and is_third(sent[0]))
    assert len(begun_ns) > 1000
    talked = 0
    for one in carrying(ran):
        following = bisect_right(begun_ns, one.end_ns)
        before_ns = air.end_ns([answer_of(one)]) + longer_ns
        talked += following < len(begun_ns) and begun_ns[following] < before_ns
    return talked


def is_third(frame: Frame) -> bool:
    return frame.transmitter.hex(":") == OTHER


@pytest.mark.parametrize(("mode", "tos"), [("a", BEST_EFFORT), ("n", VOICE)], ids=["a", "n, voice"])
@pytest.mark.parametrize("heard", HEARD)
def test_a_hidden_station_does_not_talk_into_a_long_answer(boot: Boot, mode: str, tos: int, heard: str) -> None:
    ran = run(boot, STATION, mode, heard, tos)
    spare_ns = SIFS_5GHZ_NS + SLOT_NS
    beyond_ns = [air.end_ns([answer_of(one)]) - reserved_ns(one) for one in carrying(ran)]
    assert 20_000 < max(beyond_ns) <= spare_ns  # long ones are among them
    assert max(len(one.items) for one in carrying(ran)) > 5
    assert talked_into(ran) == 0
    assert not any(answer_of(one).damaged for one in carrying(ran))
    assert talked_into(ran, longer_ns=spare_ns + 4 * SLOT_NS) > 0  # so the third is there
    assert nothing_is_wrong(counts(ran, "ap1", "received"))


@pytest.mark.parametrize("heard", HEARD)
def test_answers_that_are_longer_than_that_are_talked_into(
    plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, heard: str
) -> None:
    """Another stack may put as many bytes as it likes on them, and it has what TCP/HACK avoids."""
    machine = agent_machine(tmp_path, monkeypatch)
    too_many = b"\0" + 84 * b"\5\x10\0"
    payload = ("SET_PAYLOAD", {"RADIO": 1, "ADDR": AP.replace(":", ""), "PAYLOAD": too_many.hex()})
    topology, workload = files(STATION, "a", heard, BEST_EFFORT)
    off = topology.replace("hack: more-data", "hack: off").replace("mode: timer, timer: 200 ms", "mode: 'off'")
    plan = plan_of(off, f"{workload}  - {{at: 1 s, {ask(payload)}}}\n", 1, "air")
    directory = tmp_path / "run"
    directory.mkdir()
    stored.boot(plan, machine, directory)
    assert talked_into(Ran(directory)) > 10


@pytest.mark.parametrize("mode", RADIOS)
def test_duration_covers_an_answer_as_it_would_be_without(boot: Boot, mode: str) -> None:
    """It ends with the answer, which is what a third learns of it."""
    ran = run(boot, STATION, mode, "nav", BEST_EFFORT)
    plain = [one for one in exchanges(ran) if one.answer and one.kind == DATA and not one.items]
    assert len(plain) > 20
    beyond_ns = {air.end_ns([answer_of(one)]) - reserved_ns(one) for one in plain}
    assert all(-1000 < at_ns <= 0 for at_ns in beyond_ns)  # it is in whole microseconds
    # a longer answer says itself that nothing is reserved after it
    assert {answer_of(one).body[2:4] for one in carrying(ran)} == {b"\0\0"}


@pytest.mark.parametrize("mode", RADIOS)
def test_who_asked_waits_for_a_long_answer(boot: Boot, mode: str) -> None:
    """Nothing that was acknowledged is sent again, although nobody else spoke."""
    ran = run(boot, STATION, mode, "nav", BEST_EFFORT)
    sent = [one for one in exchanges(ran) if one.kind == DATA]
    judged = 0
    for one, after in pairwise(sent):
        answer = one.answer
        if answer is None or not one.items or answer.damaged:
            continue
        acknowledged = answer.blocks_acknowledged() if answer.kind == BA else {*one.sequences}
        assert not acknowledged & {*after.sequences}
        judged += 1
    assert judged > 5


@pytest.mark.parametrize("heard", HEARD)
def test_a_hidden_access_point_does_not_talk_into_a_long_answer(boot: Boot, heard: str) -> None:
    """Access points use AIFSN 1 for voice: SIFS and one slot."""
    ran = run(boot, ACCESS_POINT, "n", heard, VOICE)
    assert len(carrying(ran)) > 5
    assert talked_into(ran, longer_ns=SIFS_5GHZ_NS + 3 * SLOT_NS) > 0  # so it is there
    assert talked_into(ran) == 0
