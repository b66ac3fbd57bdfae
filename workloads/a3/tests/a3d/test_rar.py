# SPDX-License-Identifier: MIT
"""Redundant and aggressive retransmissions: which segments are sent again, when, and what becomes of the copies."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from . import fuzz, test_track
from .packets import ACK, CLIENT, SERVER, SYN, Segment, Talk, chain, checksum, compiled, track
from .planted import PLANTED

MS = 1000
RTT = 100 * MS
MS_NS = 1_000_000
ALPHA = 20 * MS
GREETING = b"220 server.lab ESMTP Postfix\r\n"
EHLO = b"EHLO client.lab\r\n"
EHLO_ANSWER = b"250-server.lab\r\n250 8BITMIME\r\n"


class Session(Talk):
    """A session whose client is here and whose server answers after a round trip. Each step takes that long."""

    def __init__(self, client: tuple[str, int] = CLIENT, server: tuple[str, int] = SERVER) -> None:
        super().__init__(client, server)
        self.now = 0
        self.at = [0, 0]
        self.open(0, RTT)
        self.now = RTT
        self.say(1, GREETING)

    def say(self, way: int, data: bytes, flags: int = ACK) -> Segment:
        """Send bytes, after what the other one has said."""
        made = self.send(self.now, way, self.at[way], self.at[1 - way], data, flags=flags)
        self.at[way] += len(data)
        return made

    def step(self, command: bytes, answer: bytes) -> Segment:
        """The client says something, and the server answers."""
        asked = self.say(0, command)
        self.now += RTT
        self.say(1, answer)
        return asked

    def until_data(self) -> None:
        self.step(EHLO, EHLO_ANSWER)
        self.step(b"MAIL FROM:<a@b.c>\r\n", b"250 ok\r\n")
        self.step(b"RCPT TO:<d@e.f>\r\n", b"250 ok\r\n")
        self.step(b"DATA\r\n", b"354 go on\r\n")


def test_a_thin_message_leaves_three_times_a_tenth_of_a_round_trip_apart(program: Path) -> None:
    talk = Session()
    asked = talk.step(EHLO, EHLO_ANSWER)
    done = chain(program, "client", talk.lines, alpha=ALPHA)
    assert [at for at, _ in done.sent] == [110 * MS_NS, 120 * MS_NS]
    assert {packet for _, packet in done.sent} == {asked.packet()}
    assert done.counts["thin"] == 1 and done.counts["alarms"] == done.counts["waiting"] == 0
    assert done.counts["bytes"] == 2 * len(asked.packet())


@pytest.mark.parametrize(("copies", "stagger", "at_ms"), [(0, 10, []), (1, 5, [120]), (4, 20, [105, 110, 115, 120])])
def test_how_many_copies_and_how_far_apart_can_be_set(
    program: Path, copies: int, stagger: int, at_ms: list[int]
) -> None:
    talk = Session()
    talk.step(EHLO, EHLO_ANSWER)
    done = chain(program, "client", talk.lines, copies, stagger, ALPHA)
    assert [at // MS_NS for at, _ in done.sent] == at_ms


def test_each_message_of_a_session_but_its_text_is_thin(program: Path) -> None:
    """From the client EHLO, MAIL, RCPT, DATA and QUIT; from the server greeting and all answers."""
    talk = Session()
    talk.until_data()
    text = b"Subject: x\r\n\r\n" + b"words\r\n" * 300
    for at in range(0, len(text), 1448):
        talk.say(0, text[at : at + 1448])
    talk.step(b".\r\n", b"250 queued\r\n")
    talk.step(b"QUIT\r\n", b"221 bye\r\n")
    talk.say(0, b"")
    client, server = (chain(program, side, talk.lines, alpha=ALPHA) for side in ("client", "server"))
    assert client.counts["thin"] == 5 and client.counts["copies"] == 10
    assert server.counts["thin"] == 7
    assert not any(b"words" in packet or packet.endswith(b"\r\n.\r\n") for _, packet in client.sent)


def test_commands_that_are_sent_at_once_are_one_segment(program: Path) -> None:
    """PIPELINING: MAIL, RCPT and DATA; and the end of a text with QUIT behind it is not thin."""
    talk = Session()
    talk.step(EHLO, b"250-server.lab\r\n250 PIPELINING\r\n")
    talk.step(b"MAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n", b"250 ok\r\n250 ok\r\n354 go on\r\n")
    talk.step(b"text\r\n.\r\nQUIT\r\n", b"250 ok\r\n221 bye\r\n")
    assert chain(program, "client", talk.lines, alpha=ALPHA).counts["thin"] == 2


def test_a_message_in_two_segments_is_not_thin(program: Path) -> None:
    talk = Session()
    talk.say(0, EHLO[:4])
    talk.say(0, EHLO[4:])
    assert chain(program, "client", talk.lines).counts["thin"] == 0


def test_without_an_answer_it_leaves_again_after_a_round_trip_and_alpha(program: Path) -> None:
    """The mean of the round trips since the handshake: 100 and 300 ms, though an alarm went off in the second one.

    Then it leaves three times again, ten times.
    """
    talk = Session()
    talk.step(EHLO, EHLO_ANSWER)
    talk.say(0, b"MAIL FROM:<a@b.c>\r\n")
    talk.now += 3 * RTT
    talk.say(1, b"250 ok\r\n")
    start_ms = talk.now // MS
    talk.say(0, b"RCPT TO:<d@e.f>\r\n")
    done = chain(program, "client", talk.lines, alpha=ALPHA)
    later = [at / MS_NS - start_ms for at, _ in done.sent if at >= talk.now * 1000]
    rounds = [220 * number + more for number in range(11) for more in (0, 20, 40)]
    assert later == rounds[1:]
    assert done.counts["alarms"] == 2 + 11 and done.counts["given_up"] == 1 and done.counts["waiting"] == 0


def test_copies_have_checksums_that_the_kernel_has_left_to_a_card(program: Path) -> None:
    for header, ends in ((20, (CLIENT, SERVER)), (40, (("2001:db8::2", 40000), ("2001:db8::1", 25)))):
        talk = Session(*ends)
        asked = talk.segment(0, 0, len(GREETING), data=EHLO, left_to_card=True)
        talk.raw(talk.now, asked.packet(), asked.left_to_card)
        sent = chain(program, "client", talk.lines).sent[0][1]
        assert sent == replace(asked, left_to_card=False).packet() != asked.packet()
        pseudo = sent[8:40] if header == 40 else sent[12:20]
        tcp = sent[header:]
        assert checksum(pseudo + len(tcp).to_bytes(4, "big") + b"\0\0\0\6" + tcp) == 0


def test_a_damaged_message_is_not_copied(program: Path) -> None:
    """Copies have new checksums, so its receiver would take one."""
    talk = Session()
    packet = bytearray(talk.segment(0, 0, len(GREETING), data=EHLO).packet())
    packet[-5] ^= 1
    talk.raw(talk.now, bytes(packet))
    done = chain(program, "client", talk.lines)
    assert done.sent == [] and done.verdicts[-1] == "pass"


def test_the_far_end_drops_copies_and_not_what_tcp_repeats(program: Path) -> None:
    """A copy has the same timestamp; a segment that TCP repeats has another one, even if it says the same."""
    talk = Session()
    asked = talk.say(0, EHLO)
    for _ in range(2):
        talk.raw(talk.now + 1, asked.packet())
    talk.raw(talk.now + 2, replace(asked, stamp=99).packet())
    done = chain(program, "server", talk.lines)
    assert done.verdicts[-4:] == ["pass", "drop", "drop", "pass"] and done.counts["filtered"] == 2


def test_without_timestamps_the_identification_of_ipv4_tells_them_apart(program: Path) -> None:
    talk = Session()
    for number in (5, 5, 6, 0, 0):
        talk.send(talk.now, 0, 0, len(GREETING), EHLO, stamp=None, id=number)
    done = chain(program, "server", talk.lines)
    assert done.verdicts[-5:] == ["pass", "drop", "pass", "pass", "pass"]


def test_acknowledgements_are_never_dropped(program: Path) -> None:
    """Three of them that are equal tell a sender that something is lost."""
    talk = Session()
    again = talk.segment(0, 0, len(GREETING))
    for _ in range(4):
        talk.raw(talk.now, again.packet())
    assert set(chain(program, "server", talk.lines).verdicts) == {"pass"}


def test_a_copy_that_comes_first_passes(program: Path) -> None:
    """The message was lost: what the far end sees first is a copy, and it fills the gap."""
    talk = Session()
    asked = talk.segment(0, 0, len(GREETING), data=EHLO)
    after = talk.segment(0, len(EHLO), len(GREETING), data=b"MAIL FROM:<a@b.c>\r\n")
    for packet in (after, after, asked, asked):
        talk.raw(talk.now, packet.packet())
    assert chain(program, "server", talk.lines).verdicts[-4:] == ["pass", "drop", "pass", "drop"]


def test_after_starttls_nothing_is_read_or_copied(program: Path) -> None:
    talk = Session()
    talk.step(EHLO, b"250-server.lab\r\n250 STARTTLS\r\n")
    talk.step(b"STARTTLS\r\n", b"220 go on\r\n")
    before = len(talk.lines)
    talk.step(b"\x16\x03\x01", b"\x16\x03\x03")
    done = chain(program, "client", talk.lines)
    assert done.counts["thin"] == 1 and done.counts["left"][6] == 1
    assert done.verdicts[before:] == ["pass", "pass"]


def test_other_ports_are_not_read(program: Path) -> None:
    talk = Session(server=("10.0.0.1", 443))
    talk.step(EHLO, EHLO_ANSWER)
    assert chain(program, "client", talk.lines).counts["thin"] == 0


def test_of_http_the_connection_and_requests_are_thin(program: Path) -> None:
    """HTTP-1 and HTTP-2 are its SYNs, HTTP-3 and HTTP-5 requests; answers are not. A round trip takes 250 ms."""
    talk = Talk(server=("10.0.0.1", 80))
    talk.open(0, 250 * MS)
    page = b"<img src=a>" * 300
    asked = [b"GET /%s HTTP/1.1\r\nHost: server\r\n\r\n" % name for name in (b"", b"a")]
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
    answers = [head % len(page) + page, head % 5 + b"image"]
    at = [0, 0]
    for number in range(2):
        talk.send((300 + 300 * number) * MS, 0, at[0], at[1], asked[number])
        at[0] += len(asked[number])
        for begin in range(0, len(answers[number]), 1448):
            data = answers[number][begin : begin + 1448]
            talk.send((550 + 300 * number) * MS, 1, at[1], at[0], data)
            at[1] += len(data)
    talk.send(900 * MS, 0, at[0], at[1])
    client, server = (chain(program, side, talk.lines, alpha=ALPHA) for side in ("client", "server"))
    assert [at // MS_NS for at, _ in client.sent] == [100, 200, 325, 350, 625, 650]
    assert client.counts["thin"] == 3 and server.counts["thin"] == 1
    assert not any(client.counts["left"]) and not any(server.counts["left"])


def test_a_syn_that_was_repeated_counts_as_a_round_trip_without_the_timeout(program: Path) -> None:
    """A way of 250 ms; the first SYN was lost. Copies of the first request are 25 ms apart."""
    talk = Talk(server=("10.0.0.1", 80))
    talk.send(0, 0, -1, 0, flags=SYN)
    talk.send(1000 * MS, 0, -1, 0, flags=SYN)
    talk.send(1250 * MS, 1, -1, 0, flags=SYN | ACK)
    talk.send(1250 * MS, 0, 0, 0)
    talk.send(1300 * MS, 0, 0, 0, b"GET / HTTP/1.1\r\nHost: server\r\n\r\n")
    sent = chain(program, "client", talk.lines, alpha=ALPHA).sent
    assert [at // MS_NS for at, _ in sent if at >= 1300 * MS_NS][:2] == [1325, 1350]


def test_more_messages_than_there_is_room_for_pass_without_copies(program: Path) -> None:
    lines: list[str] = []
    for port in range(300):
        talk = Session(client=("10.0.1.1", 1000 + port))
        talk.say(0, EHLO)
        lines += talk.lines
    lines.sort(key=lambda line: int(line.split()[0]))
    done = chain(program, "client", lines, alpha=ALPHA)
    assert set(done.verdicts) == {"pass"} and done.counts["no_room"] == 300 - 256


@pytest.mark.parametrize("seed", range(6))
def test_of_each_message_one_arrives_if_any_copy_does(program: Path, seed: int) -> None:
    """Two a3d with a network between that loses a third of all packets: whatever it does, TCP sees none twice."""
    random = Random(seed)
    talk = Session()
    talk.until_data()
    near = chain(program, "client", talk.lines, alpha=ALPHA)
    at_ns = [int(line.split()[0]) * 1000 for line in talk.lines]
    packets = [bytes.fromhex(line.split()[1]) for line in talk.lines]
    crossing = [(at + 50 * MS_NS, packet, True) for at, packet in near.sent]
    crossing += [
        (at + 50 * MS_NS, packet, packet[22:24] == b"\0\x19") for at, packet in zip(at_ns, packets, strict=True)
    ]
    arrives = [
        (at, packet)
        for at, packet, outward in sorted(crossing, key=lambda one: one[0])
        if not outward or b"\r\n" not in packet or random.random() > 0.33
    ]
    lines = [f"{at // 1000} {packet.hex()}" for at, packet in arrives]
    far = chain(program, "server", lines, alpha=ALPHA)
    passed = Counter(packet for (_, packet), verdict in zip(arrives, far.verdicts, strict=True) if verdict == "pass")
    assert {packet for _, packet in arrives} == set(passed)
    outward_data = [packet for packet in passed if packet[22:24] == b"\0\x19" and b"\r\n" in packet]
    assert outward_data and all(passed[packet] == 1 for packet in outward_data)


def test_malformed_packets_do_no_harm(program: Path) -> None:
    for seed in range(3):
        for side in ("client", "server"):
            chain(program, side, fuzz.packets(seed, 3000), alpha=1000)
        track(program, fuzz.packets(seed, 3000))


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_found(program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED[name]
    wrong_program = compiled(mistake=mistake, sanitized=mistake.sanitized)
    found_by = globals().get(mistake.found_by) or getattr(test_track, mistake.found_by)
    with pytest.raises((AssertionError, ValueError)):
        found_by(wrong_program, *mistake.values)
