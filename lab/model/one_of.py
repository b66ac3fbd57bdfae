# SPDX-License-Identifier: MIT
"""Values that are one of the models of a room (lab.registry), chosen by a key: ``kind:``, ``model:``, or its name."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from lab.errors import suggestion
from lab.model.base import Choice, Model, refuse
from lab.registry import Room


class OneOf:
    """Annotation: a model of a room. Only the chosen one is imported, and a stack may add others at any time."""

    def __init__(
        self,
        room: Room[Any],
        pick: Callable[[Room[Any], Any], str],
        model: Callable[[str], type[Model]] | None = None,
    ) -> None:
        """Take ``pick``, which returns the name or refuses the value; ``model`` returns another model than the room."""
        self.room = room
        self.pick = pick
        self.model = model or room.get

    def _validate(self, value: Any, info: ValidationInfo) -> Any:
        return self.model(self.pick(self.room, value)).model_validate(value, context=info.context)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        models = {name: self.model(name) for name in self.room.known()}
        adapter: TypeAdapter[Any] = TypeAdapter(Annotated[Any, Choice(lambda value: "", lambda: models)])
        return handler(core_schema.definitions_schema(adapter.core_schema, []))  # so that each has its own definition


def _by(key: str, room: Room[Any], value: Any) -> str:
    """Return the name that a mapping has as ``key:``; refuse an unknown one, listing the known."""
    known = room.known()
    if not isinstance(value, dict):
        refuse(f"must be a mapping, such as {{{key}: {value if value in known else known[0]}}}")
    if key not in value:
        alike = next((str(other) for other in value if suggestion(str(other), [key])), None)
        missing = f'unknown key "{alike}" (did you mean {key}?)' if alike else f'"{key}" is missing'
        refuse(f"{missing}; write one of {', '.join(known)}", key=alike)
    name = str(value[key])
    if name not in known:
        refuse(room.unknown(name), key=key)
    return name


by_kind, by_model = partial(_by, "kind"), partial(_by, "model")


def by_key(room: Room[Any], value: Any) -> str:
    """Return the name that is a key of the mapping (``roam: sta1``)."""
    known = room.known()
    if not isinstance(value, dict):
        refuse(f"an event must look like {{at: 5 s, {known[0]}: …}}")
    given = [key for key in value if key in known]
    if len(given) > 1:
        for name, key in itertools.permutations(given, 2):
            if key in room.get(name).described():
                refuse(
                    f'"{key}" is a {room.noun} ({room.where(key)}), but also a key of {name} ({room.where(name)}); '
                    "rename one of them"
                )
        refuse(
            f"an event does one thing, but this one has {' and '.join(given)}; write {len(given)} entries", key=given[1]
        )
    if not given:
        named = next((word for word in value.values() if word in known), None)
        if named is not None:
            refuse(f"the kind of an event is a key; write {{at: …, {named}: …}} with what it affects")
        others = [str(key) for key in value if key not in ("at", "to")]
        alike = next((key for key in others if suggestion(key, known)), ", ".join(others))
        found = f'unknown {room.noun} "{alike}"{suggestion(alike, known)}; ' if others else ""
        refuse(f"{found}an event needs one of these keys: {', '.join(known)}")
    return str(given[0])
