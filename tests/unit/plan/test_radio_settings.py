# SPDX-License-Identifier: MIT
"""The table of settings of radios: a new setting is one file, which a stack may bring."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab.checkout import PACKAGE
from lab.model.radio_setting import table

STRANGE = """\
from lab.model.radio_setting import RadioSetting

class StrangeQueue(RadioSetting):
    about = "How many strange packets wait."
    type = int | None
    perfect = "has nothing strange"

    def show(self, packets):
        return f"{packets} strange packets"

    def complaints(self, packets, radio, cells):
        return [("must not be 13", "write 12")] if packets == 13 else []

    def attributes(self, packets, radio, all_packets):
        return {"drop_tail": packets} if packets else {}
"""
TOPOLOGY = """\
name: place
nodes:
  ap1: {{kind: ap, ssid: campus{key}}}
medium: {medium}
"""


def lab(here: Path, key: str, *arguments: str, medium: str = "{}") -> str:
    """What ``lab`` prints in a folder with a stack that brings the setting ``strange_queue``."""
    room = here / "workloads" / "mine" / "radio_settings"
    room.mkdir(parents=True, exist_ok=True)
    (room / "strange_queue.py").write_text(STRANGE)
    (here / "place.yaml").write_text(TOPOLOGY.format(key=key, medium=medium))
    (here / "wait.yaml").write_text("name: wait\nduration: 1 s\n")
    verb, *options = arguments
    code = "from lab.cli.entry import main; main()"
    command = [sys.executable, "-c", code, verb, "place.yaml", "wait.yaml", *options]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("key", "owner"),
    [("txpower", "model/node"), ("ssid", "nodes/sta/file"), ("position", "model/node"), ("cells", "model/node")],
)
def test_a_setting_with_the_name_of_another_key_names_both_files(tmp_path: Path, key: str, owner: str) -> None:
    room = tmp_path / "workloads" / "mine" / "radio_settings"
    room.mkdir(parents=True)
    (room / f"{key}.py").write_text(STRANGE)
    other = f"{PACKAGE}/{owner}.py"
    message = (
        f'lab: workloads/mine/radio_settings/{key}.py  nodes already have "{key}" ({other}); rename this setting\n'
    )
    assert message in lab(tmp_path, "", "show")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere\n", "cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("def broken(:\n", "cannot be imported: SyntaxError: invalid syntax"),
        (STRANGE.replace("perfect", "complete"), "the setting of radios has no perfect"),
    ],
)
def test_a_setting_that_cannot_be_used_affects_only_nodes_that_have_it(tmp_path: Path, text: str, message: str) -> None:
    room = tmp_path / "workloads" / "other" / "radio_settings"
    room.mkdir(parents=True)
    (room / "broken.py").write_text(text)
    assert "3 strange packets" in " ".join(lab(tmp_path, ", strange_queue: 3", "show").split())
    found = lab(tmp_path, ", broken: 3", "show")
    assert re.match(rf"lab: workloads/other/radio_settings/broken.py(:1)?  {message}", found), found


def test_a_stack_brings_a_setting(tmp_path: Path) -> None:
    assert "3 strange packets" in " ".join(lab(tmp_path, ", strange_queue: 3", "show").split())
    steps = lab(tmp_path, ", strange_queue: 3", "run", "--dry-run")
    assert re.search(r"ADD_RADIO id=1 radio=0 .* drop_tail=3$", steps, re.MULTILINE)
    assert "drop_tail" not in lab(tmp_path, "", "run", "--dry-run")


@pytest.mark.parametrize(
    ("key", "medium", "message"),
    [
        (", strange_queue: 3", "perfect", "has no effect on the perfect medium, which has nothing strange; "),
        (", strange_queue: 13", "{}", "must not be 13\n  write 12"),
        (", strange_queue: many", "{}", 'must be a whole number, not "many"'),
    ],
)
def test_mistakes_in_it_name_the_line(tmp_path: Path, key: str, medium: str, message: str) -> None:
    assert f"place.yaml:3  nodes.ap1.strange_queue: {message}" in lab(tmp_path, key, "show", medium=medium)


def test_a_setting_stands_in_at_most_three_files() -> None:
    files = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    for key in (key for key in table() if "_" in key):  # others are words of the language
        found = [path for path, text in files.items() if re.search(rf"\b{key}", text, re.IGNORECASE)]
        assert len(found) <= 3, f"{key} stands in {', '.join(map(str, found))}"
