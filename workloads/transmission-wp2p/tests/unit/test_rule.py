# SPDX-License-Identifier: MIT
"""The rule of mobility-aware fetching (wp2p/fetch-rule.h), compiled for this machine, against a table."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

STACK = Path(__file__).parents[2]
CODE = """\
#include "wp2p/fetch-rule.h"
double rarest(const char *text, double downloaded, double connected_s)
{
	struct fetch_rule rule;

	return fetch_rule_read(text, &rule) ? fetch_rule_rarest(&rule, downloaded, connected_s) : -1;
}
"""
Rarest = Callable[[bytes, float, float], float]


@pytest.fixture(scope="module")
def rarest(tmp_path_factory: pytest.TempPathFactory) -> Rarest:
    directory = tmp_path_factory.mktemp("rule")
    (directory / "rule.c").write_text(CODE)
    library = directory / "rule.so"
    warn = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        ["gcc", *warn, "-shared", "-fPIC", "-O1", f"-I{STACK}", "-o", library, directory / "rule.c", "-lm"], check=True
    )
    found = ctypes.CDLL(str(library)).rarest
    found.restype, found.argtypes = ctypes.c_double, [ctypes.c_char_p, ctypes.c_double, ctypes.c_double]
    return found


@pytest.mark.parametrize(
    ("rule", "downloaded", "connected_s", "probability"),
    [
        ("rarest", 0.0, 0.0, 1.0),
        ("fixed 0", 0.7, 9.0, 0.0),
        ("fixed 0.3", 0.7, 9.0, 0.3),
        ("fraction", 0.0, 9.0, 0.0),
        ("fraction", 0.7, 9.0, 0.7),
        # 20 % at the beginning, 100 % at the end, and the same factor from each quarter to the next
        ("growing 0.2", 0.0, 9.0, 0.2),
        ("growing 0.2", 0.25, 9.0, 0.2 * 5**0.25),
        ("growing 0.2", 0.5, 9.0, 0.2 * 5**0.5),
        ("growing 0.2", 1.0, 9.0, 1.0),
        ("growing 0", 0.5, 9.0, 0.0),
        ("connected 0.2 60", 0.9, 0.0, 0.2),
        ("connected 0.2 60", 0.9, 60.0, 0.4),
        ("connected 0.2 60", 0.9, 120.0, 0.8),
        ("connected 0.2 60", 0.9, 180.0, 1.0),
        ("connected 0.2 60", 0.9, 1e9, 1.0),
        ("connected 0 60", 0.9, 1e9, 0.0),  # after more doublings than a number can have
    ],
)
def test_the_probability_of_the_rarest_piece(
    rarest: Rarest, rule: str, downloaded: float, connected_s: float, probability: float
) -> None:
    assert rarest(rule.encode(), downloaded, connected_s) == pytest.approx(probability)


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "often",
        "rarest 0.2",
        "fixed",
        "fixed 1.1",
        "fixed -0.1",
        "fixed nan",
        "fraction 0.2",
        "growing",
        "growing 20%",
        "connected 0.2",
        "connected 0.2 0",
        "connected 0.2 60 s",
        "fixed 0.2 60",
    ],
)
def test_what_is_not_a_rule_is_refused(rarest: Rarest, rule: str) -> None:
    assert rarest(rule.encode(), 0.5, 1.0) == -1
