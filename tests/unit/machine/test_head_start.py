# SPDX-License-Identifier: MIT
"""Head starts: when a guest of last time is taken, when it is ended, and that nothing of it remains then."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.errors import HostError
from lab.machine import head_start, scratch
from lab.machine.guest import Setup
from lab.machine.head_start import HeadStart, HeadStarts
from lab.machine.run_directory import new_directory
from tests.system.waiting import until
from tests.unit.machine.conftest import HEAD

PLAN = '{"seed": 7}\n'
GOES_ON = 'cat "$run/plan.json"; mkfifo "$run/never"; read -r line < "$run/never"\n'
RUN = ["run", "here", "there"]


@pytest.fixture
def last(setup: Callable[[str], Setup], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """The guest of the last run; all its components exist. The current directory has a folder for runs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    made = setup(GOES_ON)
    for part in (made.files.initrd, made.files.image, made.files.bundle):
        part.touch()
    (tmp_path / "runs").mkdir()
    return made


def remember(last: Setup, arguments: list[str] = RUN) -> None:
    starts = HeadStarts()
    starts.begin(arguments)
    starts.remember("here--there", PLAN, last)


def begun(arguments: list[str] = RUN) -> HeadStarts:
    starts = HeadStarts()
    starts.begin(arguments)
    return starts


def take(starts: HeadStarts, last: Setup, out: Path | None = None) -> HeadStart | None:
    """What a command gets that needs the same guest as last time."""

    def wanted(directory: Path) -> Setup:
        return replace(last, files=replace(last.files, run=directory.resolve()))

    return starts.take("here--there", PLAN, wanted, out)


def run_directories() -> list[Path]:
    return sorted(Path("runs").iterdir())


def homes() -> list[Path]:
    """Scratch directories of guests that work below the current directory."""
    here = Path.cwd()
    links = (link for link in scratch.PARENT.glob(f"{scratch.PREFIX}*/run") if link.is_symlink())
    return [link.parent for link in links if here in link.readlink().parents]


def test_the_same_command_gets_the_guest_that_runs_already(last: Setup) -> None:
    remember(last)
    starts = begun()
    (home,) = homes()
    running = take(starts, last)
    assert running
    assert [running.directory] == run_directories()
    assert running.directory.name.endswith("-here--there")
    assert (running.directory / "plan.json").read_text() == PLAN
    with running.guest() as guest:
        assert not guest.has_ended()
        until((running.directory / "console.log").read_text)  # while a process is replaced, it has no command line
        assert scratch._pids_of(home)
        starts.discard()  # the end of a command that takes the guest
        assert not guest.has_ended()
    assert homes() == []
    assert scratch._pids_of(home) == []
    assert (running.directory / "plan.json").exists()


def test_the_first_time_nothing_is_started(last: Setup) -> None:
    starts = begun()
    assert homes() == [] and run_directories() == []
    assert take(starts, last) is None


@pytest.mark.parametrize("arguments", [["run", "here", "elsewhere"], ["shell", "here", "there"], [], ["--version"]])
def test_another_command_has_no_head_start(last: Setup, arguments: list[str]) -> None:
    remember(last)
    begun(arguments)
    assert homes() == [] and run_directories() == []


def test_in_another_directory_there_is_no_head_start(
    last: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(last)
    (tmp_path / "other" / "runs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "other")
    begun()
    assert homes() == [] and run_directories() == []


CHANGES: dict[str, Callable[[Setup], tuple[str, str, Setup]]] = {
    "plan": lambda made: ("here--there", '{"seed": 8}\n', made),
    "name": lambda made: ("here--here", PLAN, made),
    "radios": lambda made: ("here--there", PLAN, replace(made, radios=3)),
    "memory": lambda made: ("here--there", PLAN, replace(made, memory_bytes=1 << 20)),
    "kernel": lambda made: ("here--there", PLAN, replace(made, files=replace(made.files, kernel=Path("/other")))),
    "stack": lambda made: ("here--there", PLAN, replace(made, files=replace(made.files, stack=Path("/other")))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_guest_that_differs_is_ended_and_leaves_nothing(last: Setup, change: str) -> None:
    remember(last)
    starts = begun()
    (home,) = homes()
    name, plan, wanted = CHANGES[change](last)
    assert (
        starts.take(name, plan, lambda there: replace(wanted, files=replace(wanted.files, run=there.resolve())), None)
        is None
    )
    assert homes() == [] and run_directories() == []
    assert scratch._pids_of(home) == []


@pytest.mark.parametrize("outcome", [True, False])
def test_a_guest_that_is_off_is_taken_if_it_left_its_outcome(last: Setup, outcome: bool) -> None:
    remember(last)
    last.files.kernel.write_text(HEAD + ("echo '{\"error\": null}' > $run/guest.json\n" if outcome else ""))
    starts = begun()
    assert starts._begun and starts._begun._guest
    starts._begun._guest._process.process.wait()
    running = take(starts, last)
    assert (running is not None) == outcome
    assert len(run_directories()) == outcome
    if running:
        with running.guest() as guest:
            os.utime(running.directory / "console.log", (begun_s := time.time() - 100, begun_s))
            assert guest.follow().wall_s < 0  # it ended then, not now


def test_a_command_that_fails_before_it_needs_its_guest_leaves_nothing(last: Setup) -> None:
    remember(last)
    starts = begun()
    assert len(homes()) == 1
    starts.discard()
    assert homes() == [] and run_directories() == []


@pytest.mark.parametrize("arguments", [[*RUN, "--out", "mine"], [*RUN, "--out=mine"]])
@pytest.mark.parametrize("exists", [False, True])
def test_a_directory_of_the_user_stays_as_it_was(last: Setup, arguments: list[str], exists: bool) -> None:
    remember(last, arguments)
    mine = Path("mine")
    if exists:
        mine.mkdir()
    starts = begun(arguments)
    assert (mine / "plan.json").exists()
    starts.discard()
    assert mine.exists() == exists
    assert not exists or list(mine.iterdir()) == []
    starts = begun(arguments)
    running = take(starts, last, mine)
    assert running and running.directory == mine
    running.discard()


def test_of_two_directories_the_last_counts(last: Setup) -> None:
    arguments = [*RUN, "--out", "first", "--out=second"]
    remember(last, arguments)
    starts = begun(arguments)
    assert not Path("first").exists()
    running = take(starts, last, Path("second"))
    assert running and running.directory == Path("second")
    starts.discard()


def test_a_guest_for_another_directory_is_not_taken(last: Setup) -> None:
    arguments = [*RUN, "--out", "mine"]
    remember(last, arguments)
    assert take(begun(arguments), last, Path("other")) is None
    assert not Path("mine").exists()


def test_without_a_place_for_its_directory_nothing_is_started(last: Setup) -> None:
    arguments = [*RUN, "--out", "no/where"]
    remember(last, arguments)
    begun(arguments)
    assert homes() == [] and not Path("no").exists()


def test_a_guest_that_cannot_be_started_leaves_nothing(last: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(last)

    def none(needed_bytes: int) -> Path:
        raise HostError("no directory for the guest's memory")

    monkeypatch.setattr("lab.machine.guest.memory_directory", none)
    starts = begun()
    assert not starts.running
    assert take(starts, last) is None
    assert run_directories() == []


def test_a_guest_that_was_taken_but_never_followed_leaves_nothing(last: Setup) -> None:
    """Ctrl-C comes between the two."""
    remember(last)
    starts = begun()
    assert starts.running and take(starts, last)
    starts.discard()
    assert homes() == [] and run_directories() == []


def test_a_directory_that_another_run_claims_is_not_touched(last: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = [*RUN, "--out", "mine"]
    remember(last, arguments)

    def late(name: str, out: Path | None) -> Path:
        directory = new_directory(name, out)
        (directory / "plan.json").write_text("of the other run")
        return directory

    monkeypatch.setattr(head_start, "new_directory", late)
    begun(arguments).discard()
    assert homes() == [] and Path("mine/plan.json").read_text() == "of the other run"


def test_a_directory_in_use_is_not_touched(last: Setup) -> None:
    arguments = [*RUN, "--out", "mine"]
    remember(last, arguments)
    Path("mine").mkdir()
    Path("mine/precious").touch()
    begun(arguments)
    assert homes() == []
    assert [path.name for path in Path("mine").iterdir()] == ["precious"]


@pytest.mark.parametrize("gone", ["kernel", "image", "bundle"])
def test_without_a_component_nothing_is_started(last: Setup, gone: str) -> None:
    remember(last)
    getattr(last.files, gone).unlink()
    begun()
    assert homes() == [] and run_directories() == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"name": 1, "plan": 2, "setup": {"files": {"kernel": 3}}}'])
def test_a_damaged_memory_is_ignored(last: Setup, text: str, tmp_path: Path) -> None:
    remember(last)
    (file,) = (tmp_path / "cache").rglob("start.json")
    file.write_text(text)
    begun()
    assert homes() == [] and run_directories() == []


def test_what_was_remembered_is_replaced(last: Setup) -> None:
    remember(last)
    starts = begun()
    starts.take("here--there", PLAN, lambda there: replace(last, radios=3), None)
    starts.remember("here--there", PLAN, replace(last, radios=3))
    running = take(begun(), replace(last, radios=3))
    assert running
    running.discard()
