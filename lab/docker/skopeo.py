# SPDX-License-Identifier: MIT
"""skopeo: it finds and reads images in Docker engines, OCI layouts and archives, without privileges."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lab.docker.reference import ARCHIVE, DAEMON, LAYOUT, Reference
from lab.errors import HostError, InputError

# of an index with images for several machines, that for nodes; whoever has made it
_SKOPEO = ["skopeo", "--insecure-policy", "--override-os=linux", "--override-arch=amd64"]
ENGINE = "DOCKER_HOST"  # the variable with the address of the Docker engine
_TIMEOUT_S = 60.0  # to read the configuration from a file; a Docker engine sends whole images
_MESSAGE = re.compile(r'level=fatal msg="(?P<text>(?:[^"\\]|\\.)*)"')
_WHERE = re.compile(r'^(?:Error parsing image name ".*?": |Error [a-z ]+: |initializing source .*?: )+')
_NO_ENGINE = re.compile(r"Cannot connect to the Docker daemon|permission denied while trying to connect")
_NO_IMAGE = re.compile(r"(?i)no such image|reference does not exist|no descriptor found|more than one image|not found")
_NO_ARCHITECTURE = re.compile(r"no image found in (?:manifest list|image index)")


def layers_name(config: Mapping[str, Any]) -> str:
    """Return the name of the files of an image by its configuration: equal layers have equal names.

    Raises:
        ValueError: If it is not the configuration of an image.
    """
    root = config.get("rootfs")
    layers = root.get("diff_ids") if isinstance(root, dict) else None
    if not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise ValueError("its configuration lists no layers")
    return f"sha256-{hashlib.sha256(' '.join(layers).encode()).hexdigest()[:20]}"


def configuration(reference: Reference) -> dict[str, Any]:
    """Return the configuration of an image, unchanged.

    Raises:
        InputError: If the image does not exist or cannot be read; without the place where the reference is written.
        HostError: If skopeo is not installed.
    """
    require()
    engine = [f"--daemon-host={os.environ[ENGINE]}"] if os.environ.get(ENGINE) else []
    try:
        done = subprocess.run(
            [*_SKOPEO, "inspect", "--raw", "--config", *engine, str(reference)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
            timeout=None if reference.path is None else _TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{reference} cannot be read: nothing has arrived for {_TIMEOUT_S:g} s") from None
    if done.returncode:
        raise explained(reference, done.stderr.decode(errors="replace"))
    try:
        found = json.loads(done.stdout)
        if not isinstance(found, dict):
            raise ValueError("its configuration is not a mapping")
        layers_name(found)
    except RecursionError:
        raise InputError(f"{reference} is not a valid Docker image: its configuration is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"{reference} is not a valid Docker image: {error}") from None
    return found


def copying(reference: Reference, directory: Path, scratch: Path) -> list[str]:
    """Return the command that writes manifest, configuration and unpacked layers of an image into a directory.

    The path of ``reference`` is absolute; ``scratch`` is for files in between.
    """
    engine = [f"--src-daemon-host={os.environ[ENGINE]}"] if os.environ.get(ENGINE) else []
    # "dir" keeps the configuration unchanged
    options = ["--quiet", "--dest-decompress", *engine]
    return [*_SKOPEO, f"--tmpdir={scratch}", "copy", *options, str(reference), f"dir:{directory}"]


def require() -> None:
    """Raise HostError if skopeo is not installed."""
    if shutil.which("skopeo") is None:
        raise HostError(
            "skopeo is not installed, which reads Docker images",
            hint="as root: apt-get install --no-install-recommends skopeo",
        )


def explained(reference: Reference, printed: str) -> InputError:
    """Return the error for what skopeo printed."""
    found = _MESSAGE.search(printed)
    text = found["text"].replace('\\"', '"') if found else printed.strip().rpartition("\n")[2]
    if _NO_ENGINE.search(text):
        return InputError(
            f"the Docker engine does not answer at {os.environ.get(ENGINE) or 'unix:///var/run/docker.sock'}",
            hint=f"start it, or set {ENGINE}; without an engine: oci:DIR or docker-archive:FILE",
        )
    if _NO_ARCHITECTURE.search(text):
        return InputError(f"{reference} has no image for linux/amd64, for which nodes run programs")
    if _NO_IMAGE.search(text):
        return _missing(reference)
    if _is_compressed(reference):
        return InputError(
            f"{reference} is compressed, and this version of skopeo cannot read that", hint=f"gunzip {reference.source}"
        )
    return InputError(f"{reference} cannot be read as a Docker image: {_WHERE.sub('', text)}")


def _missing(reference: Reference) -> InputError:
    """Return the error for an image that is not there."""
    if reference.transport == DAEMON:
        name = f"{reference.source}:{reference.tag}"
        return InputError(f"the Docker engine has no image {name}", hint=f"first docker pull {name}, or build it")
    known = _tags(reference) if reference.transport == LAYOUT else []
    what = f"no image {reference.tag}" if reference.tag else "several images" if known else "no image"
    return InputError(
        f"{reference.transport}:{reference.source} has {what}",
        hint=f"it has {', '.join(known)}; write {reference.transport}:DIR:{known[0]}" if known else None,
    )


def _is_compressed(reference: Reference) -> bool:
    """Return whether an archive is a gzip file. skopeo should read these, but that of Debian 12 fails."""
    if reference.transport != ARCHIVE:
        return False
    with Path(reference.source).open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _tags(reference: Reference) -> list[str]:
    """Return the tags of an OCI layout."""
    try:
        index = json.loads(Path(reference.source, "index.json").read_text())
        found = [one.get("annotations", {}).get("org.opencontainers.image.ref.name") for one in index["manifests"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
    return [tag for tag in found if isinstance(tag, str)]
