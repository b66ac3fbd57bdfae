# SPDX-License-Identifier: MIT
"""The error curves of a medium: one for every modulation and code rate of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lab.errors import InputError
from lab.model.document import Keys, label_of
from lab.model.medium import ErrorTable
from lab.model.topology import Topology
from lab.phy import error_models
from lab.phy.curves import CURVES, Curve
from lab.phy.error_models.base import HAZARD_CAP
from lab.phy.error_rates import SNR_MOST_DB
from lab.phy.kernel_table import FRACTION_BITS, KernelTable, kernel_table
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.medium_types import ErrorCurve, packed
from lab.shared.types import Node

if TYPE_CHECKING:
    from lab.model.medium import Medium

_ONE_BIT_Q8 = 256
_BAND_EDGE_MHZ = 3000

# by amendment (IEEE 802.11-2020 clauses 15 to 19): modulations of its frames, one spatial stream at 20 MHz
_DSSS = ("dsss-1", "dsss-2", "cck-5.5", "cck-11")
_OFDM = ("bpsk-1/2", "bpsk-3/4", "qpsk-1/2", "qpsk-3/4", "16qam-1/2", "16qam-3/4", "64qam-2/3", "64qam-3/4")
_MODES = {"b": _DSSS, "g": _DSSS + _OFDM, "a": _OFDM, "n": (*_OFDM, "64qam-5/6")}


@dataclass(frozen=True)
class Curves:
    """All curves of the kernel, and the name of their error model."""

    model: str
    curves: list[ErrorCurve]


def error_curves(source: ValidatedFile[Topology], model: Medium, nodes: list[Node], problems: Problems) -> Curves:
    """Return the curves; a user's own model must have those that the networks use."""
    keys: Keys = ("medium", "errors")
    try:
        errors = _model(source, model)
    except InputError as error:
        problems.add_all(error)
        return Curves("", [])
    used = _used(nodes)
    make = kernel_table if isinstance(model.errors, ErrorTable) else _named_table
    found = []
    for curve in CURVES:
        if curve.name in used and not errors.has(curve):
            message = f"the file has no curve {curve.name}, which mode {used[curve.name]} uses; add rows for it"
            problems.add(source, keys, message)
            continue
        try:
            table = make(errors, curve) if errors.has(curve) else _lost(errors.name, curve)
        except InputError as error:
            problems.add(source, keys, error.message)
            continue
        found.append(_packed(curve, table, model.bursts))
    return Curves(errors.name, found)


def _model(source: ValidatedFile[Topology], model: Medium) -> error_models.ErrorModel:
    """Return the error model; InputError if its file cannot be used."""
    if not isinstance(model.errors, ErrorTable):
        return error_models.load(model.errors)
    label = label_of(source.document.path.parent / model.errors.table)
    return error_models.load("table", file=label, text=source.texts[model.errors.table])


@cache
def _named_table(errors: error_models.ErrorModel, curve: Curve) -> KernelTable:
    """Compute the table of a built-in model, only once for a series of plans."""
    return kernel_table(errors, curve)


def _used(nodes: list[Node]) -> dict[str, str]:
    used: dict[str, str] = {}
    for radio in (node.radio for node in nodes if node.radio):
        names = _MODES[radio.mode]
        if any(mhz < _BAND_EDGE_MHZ for mhz in (radio.frequency_mhz, *radio.scan_mhz) if mhz is not None):
            names += _DSSS  # at 2.4 GHz, scans and beacons use it in every mode
        used |= {name: used.get(name, radio.mode) for name in names}
    return used


def _lost(model: str, curve: Curve) -> KernelTable:
    """Return a curve that loses every frame, for modulations that are not used."""
    values = np.array([round(HAZARD_CAP * 2**FRACTION_BITS)], dtype=np.uint64)
    return KernelTable(curve.index, model, round(SNR_MOST_DB * 100), 1, values, values, values, _ONE_BIT_Q8)


def _packed(curve: Curve, table: KernelTable, bursts: bool) -> ErrorCurve:
    """Convert a curve to the form that plans store.

    Values are rounded to the 24 bits of a float32: beyond the 40th bit they depend on the machine's vector
    instructions, and plans must not.
    """

    def steady(values: npt.NDArray[np.uint64]) -> str:
        return packed(values.astype(np.float32).astype(np.uint64).astype("<u8").tobytes())

    return ErrorCurve(
        name=curve.name,
        index=curve.index,
        start_mb=table.start_mb,
        step_mb=table.step_mb,
        burst_q8=table.burst_q8 if bursts else _ONE_BIT_Q8,
        hazards=steady(table.values),
        flips=steady(table.events if bursts else table.wrong_bits),
    )
