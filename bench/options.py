# SPDX-License-Identifier: MIT
"""Options shared by the comparisons."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable


def whole(least: int) -> Callable[[str], int]:
    """A type for argparse: a whole number, at least that."""

    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number of {least} or more")
        return int(text)

    return parse


def add_times(parser: argparse.ArgumentParser) -> None:
    """``--times``."""
    parser.add_argument("--times", type=whole(1), default=3, help="repetitions of each (default 3)")


def add_seconds(parser: argparse.ArgumentParser) -> None:
    """``--seconds``."""
    parser.add_argument("--seconds", type=whole(2), default=12, help="of load; the first is not counted (default 12)")


def ns3_time(text: str) -> str:
    """A type for argparse: a time as ns-3 writes it."""
    if not re.fullmatch(r"\d+(\.\d+)?(ns|us|ms|s)", text):
        raise argparse.ArgumentTypeError(f"{text} is not a time such as 20us")
    return text
