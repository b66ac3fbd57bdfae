# SPDX-License-Identifier: MIT
"""Settings of other files within a file: keys as for ``--set``, and any values."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from lab.model.base import Text


def _settings(value: Any) -> Any:
    """Accept a variant with nothing after the colon: it has no settings."""
    return {} if value is None else value


ANY = "Any value."
Anything = Annotated[Any, WithJsonSchema({"description": ANY})]
Settings = Annotated[dict[Text, Anything], BeforeValidator(_settings, json_schema_input_type=dict[Text, Anything])]
