# SPDX-License-Identifier: MIT
"""The grammar of checks, metrics and claims: parses text into a tree. Python's eval is never used.

    check      = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation   = "not" negation | comparison
    comparison = sum { ("==" | "!=" | "<" | "<=" | ">" | ">=") sum }
    sum        = product { ("+" | "-") product }
    product    = sign { ("*" | "/" | "//" | "%") sign }
    sign       = "-" sign | atom
    atom       = number [unit] | text | "true" | "false" | name { "." name } [ labels ]
               | function "(" check { "," check } ")" | "(" check ")"
    labels     = "[" [axis "="] label { "," [axis "="] label } "]"

A name may contain hyphens (``wpa-events.count``), so a difference needs spaces around its sign. Labels are for claims
only (``outage[quick, distance=2 m]``); a label that contains , = [ ] or a quote must be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from lab import units
from lab.errors import InputError, suggestion
from lab.expressions.values import COMPARISONS, FUNCTIONS, ValueWithUnit

_LENGTH_MAX = 2000
_DEPTH_MAX = 40
_WORDS = ("and", "or", "not", "true", "false")
_WORD = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_UNITS = "|".join(re.escape(unit) for unit in sorted(units.known_units(), key=len, reverse=True))
_TOKEN = re.compile(
    rf"""\s*(?:
        (?P<number>(?:[0-9]{{1,30}}(?:\.[0-9]{{1,30}})?|\.[0-9]{{1,30}}))(?:\s*(?P<unit>{_UNITS})(?![A-Za-z0-9_/]))?
      | (?P<name>{_WORD}(?:@[A-Za-z][A-Za-z0-9_]*)?(?:\.{_WORD})*)
      | (?P<text>"[^"]*"|'[^']*')
      | (?P<sign>[=!<>]=|//|[<>+*/%(),-])
    )""",
    re.VERBOSE,
)
_QUOTED = r""" "[^"]*" | '[^']*' """
_LABELS = re.compile(rf"""\s*(?P<labels>\[(?:{_QUOTED}|[^\[\]"'])*\])""", re.VERBOSE)
_LABEL = re.compile(
    rf"""\s*(?:(?P<axis>{_WORD})\s*=)?\s*(?:(?P<quoted>{_QUOTED})|(?P<plain>[^\s,="'\]][^,="'\]]*?))\s*(?:,|\])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Language:
    """A use of this grammar."""

    name: str
    example: str  # what to write instead of an empty text
    labels: bool = False  # whether names may be followed by labels


CHECK = Language("check", "a comparison, such as outage.max < 500 ms")


@dataclass(frozen=True)
class Literal:
    """A number with its unit, a text, true or false."""

    text: str
    value: ValueWithUnit | str | bool


@dataclass(frozen=True)
class Name:
    """A value of the context."""

    text: str
    path: tuple[str, ...]


@dataclass(frozen=True)
class Indexed:
    """A name followed by labels, each with its axis, or None if the axis is not given."""

    text: str
    name: str
    labels: tuple[tuple[str | None, str], ...]


@dataclass(frozen=True)
class Call:
    """A function of other values."""

    text: str
    function: str
    arguments: tuple[Tree, ...]


@dataclass(frozen=True)
class Arithmetic:
    """Two values and the operator between them; for a unary minus, the left one is None."""

    text: str
    sign: str
    left: Tree | None
    right: Tree


@dataclass(frozen=True)
class Comparison:
    """``a < b <= c``: operands and the operators between them."""

    text: str
    operands: tuple[Tree, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Logic:
    """``and``, ``or`` or ``not`` (of one)."""

    text: str
    word: str
    operands: tuple[Tree, ...]


Tree = Literal | Name | Indexed | Call | Arithmetic | Comparison | Logic


def walk(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and all its subtrees, from left to right."""
    yield tree
    match tree:
        case Call():
            below: tuple[Tree | None, ...] = tree.arguments
        case Arithmetic():
            below = (tree.left, tree.right)
        case Comparison() | Logic():
            below = tree.operands
        case _:
            below = ()
    for part in below:
        if part is not None:
            yield from walk(part)


@dataclass(frozen=True)
class _Token:
    type: str  # number, name, text, sign, labels, end
    text: str
    unit: str
    start: int
    end: int


def parse(text: str, language: Language = CHECK) -> Tree:
    """Parse a check, or another text in this grammar, into a tree.

    Raises:
        InputError: If the syntax is not valid; shows the text with a mark under the position.
    """
    if len(text) > _LENGTH_MAX:
        raise InputError(f"has {len(text)} characters; a {language.name} has at most {_LENGTH_MAX}, so split it")
    return _Parser(text, language).whole()


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.language = language
        self.tokens = self._tokens()
        self.position = 0
        self.depth = 0

    def _tokens(self) -> list[_Token]:
        found = []
        start = 0
        while self.text[start:].strip():
            match = _TOKEN.match(self.text, start)
            if match is None and self.language.labels:
                match = _LABELS.match(self.text, start)
            if match is None:
                start += len(self.text[start:]) - len(self.text[start:].lstrip())
                self._unexpected_character(start)
            token_type = match.lastgroup if match.lastgroup != "unit" else "number"
            begin = match.start(str(token_type))
            unit = match["unit"] or "" if token_type == "number" else ""
            found.append(_Token(str(token_type), match[str(token_type)], unit, begin, match.end()))
            start = match.end()
        found.append(_Token("end", "", "", len(self.text), len(self.text)))
        return found

    def _unexpected_character(self, start: int) -> NoReturn:
        character = self.text[start]
        hints = {"=": "write == to compare", "&": "write and", "|": "write or", "!": "write not, or != to compare"}
        if self.language.labels:
            hints |= {"[": "close the bracket", "]": "no bracket is open"}
        if self.text[start : start + 2] in ("=>", "=<"):
            hints["="] = f"write {self.text[start + 1]}="
        hint = hints.get(character, "close the quote" if character in "\"'" else "")
        self.fail(f'unexpected "{character}"' + (f"; {hint}" if hint else ""), start)

    def fail(self, message: str, start: int) -> NoReturn:
        """Raise an error that shows the position."""
        window = max(0, start - 80)
        shown = self.text[window : start + 40].replace("\n", " ").replace("\t", " ")
        raise InputError(message, hint=f"{shown}\n  {' ' * (start - window)}^")

    @property
    def token(self) -> _Token:
        """The next token."""
        return self.tokens[self.position]

    def take(self) -> _Token:
        """Consume the next token."""
        token = self.token
        self.position += 1
        return token

    def takes(self, *texts: str) -> str | None:
        """Consume the next token if it is one of these signs or words."""
        if self.token.type in ("sign", "name") and self.token.text in texts:
            return self.take().text
        return None

    def source(self, start: int) -> str:
        """Return the text from there to the last consumed token."""
        return self.text[self.tokens[start].start : self.tokens[self.position - 1].end]

    def whole(self) -> Tree:
        if self.token.type == "end":
            raise InputError(f"is empty; write {self.language.example}")
        tree = self.disjunction()
        if self.token.type != "end":
            self.fail(self._unexpected(), self.token.start)
        return tree

    def _unexpected(self) -> str:
        before = self.tokens[self.position - 1] if self.position else None
        if before is not None and before.type == "number" and self.token.type == "name":
            listed = ", ".join(dict.fromkeys(unit for dim in units.DIMENSIONS for unit, _ in dim.printed()))
            return (
                f'unknown unit "{self.token.text}"{suggestion(self.token.text, units.known_units())}; known: {listed}'
            )
        if self.token.type == "end":
            return "ends unexpectedly"
        return f'unexpected "{self.token.text}"; write and, or, a comparison, or end here'

    def disjunction(self) -> Tree:
        self.depth += 1
        if self.depth > _DEPTH_MAX:
            self.fail("is nested too deeply", self.token.start)
        tree = self.logic("or", lambda: self.logic("and", self.negation))
        self.depth -= 1
        return tree

    def logic(self, word: str, operand: Callable[[], Tree]) -> Tree:
        start = self.position
        operands = [operand()]
        while self.takes(word):
            operands.append(operand())
        return operands[0] if len(operands) == 1 else Logic(self.source(start), word, tuple(operands))

    def negation(self) -> Tree:
        start, odd = self.position, self.odd("not")
        tree = self.comparison()
        return Logic(self.source(start), "not", (tree,)) if odd else tree

    def odd(self, word: str) -> bool:
        """Consume any number of these words; return whether the number is odd."""
        odd = False
        while self.takes(word):
            odd = not odd
        return odd

    def comparison(self) -> Tree:
        start = self.position
        operands, signs = [self.sum()], []
        while sign := self.takes(*COMPARISONS):
            signs.append(sign)
            operands.append(self.sum())
        return Comparison(self.source(start), tuple(operands), tuple(signs)) if signs else operands[0]

    def sum(self) -> Tree:
        return self.arithmetic(("+", "-"), lambda: self.arithmetic(("*", "/", "//", "%"), self.sign))

    def arithmetic(self, signs: tuple[str, ...], operand: Callable[[], Tree]) -> Tree:
        start = self.position
        tree = operand()
        while sign := self.takes(*signs):
            right = operand()
            tree = Arithmetic(self.source(start), sign, tree, right)
        return tree

    def sign(self) -> Tree:
        start, odd = self.position, self.odd("-")
        tree = self.atom()
        return Arithmetic(self.source(start), "-", None, tree) if odd else tree

    def atom(self) -> Tree:
        token = self.token
        if token.type == "number":
            self.take()
            return Literal(self.text[token.start : token.end], ValueWithUnit(Fraction(token.text), token.unit))
        if token.type == "text":
            self.take()
            return Literal(token.text, token.text[1:-1])
        if token.type == "name":
            return self.name(self.take())
        if self.takes("("):
            tree = self.disjunction()
            if not self.takes(")"):
                self.fail("unclosed bracket; add )", token.start)
            return tree
        self.fail("a value is missing here" if token.type == "end" else self._unexpected(), token.start)

    def name(self, token: _Token) -> Tree:
        if token.text in ("true", "false"):
            return Literal(token.text, token.text == "true")
        if self.token.text == "(" and token.text not in _WORDS:
            return self.call(token)
        if token.text in _WORDS:
            self.fail(f'a value is missing before "{token.text}"', token.start)
        if self.token.type == "labels":
            start = self.position - 1
            labels = self.labels(self.take())
            return Indexed(self.source(start), token.text, labels)
        return Name(token.text, tuple(token.text.split(".")))

    def labels(self, token: _Token) -> tuple[tuple[str | None, str], ...]:
        """Parse the labels between brackets."""
        found: list[tuple[str | None, str]] = []
        start = token.start + 1
        while start < token.end:
            match = _LABEL.match(self.text, start, token.end)
            if match is None:
                self.fail("expected a label here; quote it if it contains , = [ ]", start)
            label = match["quoted"][1:-1] if match["quoted"] else " ".join(match["plain"].split())
            found.append((match["axis"], label))
            start = match.end()
        return tuple(found)

    def call(self, token: _Token) -> Tree:
        start = self.position - 1
        function = FUNCTIONS.get(token.text)
        if function is None:
            known = ", ".join(FUNCTIONS)
            self.fail(
                f'unknown function "{token.text}"{suggestion(token.text, FUNCTIONS)}; known: {known}', token.start
            )
        self.take()
        arguments = [self.disjunction()]
        while self.takes(","):
            arguments.append(self.disjunction())
        if not self.takes(")"):
            self.fail("unclosed bracket; add )", token.start)
        if function.single and len(arguments) != 1:
            self.fail(f"{token.text} takes one value, not {len(arguments)}", token.start)
        return Call(self.source(start), token.text, tuple(arguments))
