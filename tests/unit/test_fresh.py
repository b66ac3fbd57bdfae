# SPDX-License-Identifier: MIT
"""scripts/test-fresh as far as it can be had in seconds: what it refuses, and that it leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from lab.checkout import CHECKOUT

TOOLS = (
    *("bash", "cat", "chmod", "cp", "df", "dirname", "flock", "git", "head", "mkdir", "mktemp", "rm", "rmdir", "sed"),
    *("setpriv", "sleep", "tail", "true"),
)


class Host:
    """A PATH with few programs, some of them a test's own, and a checkout."""

    def __init__(self, root: Path) -> None:
        self.root, self.programs, self.cache = root, root / "bin", root / "cache"
        self.checkout = root / "checkout"
        (self.checkout / "scripts").mkdir(parents=True)
        self.programs.mkdir()
        for name in ("test-fresh", "fresh-enter", "fresh-debian"):
            shutil.copy(CHECKOUT / "scripts" / name, self.checkout / "scripts")
        for name in TOOLS:
            (self.programs / name).symlink_to(shutil.which(name) or name)
        for name in ("mmdebstrap", "mount"):
            self.program(name, "exit 1")
        self.program("id", "echo 0")
        self.program("unshare", "exit 1")
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
        for argv in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=all"]):
            subprocess.run([*git, *argv], cwd=self.checkout, check=True)

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
        path.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": str(self.programs), "HOME": str(self.root), "XDG_CACHE_HOME": str(self.cache)}

    @property
    def argv(self) -> list[str]:
        return [str(self.programs / "bash"), str(self.checkout / "scripts" / "test-fresh")]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        argv = [*self.argv, *arguments]
        return subprocess.run(argv, env=self.environment, capture_output=True, text=True, check=False)

    def left(self) -> list[Path]:
        return list(self.cache.glob("hwsim-lab/fresh"))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--release", "sid"], "sid is not one of: bookworm trixie"),
        (["--as"], "nothing is not one of: root user"),
        (["--fast"], "--fast is not one of: --release --as --only"),
    ],
)
def test_unknown_arguments(host: Host, arguments: list[str], message: str) -> None:
    done = host.run(*arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert "usage: scripts/test-fresh" in done.stderr


def test_must_be_root(host: Host) -> None:
    host.program("id", "echo 1000")
    done = host.run()
    assert done.returncode == 1
    assert "must be started as root" in done.stderr


def test_no_room(host: Host) -> None:
    host.program("df", "echo Avail; echo 1000000000")
    done = host.run()
    assert done.returncode == 1
    assert "1 GB free, 8 GB needed" in done.stdout
    assert "TMPDIR=/some/dir selects another directory" in done.stderr


def test_a_failure_is_reported_with_its_log(host: Host) -> None:
    host.program("unshare", 'echo "no $release for you"; exit 3')
    done = host.run("--release", "trixie", "--as", "root")
    assert done.returncode == 1
    assert "trixie, root: minimal Debian failed; the end of build/fresh/trixie-root.log:\n" in done.stderr
    assert "    no  for you\n" in done.stderr
    assert done.stdout.splitlines()[-1].split() == ["trixie", "root", "minimal", "Debian", "failed", "0:00"]
    assert host.left() == []


def test_every_combination_is_tried(host: Host) -> None:
    rows = [line.split()[:2] for line in host.run().stdout.splitlines()[-4:]]
    assert rows == [["bookworm", "root"], ["bookworm", "user"], ["trixie", "root"], ["trixie", "user"]]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(host: Host, number: signal.Signals) -> None:
    fifo = host.root / "fifo"
    os.mkfifo(fifo)
    host.program("unshare", f"echo $$ >{fifo}; exec sleep 1000")
    with subprocess.Popen([*host.argv, "--as", "root"], env=host.environment, stderr=subprocess.PIPE) as process:
        job = int(fifo.read_text())  # blocks until there is one
        process.send_signal(number)
        assert process.wait() == 130
    assert host.left() == []
    with pytest.raises(ProcessLookupError):
        os.kill(job, 0)


def test_what_a_killed_one_has_left_is_removed(host: Host) -> None:
    stale = host.cache / "hwsim-lab" / "fresh" / "hwsim-fresh-123456"
    stale.mkdir(parents=True)
    (stale / "lock").touch()
    done = host.run("--release", "trixie", "--as", "root")
    assert f"removing the remains of a killed test-fresh: {stale}/" in done.stdout
    assert host.left() == []
