# SPDX-License-Identifier: MIT
"""The medium of a topology, resolved: error and fading tables, radios, and the level of every link over time.

Imported only if a topology has one, since lab.phy is slow to import. Runs on the host only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lab.model.topology import Topology
from lab.phy import fading as fadings
from lab.phy.doppler import coherence_us
from lab.phy.links import noise_floor_dbm
from lab.plan.medium.delays import Delays
from lab.plan.medium.error_curves import error_curves
from lab.plan.medium.fixed_snr import fixed_snr
from lab.plan.medium.snr import SnrMatrix
from lab.plan.network.network import Network
from lab.plan.network.rates import medium_rate
from lab.plan.problems import Problems, Source
from lab.plan.timeline.movement import Courses, Place, place
from lab.shared.medium_types import FadingTable, Medium, MediumLink, MediumRadio, MediumUpdate, Wall, packed
from lab.shared.streams import seed_of, stream, stream_of
from lab.shared.types import Node, radio_numbers

if TYPE_CHECKING:
    from lab.model.medium import Medium as MediumModel

_US = 1_000  # ns
_PPB = 1_000  # in a ppm
_CLOCK_STARTS_US = 2**26  # a minute: more than any beacon interval
_STEPS_MAX = 100_000
_CHANGES_MAX = 1_000_000  # a plan of 30 MB


def resolve(
    source: Source[Topology], network: Network, courses: Courses, seed: int, until_ns: int, problems: Problems
) -> Medium | None:
    """Return the medium; None if it is the stock one, if no node has a radio, or if there are mistakes.

    Args:
        source: the topology.
        network: its nodes.
        courses: their movement.
        seed: of the run.
        until_ns: the run's end.
        problems: collects mistakes.
    """
    model = source.model.medium
    nodes = [node for node in network.nodes if node.radio]
    if model is None or not nodes:
        return None
    curves = error_curves(source, model, nodes, problems)
    fixed = fixed_snr(source, model, network, problems)
    if problems.errors:
        return None
    levels = SnrMatrix(model, nodes, fixed, seed)
    table = _fading_table(model)
    coherences_us = _coherences_us(model, levels) if table else np.zeros_like(levels.frequency_mhz)
    delays = Delays(levels.names) if model.propagation_delay else None
    links = _Links(levels, table.number if table else 0, coherences_us, _places(nodes), delays)
    made = Medium(
        seed=seed_of(seed, "medium"),
        errors=curves.model,
        bursts=model.bursts,
        propagation=_parameters(model.propagation),
        fading=_fading(model, coherences_us),
        walls=[Wall(list(wall.from_), list(wall.to), wall.loss) for wall in model.walls],
        step_ns=model.step,
        statistics_ns=model.statistics,
        capture_mb=round(model.capture * 100) if model.capture is not None else None,
        curves=curves.curves,
        fadings=[table] if table else [],
        radios=list(_radios(model, nodes, seed)),
        links=links.all(),  # must precede _updates, which moves them
        updates=list(_updates(source, model, links, courses, until_ns, problems)),
        propagation_delay=model.propagation_delay,
    )
    if delays is not None:
        delays.check(source, problems)
    return made


def _parameters(kind: Any) -> dict[str, Any]:
    """Return a model of lab.phy with its parameters, for the record."""
    return {"model": kind.model, **dataclasses.asdict(kind.made())}


def _coherences_us(model: MediumModel, levels: SnrMatrix) -> npt.NDArray[np.int64]:
    """Return how long the level of each link holds, 0: for one frame; shape (n, n)."""
    given = model.fading.coherence if model.fading is not None else None
    if given is None:
        return coherence_us(levels.frequency_mhz)
    return np.full_like(levels.frequency_mhz, 0 if isinstance(given, str) else given // _US)


def _fading(model: MediumModel, coherences_us: npt.NDArray[np.int64]) -> dict[str, Any] | None:
    """Return the fading for the record; its coherence is that of each band."""
    if model.fading is None:
        return None
    times_ns = [int(value) * _US for value in np.unique(coherences_us)]
    return {**_parameters(model.fading), "coherence_ns": times_ns}


def _fading_table(model: MediumModel) -> FadingTable | None:
    """Return the table of quantiles; None if all are 0."""
    if model.fading is None:
        return None
    quantiles = fadings.quantiles(model.fading.made())
    return FadingTable(1, packed(quantiles.astype("<i4").tobytes())) if quantiles.any() else None


def _radios(model: MediumModel, nodes: list[Node], seed: int) -> Iterator[MediumRadio]:
    noise_mbm = round(float(noise_floor_dbm(noise_figure_db=model.noise_figure)) * 100)
    radios = {node.name: node.radio for node in nodes if node.radio}
    for name, index in radio_numbers(nodes).items():
        clock = stream(seed, "clock", name)
        yield MediumRadio(
            node=name,
            index=index,
            stream=stream_of("radio", name),
            noise_mbm=noise_mbm,
            ed_mbm=round(model.energy_detection * 100),
            max_ppdu_us=model.longest_ppdu // _US,
            retries=model.retries or 0,
            latency_us=model.latency // _US,
            rate=medium_rate(radios[name]),
            approximate=radios[name].approximate,
            dsss_only=radios[name].dsss_only,
            clock_us=int(clock.random() * _CLOCK_STARTS_US),
            clock_ppb=round((2 * clock.random() - 1) * model.clock_accuracy * _PPB),
        )


def _places(nodes: list[Node]) -> dict[str, Place]:
    return {node.name: place(node.position_m) for node in nodes if node.position_m is not None}


class _Links:
    """The current links, and those that change when a node moves."""

    def __init__(
        self,
        levels: SnrMatrix,
        fading: int,
        coherences_us: npt.NDArray[np.int64],
        places: dict[str, Place],
        delays: Delays | None,
    ) -> None:
        self._levels = levels
        self._fading = fading
        self._coherences_us = coherences_us
        self._places = places
        self._snr_mb = levels.snr_mb(places)
        self._delays = delays
        self._delay_ns = self._delays_ns()

    def all(self) -> list[MediumLink]:
        """Return every link."""
        size = len(self._snr_mb)
        return [self._link(i, j) for i in range(size) for j in range(size) if i != j]

    def move(self, places: dict[str, Place]) -> list[MediumLink]:
        """Return the links that change when nodes move to ``places``."""
        snr_before_mb, delay_before_ns = self._snr_mb, self._delay_ns
        self._places = {**self._places, **places}
        self._snr_mb = self._levels.snr_mb(self._places)
        self._delay_ns = self._delays_ns()
        changed = (self._snr_mb != snr_before_mb) | (self._delay_ns != delay_before_ns)
        return [self._link(i, j) for i, j in zip(*changed.nonzero(), strict=True)]

    def _delays_ns(self) -> npt.NDArray[np.int64]:
        return np.zeros_like(self._snr_mb) if self._delays is None else self._delays.between_ns(self._places)

    def _link(self, transmitter: int, receiver: int) -> MediumLink:
        snr_mb = int(self._snr_mb[transmitter, receiver])
        coherence_us = int(self._coherences_us[transmitter, receiver])
        delay_ns = int(self._delay_ns[transmitter, receiver])
        return MediumLink(int(transmitter), int(receiver), snr_mb, self._fading, coherence_us, delay_ns)


def _updates(
    source: Source[Topology], model: MediumModel, links: _Links, courses: Courses, until_ns: int, problems: Problems
) -> Iterator[MediumUpdate]:
    """Yield the links that change at each step of a movement."""
    steps = courses.steps(model.step, until_ns)
    changes = 0
    for at_ns, places in courses.waypoints(model.step, until_ns).items() if steps <= _STEPS_MAX else ():
        changed = links.move(places)
        changes += len(changed)
        if changed:
            yield MediumUpdate(at_ns, changed)
        if changes > _CHANGES_MAX:
            break
    if steps > _STEPS_MAX or changes > _CHANGES_MAX:
        problems.add(
            source,
            ("medium", "step"),
            f"movements take {steps} steps, which change too many levels; write a longer step, such as step: 1 s",
        )
