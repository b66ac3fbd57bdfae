# SPDX-License-Identifier: MIT
"""Commands of a build: their log, their failure, their end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.builders import step
from lab.builders.step import BuildLog, relevant_lines
from lab.cache.store import Store
from lab.errors import BuildError, HostError
from tests.kept import KeptReport


def test_lines_are_seen_and_logged(log: BuildLog) -> None:
    seen: list[str] = []
    log.run("counting", ["seq", "3"], on_line=seen.append)
    assert seen == ["1", "2", "3"]
    assert log.path.read_text() == "$ seq 3\n1\n2\n3\n"


def test_ticks_come_where_lines_do_not(log: BuildLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "TICK_S", 0.01)
    script = f"echo one; until [ -e {tmp_path}/ticked ]; do :; done; printf two"
    seen: list[str] = []
    log.run("waiting", ["sh", "-c", script], on_line=seen.append, on_tick=(tmp_path / "ticked").touch)
    assert seen == ["one", "two"]
    assert log.path.read_text().endswith("one\ntwo")


def test_output_can_go_to_a_file(log: BuildLog, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        log.run("writing", ["sh", "-c", "echo out; echo err >&2"], stdout=file)
    assert (tmp_path / "out").read_text() == "out\n"
    assert log.path.read_text().endswith("err\n")


def test_low_descriptors_are_the_commands_own(log: BuildLog, store: Store, reported: KeptReport) -> None:
    script = "import os; print(*sorted(map(int, os.listdir('/proc/self/fd'))))"
    with store.lock(reported):  # passed on, as the pipe to the guard is
        log.run("listing", [sys.executable, "-c", script])
    numbers = [int(word) for word in log.path.read_text().splitlines()[-1].split()]
    assert numbers[:4] == [0, 1, 2, 3]  # 3 is listdir's
    assert len(numbers[4:]) == 2
    assert min(numbers[4:]) >= 200


def test_failure_names_step_status_last_lines_and_log(log: BuildLog) -> None:
    with pytest.raises(BuildError) as caught:
        log.run("mixing the batter", ["sh", "-c", "echo lumps; exit 3"])
    assert str(caught.value) == f"mixing the batter failed: exit status 3\n    lumps\n  the whole log: {log.path}"


def test_killed_command(log: BuildLog) -> None:
    with pytest.raises(BuildError, match="waiting failed: ended by SIGKILL"):
        log.run("waiting", ["sh", "-c", "kill -KILL $$"])


def test_full_disk_in_a_command(log: BuildLog) -> None:
    with pytest.raises(HostError, match="no space left in"):
        log.run("writing", ["sh", "-c", "echo 'cc1: error: No space left on device'; seq 100; exit 1"])


def test_missing_tool(log: BuildLog) -> None:
    with pytest.raises(HostError, match="no-such-tool is not installed"):
        log.run("trying", ["no-such-tool"])


def test_first_error_is_shown_where_make_went_on() -> None:
    lines = [f"  CC {number}.o" for number in range(100)]
    lines[10] = "a.c:1: error: what is this"
    shown = relevant_lines(lines)
    assert "a.c:1: error: what is this" in shown
    assert shown[-1] == "  CC 99.o"
    assert len(shown) < 20


# Runs until it is asked to end, and says so in a file.
ENDLESS = "exec 2>/dev/null; trap 'echo ended >{file}; exit' TERM; echo begun; while :; do sleep 0.05; done"


def test_command_ends_with_whoever_watches_it(log: BuildLog, tmp_path: Path) -> None:
    file = tmp_path / "file"

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        log.run("waiting", ["sh", "-c", ENDLESS.format(file=file)], on_line=interrupt)
    assert file.read_text() == "ended\n"


def test_command_ends_with_a_lab_that_is_killed(tmp_path: Path) -> None:
    """The command inherits our pipe: at its other end, end of file means that nothing of it is left."""
    file = tmp_path / "file"
    lab = f"""
import sys
from pathlib import Path
from lab.builders.step import BuildLog
command = ["sh", "-c", {ENDLESS.format(file=file)!r}]
def begun(line):
    print("begun", flush=True)
BuildLog(Path("log"), Path(".")).run("waiting", command, on_line=begun, stdin=sys.stdin)
"""
    argv = [sys.executable, "-c", lab]
    end, other_end = os.pipe()
    with subprocess.Popen(argv, cwd=tmp_path, stdin=other_end, stdout=subprocess.PIPE, text=True) as process:
        os.close(other_end)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.kill()
    with os.fdopen(end) as pipe:
        assert pipe.read() == ""
    assert file.read_text() == "ended\n"


def test_build_does_not_see_the_flags_of_a_calling_make(log: BuildLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKEFLAGS", "-j8")
    monkeypatch.setenv("CFLAGS", "-O0")
    monkeypatch.setenv("https_proxy", "proxy:3128")
    seen: list[str] = []
    log.run("looking", ["env"], on_line=seen.append, env={"ADDED": "yes"})
    names = {line.partition("=")[0] for line in seen}
    assert {"PATH", "LC_ALL", "https_proxy", "ADDED"} <= names
    assert not names & {"MAKEFLAGS", "CFLAGS"}
