# SPDX-License-Identifier: MIT
"""Docker as far as it can be had without: files that are valid and fit each other; what scripts/test-docker lacks.

`make test-docker` builds the image and runs it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lab.checkout import CHECKOUT
from tests.system.test_wheel import PACKED

COMPOSE = CHECKOUT / "docker-compose.yml"
TOOLS = ("bash", "basename", "dirname", "env", "install", "mkdir", "mktemp", "chmod", "rm", "sed", "tail", "tr")
ENDS = 'echo "cannot open the socket" >&2; exit 1'


def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = YAML(typ="safe").load(COMPOSE)["services"]
    return found


def test_compose_file_is_valid() -> None:
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(COMPOSE)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["lab", "scheduler", "worker"])
def test_containers_have_no_privileges(name: str) -> None:
    service = services()[name]
    assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True and service["user"] == "${UID:-1000}:${GID:-1000}"
    for key in ("cap_add", "devices", "ipc", "network_mode", "pid", "ports", "privileged", "userns_mode"):
        assert key not in service


def test_only_the_lab_starts_without_a_profile() -> None:
    assert {name for name, service in services().items() if "profiles" not in service} == {"lab"}
    assert services()["lab"]["command"] == ["run", "two-aps-handoff", "http/download"]
    flagship = re.search(r"^lab: .*\n\t@\$\(LAB\) (.*)$", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
    assert flagship and flagship[1].split() == services()["lab"]["command"]


def test_the_base_image_is_pinned() -> None:
    (base,) = re.findall(r"^ARG BASE=(.*)$", (CHECKOUT / "docker/Dockerfile").read_text(), re.MULTILINE)
    assert re.fullmatch(r"debian:bookworm-\d{8}-slim@sha256:[0-9a-f]{64}", base)


def test_all_that_a_wheel_packs_reaches_the_build() -> None:
    lines = (CHECKOUT / "docker/Dockerfile.dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert {
        name.removesuffix("/") for name in (*PACKED, "lab", "pyproject.toml", "setup.py", "constraints.txt")
    } <= sent


def test_the_dev_container_is_that_of_compose() -> None:
    path = CHECKOUT / ".devcontainer/devcontainer.json"
    found = json.loads(re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE))
    dockerfile, context = (path.parent / found["build"][key] for key in ("dockerfile", "context"))
    assert dockerfile.resolve() == CHECKOUT / "docker/Dockerfile" and context.resolve() == CHECKOUT
    assert services()["lab"]["tmpfs"] == ["/tmp:exec,mode=1777,size=${LAB_MEMORY:-4g}"]
    assert "--tmpfs=/tmp:exec,mode=1777,size=4g" in found["runArgs"]
    assert found["build"]["args"].keys() == services()["lab"]["build"]["args"].keys() == {"NODE_IMAGES"}
    assert not {"--privileged", "--cap-add"} & {word.partition("=")[0] for word in found["runArgs"]}


class Host:
    """A PATH with few programs, some of them a test's own, and a checkout."""

    def __init__(self, root: Path) -> None:
        self.root, self.programs, self.checkout = root, root / "bin", root / "checkout"
        self.programs.mkdir()
        for folder in ("scripts", "docker"):
            (self.checkout / folder).mkdir(parents=True)
        shutil.copy(CHECKOUT / "scripts/test-docker", self.checkout / "scripts")
        shutil.copy(CHECKOUT / "docker/Dockerfile", self.checkout / "docker")
        for name in TOOLS:
            (self.programs / name).symlink_to(shutil.which(name) or name)
        self.program("id", "echo 0")

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
        path.chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        argv = [str(self.programs / "bash"), str(self.checkout / "scripts/test-docker"), *arguments]
        environment = {"PATH": str(self.programs), "TMPDIR": str(self.root)}
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
        assert not list(self.root.glob("hwsim-docker-*"))
        return done


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def no_docker(host: Host) -> None:
    pass


def no_daemon(host: Host) -> None:
    host.program("docker", "exit 1")


def no_root(host: Host) -> None:
    no_daemon(host)
    host.program("dockerd", ENDS)
    host.program("id", "echo 1000")


def a_daemon_that_ends(host: Host) -> None:
    no_daemon(host)
    host.program("dockerd", ENDS)


def no_compose(host: Host) -> None:
    host.program("docker", '[ "$1" = version ]')


def no_registry(host: Host) -> None:
    host.program("docker", 'case "$1 $2" in "image inspect") exit 1 ;; pull*) echo "no such host" >&2; exit 1 ;; esac')


REASONS = [
    (no_docker, "no Docker engine here: docker is not installed"),
    (no_daemon, "no Docker engine here: no daemon answers, and dockerd is not installed"),
    (no_root, "no Docker engine here: no daemon answers, and only root can start one"),
    (a_daemon_that_ends, "no Docker engine here: dockerd ends: cannot open the socket"),
    (no_compose, "neither docker compose nor docker-compose is installed"),
    (no_registry, "the base image of docker/Dockerfile cannot be fetched: no such host"),
]


def test_an_engine_that_cannot_say_what_is_left(host: Host) -> None:
    host.program("docker", 'case $1 in image) exit 1 ;; pull) echo "no such host" >&2; exit 1 ;; esac')
    done = host.run()
    assert done.returncode == 1 and "test-docker: left behind: not known: the engine does not answer\n" in done.stderr


@pytest.mark.parametrize(("lacks", "reason"), REASONS)
def test_what_a_machine_lacks_is_named(host: Host, lacks: Any, reason: str) -> None:
    """It fails; as a part of .ci/run, it does not, and is named so that nobody takes it for a success."""
    lacks(host)
    done = host.run()
    assert (done.returncode, done.stderr) == (1, f"test-docker: {reason}\n")
    done = host.run("--where-possible")
    assert (done.returncode, done.stderr) == (0, f"\ntest-docker: NOT RUN: {reason}\n\n")
    assert "passed" not in done.stdout


def test_unknown_arguments(host: Host) -> None:
    done = host.run("--fast")
    assert (done.returncode, done.stderr) == (1, "test-docker: usage: scripts/test-docker [--where-possible]\n")


def test_a_failed_build_removes_what_there_is(host: Host) -> None:
    """Containers, also those of docker compose run, what compose made, images, and the base image if it was fetched."""
    calls = host.root / "calls"
    there = '"image inspect") exit 1 ;; "ps --all") [ -e removed ] || echo c1 ;; "rm --force") : >removed ;; '
    host.program("docker", f'echo "$*" >>{calls}; case "$1 $2" in {there} build*) echo no space; exit 1 ;; esac')
    assert (host.run().returncode, host.run().stderr) == (1, "no space\ntest-docker: the image does not build\n")
    removing = [line for line in calls.read_text().splitlines() if " rm " in f" {line}" or " down " in line]
    assert removing[0] == "rm --force --volumes c1"
    assert removing[1].endswith(" --profile dask down --volumes --remove-orphans")
    assert re.fullmatch(r"image rm --force hwsim-docker-(\w+):test hwsim-docker-\1:node", removing[2])
    assert re.fullmatch(r"image rm debian:bookworm-.*", removing[3])


def test_what_cannot_be_removed_is_reported(host: Host) -> None:
    host.program("docker", 'case "$1" in ps) echo c1; echo c2 ;; build) exit 1 ;; esac')
    done = host.run()
    assert done.returncode == 1
    assert done.stderr == "test-docker: the image does not build\ntest-docker: left behind: c1 c2\n"


def test_a_failed_build_shows_its_end(host: Host) -> None:
    host.program("docker", 'case $1 in build) echo "no space left"; exit 1 ;; esac')
    done = host.run("--where-possible")
    assert done.returncode == 1
    assert done.stderr == "no space left\ntest-docker: the image does not build\n"
