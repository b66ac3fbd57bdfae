# SPDX-License-Identifier: MIT
"""Docker images for tests, made on the spot: layers from Python, programs from C, nothing from elsewhere."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MADE_S = 1_700_000_000
SOURCES = Path(__file__).parent / "fixtures" / "docker"


def file(name: str, content: bytes = b"", mode: int = 0o644, **more: Any) -> tuple[tarfile.TarInfo, bytes]:
    """A member of a layer; ``more`` are attributes of TarInfo."""
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(content), mode, MADE_S
    for key, value in more.items():
        setattr(member, key, value)
    return member, content


def folder(name: str, mode: int = 0o755, **more: Any) -> tuple[tarfile.TarInfo, bytes]:
    """A folder in a layer."""
    return file(name, mode=mode, type=tarfile.DIRTYPE, **more)


def link(name: str, target: str, *, hard: bool = False) -> tuple[tarfile.TarInfo, bytes]:
    """A symbolic or a hard link in a layer."""
    return file(name, mode=0o777, type=tarfile.LNKTYPE if hard else tarfile.SYMTYPE, linkname=target)


def layer(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """A layer with these members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member, content in members:
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def program(directory: Path, name: str) -> bytes:
    """A static program of tests/fixtures/docker."""
    made = directory / name
    subprocess.run(["gcc", "-static", "-O1", "-o", str(made), str(SOURCES / f"{name}.c")], check=True)
    return made.read_bytes()


def _configuration(layers: Sequence[bytes], config: Mapping[str, Any], architecture: str) -> bytes:
    hashes = [_digest(one) for one in layers]
    found = {
        "architecture": architecture,
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": hashes},
    }
    return json.dumps(found).encode()


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def layout(
    directory: Path,
    layers: Sequence[bytes],
    config: Mapping[str, Any],
    architecture: str = "amd64",
    tags: Sequence[str] = ("latest",),
) -> Path:
    """Write an image as a folder in OCI's layout, with compressed layers."""
    blobs = directory / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def put(kind: str, content: bytes) -> dict[str, Any]:
        digest = _digest(content)
        (blobs / digest.removeprefix("sha256:")).write_bytes(content)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest, "size": len(content)}

    made = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": put("config.v1+json", _configuration(layers, config, architecture)),
        "layers": [put("layer.v1.tar+gzip", gzip.compress(one, mtime=0)) for one in layers],
    }
    manifest = put("manifest.v1+json", json.dumps(made).encode())
    names = [{**manifest, "annotations": {"org.opencontainers.image.ref.name": tag}} for tag in tags]
    (directory / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": names}))
    (directory / "oci-layout").write_text(json.dumps({"imageLayoutVersion": "1.0.0"}))
    return directory


def archive(file_: Path, layers: Sequence[bytes], config: Mapping[str, Any], tag: str = "test:1") -> Path:
    """Write an image as ``docker save`` does."""
    described = _configuration(layers, config, "amd64")
    name = f"{hashlib.sha256(described).hexdigest()}.json"
    places = [f"{number}/layer.tar" for number in range(len(layers))]
    listing = [{"Config": name, "RepoTags": [tag], "Layers": places}]
    members = [
        file(name, described),
        *(file(place, one) for place, one in zip(places, layers, strict=True)),
        file("manifest.json", json.dumps(listing).encode()),
    ]
    file_.write_bytes(layer(*members))
    return file_
