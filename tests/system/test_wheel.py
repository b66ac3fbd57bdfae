# SPDX-License-Identifier: MIT
"""The wheel: what is in it, and that an installed lab does what that of the checkout does, without the checkout."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from lab.checkout import CHECKOUT
from tests.determinism.test_same_bytes import digest

pytestmark = pytest.mark.guest

SHORT = ("--set", "duration=2 s", "--set", "processes.echo.run.count=5")
PACKED = ("grading/", "hwsim-patches/", "images/", "topologies/", "workloads/", "scripts/packages")
MADE = ("workloads/http/__pycache__/probe.cpython-311.pyc", "workloads/http/build/get.o", "build/lib/lab/removed.py")
LAB = "from lab.cli.entry import main; main()"
PROJECT = """
import pytest

@pytest.mark.lab("one-ap")
def test_ping(lab):
    assert lab["sta1"].run(["ping", "-c", "1", "h1"]).status == 0
"""
# prints the key of what makes a record with all probes and metrics, and the files
RECORDING = """
from lab.machine.uses import Uses
from lab.metrics.base import METRICS
from lab.probes.base import PROBES
from lab.runs.recording import recording
found = recording(Uses((), (), tuple(PROBES.known()), tuple(METRICS.known()), None, False))
print(found.code, *found.files, sep="\\n")
"""


def tracked() -> list[PurePosixPath]:
    """The files of the checkout, and new ones, without what git ignores."""
    argv = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(argv, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    return [PurePosixPath(name) for name in listed.split("\0") if name and (CHECKOUT / name).is_file()]


def to_pack() -> set[str]:
    """The files that a wheel has of the checkout, with their places in it."""
    found = set()
    for path in tracked():
        not_packed = path.parts[0] == "workloads" and path.parts[2:3] in (("tests",), ("figures",))
        if path.parts[0] == "lab":
            found.add(str(path))
        elif str(path).startswith(PACKED) and not not_packed:
            found.add(f"lab/share/{path}")
    return found


class Installed:
    """A lab that was installed from the wheel."""

    def __init__(self, wheel: Path, place: Path) -> None:
        """Install it in an environment of its own, which sees the packages of this one, but not the checkout."""
        self.wheel, environment = wheel, place / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
        self.python = environment / "bin" / "python"
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel)], check=True)
        (packages,) = environment.glob("lib/python3*/site-packages")
        (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        self.packages = packages

    def lab(self, *arguments: str, cwd: Path, status: int = 0) -> str:
        """What a command prints."""
        return self._output([str(self.python.with_name("lab")), *arguments], cwd, status)

    def run(self, *arguments: str, cwd: Path, status: int = 0) -> str:
        """What Python prints."""
        return self._output([str(self.python), *arguments], cwd, status)

    def _output(self, argv: list[str], cwd: Path, status: int) -> str:
        done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Built from a copy of the checkout, in which somebody has worked."""
    copy, place = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("installed")
    for path in tracked():
        if not path.is_relative_to("docs"):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / path, copy / path)
    for name in MADE:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).touch()
    argv = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*argv, "--no-build-isolation", "--wheel-dir", str(place), str(copy)], check=True)
    (wheel,) = place.glob("*.whl")
    shutil.rmtree(copy)
    return Installed(wheel, place)


def test_the_wheel_has_every_file_and_no_other(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (licences,) = {name.partition("/")[0] for name in wheel.namelist()} - {"lab"}
        assert f"{licences}/licenses/LICENSES/GPL-2.0-only.txt" in wheel.namelist()
    assert names == to_pack()


def test_a_project_of_its_own_tests_itself_over_wifi(installed: Installed, tmp_path: Path) -> None:
    """docs/examples/ci-project, whose code does not know about the lab; a sensor that gives up fails its tests."""
    project = tmp_path / "project"
    shutil.copytree(CHECKOUT / "docs" / "examples" / "ci-project", project, ignore=shutil.ignore_patterns("sensor"))
    make = ["make", "-s", "-C", str(project), "test", f"PYTHON={installed.python}"]
    done = subprocess.run([*make, "PYTEST_ARGS=-n 2"], capture_output=True, text=True, check=False)
    assert "8 passed" in done.stdout, done.stdout
    assert done.returncode == 0
    sensor = project / "sensor.py"
    sensor.write_text(sensor.read_text().replace("except OSError:", "except UnicodeError:"))
    done = subprocess.run([*make, "PYTEST_ARGS=-k 'hole and Python'"], capture_output=True, text=True, check=False)
    assert "TimeoutError" in done.stdout
    assert "FAILED tests/test_wifi.py::test_coverage_hole[Python]" in done.stdout


def ours(*arguments: str, cwd: Path) -> str:
    """What a command of the checkout's lab prints, or what Python does."""
    argv = [sys.executable, "-P", *arguments]
    return subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=True).stdout


def test_an_installed_lab_is_the_lab(installed: Installed, tmp_path: Path) -> None:
    """In an empty directory: the same plans, lists, records, and keys of what makes a record."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    for arguments in (("list", "--json"), ("show", "one-ap", "ping/ping", "--json")):
        assert installed.lab(*arguments, cwd=there) == ours("-c", LAB, *arguments, cwd=here)
    recording = installed.run("-c", RECORDING, cwd=there)
    stacks = {path.parts[-3] for path in CHECKOUT.glob("workloads/*/probes/*.py")}
    assert all(f"\n{stack}/probes/" in recording for stack in stacks) and recording == ours("-c", RECORDING, cwd=here)
    run = ("run", "one-ap", "ping/ping", *SHORT, "--out", "run")
    installed.lab(*run, cwd=there)
    ours("-c", LAB, *run, cwd=here)
    for place in (here, there):  # with wall times
        (place / "run" / "report.html").unlink()
    assert digest(there / "run") == digest(here / "run")


def test_an_installed_lab_checks_files(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\nnodes:\n  h1: {kind: hots}\n")
    reported = installed.lab("check", "mine.yaml", cwd=tmp_path, status=2)
    assert "mine.yaml:3" in reported and "did you mean host?" in reported


def test_another_project_has_the_plugin_for_pytest(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "test_ping.py").write_text(PROJECT)
    reported = installed.run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert "1 passed" in reported


def test_what_needs_a_checkout_says_so(installed: Installed, tmp_path: Path) -> None:
    reported = installed.run("-m", "lab.builders.kernel.edit", "edit", cwd=tmp_path, status=2)
    assert reported == (
        "lab: make kernel-edit needs a checkout of hwsim-lab; this lab was installed from a wheel, in "
        f"{installed.packages}\n  clone the repository, and run it there\n"
    )


def test_an_installed_lab_needs_no_tools_of_the_checkout(installed: Installed, tmp_path: Path) -> None:
    (tools,) = [
        finding for finding in json.loads(installed.lab("doctor", "--json", cwd=tmp_path)) if finding["name"] == "tools"
    ]
    script = "from lab.machine.doctor import host_tools; print(*(tool.name for tool in host_tools()))"
    names = installed.run("-c", script, cwd=tmp_path).split()
    assert "gcc" in names and "shellcheck" not in names
    assert tools["ok"] and tools["found"].endswith("are installed")
