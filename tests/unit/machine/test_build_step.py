# SPDX-License-Identifier: MIT
"""Commands of a build: their log, their failure, their end."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import BuildError, HostError
from lab.machine.build_step import BuildLog, telling_lines


def test_lines_are_seen_and_logged(log: BuildLog) -> None:
    seen: list[str] = []
    log.run("counting", ["seq", "3"], on_line=seen.append)
    assert seen == ["1", "2", "3"]
    assert log.path.read_text() == "$ seq 3\n1\n2\n3\n"


def test_output_can_go_to_a_file(log: BuildLog, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        log.run("writing", ["sh", "-c", "echo out; echo err >&2"], stdout=file)
    assert (tmp_path / "out").read_text() == "out\n"
    assert log.path.read_text().endswith("err\n")


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
    shown = telling_lines(lines)
    assert "a.c:1: error: what is this" in shown
    assert shown[-1] == "  CC 99.o"
    assert len(shown) < 20


def test_command_ends_with_whoever_watches_it(log: BuildLog, tmp_path: Path) -> None:
    """The child holds the write end of a pipe: at the read end, its end is end of file."""
    pipe = tmp_path / "pipe"

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        log.run(
            "waiting",
            ["sh", "-c", f"trap 'echo ended >{pipe}; exit' TERM; echo begun; while :; do read x; done"],
            stdin=None,
            on_line=interrupt,
        )
    assert pipe.read_text() == "ended\n"


def test_build_does_not_see_the_flags_of_a_calling_make(log: BuildLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKEFLAGS", "-j8")
    monkeypatch.setenv("CFLAGS", "-O0")
    monkeypatch.setenv("https_proxy", "proxy:3128")
    seen: list[str] = []
    log.run("looking", ["env"], on_line=seen.append, env={"ADDED": "yes"})
    names = {line.partition("=")[0] for line in seen}
    assert {"PATH", "LC_ALL", "https_proxy", "ADDED"} <= names
    assert not names & {"MAKEFLAGS", "CFLAGS"}
