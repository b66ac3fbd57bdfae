# SPDX-License-Identifier: MIT
"""How flows of DCCP end, and the messages about those that cannot begin; TCP and UDP are tested without a guest."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from lab.probes import base as probes
from lab.probes.base import Raw
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest


def test_flows_that_end_early_or_cannot_begin(boot_files: Callable[..., Ran]) -> None:
    ran = boot_files("bottleneck.yaml", "ends.yaml")

    def values(probe: str, name: str) -> dict[str, Any]:
        return probes.load(probe).parse(Raw(ran.directory / "raw", name, epoch_ns=ran.guest()["epoch_ns"])).values

    for name in ("two", "three"):  # by their CCID
        sent, arrived = values("flow-send", name), values("flow-sink", f"{name}_sink")
        assert "broke" not in sent
        assert 0 < sent["packets"] == arrived["sent"] == arrived["packets"] + arrived["lost"]
    early = values("flow-sink", "early_sink")
    assert early["packets"] > 0 and "sent" not in early
    assert values("flow-send", "broken")["broke"] == "EPIPE"
    assert ran.raw("broken.err") == "flow: the flow broke: Broken pipe\n"
    reported = "flow: no flow sink answers at 10.0.0.1, port"
    assert ran.raw("other_service.err") == f"{reported} 5004: Invalid request code\n"
    assert ran.raw("alone.err") == f"{reported} 5009: Connection refused\n"
    assert values("flow-sink", "five_sink")["packets"] == 0
    assert re.fullmatch(
        r"flow: --packet-bytes 2000: a packet to this sink carries 14\d\d bytes at most, and dccp does not divide it\n",
        ran.raw("long.err"),
    )
