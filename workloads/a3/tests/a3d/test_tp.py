# SPDX-License-Identifier: MIT
"""TP in a3d, between hosts that speak TCP: when it takes a connection over, and that each byte arrives."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ..tp import fuzz
from ..tp.planted import WHOLE
from ..tp.session import Session
from ..tp.smb import READ_ACCESS, WRITE_ACCESS, Smb1, Smb2, frame
from ..tp.talk import CONTENT, Talk
from .packets import compiled

LARGE = Random(1).randbytes(6 << 20)
SMB = [pytest.param(Smb1(), id="SMB1"), pytest.param(Smb2(), id="SMB2")]


@pytest.fixture(scope="module")
def whole() -> Path:
    return compiled("drive_tp")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where files are: the working directory."""
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    return tmp_path / "files"


def words(seed: int = 1, loss: int = 0, reordered: int = 0, ib: int = 0) -> tuple[str, ...]:
    return tuple(str(number) for number in (seed, loss, reordered, ib))


def talk(program: Path, dialect: Smb1 | Smb2, *, predict: bool = True, **values: int) -> Talk:
    return Talk(Session(program, predict, early=False, words=words(**values)), dialect)


def told(said: Talk) -> int:
    """Return how many bytes the server was told to have come."""
    return int(said.session.why.split()[0])


@pytest.mark.parametrize("dialect", SMB)
@pytest.mark.parametrize("ib", [False, True])
def test_a_connection_is_taken_over_by_an_open_that_tp_can_predict(
    whole: Path, folder: Path, dialect: Smb1 | Smb2, ib: bool
) -> None:
    """Not before; and if IB is on, the connection is IB's from the first read of a block of another file on."""
    said = talk(whole, dialect, ib=int(ib))
    said.ask("echo")
    said.answer_all()
    said.seen()
    assert said.session.state == "watches" and not list(folder.iterdir())
    file = said.begin()
    assert said.session.state == "acts" and len(said.reads) == 7
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768] and not said.asked
    said = talk(whole, dialect, ib=int(ib))
    file = said.open(access=READ_ACCESS | WRITE_ACCESS)
    for at in range(3):
        said.ask("read", file=file, offset=at, length=1)
        assert said.reads == [(at, 1)]
        said.answer_all()
        assert said.got().data == CONTENT[at : at + 1]
    said.begin(2)
    assert said.session.state == ("watches" if ib else "acts") and len(said.reads) == (1 if ib else 7)
    assert len(list(folder.iterdir())) == ib


@pytest.mark.parametrize("seed", [0, 2, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in (1, 4))])
def test_what_a_client_sees_is_what_a_server_could_have_said(whole: Path, seed: int) -> None:
    """With losses and segments that come late, with IB and without."""
    fuzz.modelled(whole, seed, early=False, words=words(seed, 10 * (seed % 3), 25 * seed, int(seed in (1, 2))))


def test_a_server_does_not_wait_for_a_slow_client(whole: Path) -> None:
    """What the client does not take, and memory does not keep, is in a file."""
    said = talk(whole, Smb2())
    file = said.open(size=len(LARGE))
    said.session.say("stall")
    said.ask("read", file=file, length=len(LARGE))
    said.answer(said.asked[0], data=LARGE)
    assert told(said) > len(LARGE) and not said.seen()
    said.session.say("go on")
    assert said.got().data == LARGE


def test_a_server_waits_for_a_client_that_pauses_while_the_disk_is_full(whole: Path) -> None:
    """It was told a large window, which closes; it asks for that, and is told when it opens after 50 minutes."""
    said = talk(whole, Smb2())
    file = said.open(size=len(LARGE))
    said.session.say("stall")
    said.session.say("full")
    said.ask("read", file=file, length=len(LARGE))
    said.answer(said.asked[0], data=LARGE)
    assert told(said) < len(LARGE) // 4
    said.session.say("time 3000000000000")
    said.session.say("go on")
    assert said.session.state == "acts" and said.got().data == LARGE


def test_what_a_server_was_told_to_have_come_is_delivered_before_its_reset(whole: Path) -> None:
    said = talk(whole, Smb2(), loss=20, reordered=100)
    file = said.open(size=len(LARGE))
    said.session.say("stall")
    said.ask("read", file=file, length=len(LARGE))
    before = told(said)
    answer = frame(said.dialect.answer(said.asked[0], data=LARGE))
    said.session.give("<", answer)
    assert told(said) - before > len(LARGE) // 2
    said.session.say("reset <")
    assert said.session.state == "acts"
    said.session.say("go on")
    assert said.session.state == "reset"
    assert bytes(said.session.sent["<"]) == answer[: told(said) - before]


def test_a_client_that_sends_much_before_it_reads_does_not_stand_still(whole: Path) -> None:
    """Requests whose answers are more than memory keeps."""
    said = talk(whole, Smb2())
    file = said.open(access=READ_ACCESS | WRITE_ACCESS)
    said.begin(2)
    said.session.say("stall")
    for at in range(30):
        said.ask("read", file=file, offset=at, length=65536)
        said.answer(said.asked[-1], data=CONTENT[at : at + 65536])
    data = bytes(range(250)) * 1200
    said.ask("write", file=file, data=data)
    assert said.asked[-1].data == data
    said.session.say("go on")
    assert [answer.data for answer in said.seen()] == [CONTENT[at : at + 65536] for at in range(30)]


def test_at_the_end_of_a3d_its_connections_are_reset_and_their_marks_taken_back(whole: Path) -> None:
    """The next a3d could not go on with them. A way of 20 ms is enough to hear that the client has forgotten it."""
    said = talk(whole, Smb2())
    said.begin()
    assert said.session.state == "acts" and said.session.offered
    said.session.say("leave")
    assert said.session.state == "reset" and not said.session.offered


def test_a_connection_that_cannot_be_taken_over_is_forgotten(whole: Path) -> None:
    """It passes, and takes no place."""
    said = talk(whole, Smb2())
    said.session.say("unmarked")
    said.begin()
    assert len(said.reads) == 1 and not said.session.offered
    with said.session:
        pass  # at the end, nothing may be left


def test_what_tp_has_of_a_connection_is_free_at_its_end(whole: Path) -> None:
    """A relay stays for a minute, since a host may repeat its FIN."""
    said = talk(whole, Smb2())
    said.begin()
    said.session.say("end >")
    said.session.say("end <")
    assert said.session.finished and said.session.alone == 0


@pytest.mark.parametrize("name", WHOLE)
def test_planted_mistakes_are_found(name: str) -> None:
    mistake = WHOLE[name]
    wrong_program = compiled("drive_tp", mistake)
    with pytest.raises((AssertionError, LookupError, ValueError)):
        globals()[mistake.found_by](wrong_program)
