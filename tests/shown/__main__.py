# SPDX-License-Identifier: MIT
"""``make docs``: run the commands in the documentation, and compare their output and the pictures that they draw.

``--write`` updates them.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.shown import printed
from tests.shown.compare import Comparison, Pair, compare
from tests.shown.document import Command, DocumentError, File, parse, prose
from tests.shown.figures import mentions

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "docs/*.md", "docs/decisions/*.md", "docs/extend/*.md", "workloads/*/*.md")


@dataclass
class Found:
    """Counts for a document, and the lines to write."""

    lines: list[str]
    compared: int = 0
    commands: int = 0
    stale: int = 0
    unclear: int = 0
    changed: list[tuple[Command, Comparison]] = field(default_factory=list)
    drawn: list[tuple[bytes, Path]] = field(default_factory=list)  # pictures that have changed


def main() -> int:
    """Return the exit status: 0 if everything agrees or has been written."""
    parser = argparse.ArgumentParser(prog="python -m tests.shown", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="documents (default: all)")
    parser.add_argument("--write", action="store_true", help="replace stale lines by the current output")
    options = parser.parse_args()
    files = options.files or [path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))]
    found = [_examine(path, write=options.write) for path in files]
    stale, unclear = sum(one.stale for one in found), sum(one.unclear for one in found)
    print(
        f"{sum(one.compared for one in found)} lines of {sum(one.commands for one in found)} commands: "
        f"{stale} stale{' (written)' if options.write and stale else ''}, {unclear} to check by hand"
    )
    return 1 if unclear or (stale and not options.write) else 0


def _examine(path: Path, *, write: bool) -> Found:
    text = path.read_text()
    found = Found(text.splitlines())
    name = str(path.resolve().relative_to(ROOT)) if path.resolve().is_relative_to(ROOT) else str(path)
    try:
        parts = parse(text)
    except DocumentError as error:
        print(f"{name}:{error}")
        found.unclear += 1
        return found
    with tempfile.TemporaryDirectory(prefix="shown-") as folder:  # not hwsim-lab-: the lab removes such
        for part in parts:
            if isinstance(part, File):
                file = Path(folder) / part.name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(part.text)
            else:
                _run(name, part, Path(folder), found)
                if part.draws:
                    _compare_picture(name, part, Path(folder), path.parent, found)
    for command, comparison in found.changed:
        _repeated(name, text, command, comparison)
        first = command.line - 1
        found.lines[first : first + len(comparison.lines)] = comparison.lines
    if write and found.changed:
        path.write_text("".join(f"{line}\n" for line in found.lines))
    if write:
        for picture, there in found.drawn:
            there.write_bytes(picture)
    return found


def _run(name: str, command: Command, place: Path, found: Found) -> None:
    if reason := printed.why_not(command.argv):
        if command.shown:
            print(f"{name}:{command.line}: not run: {reason}")
        return
    print(f"{name}:{command.line - 1}: {shlex.join(command.argv)}", file=sys.stderr, flush=True)
    output = printed.run(command.argv, place)
    comparison = compare(command.shown, output.lines)
    found.commands += 1
    found.compared += sum(1 for line in command.shown if line.strip() not in ("", "…"))
    found.stale += len(comparison.stale)
    found.unclear += len(comparison.unclear)
    for pair in sorted([*comparison.stale, *comparison.unclear], key=lambda pair: pair.place):
        _tell(name, command, pair, clear=pair in comparison.stale)
    if comparison.unclear and output.status not in (0, 1):
        print(f"  {shlex.join(command.argv)} ended with status {output.status}: {' '.join(output.lines[-3:])}")
    if comparison.stale:
        found.changed.append((command, comparison))


def _compare_picture(name: str, command: Command, place: Path, folder: Path, found: Found) -> None:
    """Compare what a command has drawn with the picture in the documentation."""
    if printed.why_not(command.argv):
        return
    picture, _, source = command.draws.partition(" from ")
    drawn, there = place / (source or Path(picture).name), folder / picture
    found.compared += 1
    if not drawn.is_file():
        found.unclear += 1
        print(f"{name}:{command.line}: {shlex.join(command.argv)} has not drawn {drawn.name}")
    elif not there.is_file() or there.read_bytes() != drawn.read_bytes():
        found.stale += 1
        found.drawn.append((drawn.read_bytes(), there))
        print(f"{name}:{command.line}: {picture} is not the picture that is drawn now")


def _tell(name: str, command: Command, pair: Pair, *, clear: bool) -> None:
    print(f"{name}:{command.line + pair.place}")
    print(f"  shown    {pair.shown.strip()}")
    if pair.printed == pair.shown:
        print("  printed  at another place in its table")
    else:
        print(f"  printed  {pair.printed.strip() if pair.printed else 'no clear counterpart'}")
    if not clear:
        print("  check this by hand")


def _repeated(name: str, text: str, command: Command, comparison: Comparison) -> None:
    for mention in mentions([*comparison.stale, *comparison.unclear], prose(text, command.line)):
        now = mention.printed or "unclear"
        print(f"{name}:{mention.line}: prose says {mention.written}; the block had {mention.shown}, now {now}")


if __name__ == "__main__":
    sys.exit(main())
