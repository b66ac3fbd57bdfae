# SPDX-License-Identifier: MIT
"""The medium of a topology, resolved: error and fading tables, radios, and the level of every link over time.

Imported only if a topology has one, since lab.phy is slow to import. Runs on the host only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lab.model.radio_setting import attributes, parts
from lab.model.topology import Topology
from lab.phy.links import noise_floor_dbm
from lab.plan.medium.delays import Delays
from lab.plan.medium.error_curves import error_curves
from lab.plan.medium.fadings import Fadings, parameters
from lab.plan.medium.fixed_snr import fixed_snr
from lab.plan.medium.outages import outages
from lab.plan.medium.snr import SnrMatrix, power_dbm
from lab.plan.network.network import PlannedNetwork
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.timeline.movement import Courses, Position, xyz
from lab.plan.without_medium import warn_of_idle_powers
from lab.shared.medium_types import Medium, MediumLink, MediumRadio, MediumUpdate, Outage, Wall
from lab.shared.streams import seed_of, stream, stream_of
from lab.shared.types import Node, radios

if TYPE_CHECKING:
    from lab.model.medium import Medium as MediumModel

_US = 1_000  # ns
_SNR_LEAST_MB = -20_000  # the kernel's bound
_PPB = 1_000  # in a ppm
_CLOCK_STARTS_US = 2**26  # a minute: more than any beacon interval
_STEPS_MAX = 100_000
_CHANGES_MAX = 1_000_000  # a plan of 30 MB


def resolve(
    source: ValidatedFile[Topology],
    network: PlannedNetwork,
    courses: Courses,
    seed: int,
    piece: tuple[int, int],
    problems: Problems,
) -> Medium | None:
    """Return the medium; None if it is the stock one, if no node has a radio, or if there are mistakes.

    ``piece``: the part of the run whose changes of levels are wanted, in ns.
    """
    model = source.model.medium
    nodes = radios(network.nodes)
    if model is None or not nodes:
        return None
    curves = error_curves(source, model, nodes, problems)
    fixed = fixed_snr(source, model, network, problems)
    warn_of_idle_powers(source, [node.name for node in nodes], fixed)
    lost = outages(source, model, network, seed, piece[1], problems)
    if problems.errors:
        return None
    levels = SnrMatrix(model, nodes, fixed, seed)
    behind = model.fading_behind_walls or model.fading
    fading = Fadings(model.fading, behind, levels)
    delays = Delays(levels.names) if model.propagation_delay else None
    links = _Links(levels, fading, _positions(nodes), delays, _noise_mbm(model), _offsets_m(network.nodes))
    made = Medium(
        seed=seed_of(seed, "medium"),
        errors=curves.model,
        bursts=model.bursts,
        propagation=parameters(model.propagation),
        fading=fading.described(0),
        walls=[Wall(list(wall.from_), list(wall.to), wall.loss) for wall in model.walls],
        step_ns=model.step,
        statistics_ns=model.statistics,
        capture_mb=round(model.capture * 100) if model.capture is not None else None,
        curves=curves.curves,
        fadings=fading.tables,
        radios=list(_radios(model, nodes, seed)),
        links=links.all(),  # must precede _updates, which moves them
        updates=list(_updates(source, model, links, courses, lost, piece, problems)),
        propagation_delay=model.propagation_delay,
        fading_behind_walls=fading.described(1) if model.fading_behind_walls is not None else None,
        shadowing=dataclasses.asdict(levels.shadowing) if levels.shadowing is not None else None,
        outages=lost,
        parts=parts([node.radio for node in nodes if node.radio]),
    )
    if delays is not None:
        delays.check(source, problems)
    return made


def _radios(model: MediumModel, nodes: list[Node], seed: int) -> Iterator[MediumRadio]:
    own = {node.name: node.radio for node in nodes if node.radio}
    given = dict(zip(own, attributes(list(own.values())), strict=True))
    for index, name in enumerate(own):
        clock = stream(seed, "clock", name)
        yield MediumRadio(
            node=name,
            index=index,
            stream=stream_of("radio", name),
            noise_mbm=_noise_mbm(model),
            ed_mbm=round(model.energy_detection * 100),
            max_ppdu_us=model.longest_ppdu // _US,
            retries=model.retries or 0,
            latency_us=model.latency // _US,
            attributes=given[name],
            clock_us=int(clock.random() * _CLOCK_STARTS_US),
            clock_ppb=round((2 * clock.random() - 1) * model.clock_accuracy * _PPB),
            power_mbm=round(power_dbm(own[name]) * 100),
        )


def _noise_mbm(model: MediumModel) -> int:
    return round(float(noise_floor_dbm(noise_figure_db=model.noise_figure)) * 100)


def _positions(nodes: list[Node]) -> dict[str, Position]:
    return {node.name: xyz(node.position_m) for node in nodes if node.position_m is not None}


def _offsets_m(nodes: list[Node]) -> dict[str, dict[str, Position]]:
    found = {node.name: {one.radio.interface: xyz(one.offset_m or [0.0] * 3) for one in node.wlans} for node in nodes}
    return {name: offsets for name, offsets in found.items() if offsets}


class _Links:
    """The current links, and those that change when a node moves."""

    def __init__(
        self,
        levels: SnrMatrix,
        fading: Fadings,
        positions: dict[str, Position],
        delays: Delays | None,
        noise_mbm: int,
        offsets_m: Mapping[str, Mapping[str, Position]],
    ) -> None:
        """Take ``offsets_m``: by node, the radios that move with it and how far from it they are."""
        self._levels = levels
        self._fading = fading
        self._positions = positions
        self._offsets_m = offsets_m
        self._delays = delays
        self._lost_mb = np.zeros((len(levels.names), len(levels.names)), dtype=np.int64)
        # the kernel adds the power of the moment, and each receiver's noise
        self._sent_mb = np.rint(levels.txpower_dbm * 100).astype(np.int64)[:, np.newaxis] - noise_mbm
        self._numbers = self._all_numbers()

    def all(self) -> list[MediumLink]:
        """Return every link."""
        size = len(self._lost_mb)
        return [self._link(i, j) for i in range(size) for j in range(size) if i != j]

    def change(self, positions: Mapping[str, Position], losses_mb: Iterable[tuple[list[int], int]]) -> list[MediumLink]:
        """Return the links that change when nodes move to ``positions`` and pairs lose that much more (or less).

        ``losses_mb``: numbers of two radios, and the difference in mB.
        """
        before = self._numbers
        self._positions = {**self._positions, **positions}
        for node, at_m in positions.items():
            for radio, offset_m in self._offsets_m.get(node, {}).items():
                self._positions[radio] = xyz([one + other for one, other in zip(at_m, offset_m, strict=True)])
        for (one, other), difference_mb in losses_mb:
            self._lost_mb[one, other] += difference_mb
            self._lost_mb[other, one] += difference_mb
        self._numbers = self._all_numbers()
        changed = (self._numbers != before).any(axis=0)
        return [self._link(i, j) for i, j in zip(*changed.nonzero(), strict=True)]

    def _all_numbers(self) -> npt.NDArray[np.int64]:
        """Return path gain in mB, fading, coherence in us and delay in ns of every link; shape (4, n, n)."""
        snr_mb = np.maximum(self._levels.snr_mb(self._positions) - self._lost_mb, _SNR_LEAST_MB)
        gain_mb = snr_mb - self._sent_mb
        np.fill_diagonal(gain_mb, 0)
        behind = self._levels.behind_walls(self._positions)
        delay_ns = np.zeros_like(snr_mb) if self._delays is None else self._delays.between_ns(self._positions)
        return np.stack([gain_mb, self._fading.numbers(behind), self._fading.coherences_us(behind), delay_ns])

    def _link(self, transmitter: int, receiver: int) -> MediumLink:
        return MediumLink(int(transmitter), int(receiver), *self._numbers[:, transmitter, receiver].tolist())


def _updates(
    source: ValidatedFile[Topology],
    model: MediumModel,
    links: _Links,
    courses: Courses,
    lost: list[Outage],
    piece: tuple[int, int],
    problems: Problems,
) -> Iterator[MediumUpdate]:
    """Yield the links that change at each step of a movement, and when an outage begins or ends."""
    since_ns, until_ns = piece
    steps = courses.steps(model.step, until_ns, since_ns)
    moves = courses.waypoints(model.step, until_ns, since_ns) if steps <= _STEPS_MAX else {}
    losses = _losses(lost, until_ns)
    times = sorted({*moves, *losses})
    before = [at_ns for at_ns in times if at_ns < since_ns]
    if before:
        positions = {node: position for at_ns in before for node, position in moves.get(at_ns, {}).items()}
        links.change(positions, [loss for at_ns in before for loss in losses.get(at_ns, ())])
    changes = 0
    for at_ns in times[len(before) :]:
        changed = links.change(moves.get(at_ns, {}), losses.get(at_ns, ()))
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


def _losses(lost: list[Outage], until_ns: int) -> dict[int, list[tuple[list[int], int]]]:
    """Return what each pair loses more or less, in mB, by time."""
    found: dict[int, list[tuple[list[int], int]]] = {}
    for outage in lost:
        loss_mb = round(outage.loss_db * 100)
        found.setdefault(outage.begin_ns, []).append((outage.between, loss_mb))
        if outage.end_ns < until_ns:
            found.setdefault(outage.end_ns, []).append((outage.between, -loss_mb))
    return found
