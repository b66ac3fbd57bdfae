# SPDX-License-Identifier: MIT
"""TP on connections that a3d has taken over: what it does not take yet is held, and the end of a direction waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import fuzz, test_tp
from .planted import LINKED
from .session import Session, compiled
from .smb import Smb2
from .talk import CONTENT, Talk, talk


@pytest.fixture(scope="module")
def program() -> Path:
    return compiled("drive_link")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where files are: the working directory."""
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    return tmp_path / "files"


@pytest.mark.parametrize("seed", range(1))
def test_what_a_client_sees_is_what_a_server_could_have_said(program: Path, seed: int) -> None:
    fuzz.modelled(program, seed)


def test_the_end_of_a_direction_waits_for_what_is_held_back(program: Path) -> None:
    test_tp.test_the_end_of_a_direction_waits_for_what_is_held_back(program, Smb2())


def test_a_disk_that_is_full_only_costs_time(program: Path) -> None:
    test_tp.test_a_disk_that_is_full_only_costs_time(program, Smb2())


def test_what_is_held_goes_on_in_its_order(program: Path) -> None:
    said = talk(program, Smb2(), predict=False, serialise=True)
    said.ask("query")
    said.ask("write", file=said.file(), data=b"x" * 300)
    numbers = [said.ask("echo") for _ in range(3)]
    assert [request.op for request in said.asked] == ["query"]
    said.answer(said.asked[0])
    assert [request.op for request in said.asked] == ["write"] and said.asked[0].data == b"x" * 300
    said.answer_all()
    assert [answer.number for answer in said.seen()][-3:] == numbers


def test_what_is_held_waits_for_room(program: Path) -> None:
    """It may be more than a relay takes at once."""
    said = talk(program, Smb2(), predict=False, serialise=True)
    said.ask("query")
    data = bytes(range(250)) * 2800
    said.ask("write", file=said.file(), data=data)
    said.session.say("room 100000")
    said.answer(said.asked[0])
    times = 0
    while not said.asked:
        assert said.session.state == "acts"
        said.session.say("room 100000")
        said.look()
        times += 1
    assert times > 5 and said.asked[0].data == data


def test_a_client_whose_bytes_are_held_is_made_to_wait(program: Path) -> None:
    """What does not wait ends the connection."""
    said = talk(program, Smb2(), predict=False, serialise=True)
    said.ask("query")
    for size, waits, state in ((250_000, False, "acts"), (20_000, True, "acts"), (400_000, True, "acts")):
        said.ask("write", file=said.file(), data=bytes(size))
        assert (said.session.offered, said.session.state) == (waits, state)
    said.ask("write", file=said.file(), data=bytes(200_000))
    assert said.session.state == "broken"


def test_a_file_has_no_name_and_what_it_has_lost_is_not_served(program: Path, folder: Path) -> None:
    said = talk(program, Smb2())
    file = said.begin()
    said.answer_all()
    said.seen()
    assert not list(folder.iterdir())
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]
    said.session.say("lose")
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == [(32768, 16384)] and said.session.state == "acts"


def test_what_a_killed_a3d_has_left_is_removed(program: Path, folder: Path) -> None:
    (folder / "blocks").write_bytes(b"old")
    said = talk(program, Smb2())
    said.begin()
    assert len(said.reads) == 7 and not list(folder.iterdir())


def test_no_block_is_asked_for_that_the_disk_has_no_room_for(program: Path) -> None:
    said = talk(program, Smb2())
    said.session.say("store 66000")
    said.begin()
    assert said.reads == [(0, 16384), (16384, 16384)]


def test_a_device_has_a_part_of_the_quota(program: Path) -> None:
    """Here room for the first block. What the client did not read is not asked for."""
    said = Talk(Session(program, words=(str(4 * 66000),)), Smb2())
    said.begin()
    assert said.reads == [(0, 16384), (16384, 16384)]


def test_windows_that_were_told_count_against_the_quota(program: Path) -> None:
    """All that their servers send may have to be kept: a half of 16 MiB for all devices, an eighth for each."""
    with Session(program) as session:
        got = []
        for device in (1, 1, 2, 3, 3, 4, 5):
            session.say(f"window {device} {3 << 19}")
            got.append(session.alone)
    assert got == [3 << 19, 1 << 19, 3 << 19, 3 << 19, 1 << 19, 3 << 19, 1 << 20]


@pytest.mark.parametrize("room", [20_000, 33_333])
def test_a_stream_goes_round_in_its_room(program: Path, room: int) -> None:
    """It writes over nothing that is needed, nor over the other direction; empty, it begins again, with more room."""
    with Session(program) as session:
        session.say(f"round {room}")


def test_a_disk_that_becomes_full_keeps_what_it_has(program: Path) -> None:
    with Session(program) as session:
        session.say(f"store {(64 << 20) + 10_000}")
        session.say("fill")


def test_windows_leave_room_for_blocks(program: Path) -> None:
    said = talk(program, Smb2())
    for device in (2, 3, 4, 5, 6):
        said.session.say(f"window {device} {8 << 20}")
    assert said.session.alone == 0
    said.begin()
    assert len(said.reads) == 7


def test_a_block_that_cannot_be_written_is_the_servers(program: Path) -> None:
    """Though there was room when it was asked for."""
    said = talk(program, Smb2())
    file = said.begin()
    said.session.say("store 66000")
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == [(32768, 16384)]


def test_others_that_only_connect_take_no_place_from_one_that_has_opened_a_share(program: Path) -> None:
    said = talk(program, Smb2())
    for _ in range(2):
        said.session.say("strangers")
    said.begin()
    assert said.session.state == "acts"
    said.session.say("again")
    assert said.session.state == "watches"


@pytest.mark.parametrize("why", ["log-in", "frame"])
def test_hosts_of_which_a_session_was_broken_are_left_alone(program: Path, why: str) -> None:
    """Else it would break again and again."""
    for again, state in ((False, "watches"), (True, "refused")):
        said = talk(program, Smb2())
        said.begin()
        if again and why == "log-in":
            said.ask("setup")
        elif again:
            first = Smb2().answer(said.asked[1], data=CONTENT[:10]).ljust(96, b"\0")
            first = first[:20] + (96).to_bytes(4, "little") + first[24:]
            said.say(first, Smb2().answer(said.asked[2], data=CONTENT[:10]))
        assert said.session.state == ("broken" if again else "acts")
        said.session.say("again")
        assert said.session.state == state
        said.session.say("again")
        assert said.session.state == "watches"


def test_a_signed_session_is_not_wanted(program: Path) -> None:
    for name, connection in test_tp.dialects().items():
        if "user" not in name or "NT1" in name:
            continue
        with Session(program) as session:
            for way, piece in connection.pieces:
                if piece:
                    session.give(way, piece)
                assert session.state in ("watches", "left")
            assert session.state == "left"


@pytest.mark.parametrize("name", LINKED)
def test_planted_mistakes_are_found(folder: Path, name: str) -> None:
    mistake = LINKED[name]
    wrong_program = compiled("drive_link", mistake)
    values = [folder if value == "folder" else value for value in mistake.values]
    with pytest.raises((AssertionError, LookupError, ValueError)):
        globals()[mistake.found_by](wrong_program, *values)
