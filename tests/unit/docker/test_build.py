# SPDX-License-Identifier: MIT
"""The files of Docker images, packed: equal layers give equal bytes; what is broken is reported with its place."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from lab.builders import step
from lab.builders.image import docker
from lab.builders.image.docker import ensure_docker_image
from lab.builders.image.node_image import NodeImage
from lab.docker import skopeo
from lab.docker.reference import parse
from lab.docker.skopeo import configuration, layers_name
from lab.errors import BuildError, LabError
from tests.docker_images import MADE_S, archive, file, folder, layer, layout, link
from tests.kept import KeptReport
from tests.own_cache import own_cache
from tests.unit.docker.daemon import engine

WHERE = "topology.yaml:3"
LOW = layer(folder("bin"), file("bin/su", b"x", 0o4755, uid=0, gid=42), link("bin/also", "bin/su", hard=True))
HIGH = layer(folder("tmp", 0o1777, mtime=MADE_S - 5), file("bin/.wh.also"))


def packed(text: str, root: Path) -> tuple[NodeImage, KeptReport]:
    """The image of a reference, in a cache of its own."""
    reference, report = parse(text), KeptReport()
    name = layers_name(configuration(reference))
    with own_cache(root):
        return ensure_docker_image(report, reference, name, WHERE), report


def test_equal_layers_give_equal_bytes_wherever_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layout(tmp_path / "web", [LOW, HIGH], {"Cmd": ["/a"]})
    saved = archive(tmp_path / "web.tar", [LOW, HIGH], {"Cmd": ["/b"]})
    found = [packed(f"oci:{tmp_path}/web", tmp_path / "a"), packed(f"docker-archive:{saved}", tmp_path / "b")]
    with engine(tmp_path / "socket", "web:1", saved.read_bytes()) as host:
        monkeypatch.setenv("DOCKER_HOST", host)
        found.append(packed("docker-daemon:web:1", tmp_path / "c"))
    assert len({(image.name, image.sha256, image.key) for image, _ in found}) == 1
    listing = subprocess.run(
        ["unsquashfs", "-lln", "-UTC", str(found[0][0].path)], capture_output=True, text=True, check=True
    ).stdout
    assert [" ".join(line.split()) for line in listing.splitlines() if line.strip()][-4:] == [
        "drwxr-xr-x 0/0 37 2023-11-14 22:13 squashfs-root",
        "drwxr-xr-x 0/0 25 2023-11-14 22:13 squashfs-root/bin",
        "-rwsr-xr-x 0/42 1 2023-11-14 22:13 squashfs-root/bin/su",
        "drwxrwxrwt 0/0 3 2023-11-14 22:13 squashfs-root/tmp",
    ]


def test_the_second_time_it_is_cached_under_any_name(tmp_path: Path) -> None:
    layout(tmp_path / "web", [LOW], {})
    first, report = packed(f"oci:{tmp_path}/web", tmp_path)
    assert report.steps
    (tmp_path / "web").rename(tmp_path / "other")
    second, report = packed(f"oci:{tmp_path}/other", tmp_path)
    assert (first, report.steps) == (second, [])


def blob(directory: Path, described: dict[str, str]) -> Path:
    """The file of a blob in a layout."""
    return directory / "blobs" / "sha256" / described["digest"].removeprefix("sha256:")


def failure_of(text: str, tmp_path: Path) -> str:
    with pytest.raises(BuildError) as failure:
        packed(text, tmp_path / "cache")
    return str(failure.value).splitlines()[0]


def test_broken_layers(tmp_path: Path) -> None:
    cut = layout(tmp_path / "cut", [LOW[: 2 * tarfile.BLOCKSIZE]], {})
    assert failure_of(f"oci:{cut}", tmp_path) == f"{WHERE}  oci:{cut} is broken: layer 1 of 1: unexpected end of data"
    lost = layout(tmp_path / "lost", [LOW * 3], {})
    index = json.loads((lost / "index.json").read_text())
    manifest = json.loads(blob(lost, index["manifests"][0]).read_text())
    blob(lost, manifest["layers"][0]).unlink()
    assert failure_of(f"oci:{lost}", tmp_path).startswith(f"{WHERE}  oci:{lost} cannot be read as a Docker image: ")


def test_an_image_that_grows_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = layout(tmp_path / "bomb", [layer(file("a", bytes(300_000_000)))], {})
    assert sum(path.stat().st_size for path in bomb.rglob("*")) < 1_000_000
    monkeypatch.setattr(docker, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(step, "TICK_S", 0.01)
    assert failure_of(f"oci:{bomb}", tmp_path) == f"{WHERE}  oci:{bomb} has more than 0.001 GB when unpacked"
    assert not list((tmp_path / "cache").rglob("*partial*"))


@pytest.mark.parametrize("kind", ["config", "layers"])
def test_a_pipe_in_an_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(skopeo, "_TIMEOUT_S", 0.5)
    monkeypatch.setattr(docker, "_STALLED_S", 0.5)
    made = layout(tmp_path / "web", [LOW], {})
    manifest = json.loads(blob(made, json.loads((made / "index.json").read_text())["manifests"][0]).read_text())
    pipe = blob(made, manifest["config"] if kind == "config" else manifest["layers"][0])
    pipe.unlink()
    os.mkfifo(pipe)
    with pytest.raises(LabError, match=f"oci:{made} cannot be read: nothing has arrived for 0.5 s"):
        packed(f"oci:{made}", tmp_path / "cache")


@pytest.mark.parametrize("kind", ["config", "layers"])
def test_a_digest_that_is_a_path(tmp_path: Path, kind: str) -> None:
    made = layout(tmp_path / "web", [LOW], {})
    index = json.loads((made / "index.json").read_text())
    manifest = json.loads(blob(made, index["manifests"][0]).read_text())
    described = manifest["config"] if kind == "config" else manifest["layers"][0]
    described["digest"] = "sha256:../../../../../../../../../../etc/passwd"
    content = json.dumps(manifest).encode()
    index["manifests"][0] |= {"digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "size": len(content)}
    blob(made, index["manifests"][0]).write_bytes(content)
    (made / "index.json").write_text(json.dumps(index))
    with pytest.raises(LabError, match="unexpected digest|has not the content that its configuration names"):
        packed(f"oci:{made}", tmp_path / "cache")


def test_an_image_that_has_changed_since_the_plan(tmp_path: Path) -> None:
    layout(tmp_path / "web", [LOW], {})
    with own_cache(tmp_path), pytest.raises(BuildError, match="has changed since the plan was made"):
        ensure_docker_image(KeptReport(), parse(f"oci:{tmp_path}/web"), "sha256-other", WHERE)
