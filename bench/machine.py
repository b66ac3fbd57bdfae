# SPDX-License-Identifier: MIT
"""Describe the machine that a comparison ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """Return processor, cores and system."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    model = models[0].split(":", 1)[1].strip() if models else platform.machine()
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    name = release.get("PRETTY_NAME", "Linux").strip('"')
    return f"{len(os.sched_getaffinity(0))} cores, {model}; {name}, Linux {platform.release()}"


def load_average() -> str:
    """Return the load average of the last minute; the comparison itself contributes about 1."""
    return f"load average {os.getloadavg()[0]:.2f}"
