# SPDX-License-Identifier: MIT
"""Tests that need UDP-Lite run everywhere: on this machine's kernel, or on the guest's."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import Diverted

_diverted: dict[Path, Diverted] = defaultdict(Diverted)


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker."""
    config.addinivalue_line("markers", "udplite: needs UDP-Lite; runs in the guest if this machine lacks it")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Have a test run in the guest, without its fixtures here."""
    if item.get_closest_marker("udplite") is None or native.host_has_udplite():
        return
    of_file = _diverted[item.path]
    of_file.nodeids.append(item.nodeid)
    item.add_marker(pytest.mark.guest)
    factory = item.config._tmp_path_factory  # type: ignore[attr-defined] # what the fixture tmp_path_factory returns
    item.setup = lambda: None  # type: ignore[method-assign]
    item.runtest = lambda: of_file.run(item, factory)  # type: ignore[method-assign]
