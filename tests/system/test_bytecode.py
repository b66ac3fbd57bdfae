# SPDX-License-Identifier: MIT
"""The lab's code for the guest is compiled once, for the Python of the guest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab import runs
from lab.machine.guest_code import sources
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PLACE = """\
name: alone
nodes:
  h1: {kind: host, roles: [server]}
"""
# the bundle is out of a node's sight, but not of its Python's: the tag of bytecode is that of its version
WORK = """\
name: tag
roles: {server: 1}
duration: 1 s
processes:
  - {on: server, run: [python3, -c, "import sys; print(sys.implementation.cache_tag)"], as: tag}
"""


def test_every_module_has_bytecode_that_the_guest_reads(machine: runs.Machine, boot: Callable[..., Ran]) -> None:
    tag = boot(PLACE, WORK).raw("tag.out").strip()
    package = machine.code.path / "lab"
    for source in sources():
        compiled = package / source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc"
        # PEP 552: flag 1 is a hash instead of a time, without flag 2 it is not compared with the source
        assert compiled.read_bytes()[4:8] == bytes([1, 0, 0, 0]), source
