# SPDX-License-Identifier: MIT
"""Connections that IB takes over: what was acknowledged is delivered, whatever happens to a3d and its disk."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .packets import A3D, ACK, RST, SYN, Read, Talk, compiled, drive, ib, read
from .planted import PLANTED_RELAY

MS = 1000
PAGE = b"GET / HTTP/1.1\r\nHost: server\r\nAccept: text/html\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
SERVER = ("10.0.0.1", 80)
LARGE = 50_000_000


def relay(
    program: Path,
    numbers: list[int],
    quota: int = LARGE,
    crash: tuple[int, int] = (0, 0),
    what: str = "all",
    disk: bool = True,
) -> dict[str, Any]:
    """Pass bytes through a relay; numbers: seed, bytes, other bytes, loss, repeated, reordered, room, pause in ms."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*(str(number) for number in numbers), folder if disk else "-", str(quota)]
        done = json.loads(drive([str(program), "relay", *words, str(crash[0]), str(crash[1]), what], [])[-1])
    assert isinstance(done, dict) and done["right"] and done["wrong"] == 0
    return done


@given(
    seed=st.integers(1, 2**32),
    sizes=st.tuples(st.integers(0, 300_000), st.integers(0, 60_000)),
    harm=st.tuples(st.integers(0, 100), st.integers(0, 150), st.integers(0, 250)),
    room=st.integers(700, 60_000),
    pause_ms=st.sampled_from([0, 100, 500]),
    quota=st.sampled_from([0, 30_000, 100_000, LARGE]),
    crash=st.tuples(st.sampled_from([0, 300, 1000, 2500]), st.integers(1, 1500)),
)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_hosts_get_all_that_the_other_one_sends(
    half: Path,
    seed: int,
    sizes: tuple[int, int],
    harm: tuple[int, int, int],
    room: int,
    pause_ms: int,
    quota: int,
    crash: tuple[int, int],
) -> None:
    """With losses on both sides, a slow reader, small quotas, and crashes that lose what was not synced."""
    relay(half, [seed, *sizes, *harm, room, pause_ms], quota, crash)


@pytest.mark.parametrize("seed", range(20))
def test_after_crashes_all_that_was_acknowledged_is_delivered(half: Path, seed: int) -> None:
    done = relay(half, [seed + 1, 300_000, 20_000, 20, 0, 50, 10_000, 200], crash=(700, 100))
    assert done["crashes"] == 5


def test_an_old_acknowledgement_that_comes_after_a_restart_is_not_believed(half: Path) -> None:
    """It is less than what the journal lacks because it was delivered. This seed has one."""
    relay(half, [656, 142288, 3280, 32, 128, 250, 35564, 120], 696000, (472, 17))


def test_the_server_is_done_before_a_slow_reader_has_half(half: Path) -> None:
    """A reader of 20 kB every half second takes 7.5 s for 300 kB, and so does the server without IB."""
    fast = relay(half, [1, 300_000, 500, 0, 0, 0, 65_000, 0], disk=False)
    slow = relay(half, [1, 300_000, 500, 0, 0, 0, 20_000, 500], disk=False)
    buffered = relay(half, [1, 300_000, 500, 0, 0, 0, 20_000, 500])
    assert slow["ms"] > 7000 and buffered["ms"] > 7000
    assert buffered["server_ms"] <= 1.05 * fast["ms"] and buffered["stored"] > 200_000


def test_for_a_fast_reader_nothing_is_stored(half: Path) -> None:
    """It acknowledges within 20 ms and its window is never full: there is nothing that the disk would have to keep."""
    assert relay(half, [1, 14_000, 500, 0, 0, 0, 65_000, 0])["stored"] == 0


def test_with_a_full_disk_it_is_as_fast_as_the_reader(half: Path) -> None:
    some, none = (relay(half, [1, 300_000, 500, 0, 0, 0, 20_000, 500], quota=quota) for quota in (100_000, 1000))
    assert some["server_ms"] > 4000 and none["full"] > 0 and none["stored"] == 0 and none["ms"] > 7000


@pytest.mark.parametrize("seed", range(5))
def test_a_server_that_resets_does_not_take_back_what_was_acknowledged(half: Path, seed: int) -> None:
    """The client gets it, and then the reset."""
    relay(half, [seed + 1, 300_000, 100, 0, 0, 0, 10_000, 300], what="server")


@pytest.mark.parametrize("seed", range(5))
def test_a_client_that_resets_ends_it(half: Path, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        numbers = [seed + 1, 300_000, 100, 0, 0, 0, 10_000, 300]
        words = [*(str(number) for number in numbers), folder, str(LARGE), "0", "0", "client"]
        assert json.loads(drive([str(half), "relay", *words], [])[-1])["right"]
        assert not list(Path(folder).iterdir())


class Page(Talk):
    """A request of a page, and the first part of its answer, seen by the client's side."""

    def __init__(self) -> None:
        super().__init__(server=SERVER)
        # MSS 1460, SACK, and windows that are scaled by 7
        options = bytes([2, 4, 5, 180, 4, 2, 3, 3, 7, 0])
        self.send(0, 0, -1, 0, flags=SYN, options=options)
        self.send(1 * MS, 1, -1, 0, flags=SYN | ACK, options=options)
        self.send(2 * MS, 0, 0, 0)
        self.send(3 * MS, 0, 0, 0, PAGE)

    def answer(self, at_us: int, seq: int, data: bytes, ack: int = len(PAGE)) -> None:
        self.send(at_us, 1, seq, ack, data)


def sent(printed: list[str]) -> list[tuple[bool, Read]]:
    """Return what was sent, with whether it is for the server."""
    packets = [bytes.fromhex(line.split()[2]) for line in printed if line.startswith("send ")]
    return [(packet[22:24] == b"\0\x50", read(packet)) for packet in packets]


def test_a_connection_is_noted_before_the_first_changed_packet_leaves(program: Path, tmp_path: Path) -> None:
    """All up to the request passes; from the answer on nothing does, and the client gets its bytes from here."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    assert printed[:4] == ["pass"] * 4 and printed[4:6] == ["changed 1 4 40000 80", "drop"]
    assert not any(line == "pass" for line in printed[4:]) and counts["taken"] == 1
    to_client = [one for outward, one in sent(printed) if not outward]
    assert to_client[0].data == ANSWER and to_client[0].seq == 5001
    assert len(list(tmp_path.iterdir())) == 1


def test_the_window_is_the_largest_and_only_what_is_safe_is_acknowledged(program: Path, tmp_path: Path) -> None:
    """The client does not acknowledge, its window was 500 * 2^7: 20 ms later all is on disk, and acknowledged."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    printed, _ = ib(program, "client", tmp_path, talk.lines)
    acks = [
        (int(line.split()[1]), one)
        for line, (outward, one) in zip(
            (line for line in printed if line.startswith("send ")), sent(printed), strict=True
        )
        if outward
    ]
    assert [one.ack - 5001 for _, one in acks] == [0, len(ANSWER)]
    assert acks[1][0] == 70 * MS * 1000
    assert all(one.window << 7 > 900_000 for _, one in acks)


def test_while_something_is_under_way_it_is_not_taken_over(program: Path, tmp_path: Path) -> None:
    """The answer comes in two segments before the client has acknowledged the first one, which passed."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER, ack=5)
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    assert printed == ["pass"] * 5 and counts["taken"] == 0


def test_smtp_is_taken_over_by_the_servers_side_only(program: Path, tmp_path: Path) -> None:
    for side, taken in (("client", 0), ("server", 1)):
        talk = Talk()
        talk.open(0)
        said = [
            (1, b"220 a\r\n"),
            (0, b"EHLO b\r\n"),
            (1, b"250 a\r\n"),
            (0, b"MAIL FROM:<a@b.c>\r\n"),
            (1, b"250 a\r\n"),
            (0, b"RCPT TO:<d@e.f>\r\n"),
            (1, b"250 a\r\n"),
            (0, b"DATA\r\n"),
            (1, b"354 a\r\n"),
            (0, b"text\r\n"),
        ]
        at = [0, 0]
        for number, (way, data) in enumerate(said):
            talk.send(number * MS, way, at[way], at[1 - way], data)
            at[way] += len(data)
        (tmp_path / side).mkdir()
        assert ib(program, side, tmp_path / side, talk.lines)[1]["taken"] == taken


def test_what_an_ended_daemon_has_changed_and_not_written_down_is_reset(program: Path, tmp_path: Path) -> None:
    """Both ends are reset with the numbers that they expect; a new connection with the same ports passes."""
    talk = Talk(server=SERVER)
    talk.send(1 * MS, 1, 700, 30, b"data")
    talk.send(2 * MS, 0, -1, 0, flags=SYN)
    talk.lines = [f"{line} changed" for line in talk.lines]
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    resets = {outward: one for outward, one in sent(printed)}
    assert printed[0] == "drop" and printed[-2:] == ["changed 0 4 40000 80", "pass"] and counts["lost"] == 1
    assert resets[True].flags & RST and resets[True].seq == 1001 + 30
    assert resets[False].flags & RST and resets[False].seq == 5001 + 700


def test_the_next_daemon_asks_both_hosts_and_goes_on(program: Path, tmp_path: Path) -> None:
    """The client has acknowledged nothing. The next a3d asks, and sends what is missing when it knows that."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    again = Talk(server=SERVER, stamp=1000)
    again.send(2000 * MS, 0, len(PAGE), 0)
    again.send(2001 * MS, 1, len(ANSWER), len(PAGE))
    again.lines = [f"{line} changed" for line in again.lines]
    printed, counts = ib(program, "client", tmp_path, again.lines)
    assert counts["resumed"] == 1 and counts["lost"] == 0 and printed[0] == "changed 1 4 40000 80"
    packets = sent(printed)
    assert [(outward, one.data) for outward, one in packets[:2]] == [(False, b""), (True, b"")]
    assert next(one.data for outward, one in packets if not outward and one.data) == ANSWER


def test_a_file_that_is_torn_in_its_head_is_removed(program: Path, tmp_path: Path) -> None:
    (tmp_path / "3").write_bytes(b"1h3a torn")
    (tmp_path / "notes").write_bytes(b"not of a3d")
    ib(program, "client", tmp_path, [])
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_damaged_record_is_not_delivered(program: Path, tmp_path: Path) -> None:
    """A bit of a stored byte is wrong: its CRC tells, and it is never sent."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    (path,) = tmp_path.iterdir()
    stored = bytearray(path.read_bytes())
    stored[-5] ^= 1
    path.write_bytes(stored)
    again = Talk(server=SERVER, stamp=1000)
    again.send(2000 * MS, 0, len(PAGE), 0)
    again.send(2001 * MS, 1, len(ANSWER), len(PAGE))
    again.lines = [f"{line} changed" for line in again.lines]
    printed, _ = ib(program, "client", tmp_path, again.lines)
    assert not any(one.data for _, one in sent(printed))


@pytest.mark.parametrize("name", PLANTED_RELAY)
def test_planted_mistakes_of_ib_are_found(half: Path, program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_RELAY[name]
    text = (A3D / mistake.file).read_text()
    assert text.count(mistake.right) == 1
    (tmp_path / mistake.file).write_text(text.replace(mistake.right, mistake.wrong))
    test = globals()[mistake.found_by]
    chain = "program" in test.__code__.co_varnames[: test.__code__.co_argcount]
    built = (program if chain else half).parent
    wrong_program = compiled(tmp_path, built, tmp_path / mistake.file, "drive" if chain else "drive_half")
    folder = tmp_path / "journals"
    folder.mkdir()
    with pytest.raises((AssertionError, ValueError)):
        test(wrong_program, *([folder] if chain else []), *mistake.values)
