# SPDX-License-Identifier: MIT
"""Width of texts, and texts that fit into a width."""

from __future__ import annotations

from lab.drawing.shapes import FACES

# advance widths of DejaVu Sans from " " to "~", in thousandths of the size of the font; most other faces are narrower
_REGULAR = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)  # fmt: skip
_BOLD = (
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995,
    837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716,
    678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712,
    365, 712, 838,
)  # fmt: skip
_FIRST = ord(" ")
_OTHER, _EAST_ASIAN = 840, 1050  # of other characters: the widest common one
_EAST_ASIA_BEGINS = 0x2E80


def text_width(text: str, face: str = "tick") -> float:
    """Return the width of a text in DejaVu Sans, in pixels; an estimate for characters beyond ASCII."""
    look = FACES[face]
    widths = _BOLD if look.bold else _REGULAR
    total = 0
    for letter in text:
        code = ord(letter) - _FIRST
        if 0 <= code < len(widths):
            total += widths[code]
        else:
            total += _EAST_ASIAN if ord(letter) >= _EAST_ASIA_BEGINS else _OTHER
    return total * look.size / 1000


def shortened(text: str, room: float, face: str = "tick") -> str:
    """Return the text, cut with an ellipsis if it is too wide. Line breaks become spaces."""
    text = " ".join(text.split())
    if text_width(text, face) <= room:
        return text
    while text and text_width(text + "…", face) > room:
        text = text[:-1]
    return text + "…"


def wrapped(text: str, room: float, face: str) -> list[str]:
    """Return the text in lines that fit; words that are too wide are shortened."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", face) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(shortened(word, room, face))
    return lines
