# SPDX-License-Identifier: MIT
"""The host's part of scripts of Mininet-WiFi: their folder, their time, ranges, and how they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.cli.main import _names_script
from lab.errors import InputError
from lab.runs import script
from lab.runs.ranges import Powers


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["walk.py"], True),
        (["walk.py", "office"], True),
        (["--seed", "3", "--real", "walk.py", "-a"], True),
        (["--seed=3", "walk.py"], True),
        (["office", "walk.py"], False),
        (["office", "ping/ping", "--out", "walk.py"], False),
        ([], False),
    ],
)
def test_a_script_is_the_first_word(words: list[str], named: bool) -> None:
    assert _names_script(words) == named


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("from mn_wifi.cli import CLI\nCLI(net)", True),
        ("def f():\n    net.interact()", True),
        ("class Prompt(cli.CLI):\n    pass", True),
        ("from mn_wifi.cli import CLI", False),
        ("print 'CLI(net)'", False),  # Python 2
    ],
)
def test_a_script_that_calls_a_prompt(text: str, opens: bool) -> None:
    assert script._opens_prompt(text) == opens


def test_a_script_takes_its_folder_along(tmp_path: Path) -> None:
    here = tmp_path / "here"
    for name in ("walk.py", "data/table.csv", ".git/config", "runs/old/plan.json", "__pycache__/walk.pyc"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(name)
    work = tmp_path / "work"
    before = script._copy(here / "walk.py", work)
    assert sorted(str(Path(name).relative_to(work)) for name in before) == ["data/table.csv", "walk.py"]
    assert script._state(work) == before
    (work / "new.txt").write_text("found")
    assert script._state(work) != before


def test_of_a_large_folder_only_its_python_files_go_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name, text in (("walk.py", "import helper"), ("helper.py", ""), ("data.bin", "x" * 200)):
        (here / name).write_text(text)
    monkeypatch.setattr(script, "_MOST_BYTES", 100)
    found = script._copy(here / "walk.py", tmp_path / "work")
    assert sorted(Path(name).name for name in found) == ["helper.py", "walk.py"]


def entries(keys: dict[str, Any], propagation: dict[str, Any] | None = None) -> list[list[Any]]:
    medium = {"propagation": propagation} if propagation else {}
    return [["medium", medium, "a.py:9"], ["nodes.ap1", {"kind": "ap", **keys}, "a.py:2"]]


def power(keys: dict[str, Any], propagation: dict[str, Any] | None = None) -> str:
    found = Powers(entries(keys, propagation), -91.0).entries()[1][1]
    assert "range" not in found
    return str(found["txpower"])


def test_a_range_is_where_the_level_has_fallen_to_the_noise() -> None:
    """Free space at 1 m and 2412 MHz: 40.09 dB; then 30 dB a decade, or 20 dB."""
    assert power({"range": 100, "antenna_gain": "5 dBi", "channel": 1}) == "-0.9047 dBm"
    assert power({"range": 100, "channel": 1}, {"model": "friis"}) == "-10.9 dBm"
    assert power({"range": 10, "channel": 36}, {"model": "logNormalShadowing", "exp": 3, "variance": "4 dB"}) == (
        power({"range": 10, "channel": 36}, {"model": "logDistance", "exp": 3})
    )


def test_each_radio_has_its_range() -> None:
    keys = {"range": 100, "channel": 1, "wlans": [{"range": 10, "channel": 1}, {"txpower": "3 dBm"}]}
    found = Powers(entries(keys), -91.0).entries()[1][1]
    assert found["txpower"] == "9.095 dBm"
    assert [one["txpower"] for one in found["wlans"]] == ["-20.9 dBm", "3 dBm"]


def test_a_power_has_its_range() -> None:
    keys = {"txpower": "9.095 dBm", "channel": 1, "wlans": [{"txpower": "-20.9 dBm"}, {}]}
    powers = Powers(entries(keys), -91.0)
    powers.entries()
    assert powers.ranges() == {"ap1": pytest.approx(100, rel=2e-3), "ap1-wlan2": pytest.approx(10, rel=2e-3)}


@pytest.mark.parametrize("propagation", [{"model": "none such"}, {"model": "logDistance", "exp": "two"}])
def test_a_mistake_in_the_propagation_is_left_to_the_topology(propagation: dict[str, Any]) -> None:
    found = Powers(entries({"range": 100, "channel": 1}, propagation), -91.0).entries()
    assert found[0][1] == {"propagation": propagation}
    assert found[1][1] == {"kind": "ap", "channel": 1}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [("x = (\n", "was never closed", None), ('import os\nprint "x"\n', "Missing parentheses", "2to3 -w converts it")],
)
def test_what_python_cannot_read_is_refused_before_a_guest_starts(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(InputError) as refused:
        script._check_syntax(Path("walk.py"), text)
    assert message in str(refused.value) and "walk.py:" in str(refused.value)
    assert hint is None or hint in str(refused.value.hint)


class Host:
    """Of a session of the lab: answers everything."""

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"answered": asked["what"]}


@pytest.mark.parametrize("terminal", [False, True])
def test_a_script_uses_no_file_of_the_host(terminal: bool, tmp_path: Path) -> None:
    """Any program in its guest may ask; what is not of its network is refused, whatever it is."""
    (tmp_path / "walk.py").write_text("")
    (tmp_path / "run").mkdir()
    options = script.ScriptOptions(tmp_path / "walk.py")
    answers = script.ScriptAnswers(
        options, tmp_path / "run", terminal=terminal, real=terminal, apart=False, convert=None
    )
    asked = ("source", "files", "history", "remember", "save", "forward", "event", "levels", "terminal", "anything")
    assert all("refused" in answers.answer({"what": what, "path": "/etc/passwd"}) for what in asked), "before build()"
    answers._session = Host()  # type: ignore[assignment]
    allowed = {what for what in asked if "refused" not in answers.answer({"what": what, "path": "/etc/passwd"})}
    assert allowed == {"event", "levels", "terminal"} | ({"forward"} if terminal else set())
