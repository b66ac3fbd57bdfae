# SPDX-License-Identifier: MIT
"""scripts/bootstrap in a machine of its own: only the programs that a test puts there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lab.checkout import CHECKOUT

TOOLS = """\
# comment
gcc                 gcc      all   compiles
newmap              mapper   user  for users
reader              reader   test  for tests
/etc/nothing*here   a-file   all   a file
"""
NEEDED = ("sh", "cat", "cmp", "dirname", "rm", "mkdir", "chmod")


class Machine:
    """A checkout and a PATH, both nearly empty."""

    def __init__(self, root: Path) -> None:
        self.checkout, self.programs, self.log = root / "checkout", root / "bin", root / "log"
        self.home = root / "home"
        (self.checkout / "scripts").mkdir(parents=True)
        self.programs.mkdir()
        shutil.copy(CHECKOUT / "scripts" / "bootstrap", self.checkout / "scripts")
        (self.checkout / "scripts" / "packages").write_text(TOOLS)
        (self.checkout / "pyproject.toml").write_text("[project]\n")
        (self.checkout / "constraints.txt").write_text("click==1\n")
        for name in NEEDED:
            (self.programs / name).symlink_to(shutil.which(name) or name)
        self.program("uname", "echo x86_64")
        self.user(1000)

    def program(self, name: str, script: str) -> None:
        """A program that logs how it is called, then does what the script says."""
        path = self.programs / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.log}\n{script}\n')
        path.chmod(0o755)

    def user(self, number: int) -> None:
        (self.programs / "id").unlink(missing_ok=True)
        (self.programs / "id").write_text(f"#!/bin/sh\necho {number}\n")
        (self.programs / "id").chmod(0o755)

    def has_tools(self) -> None:
        (self.checkout / "scripts" / "packages").write_text("cat coreutils all shows\n")

    def has_python(self) -> None:
        """A python3 whose -m venv makes an environment, in which python logs what pip is asked."""
        self.program("environment-python", "")
        make = "mkdir -p .venv/bin; cat $0-env >.venv/bin/python; chmod 755 .venv/bin/python"
        self.program("python3", f'[ "$2" != venv ] || {{ {make}; }}')
        (self.programs / "environment-python").rename(self.programs / "python3-env")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        argv = [str(self.programs / "sh"), "scripts/bootstrap", *arguments]
        environment = {"PATH": str(self.programs), "HOME": str(self.home)}
        done = subprocess.run(argv, cwd=self.checkout, env=environment, capture_output=True, text=True, check=False)
        assert "not found" not in done.stderr, done.stderr
        return done

    @property
    def called(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if not line.startswith("uname")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_user_without_sudo_is_given_the_one_command(machine: Machine) -> None:
    machine.program("apt-get", "")
    done = machine.run()
    assert done.returncode == 1
    assert "  apt-get update && apt-get install --yes --no-install-recommends gcc mapper a-file\n" in done.stderr
    assert "missing: gcc (compiles)" in done.stderr
    assert machine.called == []


def test_what_only_an_image_needs_is_not_asked_for_once_there_is_one(machine: Machine) -> None:
    machine.program("apt-get", "")
    image = machine.home / ".cache/hwsim-lab/image/0123"
    image.mkdir(parents=True)
    assert "mapper" in machine.run().stderr  # it is not finished
    (image / "image.squashfs").touch()
    assert "mapper" not in machine.run().stderr


def test_what_only_tests_need_is_asked_for_by_them(machine: Machine) -> None:
    machine.program("apt-get", "")
    assert "reader" not in machine.run().stderr
    done = machine.run("test")
    assert "missing: reader (for tests)" in done.stderr
    assert "--no-install-recommends gcc mapper reader a-file\n" in done.stderr
    machine.program("reader", "")
    assert "reader" not in machine.run("test").stderr


def test_sudo_that_asks_for_a_password_is_not_used(machine: Machine) -> None:
    machine.program("apt-get", "")
    machine.program("sudo", "exit 1")
    done = machine.run()
    assert done.returncode == 1
    assert machine.called == ["sudo -n true"]


def test_root_installs_what_is_missing_and_says_so(machine: Machine) -> None:
    machine.user(0)
    machine.has_python()
    machine.program("apt-get", "")
    (machine.programs / "env").symlink_to(shutil.which("env") or "env")
    done = machine.run()
    assert "installing with apt-get: gcc a-file\n" in done.stdout  # not the package that only users need
    assert machine.called[:2] == [
        "apt-get update -qq",
        "apt-get install --yes --no-install-recommends -qq gcc a-file",
    ]


def test_passwordless_sudo_installs(machine: Machine) -> None:
    machine.has_python()
    machine.program("apt-get", "")
    machine.program("sudo", "")
    machine.run()
    assert machine.called[1:3] == [
        "sudo apt-get update -qq",
        "sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -qq gcc mapper a-file",
    ]


def test_system_without_apt(machine: Machine) -> None:
    done = machine.run()
    assert done.returncode == 1
    assert "not a Debian system; install these with its package manager: gcc mapper a-file" in done.stderr


def test_other_processor(machine: Machine) -> None:
    machine.program("uname", "echo aarch64")
    done = machine.run()
    assert done.returncode == 1
    assert "x86-64 only; this is aarch64" in done.stderr


def test_environment_is_made_once(machine: Machine) -> None:
    machine.has_tools()
    machine.has_python()
    done = machine.run()
    assert done.stdout.splitlines() == [
        "bootstrap: creating the Python environment .venv: 1 of 2, its interpreter and pip",
        "bootstrap: creating the Python environment .venv: 2 of 2, packages from PyPI (half a minute)",
    ]
    assert [call.split(" -m ")[1] for call in machine.called[1:]] == [
        "venv .venv",
        "pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .[dev]",
    ]
    assert machine.run().returncode == 0
    assert machine.called == []


def test_change_of_requirements_makes_it_anew(machine: Machine) -> None:
    machine.has_tools()
    machine.has_python()
    (machine.checkout / ".venv").mkdir()
    (machine.checkout / ".venv" / "stamp").write_text(f"{machine.checkout}\n[project]\nclick==1\n")
    (machine.checkout / "pyproject.toml").write_text("[project]\ndependencies = []\n")
    machine.run()
    assert "python3 -m venv .venv" in machine.called
