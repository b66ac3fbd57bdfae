# SPDX-License-Identifier: MIT
"""Runs download.cc and reads what it prints."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lab.errors import RunError

Mode = Literal["11b-11", "11a-54", "11n-150"]
Transport = Literal["tcp", "udp"]


@dataclass(frozen=True)
class Scenario:
    """A download by every station at once; of ``seconds``, the first is not counted.

    ``latency``: how much later a station's host gets what arrives, such as 20us.
    """

    mode: Mode
    stations: int
    transport: Transport
    seconds: float = 12
    seed: int = 1
    latency: str = "0us"

    def arguments(self) -> list[str]:
        """Of the program."""
        return [f"--{name}={value}" for name, value in vars(self).items()]


@dataclass(frozen=True)
class Outcome:
    """What one run gave: payload received, and what it cost to simulate it."""

    goodput_mbps: float
    per_station_mbps: list[float]
    wall_s: float
    events: int


def parse(printed: str, scenario: Scenario) -> Outcome:
    """The one line of JSON that the program prints; RunError if it is not one of this scenario."""
    try:
        printed_values: dict[str, Any] = json.loads(printed)
        ran = (printed_values.pop("mode"), printed_values.pop("stations"), printed_values.pop("transport"))
        outcome = Outcome(**printed_values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"ns-3's download printed what cannot be read ({error!r}): {printed!r}") from None
    if ran != (scenario.mode, scenario.stations, scenario.transport):
        raise RunError(f"ns-3's download ran {ran}, not {scenario}")
    return outcome


def run(program: Path, scenario: Scenario) -> Outcome:
    """One run of the program that ``bench.ns3.build`` made."""
    argv = [str(program), *scenario.arguments()]
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RunError(f"{' '.join(argv)} ended with {result.returncode}:\n{result.stderr}")
    return parse(result.stdout, scenario)
