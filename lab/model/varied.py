# SPDX-License-Identifier: MIT
"""Values that differ between the nodes of a group or role: ``{5 * index} m`` in a text, or a list with one for each.

``index`` is the number of the node, from 1 on; ``count``, how many there are, and ``pi`` are known too. Braces without
the word ``index`` stay unchanged.
"""

from __future__ import annotations

import math
import re
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from lab.errors import InputError
from lab.expressions.expression import Evaluator
from lab.expressions.expression import ValueWithUnit as Number
from lab.expressions.grammar import Language, parse
from lab.model.base import QUANTITY, Quantity, refuse
from lab.model.document import WrittenFloat, WrittenInt
from lab.units import DURATION

_MOMENT = Quantity(DURATION, least=0, usual="s")

Times = int | tuple[int, ...] | str


class StartTimes:
    """Annotation: a time for all nodes of a role (ns), a list with one for each, or a text with an expression."""

    def parse(self, value: Any) -> Times:
        """Parse it; a text with an expression stays, since it has a value only for a node."""
        if isinstance(value, list):
            if not value:
                refuse("is empty; write a time for each node, such as [0 s, 2 s]")
            return tuple(int(_MOMENT.parse(item)) for item in value)
        if is_varied(value):
            time_for(value, 1, 1)
            return str(value)
        return int(_MOMENT.parse(value))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.parse)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        time = {QUANTITY: DURATION.name}
        expression = {"type": "string", "pattern": "[{].*index.*[}]", "examples": ["{2 * index} s"]}
        return {"anyOf": [time, expression, {"type": "array", "items": time, "minItems": 1}]}


def time_for(times: Times, index: int, count: int) -> int:
    """Return the time for the node of that number.

    Raises:
        PydanticCustomError: If the expression is not valid, or gives no time.
        IndexError: If the list has no time for it.
    """
    if isinstance(times, int):
        return times
    return times[index - 1] if isinstance(times, tuple) else int(_MOMENT.parse(for_index(times, index, count)))


_TEMPLATE = re.compile(r"\{(?P<expression>[^{}]*\bindex\b[^{}]*)\}")
_IN_TEXT = re.compile(rf"(?P<quote>\{{)?{_TEMPLATE.pattern}(?(quote)\}})")
_LANGUAGE = Language("expression", "a calculation, such as 5 * index")


def is_varied(value: Any) -> bool:
    """Return whether there is an expression of the index in a value, or in what it contains."""
    if isinstance(value, dict):
        return any(map(is_varied, value.values()))
    if isinstance(value, list):
        return any(map(is_varied, value))
    return isinstance(value, str) and _TEMPLATE.search(value) is not None


def for_index(value: Any, index: int, count: int) -> Any:
    """Return a value with its expressions replaced; what has none is returned itself, not a copy.

    A text that is nothing but an expression becomes a number if the result has no unit: ``channel: "{index}"``.

    Raises:
        PydanticCustomError: If an expression is not valid; for use in validators.
    """
    if not is_varied(value):
        return value
    if isinstance(value, dict):
        return {key: for_index(item, index, count) for key, item in value.items()}
    if isinstance(value, list):
        return [for_index(item, index, count) for item in value]
    whole = _TEMPLATE.fullmatch(value)
    if whole is not None:
        number, unit = _result(whole["expression"], index, count)
        return _written(number) if not unit else f"{number} {unit}"
    return _TEMPLATE.sub(lambda match: " ".join(_result(match["expression"], index, count)).rstrip(), value)


def calculated(text: str, index: int, count: int) -> str:
    """Return a text with its calculations of the index replaced: ``--port={5000 + index}``.

    The text may be a program in another language. So other braces stay unchanged, also with the word ``index`` in
    them, such as ``{print index($0, "a")}``; ``{{index}}`` gives the text ``{index}``.
    """

    def value(match: re.Match[str]) -> str:
        try:
            found = " ".join(_result(match["expression"], index, count)).rstrip()
        except PydanticCustomError:
            return match[0]
        return f"{{{match['expression']}}}" if match["quote"] else found

    return _IN_TEXT.sub(value, text)


def _result(expression: str, index: int, count: int) -> tuple[str, str]:
    try:
        known = {"index": Number(index), "count": Number(count), "pi": Number(math.pi)}
        found = Evaluator(known).value(parse(expression, _LANGUAGE))
    except InputError as error:
        refuse(f"{{{expression}}}: {error.message}")
    except OverflowError:
        refuse(f"{{{expression}}}: a number in it is too large")
    if not isinstance(found, Number):
        refuse(f"{{{expression}}}: must be a calculation, such as {{5 * index}}")
    value = float(found.value)
    return f"{int(value)}" if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}", found.unit


def _written(number: str) -> WrittenInt | WrittenFloat:
    """Return a number that knows how it is written, as from a file."""
    found: WrittenInt | WrittenFloat = WrittenFloat(number) if set(".e") & set(number) else WrittenInt(number)
    found.written = number
    return found
