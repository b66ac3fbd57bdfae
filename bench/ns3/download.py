# SPDX-License-Identifier: MIT
"""Run download.cc and read its output."""

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
    """A simultaneous download by all stations, for ``seconds``; the first second is not counted.

    ``latency``: delay between the arrival of a frame and its delivery to the station's host, such as 20us.
    """

    mode: Mode
    stations: int
    transport: Transport
    seconds: float = 12
    seed: int = 1
    latency: str = "0us"

    def arguments(self) -> list[str]:
        """Return the arguments of the program."""
        return [f"--{name}={value}" for name, value in vars(self).items()]


@dataclass(frozen=True)
class Outcome:
    """Result of one run: payload received, and the cost of the simulation."""

    goodput_mbps: float
    per_station_mbps: list[float]
    wall_s: float
    events: int


def parse(printed: str, scenario: Scenario) -> Outcome:
    """Parse the line of JSON that the program prints; RunError if it is not from this scenario."""
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
    """Run the program that ``bench.ns3.build`` built, once."""
    argv = [str(program), *scenario.arguments()]
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RunError(f"{' '.join(argv)} ended with {result.returncode}:\n{result.stderr}")
    return parse(result.stdout, scenario)
