# SPDX-License-Identifier: MIT
"""Models of lab.phy as users write them: ``{model: logDistance, exp: 3}``.

Each becomes a pydantic model whose keys are the parameters of its dataclass, so a new one needs no change here.
"""

from __future__ import annotations

import dataclasses
import typing
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field, create_model, model_validator

from lab import units
from lab.model.base import Integer, Model, Number, Quantity, refuse
from lab.phy.params import BoundsError, PhyModel


class WrittenPhyModel(Model):
    """A model of radio propagation with its parameters."""

    noun: ClassVar[str]  # what messages call such a model
    phy_model: ClassVar[type[PhyModel]]
    params: ClassVar[dict[str, str]]  # name of each key in its dataclass

    model: str

    def made(self) -> Any:
        """Create its object.

        Raises:
            BoundsError: If a parameter is out of bounds.
        """
        make: Any = self.phy_model
        return make(**{param: getattr(self, key) for key, param in self.params.items()})

    @model_validator(mode="after")
    def _bounds(self) -> WrittenPhyModel:
        try:
            self.made()
        except BoundsError as error:
            key = next(key for key, param in self.params.items() if param == error.key)
            dimension = units.dimension_of(_unit(self.phy_model, error.key))
            value = getattr(self, key)
            shown = dimension.format(value) if dimension else f"{value:g}"
            refuse(f"{shown} is out of bounds; {error.wanted}", key=key)
        return self


B = TypeVar("B", bound=WrittenPhyModel)


@cache
def model_of(base: type[B], phy: type[PhyModel]) -> type[B]:
    """Create the pydantic model of one; ``base`` has the common fields."""
    hints = typing.get_type_hints(phy)
    fields: dict[str, Any] = {"model": (Literal[phy.name], Field(description=f"{phy.name}: {phy.about}."))}
    params = {}
    for field in dataclasses.fields(phy):  # type: ignore[arg-type]
        unit = _unit(phy, field.name)
        key = field.name.removesuffix(f"_{unit.lower()}") if unit else field.name
        params[key] = field.name
        default = ... if field.default is dataclasses.MISSING else field.default
        fields[key] = (_type(hints[field.name], unit), Field(default, description=field.metadata["about"]))
    made: type[B] = create_model(phy.__name__, __base__=base, __doc__=f"{base.noun.capitalize()} {phy.name}.", **fields)
    made.phy_model = phy
    made.params = params
    return made


def _unit(phy: type[PhyModel], param: str) -> str:
    fields = {field.name: field for field in dataclasses.fields(phy)}  # type: ignore[arg-type]
    unit: str = fields[param].metadata["unit"]
    return unit


def _type(hint: type, unit: str) -> Any:
    dimension = units.dimension_of(unit)
    if dimension is not None:
        return Annotated[float, Quantity(dimension)]
    return {int: Integer, float: Number}[hint]
