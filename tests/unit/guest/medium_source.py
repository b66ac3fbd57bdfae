# SPDX-License-Identifier: MIT
"""The medium's files as the kernel has them: those of its part, with what the parts of stacks change in them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from lab.builders.kernel.series import PatchSeries

DRIVER = Path("drivers", "net", "wireless", "virtual")
SPECIFICATION = Path("Documentation", "netlink", "specs", "hwsim_medium.yaml")


def medium_source(to: Path) -> Path:
    """Put them into a folder, which is returned. Files of Linux, which the patches change as well, are left out."""
    apply = ["git", "apply", f"--include={DRIVER}/hwsim_*", f"--include={SPECIFICATION}"]
    for part in PatchSeries().parts:
        if (part.directory / "files").is_dir():
            shutil.copytree(part.directory / "files", to, dirs_exist_ok=True)
        for patch in part.patches:
            subprocess.run([*apply, str(patch)], cwd=to, check=True, env={"GIT_CEILING_DIRECTORIES": str(to.parent)})
    return to
