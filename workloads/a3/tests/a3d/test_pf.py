# SPDX-License-Identifier: MIT
"""Prioritized fetching: nothing is lost, starves or changes its place in its connection, and what is first is first."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from .packets import compiled, drive
from .planted_pf import PLANTED_PF

UNSAID, FIRST, LATER = range(3)
RATE = 100_000  # bit/s
PACKET = 1236  # bytes: 100 ms, with Ethernet's header
TIME = 100_000  # us
MOST = 800_000


@dataclass
class Played:
    """What happened to packets, by their number: when each left (ns), which were dropped; and what else was said."""

    verdicts: list[str] = field(default_factory=list)
    left: dict[int, int] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    told: list[tuple[int, int]] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)


@dataclass
class Play:
    """What is to happen."""

    lines: list[str] = field(default_factory=list)
    times: list[int] = field(default_factory=list)  # us, of each packet that comes

    def does(self, at_us: int, *words: object) -> None:
        self.lines.append(" ".join(map(str, (at_us, *words))))

    def leaves(self, at_us: int, connection: int | str, size: int = PACKET, seq: int = 0, end: int = 0) -> int:
        self.does(at_us, "leave", connection, size, seq, end)
        self.times.append(at_us)
        return len(self.times) - 1

    def asks(self, connection: int, class_: int = UNSAID, number: int = 1) -> None:
        """Server's side: a connection is new or goes on, and the answer to a request of this class follows."""
        if number == 1:
            self.does(0, "begin", connection, "phone")
        self.does(0, "request", connection, 100 * number, number, "-")
        if class_:
            self.does(0, "notice", connection, 100 * number, class_)
        self.does(0, "answer", connection, number, 0)

    def play(self, pf: Path, side: str = "server", rate: int = RATE, limit: int = 100, most: int = MOST) -> Played:
        *printed, counts = drive([str(pf), side, str(rate), str(limit), str(most)], self.lines)
        played = Played(counts=json.loads(counts))
        for words in (line.split() for line in printed):
            if words[0] == "class":
                played.classes.append(int(words[1]))
            elif words[0] == "tell":
                played.told.append((int(words[1]), int(words[2])))
            elif words[0] in ("go", "gone"):
                number = int(words[2])
                assert number not in played.left and number not in played.gone
                if words[0] == "go":
                    played.left[number] = int(words[1])
                    played.order.append(number)
                else:
                    played.gone.append(number)
            else:
                if words[0] == "pass":
                    played.left[len(played.verdicts)] = self.times[len(played.verdicts)] * 1000
                    played.order.append(len(played.verdicts))
                played.verdicts.append(words[0])
        return played


def test_a_packet_passes_at_once_if_the_network_is_free(pf: Path) -> None:
    play = Play()
    play.asks(1, LATER)
    for at in range(5):
        play.leaves(at * TIME, 1)
    assert play.play(pf).verdicts == ["pass"] * 5


def test_others_wait_until_the_one_before_has_left_the_line(pf: Path) -> None:
    play = Play()
    play.asks(1)
    numbers = [play.leaves(0, 1) for _ in range(4)]
    played = play.play(pf)
    assert played.verdicts == ["pass", "hold", "hold", "hold"]
    assert [played.left[number] for number in numbers] == [number * TIME * 1000 for number in range(4)]


def test_what_is_on_the_screen_overtakes(pf: Path) -> None:
    """Of three connections: a later object, one on the screen, one of which nothing was said."""
    play = Play()
    for connection, class_ in ((1, LATER), (2, FIRST), (3, UNSAID)):
        play.asks(connection, class_)
    numbers = [play.leaves(0, connection) for _ in range(2) for connection in (1, 2, 3)]
    played = play.play(pf)
    assert [numbers.index(number) for number in played.order] == [0, 1, 2, 4, 5, 3]
    assert played.counts["overtaken"] == 1 and played.counts["overdue"] == 0


def test_a_connection_that_is_not_followed_is_first(pf: Path) -> None:
    play = Play()
    play.asks(1, LATER)
    for connection in (1, 1, "-"):
        play.leaves(0, connection)
    assert play.play(pf).order == [0, 2, 1]


def test_nothing_overtakes_in_a_connection_so_what_is_before_one_on_the_screen_goes_with_it(pf: Path) -> None:
    play = Play()
    play.asks(1, LATER)
    play.asks(2, LATER)
    play.leaves(0, 1)
    later = [play.leaves(0, 1), play.leaves(0, 2), play.leaves(0, 1)]
    play.asks(2, FIRST, 2)
    first = play.leaves(0, 2)
    assert play.play(pf).order == [0, later[1], first, later[0], later[2]]


def test_a_scroll_changes_what_waits(pf: Path) -> None:
    play = Play()
    play.asks(1, FIRST)
    play.asks(2, LATER)
    for connection in (1, 1, 1, 2, 2):
        play.leaves(0, connection)
    play.does(150_000, "notice", 1, 100, LATER)
    play.does(150_000, "notice", 2, 100, FIRST)
    assert play.play(pf).order == [0, 1, 3, 4, 2]


def test_a_notice_may_come_before_its_request(pf: Path) -> None:
    play = Play()
    play.does(0, "begin", 1, "phone")
    play.does(0, "notice", 1, 100, LATER)
    play.does(0, "request", 1, 100, 1, "-")
    play.does(0, "answer", 1, 1, 0)
    play.leaves(0, 1)
    play.leaves(0, 1)
    play.leaves(0, "-")
    assert play.play(pf).order == [0, 2, 1]


def test_nothing_starves(pf: Path) -> None:
    """A packet leaves at most so much later than it would have in its turn, whatever else comes."""
    play = Play()
    play.asks(1, LATER)
    play.asks(2, FIRST)
    play.leaves(0, 2)
    waits = play.leaves(0, 1)
    for _ in range(30):
        play.leaves(0, 2)
    played = play.play(pf)
    assert played.left[waits] == (TIME + MOST) * 1000 and played.counts["overdue"] == 1


def test_what_tcp_repeats_while_the_first_one_waits_is_dropped(pf: Path) -> None:
    play = Play()
    play.asks(1, LATER)
    play.asks(2, LATER)
    for connection, seq, end in ((1, 0, 9), (1, 9, 18), (1, 9, 18), (1, 9, 17), (2, 9, 18), (1, 5, 5), (1, 5, 5)):
        play.leaves(0, connection, seq=seq, end=end)
    again = play.leaves(110_000, 1, seq=9, end=18)
    played = play.play(pf)
    assert played.verdicts == ["pass", "hold", "drop", "hold", "hold", "hold", "hold", "hold"]
    assert (
        played.counts["repeated"] == 1 and again in played.left
    )  # the first one has left: this one may have been lost


def test_a_full_queue_drops_what_is_later_first_and_the_newest_of_it(pf: Path) -> None:
    play = Play()
    play.asks(1, LATER)
    play.asks(2, FIRST)
    play.leaves(0, 1)
    later = [play.leaves(0, 1) for _ in range(3)]
    first = [play.leaves(0, 2) for _ in range(3)]
    late = play.leaves(0, 1)
    played = play.play(pf, limit=4)
    assert played.verdicts == ["pass"] + ["hold"] * 6 + ["drop"]
    assert played.gone == later[:0:-1] and late not in played.left
    assert played.order == [0, *first, later[0]]
    assert played.counts["dropped"] == 3


def test_a_full_queue_without_later_objects_drops_what_comes(pf: Path) -> None:
    play = Play()
    play.asks(1, FIRST)
    for _ in range(6):
        play.leaves(0, 1)
    assert play.play(pf, limit=4).verdicts == ["pass", "hold", "hold", "hold", "hold", "drop"]


def test_packets_of_a_connection_that_is_over_still_leave_in_order(pf: Path) -> None:
    play = Play()
    play.asks(1, LATER)
    for _ in range(4):
        play.leaves(0, 1)
    play.does(150_000, "forget", 1)
    play.leaves(150_000, "-")
    assert play.play(pf).order == [0, 1, 2, 3, 4]


# without a far end


def alone(play: Play, pf: Path) -> Played:
    return play.play(pf, "alone", rate=0)


def page(play: Play) -> None:
    """A monitor speaks of two pictures; a page is under way on connection 9."""
    for target, class_ in (("/low", LATER), ("/high", FIRST)):
        play.does(0, "said", "phone", target, class_)
    play.does(0, "begin", 9, "phone")
    play.does(0, "request", 9, 0, 1, "-")
    play.leaves(0, 9)


def requests(play: Play, at: int, connection: int, target: str, device: str = "phone") -> int:
    play.does(at, "begin", connection, device)
    play.does(at, "request", connection, 0, 1, target)
    return play.leaves(at, connection, 300, 0, 280)


def test_alone_a_later_request_waits_while_something_first_is_under_way(pf: Path) -> None:
    play = Play()
    page(play)
    low, high = requests(play, 1000, 1, "/low"), requests(play, 1000, 2, "/high")
    acknowledges = play.leaves(2000, 1)
    play.does(300_000, "answer", 9, 1, 1)
    play.does(500_000, "answer", 2, 1, 1)
    play.does(500_000, "said", "phone", "/other", FIRST)  # something happens
    played = alone(play, pf)
    assert played.classes == [UNSAID, LATER, FIRST]
    assert played.verdicts == ["pass", "hold", "pass", "hold"]
    assert high in played.left and played.order[2:] == [low, acknowledges]
    assert 500_000_000 <= played.left[low] < 501_000_000 or played.left[low] == 1_000_000


def test_alone_a_later_request_waits_no_longer_than_the_bound(pf: Path) -> None:
    play = Play()
    page(play)
    low = requests(play, 1000, 1, "/low")
    again = play.leaves(400_000, 1, 300, 0, 280)
    played = alone(play, pf)
    assert played.left[low] == (1000 + MOST) * 1000
    assert played.verdicts[again] == "drop" and played.counts["repeated"] == 1


def test_packets_of_a_connection_wait_behind_its_request(pf: Path) -> None:
    """Also if the monitor has just said that it need not wait, and it has not left yet."""
    play = Play()
    page(play)
    low = requests(play, 1000, 1, "/low")
    play.does(2000, "said", "phone", "/low", FIRST)
    play.does(2000, "+leave", 1, 40, 0, 0)
    play.times.append(2000)
    behind = len(play.times) - 1
    played = alone(play, pf)
    assert played.order[-2:] == [low, behind]


def test_alone_a_request_that_was_not_spoken_of_waits_for_a_moment(pf: Path) -> None:
    play = Play()
    page(play)
    silent, other = requests(play, 1000, 1, "/new"), requests(play, 1000, 2, "/newer")
    play.does(31_000, "said", "phone", "/newer", FIRST)
    play.does(31_001, "said", "phone", "/else", FIRST)
    played = alone(play, pf)
    assert played.left[silent] == 101_000_000
    assert played.left[other] <= 31_001_000
    unwatched = Play()
    page(unwatched)
    number = requests(unwatched, 1000, 1, "/new", "tablet")
    assert alone(unwatched, pf).verdicts[number] == "pass"


def test_alone_a_scroll_lets_a_request_go(pf: Path) -> None:
    play = Play()
    page(play)
    low = requests(play, 1000, 1, "/low")
    play.does(50_000, "said", "phone", "/low", FIRST)
    play.does(50_001, "said", "phone", "/else", FIRST)
    played = alone(play, pf)
    assert played.left[low] <= 50_001_000
    assert played.told == [(1, 0)]


def test_alone_without_anything_first_nothing_waits(pf: Path) -> None:
    play = Play()
    play.does(0, "said", "phone", "/low", LATER)
    assert alone(play, pf).verdicts == []
    number = requests(play, 10, 1, "/low")
    assert alone(play, pf).verdicts[number] == "pass"


def test_what_the_monitor_says_is_told_once_for_each_request_that_changes(pf: Path) -> None:
    play = Play()
    for connection, target in ((1, "/a"), (2, "/b"), (3, "/a")):
        play.does(0, "begin", connection, "phone")
        play.does(0, "request", connection, 7 * connection, 1, target)
    play.does(0, "begin", 4, "tablet")
    play.does(0, "request", 4, 28, 1, "/a")
    for class_ in (FIRST, LATER, LATER, FIRST):
        play.does(1, "said", "phone", "/a", class_)
    play.does(1, "answer", 3, 1, 1)
    play.does(1, "said", "phone", "/a", LATER)
    assert play.play(pf, rate=0).told == [(1, 7), (3, 21), (1, 7), (3, 21), (1, 7)]


@pytest.mark.parametrize("seed", range(60))
def test_properties_of_any_traffic(pf: Path, seed: int) -> None:
    """Each packet leaves once or is dropped; the line is not exceeded; order, priority and the bound hold.

    Some are repeated by TCP: such a packet is dropped if and only if the first one still waits.
    """
    random = Random(seed)
    play, now, owner, class_at = Play(), 0, list[int](), dict[int, int]()
    numbers = list[int]()  # of sequence
    for connection in range(6):
        play.asks(connection, random.choice([UNSAID, FIRST, LATER, LATER]))
    number = dict.fromkeys(range(6), 1)
    for line in play.lines:
        words = line.split()
        if words[1] == "notice":
            class_at[int(words[2])] = int(words[4])
    sizes, kinds = list[int](), list[int]()
    for _ in range(random.randrange(1, 120)):
        now += random.choice([0, 0, 0, 20_000, 150_000])
        connection = random.randrange(6)
        if random.random() < 0.1:
            number[connection] += 1
            class_at[connection] = random.choice([FIRST, LATER])
            play.does(now, "request", connection, 100 * number[connection], number[connection], "-")
            play.does(now, "notice", connection, 100 * number[connection], class_at[connection])
            play.does(now, "answer", connection, number[connection], 0)
        sizes.append(random.choice([40, 600, PACKET]))
        owner.append(connection)
        kinds.append(class_at.get(connection, UNSAID))
        numbers.append(len(numbers))
        mine = [other for other, of in enumerate(owner[:-1]) if of == connection]
        if mine and random.random() < 0.2:
            numbers[-1] = numbers[random.choice(mine[-4:])]
        play.leaves(now, connection, sizes[-1], numbers[-1], numbers[-1] + 1)
    limit = random.choice([5, 1000])
    played = play.play(pf, limit=limit)
    check(play, played, sizes, owner, kinds, numbers, limit)


def check(
    play: Play, played: Played, sizes: list[int], owner: list[int], kinds: list[int], numbers: list[int], limit: int
) -> None:
    refused = [number for number, verdict in enumerate(played.verdicts) if verdict == "drop"]
    everything = sorted([*played.left, *played.gone, *refused])
    assert everything == list(range(len(sizes))), "a packet was lost or left twice"
    assert played.counts["dropped"] + played.counts["repeated"] == len(refused) + len(played.gone)
    assert limit == 5 or played.counts["dropped"] == 0
    repeated = {
        number
        for number in range(len(sizes))
        for other in range(number)
        if numbers[other] == numbers[number] and played.left.get(other, 0) > play.times[number] * 1000
    }
    assert limit == 5 or set(refused) == repeated, "what waits was repeated, or what does not was dropped"

    def takes(number: int) -> int:
        return (sizes[number] + 14) * 8 * 10**9 // RATE

    for before, after in zip(played.order, played.order[1:], strict=False):
        assert played.left[after] >= played.left[before] + takes(before), "faster than the line"
    for connection in range(6):
        mine = [number for number in played.order if owner[number] == connection]
        assert mine == sorted(mine), "a packet has overtaken another one of its connection"
    if limit == 5:
        return
    free, longest = 0, max(map(takes, range(len(sizes))))
    in_order = []
    for number in range(len(sizes)):
        in_order.append(max(free, play.times[number] * 1000))
        if number in repeated:
            continue
        free = in_order[-1] + takes(number)
        assert played.left[number] <= in_order[-1] + MOST * 1000 + longest, "it waited too long"
    for at, number in enumerate(played.order):
        when = played.left[number]
        waiting = [other for other in played.order[at:] if play.times[other] * 1000 < when or other == number]
        first = {owner[other] for other in waiting if kinds[other] != LATER}
        overdue = when >= in_order[min(waiting)] + MOST * 1000
        assert not first or owner[number] in first or overdue, "a later object went before one that is first"


def any_event(random: Random, connection: int) -> tuple[object, ...]:
    """Return something that happens, with numbers that need not fit anything."""
    return random.choice(
        [
            ("request", connection, random.randrange(9), random.randrange(5), random.choice(["-", "/a", "/b"])),
            ("answer", connection, random.randrange(5), random.randrange(2)),
            ("notice", connection, random.randrange(20), random.choice([FIRST, LATER])),
            ("said", random.choice("xy"), random.choice(["/a", "/b", "/c"]), random.choice([FIRST, LATER])),
        ]
    )


@pytest.mark.parametrize("seed", range(30))
def test_random_events_do_no_harm(pf: Path, seed: int) -> None:
    """No packet is lost or leaves twice; a sanitizer judges the rest."""
    random, play, known, now = Random(seed), Play(), set[int](), 0
    for _ in range(400):
        now += random.choice([0, 0, 1000, 90_000])
        connection = random.randrange(8)
        if connection not in known:
            known.add(connection)
            play.does(now, "begin", connection, random.choice("xy"))
        elif random.random() < 0.05:
            known.discard(connection)
            play.does(now, "forget", connection)
        elif random.random() < 0.5:
            seq = random.randrange(4)
            play.leaves(now, connection if random.random() < 0.5 else "-", random.randrange(40, 1500), seq, seq + 1)
        else:
            play.does(now, *any_event(random, connection))
    side = random.choice(["server", "alone"])
    played = play.play(pf, side, rate=0 if side == "alone" else RATE, limit=random.choice([1, 9, 1000]))
    refused = [number for number, verdict in enumerate(played.verdicts) if verdict == "drop"]
    assert sorted([*played.left, *played.gone, *refused]) == list(range(len(play.times)))


def test_a_device_does_not_make_a_monitor_forget_what_another_one_has_said(pf: Path) -> None:
    play = Play()
    play.does(0, "said", "phone", "/1", LATER)
    for number in range(2000):
        play.does(0, "said", "tablet", f"/{number}", FIRST)
    for connection, device, target in ((1, "phone", "/1"), (2, "tablet", "/1"), (3, "tablet", "/1999")):
        play.does(0, "begin", connection, device)
        play.does(0, "request", connection, 0, 1, target)
    assert play.play(pf, rate=0).classes == [LATER, UNSAID, FIRST]


def test_of_many_devices_those_that_spoke_last_count(pf: Path) -> None:
    play = Play()
    for device in range(64):
        play.does(0, "said", f"d{device}", "/a", LATER)
    play.does(0, "said", "d0", "/b", LATER)
    play.does(0, "said", "other", "/b", LATER)
    for connection, name in enumerate(("d0", "d1", "d2", "other")):
        play.does(0, "begin", connection, name)
        play.does(0, "request", connection, 0, 1, "/b" if name == "other" else "/a")
    assert play.play(pf, rate=0).classes == [LATER, UNSAID, LATER, LATER]


def test_many_addresses_of_a_device_do_not_push_out_others(pf: Path) -> None:
    """Those of IPv6 with equal first halves; 16 of them may speak."""
    play = Play()
    play.does(0, "said", "phone", "/a", LATER)
    for number in range(100, 300):
        play.does(0, "said", f"equal-8-{number}", "/a", LATER)
    for connection, name in enumerate(("phone", "equal-8-299", "equal-8-284", "equal-8-283")):
        play.does(0, "begin", connection, name)
        play.does(0, "request", connection, 0, 1, "/a")
    assert play.play(pf, rate=0).classes == [LATER, LATER, LATER, UNSAID]


# the monitor


def test_datagrams_are_taken_a_few_at_a_time(pf: Path) -> None:
    assert drive([str(pf), "listen", "10", "4"], []) == ["4", "4", "2", "0"]


def datagram(*objects: tuple[int, bytes], head: bytes = b"A3s1", count: int | None = None) -> bytes:
    number = len(objects) if count is None else count
    return head + bytes([number]) + b"".join(bytes([on, *len(what).to_bytes(2, "big")]) + what for on, what in objects)


def monitored(pf: Path, *datagrams: bytes) -> list[str]:
    return drive([str(pf), "monitor"], [one.hex() or "-" for one in datagrams])


def test_what_a_monitor_says(pf: Path) -> None:
    said = monitored(pf, datagram((1, b"/1.png"), (0, b"/2.png?x")), datagram((1, b"x" * 1024)))
    assert said == [f"1 {b'/1.png'.hex()}", f"0 {b'/2.png?x'.hex()}", f"1 {'78' * 1024}"]


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"A3s1",
        datagram(),
        datagram((1, b"/a"), head=b"A3s2"),
        datagram((2, b"/a")),
        datagram((1, b"")),
        datagram((1, b"x" * 1025)),
        datagram((1, b"/a"), count=2),
        datagram((1, b"/a"), (1, b"/b"), count=1),
        datagram((1, b"/a"))[:-1],
        datagram((1, b"/a")) + b"x",
        datagram(*[(1, b"/a")] * 65),
        datagram(*[(1, b"x" * 1000)] * 9),
    ],
    ids=range(13),
)
def test_a_datagram_that_is_not_one_says_nothing(pf: Path, wrong: bytes) -> None:
    assert monitored(pf, wrong) == ["refused"]


def test_any_bytes_do_no_harm(pf: Path) -> None:
    random = Random(1)
    whole = datagram((1, b"/1.png"), (0, b"/22.png"), (1, b"/333.png"))
    datagrams = []
    for _ in range(3000):
        one = bytearray(whole)
        for _ in range(random.randrange(4)):
            one[random.randrange(len(one))] = random.choice([0, 1, 255, random.randrange(256)])
        datagrams.append(bytes(one[: random.randrange(len(one) + 1)] if random.random() < 0.3 else one))
    said = monitored(pf, *datagrams)
    assert "refused" in said and any(line[0] in "01" for line in said)


@pytest.mark.parametrize("name", PLANTED_PF)
def test_planted_mistakes_are_found(pf: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_PF[name]
    wrong_program = compiled("drive_pf", mistake, mistake.sanitized)
    with pytest.raises(AssertionError):
        globals()[mistake.found_by](wrong_program, *mistake.values)
