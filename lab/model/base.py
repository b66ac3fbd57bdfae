# SPDX-License-Identifier: MIT
"""Base class of all models (frozen, no unknown keys) and the types of their fields.

A model never sees a file: it validates data. The validation context records which model validated which mapping, so
that ``lab.model.build`` can list the known keys when one is mistyped.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, NoReturn

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from lab import units
from lab.model.document import unquoted

QUANTITY = "x-quantity"  # placeholder in a JSON Schema; lab.reference.schema replaces it with the quantity's definition
ANY_VALUE = "*"
TAG = "\0"  # marks what a choice between models adds to an error's location; no key can start with it


class Model(BaseModel):
    """Base class of everything in a file."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False, defer_build=True)
    # what users may write instead of a key, in lower case: the key, or a sentence about what to do instead
    other_names: ClassVar[Mapping[str, str]] = {}
    # by key: what to do instead of a value, in lower case, that the key does not take; ANY_VALUE: of any other one
    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _remember(cls, data: Any, info: ValidationInfo) -> Any:
        if info.context is not None:
            info.context[id(data)] = cls
        return data

    @classmethod
    def described(cls) -> dict[str, str]:
        """Return every key as users write it, with its description."""
        return {field.alias or name: field.description or "" for name, field in cls.model_fields.items()}

    @classmethod
    def hint(cls, word: str) -> str:
        """Return the hint for a key that it does not have: its name here, or where it belongs; empty if unknown."""
        meant = cls.other_names.get(word.lower())
        if meant is None or meant in cls.described():
            return f" (did you mean {meant}?)" if meant else ""
        return f": {meant}"

    @classmethod
    def value_hint(cls, key: str, word: str) -> str:
        """Return the hint for a value that a key does not take; empty if a similar one may be meant."""
        for base in cls.__mro__:
            known = vars(base).get("other_values", {}).get(key, {})
            if (hint := known.get(word.strip('"').lower(), known.get(ANY_VALUE))) is not None:
                return f"; {hint}"
        return ""


def refuse(message: str, key: str | None = None) -> NoReturn:
    """Fail validation with ``message``, about ``key`` of the current model if one key is to blame."""
    raise PydanticCustomError("refused", "{message}", {"message": message, "key": key})


class Quantity:
    """Annotation: text with a unit, stored in the base unit of its dimension."""

    def __init__(
        self,
        dimension: units.Dimension,
        least: float | None = None,
        most: float | None = None,
        usual: str | None = None,
    ) -> None:
        self.dimension = dimension
        self.usual = usual
        self.least = least
        self.most = most

    def parse(self, value: object) -> int | float:
        """Convert to base units; refuse values out of range."""
        if (braces := unquoted(value)) is not None:
            refuse(braces)
        try:
            amount = self.dimension.parse(value, self.usual)
        except units.NoUnit as error:
            refuse(self._suggest(error) or str(error))
        except units.UnitError as error:
            refuse(str(error))
        if (wrong := self._complaint(amount)) is not None:
            refuse(f'"{value}" is {wrong}')
        return amount

    def _complaint(self, amount: float) -> str | None:
        """Return why an amount is out of range, or None."""
        if self.least is not None and amount < self.least:
            return f"too small; the minimum is {self._limit(self.least)}"
        if self.most is not None and amount > self.most:
            return f"too large; the maximum is {self._limit(self.most)}"
        return None

    def _limit(self, amount: float) -> str:
        """Return a limit in the unit that is usual here: 0 B of a frame, not 0 MiB."""
        if amount == 0:
            return self.dimension.write("0", self.usual or self.dimension.usual)
        return self.dimension.format(amount)

    def _suggest(self, error: units.NoUnit) -> str | None:
        """Say what to write instead of a number without unit if that number is out of range; else return None."""
        if (wrong := self._complaint(self.dimension.parse(error.suggested))) is None:
            return None
        other = error.suggested[1:] if error.suggested.startswith("-") else f"-{error.suggested}"
        if self._complaint(self.dimension.parse(other)) is None:
            return f'"{error.number}" has no unit; write {other}'
        for unit, _ in self.dimension.printed():
            other = self.dimension.write(error.number, unit)
            if unit != self.dimension.base and self._fits(other):
                return f'"{error.number}" has no unit; write for example {other}'
        return f'"{error.number}" has no unit, and {error.suggested} is {wrong}'

    def _fits(self, text: str) -> bool:
        try:
            return self._complaint(self.dimension.parse(text)) is None
        except units.UnitError:
            return False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.parse,
            serialization=core_schema.plain_serializer_function_ser_schema(self.dimension.format),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {QUANTITY: self.dimension.name}


class Choice:
    """Annotation: one of several types, chosen by the form of the value.

    ``pick`` returns the name of one of ``choices``, or refuses the value.
    """

    def __init__(self, pick: Callable[[Any], str], choices: Callable[[], Mapping[str, Any]]) -> None:
        self.pick = pick
        self.choices = choices

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        tagged = core_schema.tagged_union_schema(
            {TAG + name: handler.generate_schema(model) for name, model in self.choices().items()},
            discriminator=lambda value: TAG + self.pick(value),
        )
        return core_schema.no_info_before_validator_function(self._check, tagged)

    def _check(self, value: Any) -> Any:
        """Let ``pick`` refuse the value here; a discriminator cannot report its own errors."""
        self.pick(value)
        return value


class Later:
    """Annotation: the type that ``get`` returns, looked up only to validate a value or to generate a schema."""

    def __init__(self, get: Callable[[], Any]) -> None:
        self.get = get

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.get())

    def _validate(self, value: Any, info: ValidationInfo) -> Any:
        return self._adapter.validate_python(value, context=info.context)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self._validate)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # wrapped so that a model gets its own definition
        return handler(core_schema.definitions_schema(self._adapter.core_schema, []))


def _text(value: Any) -> Any:
    """Keep scalars as they were written: ``passwd: 12345678`` is text too."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return getattr(value, "written", str(value))
    return value


def listed(value: Any) -> Any:
    """Accept a single text where a list is expected."""
    return [value] if isinstance(value, str) else value


def argv_mistake(line: str) -> str:
    """Return the message about a command that is written as a line of text."""
    if set("|&;<>$*`") & set(line):
        quote = "'" if '"' in line else '"'
        return f"must be a list of words; what a shell is to read is one of them: run: [sh, -c, {quote}{line}{quote}]"
    words = line.split() if set("\"'") & set(line) else shlex.split(line)
    quoted = [f'"{word}"' if set("{}[],:#") & set(word) else word for word in words]
    return f"must be a list of words: run: [{', '.join(quoted)}]"


def _argv(value: Any) -> Any:
    if isinstance(value, str):
        refuse(argv_mistake(value))
    return value


def _overrides(value: Any) -> Any:
    """Accept a variant with nothing after the colon: it has no overrides."""
    return {} if value is None else value


Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": ["string", "number", "boolean"]})]
Texts = Annotated[list[Text], BeforeValidator(listed, json_schema_input_type=str | list[str])]
Argv = Annotated[list[Text], Field(min_length=1), BeforeValidator(_argv)]
ANY = "Any value."
Anything = Annotated[Any, WithJsonSchema({"description": ANY})]
# of other files, within a file: keys as for ``--set``, and any values
Overrides = Annotated[dict[Text, Anything], BeforeValidator(_overrides, json_schema_input_type=dict[Text, Anything])]
INCLUDE = (
    "Files whose content is added to this one, as paths relative to it. Their lists come first, their mappings are "
    "merged with those here; single values here take precedence."
)
Integer = Annotated[int, Strict()]
Flag = Annotated[bool, Strict()]
Number = Annotated[float, Strict()]

Duration = Annotated[int, Quantity(units.DURATION, least=0)]
Moment = Annotated[int, Quantity(units.DURATION, least=0, usual="s")]  # a point in a run's time, or its length
Rate = Annotated[int, Quantity(units.RATE, least=1)]
Size = Annotated[int, Quantity(units.SIZE, least=0)]
Percent = Annotated[float, Quantity(units.PERCENT, least=0, most=100)]
Length = Annotated[float, Quantity(units.LENGTH)]
Power = Annotated[float, Quantity(units.POWER, least=-100, most=100)]
Gain = Annotated[float, Quantity(units.GAIN)]
Speed = Annotated[float, Quantity(units.SPEED, least=0.001)]
Packets = Annotated[int, Quantity(units.PACKETS, least=1)]


def _coordinates(value: Any) -> Any:
    if isinstance(value, str) and len(words := re.findall(r"[-+]?[\d.]+(?: ?[a-z]+)?", value)) == 3:
        listed = ", ".join(word if word[-1].isalpha() else f"{word} m" for word in words)
        refuse(f"a list needs brackets, without quotes; write [{listed}]")
    if not isinstance(value, list) or len(value) != 3:
        refuse("needs three coordinates, such as [30 m, 0 m, 2 m]")
    bare = [re.fullmatch(r"[-+]?[\d.]+", str(axis)) for axis in value]
    if any(bare):
        written = ", ".join(f"{axis} m" if lacks else str(axis) for axis, lacks in zip(value, bare, strict=True))
        refuse(f"coordinates need units; write [{written}]")
    return value


Position = Annotated[tuple[Length, Length, Length], BeforeValidator(_coordinates)]


def _placed(value: Any) -> str:
    return "name" if isinstance(value, str) and not value.endswith(("]", ")")) else "coordinates"


# coordinates, or a name of positions: of the topology
NamedPosition = Annotated[str | Position, Choice(_placed, lambda: {"name": Text, "coordinates": Position})]
