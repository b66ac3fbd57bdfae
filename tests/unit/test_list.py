# SPDX-License-Identifier: MIT
"""``lab list``, the help, and ``lab show`` of a topology alone."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.cli.lists import print_list
from lab.cli.main import app

TABLE = "name: web/table\nabout: A table of a paper.\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "workloads" / "web" / "experiments"
    folder.mkdir(parents=True)
    (folder / "table.yaml").write_text(TABLE)
    (folder / "broken.yaml").write_text("name: [\n")
    return tmp_path


def test_help_shows_whole_summaries_on_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = CliRunner().invoke(app, ["--help"]).stdout
    commands = shown.split("Commands:\n")[1].splitlines()
    assert len(commands) == 12 and all(line.endswith(".") and not line.endswith("...") for line in commands)


def test_show_needs_no_workload() -> None:
    shown = CliRunner().invoke(app, ["show", "wired-pair"]).stdout
    assert shown == CliRunner().invoke(app, ["show", "wired-pair", "idle"]).stdout
    assert shown.startswith("idle on wired-pair: 60 s, seed 1\n")


def test_experiments_here_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(True, "experiments")
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["experiments"]
    assert found["experiments"]["web/table"] == "A table of a paper."


def test_one_broken_file_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(True)
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["topologies", "workloads", "experiments", "probes", "metrics"]
    assert found["experiments"]["web/broken"].startswith("cannot be read: workloads/web/experiments/broken.yaml:")
    assert "two-aps-handoff" in found["topologies"]
    assert "web/table" not in found["workloads"]


def test_what_is_listed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(False, "experiments")
    assert "A table of a paper." in capsys.readouterr().out
