# SPDX-License-Identifier: MIT
"""Rules of nftables: who may go on with them, and what they say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .packets import compiled
from .planted import PLANTED_RULES


@pytest.fixture(scope="module")
def rules() -> Path:
    return compiled("drive_rules")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, where locks are, and an nft that prints what it is told."""
    nft = tmp_path / "nft"
    nft.write_text("#!/bin/sh\nexec /bin/cat\n")
    nft.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(program: Path, *words: str) -> str:
    own = {"PATH": str(Path.cwd())}
    return subprocess.run([str(program), *words], env=own, capture_output=True, text=True, check=True).stdout


def test_the_next_a3d_has_the_same_side_queue_hook_and_folder(rules: Path) -> None:
    Path("other").mkdir()
    ways = [("1", "9100", "0", "-"), ("2", "9100", "0", "-"), ("1", "9200", "0", "-"), ("1", "9100", "1", "-")]
    ways += [("1", "9100", "0", "."), ("1", "9100", "0", "other")]
    numbers = [said(rules, "identity", *way) for way in (*ways, *ways)]
    assert numbers[: len(ways)] == numbers[len(ways) :] and len(set(numbers)) == len(ways)


def test_one_node_is_for_one_a3d(rules: Path) -> None:
    """Until it has ended, however it does."""
    for _ in range(2):
        with subprocess.Popen([str(rules), "alone"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
            assert first.stdout is not None and first.stdout.readline() == "alone\n"
            second = subprocess.run([str(rules), "alone"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            first.kill()
        assert second.returncode and "another a3d serves this node" in second.stderr


def test_who_begins_a_connection_again_is_checked_for_both_versions_of_ip(rules: Path) -> None:
    lines = said(rules, "make", "0").splitlines()
    checks = [line.split()[0] for line in lines if "fib saddr . iif oif missing drop" in line and "@changed" in line]
    assert checks == ["ip", "ip6"]


def test_when_a3d_has_ended_it_is_still_checked(rules: Path) -> None:
    """What is marked waits for the next one; the rest passes."""
    lines = said(rules, "stop").splitlines()
    assert "flush chain inet a3 ours" in lines and "tcp flags & syn == syn jump begins" in lines
    assert [line.split()[-3:] for line in lines if "queue" in line] == [["queue", "to", "9101"]] * 2


@pytest.mark.parametrize(("number", "goes"), [(9100, True), (9101, True), (9102, False), (9099, False)])
def test_chains_stay_if_another_program_has_a_queue(rules: Path, number: int, goes: bool) -> None:
    """The kernel drops what waits in all queues when a chain goes."""
    queues = f" 9100  100 0 2 65531 0 0 1 1\n {number}  100 0 2 65531 0 0 1 1\n"
    assert ("delete table" in said(rules, "remove", queues)) == goes


@pytest.mark.parametrize("name", PLANTED_RULES)
def test_planted_mistakes_are_found(name: str) -> None:
    mistake = PLANTED_RULES[name]
    with pytest.raises(AssertionError):
        globals()[mistake.found_by](compiled("drive_rules", mistake), *mistake.values)
