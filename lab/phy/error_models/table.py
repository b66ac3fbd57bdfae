# SPDX-License-Identifier: MIT
"""Curves from a user's file, for example measured or from a link simulator.

The file is CSV, in one of two forms. Bit error rates:

    curve,snr_db,ber
    bpsk-1/2,-1,0.02
    bpsk-1/2,2,1.1e-6

or frame error rates, with the frame length in bits:

    curve,snr_db,per,bits
    bpsk-1/2,-1,1,11664
    bpsk-1/2,1.5,0.13,11664

Blank lines and lines that start with # are skipped. The rows of a curve have increasing SNR and non-increasing error
rates. A rate of 1 means that every frame is lost, whatever its length; a rate of 0 that none is from there on. Between
rows, the logarithm of the hazard is interpolated linearly over the SNR in dB. Beyond the outermost two rows above 0 it
is extrapolated, so these two must differ. A missing curve is an error only if it is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import attrgetter
from typing import ClassVar, NamedTuple

import numpy as np

from lab.errors import InputError, raise_all, suggestion
from lab.numbers import count
from lab.phy.curves import CURVES, Curve
from lab.phy.error_models.base import HAZARD_CAP, ErrorModel
from lab.phy.numbers import Floats

_FORMS = (("curve", "snr_db", "ber"), ("curve", "snr_db", "per", "bits"))
_NAMES = tuple(curve.name for curve in CURVES)


class TableRow(NamedTuple):
    """A row of the file."""

    where: str
    curve: str
    snr_db: float
    hazard: float


@dataclass(frozen=True)
class Table(ErrorModel):
    """Curves from the ``text`` of a file, which messages call ``file``."""

    about: ClassVar[str] = "curves from a CSV file of error rates of bits or frames"

    file: str
    text: str = field(repr=False)
    _curves: dict[str, list[TableRow]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._curves.update(parse(self.file, self.text))

    def has(self, curve: Curve) -> bool:
        return curve.name in self._curves

    def hazard(self, curve: Curve, snr_db: Floats) -> Floats:
        """Return the hazard per bit, at most 15."""
        if curve.name not in self._curves:
            raise InputError(
                f"has no curve {curve.name}, only {', '.join(self._curves)}; add rows for it", where=self.file
            )
        rows = self._curves[curve.name]
        positive = [row for row in rows if row.hazard > 0]
        x = np.array([row.snr_db for row in positive])
        y = np.log([row.hazard for row in positive])
        exponent = np.asarray(np.interp(snr_db, x, y))
        exponent += np.minimum(snr_db - x[0], 0.0) * (y[1] - y[0]) / (x[1] - x[0])
        exponent += np.maximum(snr_db - x[-1], 0.0) * (y[-1] - y[-2]) / (x[-1] - x[-2])
        hazard = np.exp(np.minimum(exponent, math.log(HAZARD_CAP)))
        nothing_lost_db = rows[len(positive)].snr_db if len(positive) < len(rows) else math.inf
        return np.where(snr_db < nothing_lost_db, hazard, 0.0)


def parse(label: str, text: str) -> dict[str, list[TableRow]]:
    """Parse the rows of each curve from the text of a file, which messages call ``label``.

    Raises:
        InputError: If it has wrong lines; names each of them.
    """
    errors: list[InputError] = []
    text = text.removeprefix("\N{BYTE ORDER MARK}")
    rows = list(_rows(label, text, errors))
    by_curve = attrgetter("curve")
    curves = {name: list(group) for name, group in groupby(sorted(rows, key=by_curve), by_curve)}
    for group in curves.values():
        errors += _disorder(group)
    raise_all(errors)
    return curves


def _rows(label: str, text: str, errors: list[InputError]) -> Iterator[TableRow]:
    """Yield valid rows in order; append errors for the others to ``errors``."""
    lines = (
        (number, [cell.strip() for cell in line.split(",")])
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    )
    number, header = next(lines, (1, []))
    if tuple(header) not in _FORMS:
        wanted = " or ".join(",".join(form) for form in _FORMS)
        raise InputError(
            f'starts with "{",".join(header)}"; the first line must be {wanted}', where=f"{label}:{number}"
        )
    for number, cells in lines:
        try:
            yield _row(f"{label}:{number}", header, cells)
        except InputError as error:
            errors.append(error)


def _row(where: str, header: list[str], cells: list[str]) -> TableRow:
    if len(cells) != len(header):
        raise InputError(f"has {count(len(cells), 'value')}; write {','.join(header)}", where=where)
    values = dict(zip(header, cells, strict=True))
    curve = values["curve"]
    if curve not in _NAMES:
        raise InputError(f'unknown curve "{curve}"{suggestion(curve, _NAMES)}; known: {", ".join(_NAMES)}', where=where)
    numbers = {key: _number(where, key, text) for key, text in values.items() if key != "curve"}
    bits = numbers.get("bits", 1.0)
    rate_key = header[2]
    rate = numbers[rate_key]
    if not 0 <= rate <= 1:
        raise InputError(f"{rate_key} is {values[rate_key]}; an error rate is a number from 0 to 1", where=where)
    if bits < 1 or bits % 1:
        raise InputError(f"bits is {values['bits']}; write the length of the frames, a whole number", where=where)
    hazard = HAZARD_CAP if rate == 1 else min(-math.log1p(-rate) / bits, HAZARD_CAP)
    return TableRow(where, curve, numbers["snr_db"], hazard)


def _number(where: str, key: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f'{key} is "{text}"; write a number', where=where)
    return number


def _disorder(rows: list[TableRow]) -> Iterator[InputError]:
    """Check the rows of one curve against each other."""
    for before, row in pairwise(rows):
        if row.snr_db <= before.snr_db:
            yield InputError(
                f"{row.curve}: {row.snr_db:g} dB comes after {before.snr_db:g} dB; sort the rows by SNR, without "
                "duplicates",
                where=row.where,
            )
        elif row.hazard > before.hazard:
            yield InputError(
                f"{row.curve}: more errors than at {before.snr_db:g} dB; error rates must not increase with the SNR",
                where=row.where,
            )
    positive = [row for row in rows if row.hazard > 0]
    if len(positive) < 2:
        yield InputError(f"{rows[0].curve}: needs two rows with an error rate above 0", where=rows[0].where)
        return
    for pair, side in ((positive[:2], "first"), (positive[-2:], "last")):
        if pair[0].hazard == pair[1].hazard and not (side == "first" and pair[0].hazard == HAZARD_CAP):
            yield InputError(
                f"{rows[0].curve}: the {side} two rows above 0 have the same error rate; the curve is extrapolated "
                "from them, so they must differ",
                where=pair[1].where,
            )
