# SPDX-License-Identifier: MIT
"""How skopeo is called: for images of Linux on amd64, whoever has made them, and the engine that DOCKER_HOST names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.docker import skopeo
from lab.docker.reference import DAEMON, LAYOUT, Reference

ALWAYS = ["skopeo", "--insecure-policy", "--override-os=linux", "--override-arch=amd64"]
CONFIG = {"rootfs": {"diff_ids": ["sha256:12"]}}


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a skopeo first in the PATH that writes down its command; return that file."""
    program, log = tmp_path / "bin" / "skopeo", tmp_path / "called"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"${{0##*/}}\" \"$@\" >{log}\necho '{json.dumps(CONFIG)}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.delenv(skopeo.ENGINE, raising=False)
    return log


def test_the_configuration_is_read_as_it_is(called: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Reference(LAYOUT, "/web", None)
    assert skopeo.configuration(layout) == CONFIG
    assert called.read_text().splitlines() == [*ALWAYS, "inspect", "--raw", "--config", str(layout)]
    monkeypatch.setenv(skopeo.ENGINE, "unix:///x")
    skopeo.configuration(Reference(DAEMON, "web", "1"))
    assert called.read_text().splitlines()[7:] == ["--daemon-host=unix:///x", "docker-daemon:web:1"]


def test_layers_are_copied_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(skopeo.ENGINE, raising=False)
    layout = Reference(LAYOUT, "/web", None)
    start, end = [*ALWAYS, "--tmpdir=/scratch", "copy", "--quiet", "--dest-decompress"], [str(layout), "dir:/to"]
    assert skopeo.copying(layout, Path("/to"), Path("/scratch")) == [*start, *end]
    monkeypatch.setenv(skopeo.ENGINE, "unix:///x")
    assert skopeo.copying(layout, Path("/to"), Path("/scratch")) == [*start, "--src-daemon-host=unix:///x", *end]
