# SPDX-License-Identifier: MIT
"""Parameters that are known only within a range: of a place in its topology, others in an experiment."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from lab.model.base import Flag, Model, Text, Texts, refuse
from lab.model.names import Identifier


class Uncertain(Model):
    """A parameter and its plausible values: from and to, or a list of values."""

    keys: Texts = Field(
        min_length=1,
        description="The overrides that have this value, as for --set: [nodes.sta1.txpower, nodes.sta2.txpower].",
    )
    from_: Text | None = Field(None, alias="from", description="The lowest plausible value, such as 12 dBm.")
    to: Text | None = Field(None, description="The highest plausible value.")
    spacing: Literal["linear", "log"] = Field(
        "linear", description="How values between them are distributed: linear (evenly) or log (evenly by their ratio)."
    )
    values: list[Text] | None = Field(None, min_length=2, description="The plausible values, instead of from and to.")
    ordered: Flag = Field(
        True, description="Whether its values have an order. false: they are only names, like numbers of a map."
    )
    source: Text = Field(description="Where the range comes from: a standard, a paper, a datasheet, a driver.")

    @model_validator(mode="after")
    def _one_way(self) -> Uncertain:
        if (self.values is None) != (self.from_ is not None and self.to is not None) or (
            self.values is not None and (self.from_ is not None or self.to is not None)
        ):
            refuse("needs either from and to (such as 12 dBm and 18 dBm) or values (a list)")
        return self


UncertainParameters = Annotated[
    dict[Identifier, Uncertain],
    Field(
        description="Parameters that are known only within a range, by name. `lab reproduce` varies them with "
        "--sensitivity, --one-at-a-time and --two-at-a-time; nothing else uses the ranges."
    ),
]
