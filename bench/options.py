# SPDX-License-Identifier: MIT
"""Options shared by the comparisons."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable


def whole(least: int) -> Callable[[str], int]:
    """Return a type for argparse: a whole number of at least ``least``."""

    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number of {least} or more")
        return int(text)

    return parse


def add_times(parser: argparse.ArgumentParser) -> None:
    """Add ``--times``."""
    parser.add_argument("--times", type=whole(1), default=3, help="repetitions of each (default 3)")


def add_seconds(parser: argparse.ArgumentParser) -> None:
    """Add ``--seconds``."""
    parser.add_argument(
        "--seconds", type=whole(2), default=12, help="length of the load; the first second is not counted (default 12)"
    )


def ns3_time(text: str) -> str:
    """Check, for argparse, a time in ns-3's notation."""
    if not re.fullmatch(r"\d+(\.\d+)?(ns|us|ms|s)", text):
        raise argparse.ArgumentTypeError(f"{text} is not a time such as 20us")
    return text
