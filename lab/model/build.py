# SPDX-License-Identifier: MIT
"""Build models from documents, and turn pydantic's errors into messages that say what to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from lab.errors import InputError, raise_all, suggestion
from lab.model.base import TAG, Model
from lab.model.document import Document, Keys, unquoted

M = TypeVar("M", bound=Model)

_NOUNS = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list: [a, b]",
    "tuple": "a list: [a, b]",
    "dict": "a mapping: {key: value}",
    "model": "a mapping: {key: value}",
}


def build(model: type[M], document: Document) -> M:
    """Build the model of a document.

    Raises:
        InputError: If it has one mistake.
        InputErrors: If it has several mistakes; in file order.
    """
    met: dict[int, type[Model]] = {}
    try:
        return model.model_validate(document.data, context=met)
    except ValidationError as failure:
        errors = [_translate(details, document, met) for details in failure.errors()]
        raise_all(sorted(errors, key=line_of))
        raise


def line_of(error: InputError) -> int:
    """Return the line that an error names; 0 if it is about an override."""
    line = (error.where or "").rsplit(":", 1)[-1]
    return int(line) if line.isdigit() else 0


def _translate(details: ErrorDetails, document: Document, met: Mapping[int, type[Model]]) -> InputError:
    """Turn one pydantic error into a message of ours."""
    keys: Keys = tuple(key for key in details["loc"] if not str(key).startswith(TAG) and key != "[key]")
    error_type = details["type"]
    context = details.get("ctx", {})
    if error_type == "refused":
        about = (*keys, context["key"]) if context.get("key") else keys
        return document.error(about, context["message"])
    model = met.get(id(_at(document, keys[:-1]))) if keys else None
    make_message = _MESSAGES.get(error_type)
    if make_message is not None:
        return document.error(keys, make_message(details, keys, document, model))
    if (braces := unquoted(details["input"])) is not None:
        return document.error(keys, braces)
    if error_type == "list_type" and isinstance(details["input"], dict):
        return document.error(keys, "must be a list; begin each of its entries with a dash: - {…}")
    if error_type == "list_type" and details["input"] is not None:
        hint = model.value_hint(str(keys[-1]), _shown(details["input"])) if model is not None else ""
        if hint:
            return document.error(keys, f"must be a list{hint}")
        text = str(details["input"])
        words = text.replace(",", " ").split() if text[:1].isalpha() else [text]  # one quantity, such as 6 Mbit/s
        return document.error(keys, f"must be a list; write [{', '.join(words)}]")
    noun = _NOUNS.get(error_type.rsplit("_", 1)[0])
    if noun is not None:
        hint = model.value_hint(str(keys[-1]), _shown(details["input"])) if model is not None else ""
        return document.error(keys, f"must be {noun}, not {_shown(details['input'])}{hint}")
    return document.error(keys, f"{details['msg'][:1].lower()}{details['msg'][1:]}, not {_shown(details['input'])}")


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f'"{text if len(text) <= 40 else text[:40] + "…"}"'


MessageMaker = Callable[[ErrorDetails, Keys, Document, type[Model] | None], str]


def _at(document: Document, keys: Keys) -> Any:
    value = document.data
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _unknown_key(details: ErrorDetails, keys: Keys, document: Document, model: type[Model] | None) -> str:
    known = model.described() if model is not None else {}
    word = str(keys[-1])
    hint = (
        (model.hint(word) if model is not None else "") or _bare_list(word, keys, document) or suggestion(word, known)
    )
    return f'unknown key "{word}"{hint}; known keys: {", ".join(known)}'


def _bare_list(word: str, keys: Keys, document: Document) -> str:
    """Explain what YAML makes of ``{roles: server, client}``: a key without a value."""
    owner = _at(document, keys[:-1])
    names = list(owner) if isinstance(owner, dict) else []
    place = names.index(word) if word in names else 0
    if not place or owner[word] is not None or not isinstance(owner[names[place - 1]], str):
        return ""
    return f"; a list needs brackets: {names[place - 1]}: [{owner[names[place - 1]]}, {word}]"


def _missing(details: ErrorDetails, keys: Keys, document: Document, model: type[Model] | None) -> str:
    about = (model.described() if model is not None else {}).get(str(keys[-1]), "")
    return missing(about)


def missing(about: str) -> str:
    """Say that a key is missing, and what it is, by the first sentence of its description."""
    first = about.split(". ")[0].rstrip(".")
    if first[1:2].islower() or first[1:2] == " ":  # no abbreviation
        first = first[:1].lower() + first[1:]
    return f"is missing ({first})" if first else "is missing"


def _one_of(details: ErrorDetails, keys: Keys, document: Document, model: type[Model] | None) -> str:
    known = details["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
    word = str(details["input"])
    hint = (model.value_hint(str(keys[-1]), word) if model is not None else "") or suggestion(word, known)
    return f"{_shown(details['input'])} is not one of {', '.join(known)}{hint}"


def _too_short(details: ErrorDetails, keys: Keys, document: Document, model: type[Model] | None) -> str:
    return "is empty" if not details["input"] else f"has {len(details['input'])} entries, too few"


def _too_long(details: ErrorDetails, keys: Keys, document: Document, model: type[Model] | None) -> str:
    return f"has {len(details['input'])} entries; there may be {details['ctx']['max_length']} at most"


def _limit(details: ErrorDetails, keys: Keys, document: Document, model: type[Model] | None) -> str:
    context = details["ctx"]
    bound = f"at most {context['le']}" if "le" in context else f"at least {context['ge']}"
    return f"must be {bound}, not {details['input']}"


_MESSAGES: dict[str, MessageMaker] = {
    "extra_forbidden": _unknown_key,
    "greater_than_equal": _limit,
    "less_than_equal": _limit,
    "missing": _missing,
    "literal_error": _one_of,
    "too_short": _too_short,
    "too_long": _too_long,
}
