# SPDX-License-Identifier: MIT
"""A workload with the patched client needs this stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import InputError
from lab.plan.load import load

WORKLOAD = """\
name: w
roles: {client: 1}
duration: 1 s
processes:
  - {on: client, run: {probe: transmission, torrent: "magnet:?xt=urn:btih:0", client: wp2p}}
"""


def test_a_workload_without_the_stack_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text("stack: bittorrent\n" + WORKLOAD)
    with pytest.raises(
        InputError, match="the program of transmission is part of the stack transmission-wp2p"
    ) as failure:
        load("wired-pair", str(tmp_path / "w.yaml"), 1, ())
    assert "write stack: transmission-wp2p instead of bittorrent" in str(failure.value)
    (tmp_path / "w.yaml").write_text("stack: transmission-wp2p\n" + WORKLOAD)
    assert load("wired-pair", str(tmp_path / "w.yaml"), 1, ()).stack == "transmission-wp2p"
