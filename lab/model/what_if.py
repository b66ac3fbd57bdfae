# SPDX-License-Identifier: MIT
"""Changes that may explain a claim: of a place in its topology, others in an experiment."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lab.model.base import Model, Overrides, Text
from lab.model.names import Identifier


class WhatIfChange(Model):
    """A change that may explain why a claim holds or fails."""

    set_: Overrides = Field(
        alias="set",
        min_length=1,
        description="What it sets, as for --set, even if the experiment sets the same: {medium.fading.coherence: "
        "frame}. In an experiment, {axis} in a text is replaced by the value of that axis.",
    )
    why: Text = Field(description="What it is, or why it may matter, in a sentence.")


WhatIf = Annotated[
    dict[Identifier, WhatIfChange],
    Field(
        description="Changes that may explain a claim, by name. `lab reproduce` tries them with --one-at-a-time "
        "and --two-at-a-time; nothing else uses them."
    ),
]
