# SPDX-License-Identifier: MIT
"""The iperf3 server: serves one test after the other until it is ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes._iperf3 import ARRIVED, EVERY, found, interrupted, parse_test
from lab.probes.base import Param, Parsed, Probe, Raw, Target
from lab.probes.base.text import Json, documents, seconds


class Iperf3Server(Probe):
    """Waits for iperf3 clients. Give its process ``ready: {listening: tcp/5201}``.

    Series and values as of ``iperf3``, measured by the server. Series contain all tests, values are those of the last
    test, and ``tests`` is their number.
    """

    about = "the server of iperf3 probes; what it received over time"
    acts = True
    yields = ARRIVED
    params: ClassVar[dict[str, Param]] = {
        "port": Param("int", "port to listen on", default=5201, least=1, most=65535),
        "every": EVERY,
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``iperf3 --server --json``: one document per test."""
        return ["iperf3", "--server", "--json", "-p", str(params["port"]), "-i", seconds(params["every"])]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``. A server that was ended reports that in its last document, with the test that it served."""
        parsed = Parsed(values={"tests": 0})
        for line, document in documents(raw):
            test = Json(document, f"{raw.id}.out:{line}")
            if "test_start" not in test["start"] and interrupted(test):
                continue  # between two tests
            parse_test(test, raw, parsed)
            parsed.values["tests"] += 1
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        return found(raw, parsed)
