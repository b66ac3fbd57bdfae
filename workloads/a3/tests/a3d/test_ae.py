# SPDX-License-Identifier: MIT
"""Application-aware encoding: two ends, hosts that speak TCP, and a network between that may do anything."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from ...letters import letter
from . import fuzz
from .packets import ACK, CLIENT, SERVER, SYN, Segment, Talk, chain, checksum, compiled, summed
from .planted import PLANTED_AE
from .signed import KEY, NO_KEY, SECRET, check, mark, meeting, name
from .test_rar import Session
from .two_ends import DELAY_US, OPTIONS, A3d, Crossing, Network, bad, cross, ideal, mail, protocol

A, B = "alice@client.lab", "bob@server.lab"
EMPTY = mark(bytes(4))


class Ends(NamedTuple):
    """Folders of tables, and a program."""

    program: Path
    near: Path
    far: Path

    def send(
        self, text: bytes, pair: tuple[str, str] = (A, B), plain: bool = False, copies: int = 0, **how: Any
    ) -> tuple[Crossing, dict[str, Any], dict[str, Any]]:
        """Let a mail cross, with an a3d for it at each end; return their counts."""
        near = A3d(self.program, "client", self.near, plain, copies)
        far = A3d(self.program, "server", self.far, plain, copies)
        done = cross(mail(*pair, text), near, far, **how)
        return done, near.end(), far.end()

    def tables(self) -> list[dict[str, bytes]]:
        return [{path.name: path.read_bytes() for path in folder.glob("*")} for folder in (self.near, self.far)]


@pytest.fixture
def ends(program: Path, tmp_path: Path) -> Ends:
    return ends_in(program, tmp_path)


def ends_in(program: Path, folder: Path) -> Ends:
    for side in ("near", "far"):
        key = folder / f"{side}.key"
        key.touch(mode=0o600)
        key.write_bytes(SECRET)
    return Ends(program, folder / "near", folder / "far")


@cache
def text(number: int, size: int = 12_000) -> bytes:
    return letter(A, B, number, size)


def encoded(done: Crossing) -> list[bytes]:
    return [packet for way, packet in done.line if protocol(packet) == 253]


@pytest.mark.parametrize("version", [4, 6])
def test_mails_cross_compressed_and_arrive_to_the_bit(ends: Ends, version: int) -> None:
    """cross() compares each packet that arrives with those that were sent. Tables are equal after each mail."""
    sizes = []
    for number in range(4):
        done, near, far = ends.send(text(number), version=version)
        assert near["encoded"] == far["decoded"] == len(encoded(done)) == (len(done.client.out) - 100) // 1000
        assert near["far_ends"] == near["mails"] == far["mails"] == 1
        assert not any(
            counts[key] for counts in (near, far) for key in ("refused", "repeated", "off", "behind", "no_table")
        )
        assert near["encoded_bytes"] == sum(map(len, encoded(done))) < near["plain_bytes"]
        sizes.append(near["encoded_bytes"] / near["plain_bytes"])
        mine, theirs = ends.tables()
        assert mine == theirs and len(mine) == 1
    assert sizes[3] < sizes[1] < sizes[0] - 0.05


@pytest.mark.parametrize("seed", range(6))
def test_whatever_the_network_does_no_byte_is_broken(ends: Ends, seed: int) -> None:
    """It loses, repeats and delays; with copies of thin messages as well."""
    for number in range(2):
        done, near, far = ends.send(
            text(number), network=bad, seed=seed, version=4 + 2 * (seed % 2), size=400 + 100 * seed, copies=seed % 3
        )
        assert near["encoded"] == len({packet[-40:] for packet in encoded(done)})
        assert far["refused"] == near["behind"] == 0 and far["decoded"] > 0.6 * near["encoded"]
        assert near["mails"] == far["mails"] == near["far_ends"]
    mine, theirs = ends.tables()
    assert mine == theirs


def damage(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
    """Change a byte behind IP's header of every second compressed packet, and of some others, or cut it."""
    start = 20 if packet[0] >> 4 == 4 else 40
    changed = bytearray(packet)
    if random.random() < (0.5 if protocol(packet) == 253 else 0.05):
        changed[random.randrange(start, len(packet))] ^= 1 << random.randrange(8)
        if random.random() < 0.2:
            del changed[-random.randrange(1, 9) :]
    return [(DELAY_US, bytes(changed))]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_packets_are_never_restored(ends: Ends, seed: int) -> None:
    done, near, far = ends.send(text(0, 30_000), network=damage, seed=seed, version=4 + 2 * (seed % 2), most_s=600)
    assert far["refused"] > 0 and near["repeated"] > 0


def killed(which: int) -> Callable[[list[A3d | None]], None]:
    def do(a3ds: list[A3d | None]) -> None:
        one, a3ds[which] = a3ds[which], None
        assert one
        one.kill()

    return do


def at_end(a3ds: list[A3d | None]) -> list[dict[str, Any] | None]:
    return [one.end() if one and one.process.poll() is None else None for one in a3ds]


@pytest.mark.parametrize("crossed", [2, 19, 24, 33, 40])
@pytest.mark.parametrize("dead", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("network", [ideal, bad])
def test_a_killed_end_breaks_no_byte(ends: Ends, dead: tuple[int, ...], crossed: int, network: Network) -> None:
    """A dead far end: the host drops what is compressed, TCP repeats it, and repeated segments are not compressed."""
    a3ds: list[A3d | None] = [A3d(ends.program, "client", ends.near), A3d(ends.program, "server", ends.far)]
    at = {crossed + which: killed(which) for which in dead}
    done = cross(mail(A, B, text(0, 30_000)), a3ds[0], a3ds[1], at=at, network=network)
    near, far = at_end(a3ds)
    if dead == (1,) and near and near["encoded"] and network is ideal:
        assert near["off"] == 1 and near["repeated"] >= 4 and len(encoded(done)) <= crossed
    if 0 in dead:
        assert not [packet for _, packet in done.line[crossed + 1 :] if protocol(packet) == 253]


def test_a_far_end_that_comes_back_drops_what_it_cannot_restore(ends: Ends) -> None:
    """It has not seen the beginning, so it does not know whose table it is."""
    a3ds: list[A3d | None] = [A3d(ends.program, "client", ends.near), A3d(ends.program, "server", ends.far)]
    again = A3d(ends.program, "server", ends.far)

    def restart(now: list[A3d | None]) -> None:
        killed(1)(now)
        now[1] = again

    cross(mail(A, B, text(0, 30_000)), a3ds[0], a3ds[1], at={26: restart})
    near, _ = at_end(a3ds)
    back = again.end()
    assert near and near["off"] == 1 and back["refused"] >= 4 and back["decoded"] == 0


def test_without_a_far_end_nothing_is_compressed(ends: Ends) -> None:
    near = A3d(ends.program, "client", ends.near)
    done = cross(mail(A, B, text(0)), near, None)
    counts = near.end()
    assert counts["no_far_end"] == 1 and counts["far_ends"] == counts["encoded"] == counts["mails"] == 0
    assert not encoded(done) and ends.tables()[0] == {}


def test_without_a_near_end_a_server_sees_no_option(ends: Ends) -> None:
    far = A3d(ends.program, "server", ends.far)
    done = cross(mail(A, B, text(0)), None, far)
    assert far.end()["mails"] == 0 and not [packet for _, packet in done.line if b"A3d\1" in packet]


def test_the_ends_find_each_other_by_an_option_that_hosts_do_not_see(ends: Ends) -> None:
    done, _, _ = ends.send(text(0, 500))
    syn, syn_ack = (packet for _, packet in done.line if packet[33] & SYN)
    for packet, of in ((syn, (CLIENT, SERVER)), (syn_ack, (SERVER, CLIENT))):
        seq, ack = (int.from_bytes(packet[at : at + 4], "big") for at in (24, 28))
        assert packet[40:56] == meeting(of, seq, ack, packet == syn_ack) and packet[68:78] == OPTIONS
        assert packet[32] >> 4 == 5 + (12 + 10 + 2 + 16) // 4 and not checksum(packet[:20])
    (other,) = (packet for _, packet in done.line if b"A3d\1" in packet and packet not in (syn, syn_ack))
    assert other.endswith(b"354 go on\r\n") and other.count(EMPTY) == 2


def test_a_network_that_drops_options_in_data_lets_mails_pass(ends: Ends) -> None:
    """The third time, the answer to DATA has none; and the next mail of the session is not offered anything."""

    def network(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
        return [] if b"A3d\1" in packet and not packet[33] & SYN else [(DELAY_US, packet)]

    said = mail(A, B, text(0, 3000))
    done = cross(
        [*said[:-2], *mail(A, B, text(1, 3000))[3:]],
        near := A3d(ends.program, "client", ends.near),
        far := A3d(ends.program, "server", ends.far),
        network=network,
    )
    assert near.end()["encoded"] == 0 and far.end()["mails"] == 0 and ends.tables() == [{}, {}]
    assert [b"A3d\1" in packet for way, packet in done.line if packet.endswith(b"354 go on\r\n")] == [
        True,
        True,
        False,
        False,
    ]


def test_an_answer_that_was_lost_is_offered_again(ends: Ends) -> None:
    lost: list[bytes] = []

    def network(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
        if b"A3d\1" in packet and not packet[33] & SYN and not lost:
            lost.append(packet)
            return []
        return [(DELAY_US, packet)]

    _, near, far = ends.send(text(0, 3000), network=network)
    assert lost and near["encoded"] == far["decoded"] > 0 and near["mails"] == far["mails"] == 1


@pytest.mark.parametrize("length", [436, 440])
def test_a_long_answer_has_no_option(ends: Ends, length: int) -> None:
    """It must fit any link: 512 bytes with the headers, of 52 bytes, and the option, of 24."""
    talk = until_text()
    *before, answer = talk.lines
    assert bytes.fromhex(answer.split()[1]).endswith(b"354 go on\r\n")
    at = talk.at[1] - len(b"354 go on\r\n")
    long = talk.segment(1, at, talk.at[0], data=b"354 " + b"x" * (length - 6) + b"\r\n").packet()
    (*_, verdict) = chain(ends.program, "server", [*before, f"{talk.now} {long.hex()}"], tables=ends.far).verdicts
    assert verdict.startswith("change") == (length == 436)
    assert len(verdict) == (len("change ") + 2 * 512 if length == 436 else len("pass"))


def no_options(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
    """Drop what has the option."""
    return [] if b"A3d\1" in packet else [(DELAY_US, packet)]


def test_a_network_that_drops_the_option_lets_the_third_syn_pass(ends: Ends) -> None:
    done, near, far = ends.send(text(0), network=no_options)
    syns = [packet for way, packet in done.line if packet[33] & SYN and way == 0]
    assert [b"A3d\1" in packet for packet in syns] == [True, True, False]
    assert near["no_far_end"] == 1 and near["encoded"] == far["mails"] == 0


def test_a_syn_without_room_passes_as_it_is(ends: Ends) -> None:
    """TCP's header has room for 40 bytes of options; timestamps take 12 of them, and the option 16."""
    for length, fits in ((12, True), (16, False)):
        talk = Talk()
        talk.send(0, 0, -1, 0, flags=SYN, options=bytes([1] * length))
        (verdict,) = chain(ends.program, "client", talk.lines, tables=ends.near).verdicts
        assert verdict.startswith("change ") if fits else verdict == "pass"


def test_an_option_that_came_from_the_client_is_not_taken_out(ends: Ends) -> None:
    """There is another a3d in front of this one: it is theirs."""
    talk = Talk()
    talk.send(0, 0, -1, 0, flags=SYN, options=meeting((CLIENT, SERVER), 1000, 5001, False), stamp=None)
    talk.send(0, 1, -1, 0, flags=SYN | ACK, options=meeting((SERVER, CLIENT), 5000, 1001, True), stamp=None)
    assert chain(ends.program, "client", talk.lines, tables=ends.near).verdicts == ["pass", "pass"]


def test_a_segment_with_a_wrong_checksum_is_not_made_right(ends: Ends) -> None:
    """It was damaged before; whoever made a new checksum for it would hide that."""
    talk = Session()
    made = talk.segment(0, -1, 0, flags=SYN, id=3)
    packet = bytearray(made.packet())
    packet[25] ^= 1
    done = chain(ends.program, "client", [f"0 {packet.hex()}"], tables=ends.near)
    assert done.verdicts == ["pass"]


def test_a_checksum_that_was_left_to_a_card_is_made(ends: Ends) -> None:
    whole, left = (
        chain(
            ends.program, "client", [f"0 {segment.packet().hex()}{' card' * segment.left_to_card}"], tables=ends.near
        ).verdicts
        for segment in (Segment(flags=SYN), Segment(flags=SYN, left_to_card=True))
    )
    assert whole == left and whole[0].startswith("change ")


def test_only_text_is_compressed(ends: Ends) -> None:
    """Neither commands nor what has the end of the text in it, nor what TCP repeats."""
    done, near, _ = ends.send(text(0))
    ends_at = [packet for way, packet in done.line if way == 0 and packet.endswith(b"\r\n.\r\n")]
    assert len(ends_at) == 1 and near["encoded"] == (len(done.client.out) - 100) // 1000


def loses_some(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
    return [] if protocol(packet) == 253 and random.random() < 0.3 else [(DELAY_US, packet)]


def test_what_tcp_repeats_is_not_compressed(ends: Ends) -> None:
    done, near, far = ends.send(text(0, 30_000), network=loses_some, seed=3)
    numbers = [packet[24:28] for packet in encoded(done)]
    assert len(set(numbers)) == len(numbers) and near["repeated"] >= near["encoded"] - far["decoded"] > 2


def test_a_network_without_protocol_253_ends_it(ends: Ends) -> None:
    done, near, far = ends.send(
        text(0, 60_000), network=lambda _, way, packet: [(DELAY_US, packet)] * (protocol(packet) != 253)
    )
    assert near["off"] == 1 and far["decoded"] == 0 and near["encoded"] <= 20


def test_packets_never_become_longer(ends: Ends) -> None:
    """Bytes that cannot be compressed leave as they are."""
    noise = bytes(byte for byte in Random(1).randbytes(20_000) if byte not in b"\r\n.")
    done, near, _ = ends.send(noise)
    assert near["encoded"] == 0 and near["incompressible"] > 10
    assert max(len(packet) for way, packet in done.line) <= 1000 + 52


def learned(ends: Ends, **how: Any) -> Crossing:
    """A mail changes equal tables to equal tables."""
    before = ends.tables()
    done, near, far = ends.send(**how)
    mine, theirs = ends.tables()
    assert before[0] != mine == theirs and near["encoded"] == far["decoded"] > 3
    return done


def test_a_mail_that_one_side_missed_is_made_up_for_by_the_next_one(ends: Ends) -> None:
    """Both keep the table before the newest one, and agree on the newest that both have."""
    for older in (ends.near, ends.far):
        for number in range(2):
            ends.send(text(number))
        kept = older.with_name("kept")
        shutil.copytree(older, kept)
        ends.send(text(2))
        shutil.rmtree(older)
        kept.rename(older)
        mine, theirs = ends.tables()
        assert mine != theirs
        done, near, far = ends.send(text(3))
        assert near["behind"] == (older == ends.far) and far["refused"] == 0
        assert near["encoded"] == far["decoded"] == len(encoded(done))
        learned(ends, text=text(4))


def test_an_end_that_has_lost_its_tables_begins_with_the_empty_one(ends: Ends) -> None:
    for lost in (ends.near, ends.far):
        for number in range(3):
            ends.send(text(number))
        shutil.rmtree(lost)
        done, near, far = ends.send(text(3))
        assert near["behind"] == (lost == ends.far) and far["refused"] == 0
        assert {packet[56:64] for packet in encoded(done)} == {EMPTY} and near["encoded"] == far["decoded"]
        learned(ends, text=text(4))


def test_a_mail_that_is_not_accepted_changes_no_table(ends: Ends) -> None:
    for answer in (b"550 no\r\n", b"452 later\r\n"):
        near, far = A3d(ends.program, "client", ends.near), A3d(ends.program, "server", ends.far)
        cross(mail(A, B, text(0), answer), near, far)
        assert near.end()["mails"] == far.end()["mails"] == 0
    assert ends.tables() == [{}, {}]


def test_pairs_have_tables_of_their_own(ends: Ends) -> None:
    """The same words in the other direction, or to somebody else, are another pair's."""
    pairs = [(A, B), (B, A), (A, "carol@server.lab"), (A, "../../etc/passwd"), (A, A + B), (A + A, B)]
    for pair in pairs:
        ends.send(text(0, 3000), pair)
    mine, theirs = ends.tables()
    assert mine == theirs and len(mine) == len(pairs)
    assert set(mine) == {name(*pair) for pair in pairs}
    for folder in (ends.near, ends.far):
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not any("alice" in kept for kept in mine)


def test_mails_of_nobody_have_no_table(ends: Ends) -> None:
    _, near, far = ends.send(text(0), ("", B))
    assert near["encoded"] == near["mails"] == far["mails"] == 0


def test_a_table_of_another_pair_helps_less_than_their_own(ends: Ends) -> None:
    """The claim's second half: mails of a pair, with the table that others have."""
    other = ("carol@client.lab", "dave@server.lab")
    for number in range(8):
        ends.send(text(number))
        ends.send(letter(*other, number, 12_000), other)
    own = ends.send(text(20))[1]["encoded_bytes"]
    for folder in (ends.near, ends.far):
        mine, theirs = (folder / name(*pair) for pair in ((A, B), other))
        shutil.copy(theirs, mine)
    others = ends.send(text(20))[1]["encoded_bytes"]
    plain = ends.send(text(20), plain=True)[1]["encoded_bytes"]
    assert own < others < plain


def test_without_tables_both_ends_forget_nothing_and_learn_nothing(ends: Ends) -> None:
    ends.send(text(0))
    before = ends.tables()
    done, near, far = ends.send(text(1), plain=True)
    assert ends.tables() == before and near["encoded"] == far["decoded"] and near["mails"] == 0
    assert {packet[56:64] for packet in encoded(done)} == {EMPTY}


@pytest.mark.parametrize("change", ["cut", "byte", "more", "empty", "folder"])
def test_a_damaged_table_is_an_empty_one(ends: Ends, change: str) -> None:
    for number in range(2):
        ends.send(text(number))
    (path,) = ends.far.iterdir()
    data = path.read_bytes()
    path.unlink()
    if change == "folder":
        path.mkdir()
    else:
        middle = len(data) // 2
        path.write_bytes(
            {
                "cut": data[:middle],
                "byte": data[:20] + bytes([data[20] ^ 0x80]) + data[21:],
                "more": data + b"x",
                "empty": b"",
            }[change]
        )
    _, near, far = ends.send(text(3))
    assert near["encoded"] == far["decoded"] and far["refused"] == 0
    assert far["no_table"] == (change == "folder")


def table(*words: tuple[bytes, int]) -> bytes:
    """Return a table as it is kept."""
    said = [uses.to_bytes(4, "big") + bytes([len(word)]) + word for word, uses in words]
    return len(words).to_bytes(4, "big") + b"".join(said)


@pytest.mark.parametrize(
    "wrong",
    [
        table((b"two", 1), (b"one", 1)),
        table((b"one", 1), (b"one", 1)),
        table((b"one", 1), (b"two", 2)),
        table((b"one", 0)),
        table((b"to", 1)),
        table((b"x" * 28, 1)),
        (4097).to_bytes(4, "big") + table(*((b"%04d" % number, 1) for number in range(4097)))[4:],
    ],
)
def test_a_table_that_is_not_one(ends: Ends, wrong: bytes) -> None:
    """It is read as an empty one; the right one in its place is what is offered."""
    for first, offered in ((table((b"one", 2), (b"two", 1)), True), (wrong, False)):
        ends.far.mkdir(0o700, exist_ok=True)
        (ends.far / name(A, B)).write_bytes(b"A3t\1" + len(first).to_bytes(4, "big") + first + table())
        far = A3d(ends.program, "server", ends.far)
        near = A3d(ends.program, "client", ends.near)
        done = cross(mail(A, B, b"text\n", b"550 no\r\n"), near, far)
        near.end(), far.end()
        (marks,) = (packet for _, packet in done.line if packet.endswith(b"354 go on\r\n"))
        assert (mark(first) in marks) == offered
        assert marks.count(EMPTY) == 1 + (not offered)


def test_words_do_not_depend_on_how_the_text_is_cut(ends: Ends) -> None:
    """The far end keeps the newest words; a word of 27 bytes counts, one of 28 does not, nor does one of 2."""
    words = b"it was " + b"y" * 27 + b" and " + b"x" * 28 + b" said--it caf\xc3\xa9 a@b.c was\n"
    kept = []
    for size in (7, 50, 1000):
        shutil.rmtree(ends.near, ignore_errors=True)
        shutil.rmtree(ends.far, ignore_errors=True)
        ends.send(words, size=size)
        kept += ends.tables()
    expected = [(b"was", 2), (b"a@b", 1), (b"and", 1), (b"caf\xc3\xa9", 1), (b"said--it", 1), (b"y" * 27, 1)]
    first = table(*expected)
    assert all([*one.values()] == [b"A3t\1" + len(first).to_bytes(4, "big") + first + table()] for one in kept)


def test_there_are_no_more_tables_than_there_may_be(ends: Ends) -> None:
    ends.far.mkdir(0o700)
    for number in range(300):
        (ends.far / f"{number:064x}").write_bytes(b"")
    (ends.far / "other").write_bytes(b"")
    ends.send(text(0, 3000))
    assert len(list(ends.far.iterdir())) == 256 + 1 and (ends.far / "other").exists()
    assert ends.tables()[0].items() <= ends.tables()[1].items()


def full(ends: Ends, of: str = "ab" * 8) -> dict[str, bytes]:
    """Fill the far folder with tables of a device, and an older one of somebody else."""
    ends.far.mkdir(0o700)
    for number in range(255):
        (ends.far / f"{of}{number:048x}").write_bytes(b"new")
        os.utime(ends.far / f"{of}{number:048x}", (2000 + number, 2000 + number))
    (ends.far / f"{1:064x}").write_bytes(b"old")
    os.utime(ends.far / f"{1:064x}", (1000, 1000))
    return ends.tables()[1]


def test_who_has_the_most_tables_loses_one(ends: Ends) -> None:
    before = full(ends)
    ends.send(text(0, 3000))
    after = ends.tables()[1]
    assert len(after) == 256 and set(before) - set(after) == {"ab" * 8 + f"{0:048x}"}


def test_a_folder_that_is_named_as_a_table_is_none(ends: Ends) -> None:
    full(ends)
    (ends.far / f"{0:064x}").mkdir()
    os.utime(ends.far / f"{0:064x}", (1, 1))
    ends.send(text(0, 3000))
    assert len(list(ends.far.iterdir())) == 256 + 1


def test_a_full_disk_costs_no_table(ends: Ends) -> None:
    before = full(ends)
    near = A3d(ends.program, "client", ends.near)
    far = A3d(ends.program, "server", ends.far, full_disk=True)
    cross(mail(A, B, text(0)), near, far)
    counts = far.end()
    near.end()
    assert counts["decoded"] > 5 and counts["mails"] == counts["no_table"] == 1
    assert ends.tables()[1] == before and not list(ends.far.glob("un*"))


@pytest.mark.parametrize("how", ["folder", "link", "of others", "key", "short", "owner"])
def test_what_others_can_use_is_refused(ends: Ends, how: str) -> None:
    folder, key = ends.far, ends.far.with_name("far.key")
    folder.mkdir(0o700)
    if how == "folder":
        folder.chmod(0o710)
    elif how == "link":
        folder.rename(folder.with_name("other"))
        folder.symlink_to("other")
    elif how == "of others":
        folder.chmod(0o702)
    elif how == "key":
        key.chmod(0o640)
    elif how == "short":
        key.write_bytes(b"fifteen bytes .")
    else:
        os.chown(folder, 1, -1)
    command = [str(ends.program), "server", "0", "10", "0", str(folder)]
    assert subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 2


PAIRS = [
    (b"gwzx", b"16cd"),
    (b"yyao", b"1kia"),
    (b"g3zx", b"1pad"),
    (b"epvu", b"33ea"),
    (b"zwfo", b"2uja"),
    (b"g3zx", b"1pad"),
]


def test_nobody_can_choose_words_that_lie_at_one_place(ends: Ends) -> None:
    words = [b"".join(parts) for parts in itertools.product(*PAIRS)]
    assert len(set(words)) == 64 and len({fnv(word) for word in words}) == 1, "each of them collides by FNV-1a"
    done = subprocess.run([str(ends.program), "words"], input=b" ".join(words) + b"\n", capture_output=True, check=True)
    count, longest = map(int, done.stdout.split())
    assert count == 64 and longest < 8


def fnv(word: bytes, hash: int = 2166136261) -> int:
    for byte in word:
        hash = (hash ^ byte) * 16777619 % 2**32
    return hash


def raw(
    payload: bytes,
    segment: bytes,
    length: int | None = None,
    of: bytes = EMPTY,
    says: bytes | None = None,
    data: bytes | None = None,
) -> bytes:
    """Make a compressed packet of a segment with this payload, without a3d's code."""
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = made.compress(payload) + made.flush() if data is None else data
    size = len(payload) if length is None else length
    body = (
        segment[20 : len(segment) - len(payload)]
        + b"\xa3\1"
        + size.to_bytes(2, "big")
        + of
        + (says or check(segment[20:]))
    )
    body += deflated
    ip = segment[:2] + (20 + len(body)).to_bytes(2, "big") + segment[4:9] + b"\xfd\0\0" + segment[12:20]
    return ip[:10] + checksum(ip).to_bytes(2, "big") + ip[12:] + body


def until_text(key: bytes = KEY, client: tuple[str, int] = CLIENT) -> Session:
    """A session in which text may come, whose client's side has a3d."""
    server = ("2001:db8:9::1", 25) if ":" in client[0] else SERVER
    talk = Session(client, server)
    meets = meeting((client, server), 1000, 5001, False, key)
    syn = Talk(client, server).segment(0, -1, 0, flags=SYN, options=meets, stamp=None).packet()
    talk.lines[0] = f"0 {syn.hex()}"
    talk.until_data()
    return talk


def test_only_what_is_as_it_says_is_restored(ends: Ends) -> None:
    said = b"some text, and more text, and even more text\r\n" * 4

    def far(**how: Any) -> str:
        talk = until_text()
        segment = talk.segment(0, talk.at[0], talk.at[1], data=said).packet()
        talk.raw(talk.now, raw(said, segment, **how))
        verdict = chain(ends.program, "server", talk.lines, tables=ends.far).verdicts[-1]
        assert verdict in ("drop", f"change {segment.hex()}")
        return verdict

    assert far().startswith("change")
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = bomb.compress(bytes(1 << 20)) + bomb.flush()
    for how in (
        {"length": len(said) - 1},
        {"length": len(said) + 1},
        {"length": 0},
        {"length": 65535},
        {"of": b"12345678"},
        {"says": b"12345678"},
        {"data": b""},
        {"data": b"\xff" * 30},
        {"data": zeros},
        {"data": zeros, "length": 65535},
        {"data": b"\0\0\0\xff\xff"},
    ):
        assert far(**how) == "drop", how
    talk, longer = until_text(), bytes(30_000)
    segment = talk.segment(0, talk.at[0], talk.at[1], data=longer).packet()
    talk.raw(talk.now, raw(longer, segment))
    assert chain(ends.program, "server", talk.lines, tables=ends.far).verdicts[-1] == "drop", "longer than a packet"


@pytest.mark.parametrize("stranger", ["guesses a signature", "finds a session", "has another key"])
def test_a_stranger_cannot_find_out_words_of_a_pair_by_guesses(ends: Ends, stranger: str) -> None:
    """What is acknowledged would tell who sends guesses which words a table has. A right one is dropped as well."""
    known = table((b"hunter2", 9), (b"password", 3))
    keep(ends.far, known)
    theirs = KEY if stranger == "finds a session" else NO_KEY
    talk, said = until_text(NO_KEY if stranger == "guesses a signature" else KEY), b"hunter2 password " * 4
    segment = talk.segment(0, talk.at[0], talk.at[1], data=said).packet()
    for says in (check(segment[20:], NO_KEY), hashlib.sha256(segment[20:]).digest()[:8]):
        talk.raw(talk.now, raw(said, segment, of=mark(known, theirs), says=says))
    done = chain(ends.program, "server", talk.lines, tables=ends.far)
    assert done.verdicts[-2:] == ["drop", "drop"] and done.counts["refused"] == 2 and done.counts["decoded"] == 0
    told = "".join(done.verdicts)
    assert (mark(known).hex() in told) == (stranger != "guesses a signature")
    talk.raw(talk.now, raw(said, segment, of=mark(known)))
    right = chain(ends.program, "server", talk.lines, tables=ends.far).verdicts[-1]
    assert right.startswith("change") == (stranger != "guesses a signature"), "who has the key is restored"


def with_option(packet: bytes, option: bytes) -> bytes:
    """Put an option into a segment of IPv4, in front of its others."""
    tcp = packet[20:40] + option + packet[40:]
    tcp = tcp[:12] + bytes([tcp[12] + (len(option) // 4 << 4)]) + tcp[13:]
    head = packet[:2] + (20 + len(tcp)).to_bytes(2, "big") + packet[4:10] + b"\0\0" + packet[12:20]
    return summed(head[:10] + checksum(head).to_bytes(2, "big") + head[12:] + tcp)


@pytest.mark.parametrize("blind", ["packets", "SYN"])
def test_who_does_not_see_a_session_does_not_end_it(ends: Ends, blind: str) -> None:
    """Packets with the right addresses and ports, without the key or the numbers."""
    talk, said = until_text(), b"some text, and more text\r\n" * 4
    segment = talk.segment(0, talk.at[0], talk.at[1], data=said).packet()
    for number in range(40 * (blind == "packets")):
        talk.raw(talk.now, raw(said, segment, says=number.to_bytes(8, "big")))
    if blind == "SYN":
        talk.send(talk.now, 0, 7777, 0, flags=SYN)
    talk.raw(talk.now, raw(said, segment))
    assert chain(ends.program, "server", talk.lines, tables=ends.far).verdicts[-1] == f"change {segment.hex()}"


def test_who_does_not_see_a_session_cannot_say_which_tables_there_are(ends: Ends) -> None:
    """Neither by a segment without new bytes, nor by one that is ahead of others."""
    keep(ends.near, first := table((b"some", 9), (b"text", 3)))
    talk, said = Session(), b"some text, and more text\r\n" * 4
    talk.until_data()
    *before, answer = talk.lines
    meets = meeting((SERVER, CLIENT), 5000, 1001, True)
    before[1] = f"0 {Talk().segment(1, -1, 0, flags=SYN | ACK, options=meets, stamp=None).packet().hex()}"
    right, wrong = (b"\xfd\x17A3d\1\2" + mark(one) + mark(table()) + b"\1" for one in (first, b"another"))
    talk.lines[:] = [*before, f"{talk.now} {with_option(bytes.fromhex(answer.split()[1]), right).hex()}"]
    for ahead, data in ((0, b""), (999, b"250 ok\r\n")):
        talk.raw(talk.now, with_option(talk.segment(1, talk.at[1] + ahead, talk.at[0], data=data).packet(), wrong))
    talk.send(talk.now, 0, talk.at[0], talk.at[1], said)
    verdict = chain(ends.program, "client", talk.lines, tables=ends.near).verdicts[-1]
    assert verdict.startswith("change ") and mark(first).hex() in verdict


def keep(folder: Path, first: bytes) -> None:
    """Let a folder have a table of a@b.c and d@e.f."""
    folder.mkdir(0o700)
    (folder / name("a@b.c", "d@e.f")).write_bytes(b"A3t\1" + len(first).to_bytes(4, "big") + first + table())


@pytest.mark.parametrize(
    ("addresses", "of", "left"), [(1, "10.0.0.{}", 50 - 8), (50, "10.0.0.{}", 51 - 32), (50, "2001:db8::{:x}", 50 - 8)]
)
def test_idle_sessions_do_not_turn_it_off_for_others(ends: Ends, addresses: int, of: str, left: int) -> None:
    """Of many sessions that wait, those of which nothing was heard longest are left; of a device, its own.

    Addresses of IPv6 with equal first halves are those of one device.
    """
    own = ("10.0.9.9", 1)
    waiting = [until_text(KEY, (of.format(3 + number % addresses), 1000 + number)).lines for number in range(50)]
    talk, said = until_text(KEY, own), b"some text, and more\r\n" * 4
    segment = talk.segment(0, talk.at[0], talk.at[1], data=said).packet()
    before = [talk.lines, *waiting] if left == 50 - 8 else [*waiting, talk.lines]
    packets = [line.split()[1] for lines in before for line in lines] + [raw(said, segment).hex()]
    lines = [f"{at} {packet}" for at, packet in enumerate(packets)]
    done = chain(ends.program, "server", lines, tables=ends.far)
    assert done.verdicts[-1] == f"change {segment.hex()}"
    assert done.counts["no_table"] == left


def test_a_device_has_tables_of_its_own(ends: Ends) -> None:
    """Another one behind the same a3d that mails in the sender's name neither uses nor spoils what the sender has."""
    ends.send(text(0))
    before = ends.tables()
    done, near, _ = ends.send(text(1), client="10.0.0.3")
    assert {packet[56:64] for packet in encoded(done)} == {EMPTY} and near["encoded"] > 5
    after = ends.tables()
    assert all(now.items() > then.items() for now, then in zip(after, before, strict=True))
    assert set(after[0]) == {name(A, B), name(A, B, "10.0.0.3")}


def test_protocol_253_of_others_passes(ends: Ends) -> None:
    talk = until_text()
    packet = raw(b"text", talk.segment(0, talk.at[0], talk.at[1], data=b"text").packet())
    at = packet.index(b"\xa3\1")
    talk.raw(talk.now, packet[:at] + b"\xa3\2" + packet[at + 2 :])
    talk.raw(talk.now, packet[:25])
    assert chain(ends.program, "server", talk.lines, tables=ends.far).verdicts[-2:] == ["pass", "pass"]


def test_what_nobody_agreed_on_is_not_restored(ends: Ends) -> None:
    """The client's SYN had no option."""
    talk = Session()
    talk.until_data()
    said = b"text " * 40
    talk.raw(talk.now, raw(said, talk.segment(0, talk.at[0], talk.at[1], data=said).packet()))
    assert chain(ends.program, "server", talk.lines, tables=ends.far).verdicts[-1] == "drop"


def test_malformed_packets_do_no_harm(ends: Ends) -> None:
    """Some are restored or compressed all the same, so most of a session is understood."""
    for seed in range(2):
        near, far = (
            chain(ends.program, side, fuzz.mails(seed, 2000, side), tables=ends.far.with_name("keyless")).counts
            for side in ("client", "server")
        )
        assert near["encoded"] > 5 and near["mails"] > 5
        assert far["decoded"] > 5 and far["refused"] > 5 and far["mails"] > 5


@pytest.mark.parametrize("name", PLANTED_AE)
def test_planted_mistakes_are_found(program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_AE[name]
    wrong = compiled(mistake=mistake, sanitized=mistake.sanitized)
    with pytest.raises((AssertionError, ValueError)):
        globals()[mistake.found_by](ends_in(wrong, tmp_path), *mistake.values)
