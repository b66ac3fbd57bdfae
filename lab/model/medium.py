# SPDX-License-Identifier: MIT
"""The 802.11 medium of a topology: what radios hear of each other, and how well.

Imported only for a topology that asks for it (``lab.model.topology``), since numerical libraries take long to import.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field, model_validator

from lab import units
from lab.errors import suggestion
from lab.model.base import Choice, Flag, Integer, Length, Model, Quantity, Text, refuse
from lab.model.document import Keys
from lab.model.phy_kinds import PhyKind, models, pick
from lab.phy import error_models, fading, propagation

_US = 1_000  # ns
DEFAULT_SNR_DB = 40.0
DEFAULT_TXPOWER_DBM = 20.0  # what mac80211_hwsim sends with

# bounds are those of the kernel's interface
Loss = Annotated[float, Quantity(units.RATIO, least=0, most=200)]
Level = Annotated[float, Quantity(units.RATIO, least=-200, most=200)]
Threshold = Annotated[float, Quantity(units.POWER, least=-150, most=150)]
Plane = tuple[Length, Length]


def _whole_us(value_ns: int) -> int:
    if value_ns % _US:
        refuse(f"{units.DURATION.format(value_ns)} is not a whole number of µs, the finest there is here")
    return value_ns


def _attempts(value: int) -> int:
    if not 1 <= value < 2**32:
        refuse(f"{value} attempts are none; write a whole number from 1, or leave it to rate control")
    return value


def _micro(least_us: int, most_us: int) -> Quantity:
    """Bounds of a duration in µs, which is kept in ns; that it is of whole ones is for ``_whole_us`` to see."""
    return Quantity(units.DURATION, least=least_us * _US, most=most_us * _US)


class PropagationKind(PhyKind):
    """How power falls over distance."""

    noun = "propagation model"


class FadingKind(PhyKind):
    """How the level of a link changes around its mean."""

    noun = "fading"

    coherence: Annotated[int, _micro(1, 100_000_000), AfterValidator(_whole_us)] | None = Field(
        None, description="How long a level holds. If nothing is said: for one frame, each has its own."
    )


@cache
def _propagation_kinds() -> dict[str, type[PropagationKind]]:
    return models(PropagationKind, propagation.kinds())


@cache
def _fading_kinds() -> dict[str, type[FadingKind]]:
    return models(FadingKind, fading.kinds())


class ErrorTable(Model):
    """Curves of error rates from a file of one's own."""

    table: Text = Field(
        description="A CSV file beside the topology, with lines curve,snr_db,ber or curve,snr_db,per,bits."
    )


_NAMED = tuple(name for name in error_models.known() if name != "table")


def _errors(value: Any) -> str:
    """Whether an error model is named, or a table of one's own."""
    if isinstance(value, dict):
        return "table"
    if str(value) == "table":
        refuse("a table is in a file; write {table: FILE.csv}")
    if str(value) not in _NAMED:
        refuse(
            f'unknown error model "{value}"{suggestion(str(value), _NAMED)}; there are: {", ".join(_NAMED)}, '
            "{table: FILE.csv}"
        )
    return "name"


class Wall(Model):
    """A wall, seen from above: whoever hears through it hears so much less."""

    from_: Plane = Field(alias="from", description="One end: [x, y], each with a unit.")
    to: Plane = Field(description="The other end.")
    loss: Loss = Field(description="What it costs a line of sight that crosses it.")

    @model_validator(mode="after")
    def _extends(self) -> Wall:
        if self.from_ == self.to:
            refuse("both ends are the same point", key="to")
        return self


class Snr(Model):
    """Signal over noise that is said rather than computed."""

    is_: Level = Field(alias="is", description="Signal over noise in 20 MHz, without interference.")

    @abstractmethod
    def directed(self) -> list[tuple[str, str]]:
        """Who hears whom so: (transmitter, receiver)."""

    @abstractmethod
    def named(self) -> list[tuple[str, Keys]]:
        """The nodes, and under which keys they are written."""


class SnrBetween(Snr):
    """Signal over noise in both directions of a pair."""

    between: tuple[Text, Text] = Field(description="The two nodes, such as [ap1, sta1].")

    def directed(self) -> list[tuple[str, str]]:
        """Both directions."""
        return [self.between, (self.between[1], self.between[0])]

    def named(self) -> list[tuple[str, Keys]]:
        """Both ends."""
        return [(name, ("between", end)) for end, name in enumerate(self.between)]


class SnrOneWay(Snr):
    """Signal over noise in one direction of a pair, whatever is said for both."""

    from_: Text = Field(alias="from", description="The node that sends.")
    to: Text = Field(description="The node that hears it.")

    def directed(self) -> list[tuple[str, str]]:
        """The one direction."""
        return [(self.from_, self.to)]

    def named(self) -> list[tuple[str, Keys]]:
        """Both ends."""
        return [(self.from_, ("from",)), (self.to, ("to",))]


def _snr(value: Any) -> str:
    """Whether an entry is about both directions or one."""
    if not isinstance(value, dict) or not {"between", "from", "to"} & set(value):
        refuse("is written as {between: [ap1, sta1], is: 30 dB} or {from: ap1, to: sta1, is: 30 dB}")
    return "between" if "between" in value else "one way"


AnyErrors = Annotated[str | ErrorTable, Choice(_errors, lambda: {"name": Literal[_NAMED], "table": ErrorTable})]
AnyPropagation = Annotated[
    PropagationKind, Choice(lambda value: pick(PropagationKind, _propagation_kinds, value), _propagation_kinds)
]
AnyFading = Annotated[FadingKind, Choice(lambda value: pick(FadingKind, _fading_kinds, value), _fading_kinds)]
AnySnr = Annotated[Snr, Choice(_snr, lambda: {"between": SnrBetween, "one way": SnrOneWay})]


class Medium(Model):
    """An 802.11 medium with air time, contention, collisions and bit errors. {} takes every default.

    What a radio hears of another follows from their positions, transmission powers (20 dBm where a node says nothing)
    and antenna gains, from walls, and from the channel of the access point that one of them is. Where one of the two
    has no position, and snr: says nothing of them, they hear each other at 40 dB.
    """

    errors: AnyErrors = Field(
        "nist", description="Model of bit errors: nist, yans, or {table: FILE.csv} for curves of one's own."
    )
    bursts: Flag = Field(
        False,
        description="Whether wrong bits come in bursts, as a Viterbi decoder makes them, or each by itself. As many "
        "frames are damaged either way; it matters to who gets them: monitors with fcsfail, approximate reception.",
    )
    propagation: AnyPropagation = Field(
        cast(Any, {"model": "logDistance"}), validate_default=True, description="How power falls over distance."
    )
    fading: AnyFading | None = Field(
        None, description="How levels change from frame to frame. If nothing is said: not at all."
    )
    walls: list[Wall] = Field([], description="Walls between the nodes.")
    snr: list[AnySnr] = Field(
        [],
        description="Signal over noise of pairs, instead of what positions say. Pairs that neither name "
        "nor both have a position hear each other at 40 dB.",
    )
    noise_figure: Annotated[float, Quantity(units.RATIO, least=0, most=80)] = Field(
        7.0, description="What receivers add to thermal noise; 7 dB make it -94 dBm in 20 MHz."
    )
    energy_detection: Threshold = Field(
        -62.0, description="Power that counts as a busy channel, whatever it is (IEEE 802.11-2020 17.3.10.6)."
    )
    capture: Loss | None = Field(
        None, description="A frame that is stronger by so much takes a receiver over. If nothing is said: none does."
    )
    longest_ppdu: Annotated[int, _micro(100, 5484), AfterValidator(_whole_us)] = Field(
        5_484_000, description="The longest transmission, which bounds A-MPDUs (aPPDUMaxTime in IEEE 802.11-2020)."
    )
    retries: Annotated[Integer, AfterValidator(_attempts)] | None = Field(
        None, description="Attempts to send a frame. If nothing is said: as rate control wants it."
    )
    latency: Annotated[int, _micro(0, 10_000), AfterValidator(_whole_us)] = Field(
        20_000,
        description="A frame takes up to that long from its host into a radio that is idle, evenly distributed; "
        "0 us: no time, so that hosts that act at once collide.",
    )
    statistics: Annotated[int, Quantity(units.DURATION, least=1_000_000, usual="s")] = Field(
        1_000_000_000, description="How often counters are read during the run, for raw/medium.json and the report."
    )
    step: Annotated[int, Quantity(units.DURATION, least=1_000_000)] = Field(
        100_000_000, description="How often the levels of a node that moves are computed anew."
    )
