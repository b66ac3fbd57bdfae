# SPDX-License-Identifier: MIT
"""Numbers for readers: significant digits, counts and round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"
_NOT_A_NUMBER = "not a number"
_LONGEST = 21  # digits before or after the point in a number without a power of ten
_MOST_DIGITS = 17  # all digits that a number has
_LEAST_SPAN = 1e-300  # of an axis: the steps of a shorter one have no logarithm
_LEAST_SHARE = 1e-13  # of its numbers that an axis spans: on a shorter one there are hardly any numbers
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(value: float, digits: int = 4) -> str:
    """Format with that many significant digits, without trailing zeros: 0.0123, 23.59, 67108864.

    Numbers beyond 10⁻²¹ or 10²¹ have a power of ten.
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else _NOT_A_NUMBER
    exponent = math.floor(math.log10(abs(value)))
    if abs(exponent) > _LONGEST:
        return _with_power(value, exponent, digits)
    places = max(0, digits - 1 - exponent)
    text = f"{value:.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return MINUS + text[1:] if text.startswith("-") else text


def short(value: float, digits: int = 4) -> str:
    """Format as ``plain``, but very small and large values with a power of ten: 0.02, 20000, 3·10⁻⁷."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else _NOT_A_NUMBER
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    return plain(value, digits) if -5 <= exponent <= 9 else _with_power(value, exponent, digits)


def _with_power(value: float, exponent: int, digits: int) -> str:
    factor = f"{value:.{digits - 1}e}".partition("e")[0].rstrip("0").rstrip(".").replace("-", MINUS)
    power = "10" + str(exponent).translate(_SUPERSCRIPT)
    return {"1": power, f"{MINUS}1": MINUS + power}.get(factor, f"{factor}·{power}")


def distinct(values: Sequence[float]) -> list[str]:
    """Format each as ``short``, with enough digits to keep different numbers apart: 100, 100.02, 100.04."""
    different = len(set(values))
    for digits in range(4, _MOST_DIGITS):
        texts = [short(value, digits) for value in values]
        if len(set(texts)) == different:
            return texts
    return [short(value, _MOST_DIGITS) for value in values]


def size(count: float) -> str:
    """Format a number of bytes: 64 MiB, 1.5 GiB, 17 B."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            return f"{plain(count / factor)} {unit}"
    return f"{plain(count)} B"


def count(number: int, thing: str) -> str:
    """Format a count of things: ``1 trial``, ``2 trials``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def ticks(low: float, high: float, wanted: int = 6) -> list[float]:
    """Return about ``wanted`` round numbers from ``low`` to ``high``: steps of 1, 2 or 5 times a power of ten."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return [low] if math.isfinite(low) else []
    span = high - low
    if math.isinf(span):
        return [2 * tick for tick in ticks(low / 2, high / 2, wanted)]
    if span < max(_LEAST_SPAN, _LEAST_SHARE * max(abs(low), abs(high))):
        return [low]
    power = 10.0 ** math.floor(math.log10(span / max(wanted, 1)))
    steps = [factor * power for factor in (1, 2, 5, 10) if math.isfinite(factor * power)]
    step = min(steps, key=lambda step: abs(span / step - wanted))
    finest = 6 - math.floor(math.log10(step))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(index * step, finest) for index in range(first, last + 1)]
