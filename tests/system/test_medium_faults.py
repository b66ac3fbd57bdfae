# SPDX-License-Identifier: MIT
"""The event ``fault``: of each kind of frames the k-th from A to B is lost or damaged, and what follows from that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

import pytest

from lab.captures import pcap, radiotap
from tests import air
from tests.air import ACK, BA, BEACON, CTS, DATA, RTS, Frame
from tests.system.conftest import Ran
from tests.system.test_air import SIFS_5GHZ_NS, ppdus

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
Misses = Callable[[list[list[Frame]]], list[bool]]

MGMT, BAR = "mgmt", "bar"
ACTIONS = ("lose", "damage")
AP, STA, OTHER = (f"02:00:00:00:{last}:00" for last in ("aa", "bb", "cc"))
SLOT_NS = 9_000
AIFS_NS = SIFS_5GHZ_NS + 3 * SLOT_NS  # best effort: AIFSN 3
EIFS_NS = SIFS_5GHZ_NS + 44_000 + AIFS_NS  # 10.3.2.3.7: an ACK at 6 Mbit/s in it
COUNT = 60
AT_MS = 1900  # the fault; senders begin at 1 s, a datagram each 20 ms
SKIP, HIT = 3, 2

PLACE = """\
name: faults
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, mode: {mode}, channel: 36, bssid: "{ap}"}}
  sta1: {{kind: sta, mac: "{sta}", roles: [client], {settings}}}
links: [{{between: [h1, ap1]}}]
medium: {medium}
"""
WORK = """\
name: faults
roles: {{server: 1, client: 1..}}
duration: 3 s
processes:
  - {{on: server, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: client, run: {{probe: udp-sender, to: "{{server.ip}}", {sender}}}, as: load}}
timeline:
"""
PACED = f"size: 1000 B, every: 20 ms, phase: 5 ms, count: {COUNT}"
# first a burst that makes a BlockAck session, and another at 2 s, after the fault
BURST = "buffer: 100000 B, count: 2000"
AGAIN = f'  - {{on: client, at: 1500 ms, run: {{probe: udp-sender, to: "{{server.ip}}", {BURST}}}, as: again}}\n'
BURSTS = WORK.format(sender=BURST).replace("timeline:", AGAIN + "timeline:")
STEADY = WORK.format(sender=PACED)


def place(mode: str, settings: str, medium: str = "{}") -> str:
    return PLACE.format(mode=mode, settings=settings, medium=medium, ap=AP, sta=STA)


def fault(action: str, kind: str, source: str, to: str, skip: int = SKIP, hit: int = HIT) -> str:
    """A line of a timeline."""
    what = f"fault: {action}, frames: {kind}, from: {source}, to: {to}, skip: {skip}, count: {hit}"
    return f"  - {{at: {AT_MS} ms, {what}}}\n"


def kind_of(frame: Frame) -> str:
    """As faults call it."""
    group, subtype = frame.body[0] >> 2 & 3, frame.body[0] >> 4
    if group == 0:
        return BEACON if subtype == 8 else MGMT
    return BAR if (group, subtype) == (1, 8) else frame.kind


def transmissions(ran: Ran) -> list[list[Frame]]:
    (path,) = (ran.directory / "raw").glob("air-*")
    return list(ppdus(air.frames(path)))


def since_fault(ran: Ran) -> list[list[Frame]]:
    """Transmissions from then on. (No sender has anything on the air just then.)"""
    begin_ns = ran.guest()["epoch_ns"] + AT_MS * 1_000_000
    return [ppdu for ppdu in transmissions(ran) if ppdu[0].stamp_ns >= begin_ns]


def sent(sequence: list[list[Frame]], address: str, *kinds: str) -> Iterator[tuple[int, list[Frame]]]:
    """(place, transmission) of those kinds by one sender. (ACK and CTS name nobody as theirs.)"""
    for number, ppdu in enumerate(sequence):
        if kind_of(ppdu[0]) in kinds and ppdu[0].transmitter.hex(":") == address and not ppdu[0].receiver[0] & 1:
            yield number, ppdu


def unanswered(*kinds: str, by: str = STA, to: str = "") -> Misses:
    """Of each transmission of these kinds by one sender, to one receiver or to any, whether nothing follows it."""

    def judge(sequence: list[list[Frame]]) -> list[bool]:
        last = len(sequence) - 1
        return [
            number == last or sequence[number + 1][0].stamp_ns != air.end_ns(ppdu) + SIFS_5GHZ_NS
            for number, ppdu in sent(sequence, by, *kinds)
            if ppdu[0].receiver.hex(":").startswith(to)
        ]

    return judge


def unheeded_ack(sequence: list[list[Frame]], to: str = STA) -> list[bool]:
    """Of each ACK to one, whether what it acknowledges is sent again."""
    found = []
    for (number, ppdu), (_, after) in pairwise(sent(sequence, to, DATA)):
        answer = sequence[number + 1][0]
        assert kind_of(answer) == ACK and answer.receiver.hex(":") == to
        found.append(ppdu[0].sequence == after[0].sequence)
    return found


def unheeded_ba(sequence: list[list[Frame]]) -> list[bool]:
    """Of each BlockAck, whether a BlockAckReq asks for another. Nothing is sent again, since all has arrived."""
    data = [frame.sequence for _, ppdu in sent(sequence, STA, DATA) for frame in ppdu]
    assert len(data) == len(set(data))
    found = []
    for (number, ppdu), (_, after) in pairwise(sent(sequence, STA, DATA, BAR)):
        answer = sequence[number + 1][0]
        alone = len(ppdu) == 1 and kind_of(ppdu[0]) == DATA  # answered by an ACK
        assert kind_of(answer) == (ACK if alone else BA) and answer.receiver.hex(":") == STA
        if alone:
            continue
        found.append(kind_of(after[0]) == BAR)
    return found


def unused_cts(sequence: list[list[Frame]]) -> list[bool]:
    """Of each CTS, whether no data follow it after SIFS."""
    return [
        after[0].kind != DATA or after[0].stamp_ns != air.end_ns(ppdu) + SIFS_5GHZ_NS
        for ppdu, after in pairwise(sequence)
        if ppdu[0].kind == CTS
    ]


@dataclass(frozen=True)
class Case:
    """A type of frame, its sender and receiver, and how a miss shows on the air."""

    topology: str
    source: str
    to: str
    misses: Misses
    work: str = STEADY
    skip: int = SKIP
    more: str = ""  # further events


WITH_RTS = place("a", "rate: 24 Mbit/s, rts_threshold: 0 B")
WITHOUT = place("a", "rate: 24 Mbit/s")
AGGREGATES = place("n", "rate: MCS 7")
CASES = {
    "data": Case(WITHOUT, "sta1", "ap1", unanswered(DATA)),
    # it leaves its network and joins again, by three frames: the second is hit, and its repetition
    "mgmt": Case(
        WITHOUT,
        "sta1",
        "ap1",
        unanswered(MGMT),
        skip=1,
        more="  - {at: 2300 ms, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, reassociate]}\n",
    ),
    "ack": Case(WITHOUT, "ap1", "sta1", unheeded_ack),
    "ba": Case(AGGREGATES, "ap1", "sta1", unheeded_ba, BURSTS),
    # where a BlockAck is lost, it is asked for
    "bar": Case(AGGREGATES, "sta1", "ap1", unanswered(BAR), BURSTS, 0, more=fault("lose", "ba", "ap1", "sta1", hit=1)),
    "rts": Case(WITH_RTS, "sta1", "ap1", unanswered(RTS)),
    "cts": Case(WITH_RTS, "ap1", "sta1", unused_cts),
    # RTS, data, RTS, and now data and the RTS that comes again
    "any": Case(WITH_RTS, "sta1", "ap1", unanswered(RTS, DATA)),
}


def run(boot: Boot, action: str, kind: str) -> Ran:
    case = CASES[kind]
    event = fault(action, kind, case.source, case.to, case.skip)
    return boot(case.topology, case.work + event + case.more, pcap="air")


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("kind", CASES)
def test_those_frames_miss_and_no_other(boot: Boot, kind: str, action: str) -> None:
    case = CASES[kind]
    ran = run(boot, action, kind)
    missed = case.misses(since_fault(ran))
    assert len(missed) > case.skip + HIT
    assert [number for number, miss in enumerate(missed) if miss] == list(range(case.skip, case.skip + HIT))
    if case.work is STEADY and kind != "mgmt":  # nothing is lost above, and nothing comes twice
        flow = ran.flows()["load"]
        assert (flow["packets"], flow["lost"]) == (COUNT, 0)
    if kind in ("rts", "bar"):  # the report says how many had no answer
        (radio,) = (radio for radio in ran.looks()[-1]["radios"] if radio["node"] == "sta1")
        said = sum(radio[category][f"{kind}_unanswered"] for category in ("vo", "vi", "be", "bk"))
        assert said == sum(case.misses(transmissions(ran))) >= HIT


@pytest.mark.parametrize(
    ("kind", "action", "counted"), [("data", "lose", "lost"), ("data", "damage", "damaged"), ("mgmt", "lose", "lost")]
)
def test_what_is_hit_is_counted(boot: Boot, kind: str, action: str, counted: str) -> None:
    ran = run(boot, action, kind)
    link = ran.link("sta1", "ap1")
    begin = next(
        found for look in ran.looks() for found in look["links"] if (found["from"], found["to"]) == ("sta1", "ap1")
    )
    wrong = {key: link[key] - begin[key] for key in ("lost", "damaged", "dropped")}
    assert wrong == {"lost": 0, "damaged": 0, "dropped": 0} | {counted: HIT}
    assert link["retries"] - link["collided"] == HIT


@pytest.mark.parametrize("action", ACTIONS)
def test_a_beacon_at_one_node(boot: Boot, action: str) -> None:
    """Damaged, it is heard with a wrong FCS; lost, not at all."""
    listen = "[iw, dev, mon1-wlan0, set, monitor, control, otherbss, fcsfail]"
    ran = boot(
        WITHOUT.replace("links:", "  mon1: {kind: monitor, channel: 36, roles: [monitor]}\nlinks:"),
        STEADY.replace("client: 1..", "client: 1.., monitor: 1").replace("3 s", "6 s")
        + fault(action, "beacon", "ap1", "mon1")
        + f"  - {{at: 1 s, exec: mon1, run: {listen}}}\n"
        + "probes:\n  - {on: monitor, probe: tcpdump, as: listen, snaplen: 2000 B}\n",
        pcap="air",
    )
    # what comes at the end may still be in tcpdump's buffer
    sequences = [ppdu[0].sequence for ppdu in since_fault(ran) if kind_of(ppdu[0]) == BEACON][:20]
    at_monitor = {}
    for _, frame in pcap.load(ran.directory / "raw" / "listen.pcap").frames():
        body = frame[radiotap.length(frame) :]
        if body[0] == 0x80:
            wrong = bool(radiotap.fields(frame)["flags"][0] & radiotap.FLAG_BAD_FCS)
            at_monitor[int.from_bytes(body[22:24], "little") >> 4] = wrong
    hit = sequences[SKIP : SKIP + HIT]
    assert [number for number in sequences if number not in at_monitor] == (hit if action == "lose" else [])
    assert [number for number in sequences if at_monitor.get(number)] == (hit if action == "damage" else [])


def test_who_hears_a_damaged_answer_waits_for_eifs(boot: Boot) -> None:
    """A radio that does not notice it contends as if it had not been sent, with the same backoff."""
    gaps_ns: dict[str, list[int]] = {}
    for action in ACTIONS:
        event = fault(action, "ack", "ap1", "sta1")
        sequence = since_fault(boot(WITHOUT, STEADY + event, pcap="air"))
        gaps_ns[action] = [
            after[0].stamp_ns - air.end_ns(ack)
            for ack, after in pairwise(sequence)
            if ack[0].kind == ACK and after[0].kind == DATA and after[0].body[1] & 0x08  # sent again
        ]
    assert len(gaps_ns["lose"]) == HIT
    assert all(gap_ns >= AIFS_NS and (gap_ns - AIFS_NS) % SLOT_NS == 0 for gap_ns in gaps_ns["lose"])
    assert gaps_ns["damage"] == [gap_ns + EIFS_NS - AIFS_NS for gap_ns in gaps_ns["lose"]]


SECOND = f'  sta2: {{kind: sta, mac: "{OTHER}", roles: [ROLE], rate: 24 Mbit/s}}\nlinks:'


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", ["rts", "cts"])
def test_who_overhears_a_reservation_heeds_it(boot: Boot, kind: str, seed: int) -> None:
    """An RTS without an answer is soon forgotten (NAV reset, 10.3.2.4); a CTS is not, although no data follow."""
    case, count = CASES[kind], 5
    ran = boot(
        WITH_RTS.replace("links:", SECOND.replace("ROLE", "busy")),
        STEADY.replace("client: 1..", "client: 1, busy: 1").replace(
            "timeline:",
            '  - {on: busy, run: {probe: udp-sender, to: "{server.ip}", buffer: 4608 B}, as: busy}\ntimeline:',
        )
        + fault("lose", kind, case.source, case.to, hit=count),
        pcap="air",
        seed=seed,
    )
    sequence = [ppdu for ppdu in since_fault(ran) if not ppdu[0].damaged]
    if kind == "rts":
        everything = since_fault(ran)
        asked = list(sent(everything, STA, RTS))
        lost = [ppdu for at, ppdu in asked if not ppdu[0].damaged and everything[at + 1][0].kind != CTS]
        hit = [ppdu for _, ppdu in asked[SKIP : SKIP + count] if not ppdu[0].damaged]  # others would be lost anyway
        assert hit == lost
    else:
        answers = [ppdu for ppdu in sequence if ppdu[0].kind == CTS]
        hit = [ppdu for ppdu, unused in zip(answers, unused_cts(sequence), strict=True) if unused]
        assert len(hit) == count
    begun_ns = [ppdu[0].stamp_ns for _, ppdu in sent(since_fault(ran), OTHER, DATA)]
    reserved_ns = [1000 * int.from_bytes(ppdu[0].body[2:4], "little") for ppdu in hit]
    within = [
        any(0 < begin_ns - air.end_ns(ppdu) < until_ns for begin_ns in begun_ns)
        for ppdu, until_ns in zip(hit, reserved_ns, strict=True)
    ]
    assert any(within) == (kind == "rts"), within


def test_frames_for_others_do_not_count(boot: Boot) -> None:
    """An ACK is hit where it goes to, not where it is overheard."""
    ran = boot(
        WITHOUT.replace("links:", SECOND.replace("ROLE", "client")),
        WORK.format(sender=PACED.replace("phase: 5 ms, ", "")) + fault("lose", "ack", "ap1", "sta2"),
        pcap="air",
        seed=2,  # nothing comes between a frame and its answer
    )
    sequence = since_fault(ran)
    missed = unheeded_ack(sequence, OTHER)
    assert [number for number, miss in enumerate(missed) if miss] == list(range(SKIP, SKIP + HIT))
    assert not any(unheeded_ack(sequence))


def known(name: str, mac: str) -> str:
    """Return an event: a request for that address is a group frame, and if it collides, a flow begins 1 s later."""
    command = f'[ip, neigh, replace, "{{{name}.ip}}", lladdr, "{mac}", dev, h1-eth0]'
    return f"  - {{at: 0 s, exec: server, run: {command}}}\n"


def test_data_for_others_do_not_count(boot: Boot) -> None:
    work = (
        "name: down\nroles: {server: 1, client: 2}\nduration: 3 s\nprocesses:\n"
        "  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}\n"
        + "".join(
            f'  - {{on: server, run: {{probe: udp-sender, to: "{{{name}.ip}}", {PACED}}}, as: to-{name}}}\n'.replace(
                "phase: 5 ms", f"phase: {phase_ms} ms"
            )
            for name, phase_ms in (("sta1", 5), ("sta2", 12))
        )
        + "timeline:\n"
        + known("sta1", STA)
        + known("sta2", OTHER)
        + fault("damage", "data", "ap1", "sta2")
    )
    ran = boot(WITHOUT.replace("links:", SECOND.replace("ROLE", "client")), work, pcap="air")
    sequence = since_fault(ran)
    missed = iter(unanswered(DATA, by=AP, to=OTHER)(sequence))
    data = [ppdu[0] for ppdu in sequence if kind_of(ppdu[0]) == DATA and ppdu[0].transmitter.hex(":") == AP]
    to_groups = [bool(frame.receiver[0] & 1) for frame in data if frame.receiver.hex(":") != STA]
    # what goes to a group, such as a report of MLD, is for that station as well
    hit = [number for number, to_group in enumerate(to_groups) if not to_group and next(missed)]
    assert hit == list(range(SKIP, SKIP + HIT))
    assert not any(unanswered(DATA, by=AP, to=STA)(sequence))


@pytest.mark.parametrize("action", ACTIONS)
def test_each_mpdu_of_an_aggregate_counts(boot: Boot, action: str) -> None:
    skip, hit = 5, 3
    event = fault(action, "data", "sta1", "ap1", skip, hit)
    sequence = since_fault(boot(AGGREGATES, BURSTS + event, pcap="air"))
    missed = []
    for number, ppdu in list(sent(sequence, STA, DATA))[:-1]:
        if ppdu[0].damaged:  # it met a beacon
            continue
        answer = sequence[number + 1][0]
        right = answer.blocks_acknowledged() if answer.kind == BA else {ppdu[0].sequence}
        missed += [frame.sequence not in right for frame in ppdu]
    assert [number for number, miss in enumerate(missed) if miss] == list(range(skip, skip + hit))


@pytest.mark.parametrize("tos", [0, 160], ids=["without a TXOP limit", "with one"])
def test_nothing_stalls_where_answers_and_questions_get_lost(boot: Boot, tos: int) -> None:
    """Of BlockAcks, BlockAckReqs and data; 160 is video, whose TXOPs hold several exchanges."""
    count = 3000
    sender = f"buffer: 30000 B, count: {count}, tos: {tos}"
    lost = "at: 500 ms, fault: lose, count: 1000000"
    losses = "".join(
        f"  - {{{lost}, frames: {frames}, from: {source}, to: {to}, share: {share} %}}\n"
        for frames, source, to, share in (
            ("ba", "ap1", "sta1", 30),
            ("bar", "sta1", "ap1", 30),
            ("data", "sta1", "ap1", 10),
        )
    )
    ran = boot(place("n", "rate: MCS 7", "{retries: 20}"), WORK.format(sender=sender) + losses)
    flow = ran.flows()["load"]
    assert (flow["packets"], flow["lost"]) == (count, 0)
    assert flow["delay_max_ns"] < 50_000_000


def test_what_arrived_counts_although_no_block_ack_of_its_last_attempt_came(boot: Boot) -> None:
    """The sender asks for it, and the answer says so."""
    lost = fault("lose", "ba", "ap1", "sta1", hit=1)
    ran = boot(place("n", "rate: MCS 7", "{retries: 1}"), BURSTS + lost, pcap="air")
    until_collision = list(takewhile(lambda ppdu: "collision" not in ppdu[0].comment, since_fault(ran)))
    assert len(list(sent(until_collision, STA, BAR))) == 1
    link = ran.link("sta1", "ap1")
    assert link["acked"] == link["delivered"]


def test_each_request_that_is_not_answered_is_repeated_at_the_next_slower_basic_rate(boot: Boot) -> None:
    """The first one, after the A-MPDU whose BlockAck is lost, has the rate of that BlockAck."""
    lost = fault("lose", "ba", "ap1", "sta1", skip=0, hit=5)
    sequence = since_fault(boot(AGGREGATES, BURSTS + lost, pcap="air"))
    requests = [ppdu[0] for _, ppdu in sent(sequence, STA, BAR)]
    assert [request.header["rate_500kbps"][0] / 2 for request in requests[:5]] == [24, 12, 6, 6, 6]


def test_who_has_vanished_is_not_asked_again_and_again(boot: Boot) -> None:
    """Once an A-MPDU is given up, a BlockAckReq tells the recipient: not each time if it never answers."""
    retries, most_tellings = 3, 7
    gone = fault("lose", "any", "sta1", "ap1", skip=0, hit=1_000_000)
    sequence = since_fault(boot(place("n", "rate: MCS 7", f"{{retries: {retries}}}"), BURSTS + gone, pcap="air"))
    aggregates = sum(len(ppdu) > 1 for _, ppdu in sent(sequence, STA, DATA))
    requests = len(list(sent(sequence, STA, BAR)))
    assert aggregates > 10
    assert requests <= aggregates * (retries - 1) + most_tellings


def test_who_scans_sends_nothing_again_on_other_channels(boot: Boot) -> None:
    """What waits for a BlockAck stays with its channel, as do BlockAckReqs."""
    scans = "".join(
        f"  - {{at: {at_ms} ms, exec: sta1, run: [iw, dev, sta1-wlan0, scan, freq, 5200]}}\n"
        for at_ms in range(1100, 2700, 130)
    )
    losses = "".join(
        f"  - {{at: 1 s, fault: lose, frames: {kind}, from: {source}, to: {to}, share: {share} %, count: 1000000}}\n"
        for kind, source, to, share in (("ba", "ap1", "sta1", 70), ("data", "sta1", "ap1", 30))
    )
    load = WORK.format(sender="buffer: 100000 B")
    ran = boot(place("n", "rate: MCS 7", "{retries: 2}"), load + losses + scans, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-5200*")
    assert {kind_of(frame) for frame in air.frames(path) if frame.transmitter.hex(":") == STA} == {MGMT}
