# SPDX-License-Identifier: MIT
"""What helps people to write a command: help in all its spellings, and completion in their shell."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lab.cli.main import app

BIN = Path(sys.executable).parent
VERBS = [command.name or str(getattr(command.callback, "__name__", "")) for command in app.registered_commands]
VERBS += [str(group.name) for group in app.registered_groups]


def lab(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / "lab"), *arguments]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def test_help_has_four_spellings() -> None:
    long = lab("--help")
    assert long.returncode == 0 and "Run a workload on a topology" in long.stdout
    for other in (lab("-h"), lab("help"), lab()):
        assert (other.returncode, other.stdout, other.stderr) == (0, long.stdout, "")


def test_help_shows_whole_summaries_on_80_columns() -> None:
    commands = lab("--help", COLUMNS="80").stdout.split("Commands:\n")[1].splitlines()
    assert len(commands) == len(VERBS)
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize("verb", VERBS)
def test_so_has_that_of_each_verb(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for arguments in ([verb, "--help"], [verb, "-h"], ["help", verb]):
        app(arguments, prog_name="lab", standalone_mode=False)
        shown.append(capsys.readouterr().out)
    assert shown[0].startswith("Usage: ") and verb in shown[0]
    assert set(shown) == {shown[0]}


def test_help_for_a_verb_that_does_not_exist() -> None:
    done = lab("help", "rum")
    assert done.returncode == 2
    assert done.stderr.endswith("Error: No such command 'rum'. Did you mean 'run'?\n")


@pytest.mark.parametrize("arguments", [["help", "foo"], ["foo"]])
def test_another_verb_is_answered_with_all_of_them(arguments: list[str]) -> None:
    done = lab(*arguments)
    assert done.returncode == 2
    assert f"Error: No such command 'foo'; the commands are {', '.join(VERBS)}.\n" in done.stderr


def test_an_option_without_its_value_names_the_values() -> None:
    done = lab("run", "one-ap", "ping/ping", "--pcap")
    assert (done.returncode, done.stderr) == (2, "Error: Option '--pcap' requires an argument: --pcap air.\n")


COMPLETED = [
    ("lab repr", ["reproduce"]),
    ("lab run --rep", ["--repeat"]),
    ("lab run two-aps", ["two-aps-handoff"]),
    ("lab show two-aps-handoff http/down", ["http/download"]),
    ("lab shell wired", ["wired-pair"]),
    ("lab reproduce handoff/", ["handoff/outage"]),
    ("lab list exp", ["experiments"]),
    ("lab help rep", ["report", "reproduce"]),
]


@pytest.mark.parametrize(("line", "found"), COMPLETED)
def test_bash_completes(line: str, found: list[str], tmp_path: Path) -> None:
    """Bash itself, with the line of docs/quick-start.md; programmable completion calls the function like this."""
    words = shlex.split(line)
    program = f"""
        eval "$(lab completion bash)"
        complete -p lab
        COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}
        _lab_completion lab {shlex.quote(words[-1])} {shlex.quote(words[-2])}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    shown = subprocess.run(
        ["bash", "--norc", "-c", program], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    assert shown == ["complete -o default -F _lab_completion lab", *found], "-o default: else files"


@pytest.mark.parametrize(("line", "found"), COMPLETED)
def test_zsh_completes(line: str, found: list[str]) -> None:
    script = lab("completion", "zsh").stdout
    assert '_TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _LAB_COMPLETE=complete_zsh lab' in script
    assert script.endswith("compdef _lab_completion lab\n")
    shown = lab(_LAB_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=line).stdout
    assert [name for name in found if f'"{name}"' in shown] == found
    assert lab(_LAB_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="lab check READ").stdout == "_files\n"


@pytest.mark.parametrize(("line", "found"), COMPLETED)
def test_fish_completes(line: str, found: list[str]) -> None:
    assert "_LAB_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args" in lab("completion", "fish").stdout
    asked = {"_LAB_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": line}
    shown = lab(**asked, _TYPER_COMPLETE_FISH_ACTION="get-args").stdout
    assert [entry.partition("\t")[0] for entry in shown.splitlines()] == found
    assert lab(**asked, _TYPER_COMPLETE_FISH_ACTION="is-args").returncode == 0
    asked["_TYPER_COMPLETE_ARGS"] = "lab check READ"
    assert lab(**asked, _TYPER_COMPLETE_FISH_ACTION="is-args").returncode == 1, "fish completes files"


def test_completion_imports_little() -> None:
    """A key that is pressed waits for it."""
    program = (
        "import atexit, sys; sys.argv = ['lab']; atexit.register(lambda: print(*sys.modules)); "
        "from lab.cli.entry import main; main()"
    )
    environment = {
        **os.environ,
        "_LAB_COMPLETE": "complete_bash",
        "COMP_WORDS": "lab\nrun\ntwo-aps",
        "COMP_CWORD": "2",
    }
    command = [sys.executable, "-c", program]
    shown = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert set(shown.split()).isdisjoint({"pydantic", "ruamel.yaml", "rich", "lab.machine.machine", "lab.plan.load"})


def test_jobs_for_a_single_run_are_said_to_have_no_effect() -> None:
    done = lab("run", "nowhere", "ping/ping", "--jobs", "2")
    assert "--jobs has no effect on a single run; --repeat N runs it N times" in done.stderr
    assert "--jobs" not in lab("run", "nowhere", "ping/ping", "--jobs", "2", "--repeat", "2").stderr


@pytest.mark.parametrize(
    "arguments", [["list"], ["show", "random-walkers", "http/download"], ["show", "office", "idle"]]
)
def test_output_in_a_pipe_has_80_columns_or_those_that_the_user_sets(arguments: list[str]) -> None:
    narrow, wide = lab(*arguments, COLUMNS="").stdout, lab(*arguments, COLUMNS="200").stdout
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, wide.splitlines()))
    assert sorted(narrow.split()) == sorted(wide.split()), "nothing is cut"
