# SPDX-License-Identifier: MIT
"""A checkout that was copied with its environment never runs the original's code."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.checkout import CHECKOUT
from lab.cli.copied import refuse_copy
from lab.errors import InputError


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another checkout, whose environment was made where it is."""
    checkout = tmp_path / "other"
    for file in ("lab/checkout.py", ".venv/stamp", ".venv/bin/lab", "topologies/x.yaml"):
        (checkout / file).parent.mkdir(parents=True, exist_ok=True)
        (checkout / file).touch()
    (checkout / ".venv/stamp").write_text(f"{checkout}\n[project]\n")
    return checkout


def test_a_copied_program_is_refused(other: Path) -> None:
    (other / ".venv/stamp").write_text(f"{CHECKOUT}\n[project]\n")
    with pytest.raises(InputError, match=rf"was copied from {CHECKOUT}, (.|\n)*make -C {other} lab"):
        refuse_copy(str(other / ".venv/bin/lab"))


def test_so_is_a_copied_environment_that_was_activated(other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (other / ".venv/stamp").write_text("/somewhere/else\n")
    monkeypatch.chdir(other / "topologies")
    with pytest.raises(InputError, match=r"\.venv was copied from /somewhere/else"):
        refuse_copy(str(CHECKOUT / ".venv/bin/lab"))


def test_two_checkouts_with_environments_of_their_own_may_meet(other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(other)
    refuse_copy(str(CHECKOUT / ".venv/bin/lab"))
    (other / ".venv/stamp").unlink()  # a clone in which nobody has said make yet
    refuse_copy(str(CHECKOUT / ".venv/bin/lab"))
