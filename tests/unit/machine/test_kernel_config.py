# SPDX-License-Identifier: MIT
"""Fragments: what is asked for must be in the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.kernel.config import check_survived, read_options
from lab.builders.kernel.series import PatchSeries, SeriesPart
from lab.errors import BuildError


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_fragments_come_in_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    for name in ("20-b.config", "10-a.config", "notes.txt"):
        (tmp_path / "config" / name).touch()
    assert [path.name for path in SeriesPart("part", tmp_path).fragments] == ["10-a.config", "20-b.config"]


def test_options_and_their_places(tmp_path: Path) -> None:
    path = write(tmp_path / "a.config", '# why\nCONFIG_A=y\n\n# CONFIG_B is not set\nCONFIG_C="text=y"\n')
    found = [(option.name, option.value, option.where) for option in read_options(path)]
    assert found == [
        ("CONFIG_A", "y", f"{path}:2"),
        ("CONFIG_B", "n", f"{path}:4"),
        ("CONFIG_C", '"text=y"', f"{path}:5"),
    ]


def test_line_that_is_no_option(tmp_path: Path) -> None:
    path = write(tmp_path / "a.config", "CONFIG_A\n")
    with pytest.raises(BuildError, match=r"a\.config:1  'CONFIG_A' is not a valid option; write CONFIG_NAME=y"):
        read_options(path)


def test_option_that_does_not_survive_is_named_with_its_place(tmp_path: Path) -> None:
    wanted = read_options(write(tmp_path / "net.config", "CONFIG_NET=y\nCONFIG_TIPC=y\n"))
    config = write(tmp_path / ".config", "CONFIG_NET=y\n# CONFIG_TIPC is not set\n")
    with pytest.raises(BuildError, match=r"net\.config:2  CONFIG_TIPC=y was not kept; the kernel has n"):
        check_survived(wanted, config)


def test_option_that_is_on_though_it_was_to_be_off(tmp_path: Path) -> None:
    wanted = read_options(write(tmp_path / "a.config", "# CONFIG_WEXT is not set\n"))
    with pytest.raises(BuildError, match="CONFIG_WEXT=n was not kept; the kernel has y"):
        check_survived(wanted, write(tmp_path / ".config", "CONFIG_WEXT=y\n"))


def test_later_fragment_wins(tmp_path: Path) -> None:
    wanted = read_options(write(tmp_path / "a.config", "CONFIG_A=y\nCONFIG_A=n\n"))
    check_survived(wanted, write(tmp_path / ".config", "CONFIG_B=y\n"))


def test_every_fragment_says_why() -> None:
    """Each fragment of the lab is readable, and begins with a reason below its licence."""
    for path in PatchSeries().fragments:
        assert read_options(path)
        assert any(line.startswith("# ") and "SPDX" not in line for line in path.read_text().splitlines()), path
