# SPDX-License-Identifier: MIT
"""Quantities: parsing, printing, and what is said to who forgets the unit."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import units
from lab.units import (
    DURATION,
    GAIN,
    LENGTH,
    PACKETS,
    PERCENT,
    POWER,
    RATE,
    RATIO,
    SIZE,
    SPEED,
    Dimension,
    UnitError,
)


@pytest.mark.parametrize(
    ("dimension", "text", "value"),
    [
        (DURATION, "5 ms", 5_000_000),
        (DURATION, "5ms", 5_000_000),
        (DURATION, " 1.5 s ", 1_500_000_000),
        (DURATION, "0.000001 ms", 1),
        (DURATION, "3 µs", 3_000),
        (DURATION, "2 h", 7_200_000_000_000),
        (DURATION, "2 min", 120_000_000_000),
        (RATE, "100 Mbit/s", 100_000_000),
        (RATE, "1 Gbps", 1_000_000_000),
        (SIZE, "64 MiB", 67_108_864),
        (SIZE, "64 MB", 64_000_000),
        (SIZE, "1.5 KiB", 1536),
        (PERCENT, "5%", 5.0),
        (PERCENT, "0.1 %", 0.1),
        (LENGTH, "-40 m", -40.0),
        (LENGTH, "150 cm", 1.5),
        (POWER, "3 dBm", 3.0),
        (GAIN, "5 dBi", 5.0),
        (RATIO, "-5.5 dB", -5.5),
        (SPEED, "1.5 m/s", 1.5),
        (SPEED, "36 km/h", 10.0),
        (PACKETS, "100 packets", 100),
    ],
)
def test_parses_into_base_units(dimension: Dimension, text: str, value: float) -> None:
    parsed = dimension.parse(text)
    assert parsed == value
    assert isinstance(parsed, int) == dimension.exact


@pytest.mark.parametrize(
    ("dimension", "written", "message"),
    [
        (DURATION, "5", '"5" has no unit; write 5 ms'),
        (DURATION, 5, '"5" has no unit; write 5 ms'),
        (DURATION, 0, '"0" has no unit; write 0 ms'),
        (PERCENT, "5", '"5" has no unit; write 5%'),
        (PERCENT, "1", '"1" has no unit; write 1%'),
        (PERCENT, 0.02, '"0.02" has no unit; write 0.02%, or 2% if that is what you mean'),
        (RATE, 2.5, '"2.5" has no unit; write 2.5 Mbit/s'),
        (RATE, "5 Mbit", '"5 Mbit": unknown unit Mbit; write 5 Mbit/s'),
        (RATE, "5 mbit/s", '"5 mbit/s": unknown unit mbit/s; write 5 Mbit/s'),
        (
            LENGTH,
            "3 dBm",
            '"3 dBm": dBm measures a power, not a length; a length is written in m, mm, cm, km',
        ),
        (
            DURATION,
            "3 days",
            '"3 days": unknown unit days; a duration is written in ns, us, µs, ms, s, min, h',
        ),
        (SPEED, "5", '"5" has no unit; write 5 m/s'),
        (SPEED, "5 m", '"5 m": unknown unit m; write 5 m/s'),
        (RATIO, "5 dBi", '"5 dBi": dBi measures a gain, not a ratio of powers; a ratio of powers is written in dB'),
        (SIZE, "0.3 B", '"0.3 B" is not a whole number of B, the smallest unit of a size'),
        (SIZE, "much", '"much" is not a valid size; write for example 5 MiB'),
        (SIZE, None, '"None" is not a valid size; write for example 5 MiB'),
        (SIZE, True, '"true" is not a valid size; write for example 5 MiB'),
        (DURATION, "1e9 ms", '"1e9 ms": unknown unit e9 ms; a duration is written in ns, us, µs, ms, s, min, h'),
        (DURATION, "9" * 50 + " ms", f'"{"9" * 40}…" is not a valid duration; write for example 5 ms'),
    ],
)
def test_refuses_and_says_what_to_write(dimension: Dimension, written: object, message: str) -> None:
    with pytest.raises(UnitError) as failure:
        dimension.parse(written)
    assert str(failure.value) == message


@pytest.mark.parametrize(
    ("dimension", "value", "text"),
    [
        (DURATION, 5_000_000, "5 ms"),
        (DURATION, 100_000_000, "100 ms"),
        (DURATION, 1_500_000_000, "1.5 s"),
        (DURATION, 60_000_000_000, "60 s"),
        (DURATION, 86_400_000_000_000, "24 h"),
        (DURATION, 0, "0 ms"),
        (DURATION, 1_234_567, "1234567 ns"),
        (SIZE, 67_108_864, "64 MiB"),
        (SIZE, 64_000_000, "64 MB"),
        (RATE, 25_000_000, "25 Mbit/s"),
        (PERCENT, 0.1, "0.1%"),
        (LENGTH, 1e-05, "0.01 mm"),
        (SPEED, 10.0, "10 m/s"),
        (LENGTH, 1 / 3, "0.3333333333333333 m"),
    ],
)
def test_prints_the_shortest_exact_text(dimension: Dimension, value: float, text: str) -> None:
    assert dimension.format(value) == text


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.sampled_from([dimension for dimension in units.DIMENSIONS if dimension.exact]), st.integers(0, 10**18))
def test_exact_quantities_survive_printing(dimension: Dimension, value: int) -> None:
    assert dimension.parse(dimension.format(value)) == value


@settings(deadline=None)  # other work on the machine must not fail a test
@given(
    st.sampled_from([dimension for dimension in units.DIMENSIONS if not dimension.exact]),
    st.floats(min_value=1e-6, max_value=1e9),
)
def test_other_quantities_survive_printing(dimension: Dimension, value: float) -> None:
    assert dimension.parse(dimension.format(value)) == value


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.sampled_from(units.DIMENSIONS), st.text() | st.integers() | st.floats() | st.none() | st.lists(st.integers()))
def test_parsing_raises_nothing_but_unit_errors(dimension: Dimension, value: object) -> None:
    try:
        dimension.parse(value)
    except UnitError as error:
        assert str(error)


def test_every_unit_belongs_to_one_dimension_but_a_gain_may_be_in_db_too() -> None:
    owners = [(unit, dimension.name) for dimension in units.DIMENSIONS for unit in dimension.factors]
    shared = {unit for unit, _ in owners if sum(unit == other for other, _ in owners) > 1}
    assert shared == {"dB"}
    assert units.dimension_of("dB") is RATIO
    assert len(units.known_units()) == len(set(units.known_units()))
    for unit in units.known_units():
        assert units.dimension_of(unit) is not None
    assert units.dimension_of("parsec") is None


def test_factors_of_sizes_are_decimal_and_binary() -> None:
    assert SIZE.factors["MB"] == Fraction(1_000_000)
    assert SIZE.factors["MiB"] == Fraction(1_048_576)
