# SPDX-License-Identifier: MIT
"""The kernel's medium is in layers: its files call only what stands before them in the lists of their headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.guest.medium_source import DRIVER, medium_source

PREFIX = "hwsim_medium_"
PURE = ("math", "phy", "mask", "errors", "edca", "ampdu")

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LISTED = re.compile(r"^ \*\t(\w+)\t+\w", re.MULTILINE)
_DEFINED = re.compile(r"^(?!static|EXPORT|#|\s|return|extern)[\w *]*?\b(hwsim_\w+)\([^;{}]*\)[^;{}]*\{", re.MULTILINE)
_USED = re.compile(r"\b(hwsim_\w+)\b")
_INCLUDED = re.compile(rf'^#include "{PREFIX}(\w+)\.h"', re.MULTILINE)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the medium's files."""
    return medium_source(tmp_path_factory.mktemp("medium")) / DRIVER


def read(folder: Path) -> dict[str, str]:
    """Return the source files of the medium by their short names, without comments and tests."""
    paths = (path for path in folder.glob(f"{PREFIX}*.c") if not path.stem.endswith("_test"))
    return {path.stem.removeprefix(PREFIX): _COMMENT.sub("", path.read_text()) for path in paths}


def listed(driver: Path, header: str) -> tuple[str, ...]:
    """Return the files that the comment of a layer's header lists, in order."""
    opening = _COMMENT.findall((driver / f"{PREFIX}{header}.h").read_text())[1]
    return tuple(_LISTED.findall(opening))


def order(driver: Path) -> tuple[str, ...]:
    """Return all files, lowest layer first."""
    return (*PURE, "core", *listed(driver, "air"), *listed(driver, "mac"), "radio", *listed(driver, "netlink"))


def upward(files: dict[str, str], ranks: dict[str, int]) -> Iterator[str]:
    """Yield each use of a function that stands at the same place or behind its user."""
    home = {name: file for file, text in files.items() for name in _DEFINED.findall(text)}
    for file, text in sorted(files.items()):
        for name in sorted(set(_USED.findall(text))):
            owner = home.get(name, file)
            if owner != file and ranks[owner] >= ranks[file]:
                yield f"{file} uses {name} of {owner}"


def test_each_file_has_one_place(driver: Path) -> None:
    assert sorted(order(driver)) == sorted(read(driver))


def test_calls_go_down(driver: Path) -> None:
    ranks = {name: rank for rank, name in enumerate(order(driver))}
    assert list(upward(read(driver), ranks)) == []


@pytest.mark.parametrize("header", ["air", "mac"])
def test_a_layer_sees_its_own_header_and_lower_ones(driver: Path, header: str) -> None:
    above = {"air": {"mac", "radio"}, "mac": {"radio"}}[header]
    for name in listed(driver, header):
        included = set(_INCLUDED.findall((driver / f"{PREFIX}{name}.c").read_text()))
        assert included and not included & above, name


def test_pure_files_know_no_radio(driver: Path) -> None:
    for name in (*PURE, "core"):
        assert not re.search(r"\bhwsim_(radio|medium|ppdu|mac)\b", read(driver)[name]), name


def test_a_call_upward_is_found() -> None:
    files = {
        "low": "void hwsim_low(void)\n{\n\thwsim_high();\n}\n",
        "high": "int hwsim_high(void)\n{\n\thwsim_low();\n}\n",
    }
    assert list(upward(files, {"low": 0, "high": 1})) == ["low uses hwsim_high of high"]
