# SPDX-License-Identifier: MIT
"""The command ``lab`` apart from its verbs: Ctrl-C while it imports, mistakes in its options."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lab.cli import main
from lab.errors import RunError
from lab.runs.limits import ending_after

# presses Ctrl-C when a module is imported
PRESSED = """
import os, signal, sys
class Presses:
    def find_spec(self, name, *rest):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Presses())
sys.argv = ["lab", "list"]
from lab.cli.entry import main
main()
"""


@pytest.mark.parametrize(
    ("module", "status", "said"),
    [("lab.errors", -signal.SIGINT, ""), ("lab.cli.main", 128 + signal.SIGINT, "lab: interrupted\n")],
)
def test_ctrl_c_during_an_import_is_no_traceback(module: str, status: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESSED.format(module=module)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, "", said)


@pytest.mark.parametrize("arguments", [["list"], ["--version"], ["show", "wired-pair", "--json"]])
def test_a_full_disk_is_a_message(arguments: list[str]) -> None:
    command = [str(Path(sys.executable).parent / "lab"), *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "lab: cannot write standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize("arguments", ["list", "show wired-pair --json", "run --help"])
def test_a_reader_that_exits_is_141(arguments: str) -> None:
    """As of a program that SIGPIPE ends; typer would exit with 1, which stands for a failed check."""
    command = [str(Path(sys.executable).parent / "lab"), *arguments.split()]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (141, "")


PIPED = """
import sys
from lab.cli import entry
from lab.terminal import console, unread
def verb():
    with unread():
        {prints}
    return {status}
entry._verb = verb
entry.main()
"""


@pytest.mark.parametrize("prints", ['print("x")', 'console().print("x")'])
@pytest.mark.parametrize("status", [0, 1])
def test_a_result_whose_reader_exits_keeps_its_status(prints: str, status: int) -> None:
    """So that ``lab run … | head -1`` passes with pipefail if the run does."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        command = [sys.executable, "-c", PIPED.format(prints=prints, status=status)]
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")


ENDED = """
import os, signal
from lab.cli import entry
{before}
def verb():
    os.kill(os.getpid(), signal.SIGHUP)
    return 0
entry._verb = verb
entry.main()
"""


@pytest.mark.parametrize(
    ("before", "status", "said"),
    [("", 128 + signal.SIGHUP, "lab: interrupted\n"), ("signal.signal(signal.SIGHUP, signal.SIG_IGN)", 0, "")],
)
def test_a_closed_terminal_ends_it_unless_nohup_says_otherwise(before: str, status: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDED.format(before=before)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, said)


ESCAPE = "\x1b[31m\u202e"


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("name: a\nabout: ABOUT\nduration: 1 s\n", ["show", "wired-pair", "FILE"]),
        ("name: ABOUT\nnodes: {h1: {kind: host}}\n", ["check", "FILE"]),
        ("name: a\nnodes: {h1: {kind: ABOUT}}\n", ["check", "FILE"]),
        ("name: a\nnodes: {ap1: {kind: ap, ssid: ABOUT}}\n", ["check", "FILE"]),
        ("name: a\nnodes: {h1: {kind: host}}\n", ["check", "FILE"]),
        ("name: a\nnodes: {h1: {kind: host}}\n", ["check", f"no{ESCAPE}.yaml"]),
        ("name: a\nnodes: {h1: {kind: host}}\n", ["show", "FILE", "--seed", ESCAPE]),
        ("name: a\nnodes: {h1: {kind: host}}\n", ["report", f"no{ESCAPE}"]),
        ("name: a\nnodes: {h1: {kind: host}}\n", ["compare", f"no{ESCAPE}", "FILE"]),
    ],
)
def test_names_of_others_do_not_control_the_terminal(tmp_path: Path, file: str, arguments: list[str]) -> None:
    name = f"t{ESCAPE}\nlab: .yaml"
    (tmp_path / name).write_text(file.replace("ABOUT", '"\\e[31m\\u202e"'))
    command = [str(Path(sys.executable).parent / "lab"), *(word.replace("FILE", name) for word in arguments)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    assert r"\x1b[31m\u202e" in printed and not {"\x1b", "\u202e"} & set(printed)
    assert "\nlab: .yaml" not in done.stdout


@pytest.mark.parametrize(
    ("closed", "arguments", "status", "said"),
    [
        (">&-", "list", 1, "lab: cannot write standard output: Bad file descriptor\n"),
        (">&-", "show wired-pair --json", 1, "lab: cannot write standard output: Bad file descriptor\n"),
        (">&-", "show wired-pair --svg drawn.svg", 0, ""),
        (">&- 2>&-", "show nowhere", 2, ""),
        ("2>&-", "run nowhere", 2, ""),
        ("<&-", "check one-ap", 0, ""),
    ],
)
def test_closed_streams_are_no_traceback(tmp_path: Path, closed: str, arguments: str, status: int, said: str) -> None:
    line = f"{Path(sys.executable).parent}/lab {arguments} {closed}"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, said)


@pytest.mark.parametrize(
    ("arguments", "mistake"),
    [
        (["run", "one-ap", "ping/ping", "--sead", "3", "--junit", "result.xml"], "No such option: --sead"),
        (["run", "one-ap", "ping/ping", "--junit=result.xml", "--seed", "no"], "Invalid value for '--seed': \"no\" is"),
        (["run", "--junit", "result.xml"], "Missing argument 'TOPOLOGY'"),
    ],
)
def test_a_mistake_in_the_options_replaces_an_earlier_result(
    tmp_path: Path, arguments: list[str], mistake: str
) -> None:
    result = tmp_path / "result.xml"
    result.write_text("<testsuites/>")
    command = [str(Path(sys.executable).parent / "lab"), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and mistake in done.stderr
    case = ET.parse(result).getroot().find("testsuite/testcase")
    assert case is not None and case.attrib["classname"] == " ".join(["lab", *arguments])
    error = case.find("error")
    assert error is not None and error.attrib["message"].startswith(mistake)


def test_a_result_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "lab"), "run", "--junit", "no/result.xml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "cannot write no/result.xml: No such file or directory\n  choose another file with --junit\n" in done.stderr


def test_without_a_file_for_results_a_mistake_in_the_options_leaves_none(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "lab"), "run", "one-ap", "ping/ping", "--junit"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--junit" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_waits_too_long_is_ended() -> None:
    said = r"^--timeout: the shell took more than 0\.01 s of wall time; it was ended$"
    with pytest.raises(RunError, match=said), ending_after(0.01, "the shell"):
        os.read(os.eventfd(0), 8)  # never returns


def test_a_timeout_is_for_reports_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.runs.command.run", lambda _options: None)
    monkeypatch.setattr("lab.cli.results.print_runs", lambda _ended, _as_json: os.read(os.eventfd(0), 8))
    with pytest.raises(RunError, match=r"^--timeout: drawing the report took more than 0\.01 s of wall time"):
        main.run("one-ap", "ping/ping", timeout="10 ms")


def test_what_ends_in_time_is_left_alone() -> None:
    with ending_after(60, "the shell"):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    with ending_after(None, "the shell"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_missing_topology_says_what_lists_them() -> None:
    command = [str(Path(sys.executable).parent / "lab"), "run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith("'TOPOLOGY'.\n  `lab list topologies` lists those that come with the lab\n")
