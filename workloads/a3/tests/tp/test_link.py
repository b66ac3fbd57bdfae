# SPDX-License-Identifier: MIT
"""TP on connections that a3d has taken over: what it does not take yet is held, and the end of a direction waits."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import fuzz, test_tp
from .planted import LINKED
from .session import A3D, QUICK, Session, compiled
from .smb import Smb2
from .talk import CONTENT, talk


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, drive: Path) -> Path:
    return compiled(tmp_path_factory.mktemp("link"), drive.parent, drive="drive_link")


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
    assert said.session.state == "broken"


def test_hosts_that_log_in_again_are_left_alone(program: Path) -> None:
    """Else the session would break again and again."""
    for again, state in ((False, "watches"), (True, "refused")):
        said = talk(program, Smb2())
        said.begin()
        if again:
            said.ask("setup")
            assert said.session.state == "broken"
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
def test_planted_mistakes_are_found(quick: Path, tmp_path: Path, folder: Path, name: str) -> None:
    mistake = LINKED[name]
    text = (A3D / mistake.file).read_text()
    assert text.count(mistake.right) == 1
    (tmp_path / mistake.file).write_text(text.replace(mistake.right, mistake.wrong))
    wrong_program = compiled(tmp_path, quick.parent, tmp_path / mistake.file, flags=QUICK, drive="drive_link")
    values = (folder,) if "folder" in mistake.values else ()
    with pytest.raises((AssertionError, LookupError, ValueError)):
        globals()[mistake.found_by](wrong_program, *values)
