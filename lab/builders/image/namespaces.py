# SPDX-License-Identifier: MIT
"""Whether this user can create a file system with mmdebstrap, which needs its own namespaces."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path


def namespace_problem() -> tuple[str, str] | None:
    """Explain why mmdebstrap cannot create a file system as this user, and what to do; None if it can."""
    if os.geteuid() == 0:
        return None
    if shutil.which("newuidmap") is None:
        return "newuidmap is not installed", "as root: apt-get install --no-install-recommends uidmap; or run as root"
    try:
        name = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # as in a container that runs as the user of its caller
        return f"the user {os.geteuid()} has no name here", "run as a user of this system, or as root"
    for path in (Path("/etc/subuid"), Path("/etc/subgid")):
        if not _has_range(path, name):
            return (
                f"{path} has no range for {name}",
                f"as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 {name}",
            )
    if not _runs(["unshare", "--user", "--map-root-user", "--map-auto", "true"]):
        return (
            "user namespaces are not allowed",
            "as root: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; or run as root",
        )
    return None


def mount_namespace() -> list[str]:
    """Return the command that, in front of mmdebstrap, gives it mounts of its own, which disappear however it ends.

    An ordinary user's mmdebstrap does that itself. Root in a container without CAP_SYS_ADMIN, such as that of
    `docker build`, cannot mount; there mmdebstrap gets along without.
    """
    argv = ["unshare", "--mount", "--propagation", "private", "--"]
    return argv if os.geteuid() == 0 and _runs([*argv, "true"]) else []


def _has_range(path: Path, name: str) -> bool:
    lines = path.read_text().splitlines() if path.exists() else []
    return any(line.split(":")[0] in (name, str(os.geteuid())) for line in lines)


def _runs(argv: list[str]) -> bool:
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0
