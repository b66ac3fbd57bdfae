# SPDX-License-Identifier: MIT
"""The 802.11 medium of a topology: which radios hear each other, and at what level.

Imported only for a topology that has one (``lab.model.topology``), since numerical libraries are slow to import.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import AfterValidator, Field, model_validator

from lab import units
from lab.errors import suggestion
from lab.model.base import Choice, Flag, Integer, Length, Model, Quantity, Text, refuse
from lab.model.document import Keys
from lab.model.one_of import OneOf, by_model
from lab.model.phy_models import WrittenPhyModel, model_of
from lab.phy import error_models
from lab.phy.fading.base import FADING
from lab.phy.propagation.base import PROPAGATION

_US = 1_000  # ns
DEFAULT_SNR_DB = 40.0
DEFAULT_TXPOWER_DBM = 20.0  # mac80211_hwsim's default

# bounds of the kernel's interface
Loss = Annotated[float, Quantity(units.RATIO, least=0, most=200)]
Level = Annotated[float, Quantity(units.RATIO, least=-200, most=200)]
Threshold = Annotated[float, Quantity(units.POWER, least=-150, most=150)]
EACH_FRAME = "frame"  # has its own level
_RETRIES_MAX = 255  # the medium's limit
Plane = tuple[Length, Length]


def _whole_us(value_ns: int) -> int:
    if value_ns % _US:
        refuse(f"{units.DURATION.format(value_ns)} is not a whole number of µs, the resolution of the medium")
    return value_ns


def _attempts(value: int) -> int:
    if not 1 <= value <= _RETRIES_MAX:
        refuse(f"{value} is out of range; write 1 to {_RETRIES_MAX}, or leave retries out for rate control to decide")
    return value


def _micro(least_us: int, most_us: int) -> Quantity:
    """Return bounds in µs of a duration that is stored in ns; ``_whole_us`` checks that it is a multiple of 1 µs."""
    return Quantity(units.DURATION, least=least_us * _US, most=most_us * _US)


AnyCoherence = Annotated[
    int | str,
    Choice(
        lambda value: "frame" if str(value) == EACH_FRAME else "time",
        lambda: {
            "time": Annotated[int, _micro(1, 100_000_000), AfterValidator(_whole_us)],
            "frame": Literal["frame"],
        },
    ),
]


class WrittenPropagation(WrittenPhyModel):
    """How power decreases with distance."""

    noun = "propagation model"


class WrittenFading(WrittenPhyModel):
    """How the level of a link varies around its mean."""

    noun = "fading"

    coherence: AnyCoherence | None = Field(
        None,
        description="How long a level holds (coherence time), in both directions; frame: every frame gets its own "
        "level. Default: as measured indoors, where people move, 66 ms at 2.4 GHz and 31 ms at 5 GHz (IEEE "
        "802.11-03/940r4).",
    )


class ErrorTable(Model):
    """Error rate curves from your own file."""

    table: Text = Field(
        description="A CSV file in the topology's folder, with columns curve,snr_db,ber or curve,snr_db,per,bits."
    )


_NAMED = tuple(name for name in error_models.known() if name != "table")


def _errors(value: Any) -> str:
    if isinstance(value, dict):
        return "table"
    if str(value) == "table":
        refuse("a table needs its file; write {table: FILE.csv}")
    if str(value) not in _NAMED:
        refuse(
            f'unknown error model "{value}"{suggestion(str(value), _NAMED)}; known: {", ".join(_NAMED)}, '
            "{table: FILE.csv}"
        )
    return "name"


class Wall(Model):
    """A wall, seen from above. It attenuates signals that pass through it."""

    from_: Plane = Field(alias="from", description="One end: [x, y], each with a unit.")
    to: Plane = Field(description="The other end.")
    loss: Loss = Field(description="Attenuation of a line of sight that crosses it.")

    @model_validator(mode="after")
    def _extends(self) -> Wall:
        if self.from_ == self.to:
            refuse("is the same point as from; give the wall a length", key="to")
        return self


class Shadowing(Model):
    """Losses by position, in addition to distance and walls: furniture, ducts, reflections. Drawn once, for a map."""

    deviation: Annotated[float, Quantity(units.RATIO, least=0, most=50)] = Field(
        description="Standard deviation of the loss of a link over many maps. Indoors 3 dB to 8 dB."
    )
    distance: Annotated[float, Quantity(units.LENGTH, least=0.1, most=100_000)] = Field(
        2.0, description="Distance at which the correlation of losses has fallen to 1/e (decorrelation distance)."
    )
    map: Annotated[Integer, Field(ge=0)] | None = Field(
        None, description="Number of the map: the same one in every run. Default: another one for each seed."
    )


class Outages(Model):
    """Short losses of contact between two nodes, at random times: people in the way, doors."""

    between: tuple[Text, Text] = Field(description="The two nodes, such as [ap1, sta1].")
    every: Annotated[int, Quantity(units.DURATION, least=1_000_000, usual="s")] = Field(
        description="Mean time from the end of one to the start of the next, exponentially distributed."
    )
    lasts: Annotated[int, Quantity(units.DURATION, least=1_000_000)] = Field(
        description="Mean duration, exponentially distributed."
    )
    loss: Loss = Field(100.0, description="Attenuation while one lasts. The default ends all reception.")


class Snr(Model):
    """A signal-to-noise ratio that is given, not computed."""

    is_: Level = Field(alias="is", description="Signal-to-noise ratio in 20 MHz, without interference.")

    @abstractmethod
    def directed(self) -> list[tuple[str, str]]:
        """Return the directions that it is for: (transmitter, receiver)."""

    @abstractmethod
    def named(self) -> list[tuple[str, Keys]]:
        """Return the nodes and the keys that name them."""


class SnrBetween(Snr):
    """Signal-to-noise ratio of both directions of a pair."""

    between: tuple[Text, Text] = Field(description="The two nodes, such as [ap1, sta1].")

    def directed(self) -> list[tuple[str, str]]:
        return [self.between, (self.between[1], self.between[0])]

    def named(self) -> list[tuple[str, Keys]]:
        return [(name, ("between", end)) for end, name in enumerate(self.between)]


class SnrOneWay(Snr):
    """Signal-to-noise ratio of one direction of a pair; overrides one for both directions."""

    from_: Text = Field(alias="from", description="The node that sends.")
    to: Text = Field(description="The node that hears it.")

    def directed(self) -> list[tuple[str, str]]:
        return [(self.from_, self.to)]

    def named(self) -> list[tuple[str, Keys]]:
        return [(self.from_, ("from",)), (self.to, ("to",))]


def _snr(value: Any) -> str:
    if not isinstance(value, dict) or not {"between", "from", "to"} & set(value):
        refuse("must be {between: [ap1, sta1], is: 30 dB} or {from: ap1, to: sta1, is: 30 dB}")
    return "between" if "between" in value else "one way"


AnyErrors = Annotated[str | ErrorTable, Choice(_errors, lambda: {"name": Literal[_NAMED], "table": ErrorTable})]
AnyPropagation = Annotated[
    WrittenPropagation,
    OneOf(PROPAGATION, by_model, lambda name: model_of(WrittenPropagation, PROPAGATION.get(name))),
]
AnyFading = Annotated[WrittenFading, OneOf(FADING, by_model, lambda name: model_of(WrittenFading, FADING.get(name)))]
AnySnr = Annotated[Snr, Choice(_snr, lambda: {"between": SnrBetween, "one way": SnrOneWay})]


class Medium(Model):
    """An 802.11 medium with airtime, contention, collisions and bit errors. {} takes every default.

    How well two radios hear each other follows from their positions, transmit powers (20 dBm by default) and antenna
    gains, from walls, and from the channel of the access point. A pair in which a node has no position, and for which
    snr: has no entry, has a signal-to-noise ratio of 40 dB.
    """

    other_names: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("model", "exp", "sl"), "it belongs in propagation:, such as {model: logDistance, exp: 3}"),
        **dict.fromkeys(("noise", "noise_floor", "noise_threshold"), "noise_figure"),
        "cca_threshold": "energy_detection",
    }

    errors: AnyErrors = Field(
        "nist", description="Bit error model: nist, yans, or {table: FILE.csv} for your own curves."
    )
    bursts: Flag = Field(
        False,
        description="Whether bit errors come in bursts, as after a Viterbi decoder, or independently. The number of "
        "damaged frames is the same; it matters only to receivers of damaged frames: monitors with fcsfail, "
        "approximate reception.",
    )
    propagation: AnyPropagation = Field(
        cast(Any, {"model": "logDistance"}), validate_default=True, description="How power decreases with distance."
    )
    fading: AnyFading | None = Field(None, description="How levels vary around their mean. Default: not at all.")
    fading_behind_walls: AnyFading | None = Field(
        None, description="Fading of links whose line of sight crosses a wall. Default: as fading."
    )
    walls: list[Wall] = Field([], description="Walls between the nodes.")
    shadowing: Shadowing | None = Field(
        None, description="Losses by position, in addition to distance and walls. Default: none."
    )
    outages: list[Outages] = Field([], description="Short losses of contact, at random times.")
    snr: list[AnySnr] = Field(
        [],
        description="Signal-to-noise ratios of pairs, instead of those computed from positions. A pair that has no "
        "entry and in which a node has no position gets 40 dB.",
    )
    noise_figure: Annotated[float, Quantity(units.RATIO, least=0, most=80)] = Field(
        7.0, description="Noise figure of the receivers; 7 dB give a noise floor of -94 dBm in 20 MHz."
    )
    energy_detection: Threshold = Field(
        -62.0,
        description="Energy detection threshold: received power that counts as a busy channel (IEEE 802.11-2020 "
        "17.3.10.6).",
    )
    propagation_delay: Flag = Field(
        False,
        description="Whether a frame takes time to reach its receivers: 3.3 ns for each metre between two nodes that "
        "have positions, which may be at most 8.9 km apart.",
    )
    capture: Loss | None = Field(
        None,
        description="Capture effect: a later frame that is stronger by this much captures the receiver. Default: no "
        "capture.",
    )
    longest_ppdu: Annotated[int, _micro(100, 5484), AfterValidator(_whole_us)] = Field(
        5_484_000, description="Longest transmission; limits A-MPDUs (aPPDUMaxTime in IEEE 802.11-2020)."
    )
    retries: Annotated[Integer, AfterValidator(_attempts)] | None = Field(
        None,
        description="Maximum attempts to send a frame. Default: with a fixed rate, seven; otherwise, rate control "
        "decides for each rate that it tries.",
    )
    latency: Annotated[int, _micro(0, 10_000), AfterValidator(_whole_us)] = Field(
        100_000,
        description="Maximum time that a frame takes from its host to an idle radio, uniformly distributed from 0. "
        "Hosts that react to the same frame collide if it is shorter than DIFS.",
    )
    clock_accuracy: Annotated[float, Quantity(units.PPM, least=0, most=100)] = Field(
        20.0,
        description="How much faster or slower than the time of day the clocks of radios go at most, uniformly "
        "distributed, 0 ppm to 100 ppm; 20 ppm is what the PHYs require (IEEE 802.11-2020 17.3.9.5). Whatever it is, "
        "each clock has a random start, so access points send beacons at different times.",
    )
    statistics: Annotated[int, Quantity(units.DURATION, least=1_000_000, usual="s")] = Field(
        1_000_000_000,
        description="Interval at which counters are read during the run, for raw/medium.json and the report.",
    )
    step: Annotated[int, Quantity(units.DURATION, least=1_000_000)] = Field(
        100_000_000, description="Interval at which the levels of a moving node are recomputed."
    )

    @model_validator(mode="after")
    def _has_walls(self) -> Medium:
        if self.fading_behind_walls is not None and not self.walls:
            refuse("needs walls; add walls:, or write fading: for all links", key="fading_behind_walls")
        return self
