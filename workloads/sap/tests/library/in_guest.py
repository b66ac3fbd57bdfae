# SPDX-License-Identifier: MIT
"""Tests that need UDP-Lite, on a machine whose kernel lacks it: they run on the guest's kernel.

The guest then has this machine's files as its root (hostfs): the same Python, the same programs, valgrind. It lacks the
address space for AddressSanitizer, see native.SANITIZED. All such tests of a file share one boot.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lab.builders.kernel.kernel import ensure_kernel
from lab.cache.report import SilentReport
from lab.machine.memory import memory_directory
from workloads.sap.tests.library import native

NEEDS_UDPLITE = pytest.mark.udplite
MEMORY = "2G"  # at most: what is unpacked and written there
SCRATCH = "/run"
TIMEOUT_S = 1200


def outcomes(nodeids: Iterable[str], to: Path, python: Sequence[str] = (sys.executable,)) -> dict[str, str]:
    """Run tests of one file in a guest.

    Args:
        nodeids: The tests.
        to: A directory for the log and the results.
        python: The interpreter that runs them.

    Returns:
        By name, what pytest says about a test that did not pass, or "".
    """
    results, call = to / "results.xml", to / "call.json"
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", native.WITHOUT_UDPLITE))}
    own = ["-p", "no:cacheprovider", f"--basetemp={SCRATCH}/pytest", f"--junit-xml={results}"]
    described = {
        "argv": [*python, "-m", "pytest", "-q", *own, *nodeids],
        "environment": {**kept, native.IN_GUEST: "1", "TMPDIR": SCRATCH, "PYTHONDONTWRITEBYTECODE": "1"},
        "directory": str(native.PROJECT),
        "scratch": SCRATCH,
    }
    call.write_text(json.dumps(described))
    kernel = [str(ensure_kernel(SilentReport()).path), f"mem={MEMORY}", "umid=tests", f"uml_dir={to}/"]
    kernel += ["con=null", "con0=null,fd:1", "time-travel=inf-cpu", "panic=-1", "quiet", "lab.seed=1"]
    kernel += ["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw"]
    kernel += [f"init={sys.executable}", "--", str(Path(__file__).with_name("guest_init.py")), str(call)]
    environment = {"TMPDIR": str(memory_directory()), "HOME": "/"}
    with (to / "log").open("wb") as log:
        subprocess.run(kernel, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=TIMEOUT_S)
    if not results.exists():
        pytest.fail(f"the guest did not finish its tests:\n{(to / 'log').read_text(errors='replace')}", pytrace=False)
    reported = {}
    for case in ElementTree.parse(results).iter("testcase"):
        reported[case.attrib["name"]] = "\n".join(
            child.text or "" for child in case if child.tag in {"failure", "error"}
        )
    return reported


class Diverted:
    """The tests of one file that run in a guest together."""

    def __init__(self) -> None:
        self.nodeids: list[str] = []
        self._reported: dict[str, str] | None = None

    def run(self, item: pytest.Item, factory: pytest.TempPathFactory) -> None:
        """Fail as the test did in the guest."""
        if self._reported is None:
            chosen = {each.nodeid for each in item.session.items}
            self._reported = {}  # if the boot fails, the next test must not repeat it
            self._reported = outcomes([each for each in self.nodeids if each in chosen], factory.mktemp("guest"))
        complaint = self._reported.get(item.name, "the guest did not run this test; see the failure of the first one")
        if complaint:
            pytest.fail(f"in the guest:\n{complaint}", pytrace=False)
