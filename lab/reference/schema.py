# SPDX-License-Identifier: MIT
"""JSON Schema of the files that users write.

It makes pydantic's schema readable: each quantity becomes one definition, optional keys lose their ``null``, defaults
appear as users would write them, and probes add the keys that they declare.
"""

from __future__ import annotations

import json
import re
from typing import Any

from lab import units
from lab.model.base import QUANTITY, Model
from lab.model.exercise import ExerciseFile
from lab.model.experiment import ExperimentFile
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.probes import base as probes

Schema = dict[str, Any]

MODELS: dict[str, type[Model]] = {
    "topology": Topology,
    "workload": Workload,
    "experiment": ExperimentFile,
    "exercise": ExerciseFile,
}

_DIMENSIONS = {dimension.name: dimension for dimension in units.DIMENSIONS}
_PARAMS: dict[str, Schema] = {
    "str": {"type": ["string", "number", "boolean"]},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
}


def schema(file_type: str) -> Schema:
    """Return the JSON Schema (2020-12) of a type of files."""
    generated = MODELS[file_type].model_json_schema(by_alias=True)
    used: set[str] = set()
    tidy: Schema = _tidy(generated, used)
    definitions: Schema = tidy.pop("$defs", {})
    for name in ("ProbeUse", "Watch"):
        if name in definitions:
            _add_probes(definitions[name], used)
    definitions |= {_word(name): _quantity(_DIMENSIONS[name], varies=file_type == "topology") for name in sorted(used)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{file_type} of the lab",
        **tidy,
        "$defs": dict(sorted(definitions.items())),
    }


def text(file_type: str) -> str:
    """Return the text of the schema file."""
    return json.dumps(schema(file_type), indent=2, ensure_ascii=False) + "\n"


def _word(name: str) -> str:
    """Return the name of the definition of a quantity."""
    return name.replace(" ", "-")


def _quantity(dimension: units.Dimension, *, varies: bool) -> Schema:
    """Return the schema of a text with a unit of that dimension; it ``varies`` if nodes of a group may differ in it."""
    known = "|".join(re.escape(unit) for unit in dimension.factors)
    number = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
    if varies:
        number = rf"({number}|\{{[^{{}}]*index[^{{}}]*\}})"
    return {
        "description": f"A {dimension.name} with its unit: {', '.join(dimension.factors)}.",
        "type": "string",
        "pattern": rf"^\s*{number}\s*({known})\s*$",
        "examples": [dimension.write("5", dimension.usual)],
    }


def _tidy(node: Any, used: set[str]) -> Any:
    """Simplify a piece of generated schema for readers. Collects the quantities that occur."""
    if isinstance(node, list):
        return [_tidy(item, used) for item in node]
    if not isinstance(node, dict):
        return node
    if QUANTITY in node:
        return _tidy_quantity(node, used)
    found = {key: _tidy(value, used) for key, value in node.items() if not (key == "title" and isinstance(value, str))}
    options = [option for option in found.get("anyOf", []) if option != {"type": "null"}]
    if len(options) < len(found.get("anyOf", [])):
        del found["anyOf"]
        found = found | options[0] if len(options) == 1 else {**found, "anyOf": options}
    if found.get("default", 0) in (None, [], {}, ""):
        del found["default"]
    return found


def _tidy_quantity(node: Schema, used: set[str]) -> Schema:
    """Return a reference to the definition of the quantity; the default gets its unit."""
    name = node[QUANTITY]
    used.add(name)
    found = {key: value for key, value in node.items() if key not in (QUANTITY, "title")}
    if "default" in found:
        found["default"] = _DIMENSIONS[name].format(found["default"])
    return {**found, "$ref": f"#/$defs/{_word(name)}"}


def _add_probes(definition: Schema, used: set[str]) -> None:
    """Add the names of the probes, and the keys of each."""
    definition["properties"]["probe"]["enum"] = list(probes.known())
    definition["allOf"] = [
        {
            "if": {"properties": {"probe": {"const": name}}, "required": ["probe"]},
            "then": _probe_keys(probes.load(name), used),
        }
        for name in probes.known()
    ]


def _probe_keys(probe: probes.Probe, used: set[str]) -> Schema:
    found: Schema = {"properties": {key: _param(param, used) for key, param in probe.params.items()}}
    required = [key for key, param in probe.params.items() if param.required]
    return {**found, "required": required} if required else found


def _param(param: probes.Param, used: set[str]) -> Schema:
    """Return the schema of a key of a probe."""
    value: Schema = {"description": param.about}
    dimension = _DIMENSIONS.get(param.type)
    if dimension is not None:
        used.add(dimension.name)
        value["$ref"] = f"#/$defs/{_word(dimension.name)}"
    else:
        value |= _PARAMS[param.type]
    if param.default not in (None, (), []):
        value["default"] = dimension.format(param.default) if dimension is not None else param.default
    return value
