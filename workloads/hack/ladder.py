# SPDX-License-Identifier: MIT
"""Draw what was on the air as ladder diagrams: a line for each radio, an arrow for each frame, TCP ACKs in colour.

    lab run downloads hack/download --pcap air --out runs/stock
    python -m workloads.hack.ladder runs/stock --at 4.0034s --for 2ms

Several runs are drawn side by side, at the same scale. Needs tshark.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import captures, record
from lab.drawing import FORMATS, save
from lab.drawing.ladder import Arrow, Ladder, lay_out_ladders
from lab.drawing.palette import Colour
from lab.errors import InputError, LabError
from lab.numbers import count
from lab.units import DURATION, UnitError
from workloads.hack import frames
from workloads.hack.frames import Frame

LONGEST_NS = 20_000_000  # of a span: more than 60 frames of 802.11a are not legible
MOST_RUNS = 3
_DATA, _NATIVE, _CARRYING, _OTHER = 0, 1, 2, "soft"  # colours
_NAMES = {
    frames.BEACON: "Beacon",
    frames.BAR: "BlockAckReq",
    frames.BLOCK_ACK: "BlockAck",
    frames.RTS: "RTS",
    frames.CTS: "CTS",
    frames.ACK: "ACK",
}
_UNKNOWN = "?"
_TO = "\N{EN DASH}"


@dataclass(frozen=True)
class Span:
    """A span of time, in ns since second 0 of a run."""

    begin_ns: int
    length_ns: int

    def __str__(self) -> str:
        return f"{DURATION.format(self.length_ns)} from {self.begin_ns / 1e9:.12g} s on"


def ladder(directory: Path, span: Span) -> Ladder:
    """Return the ladder of a span of a run.

    Raises:
        InputError: If the run has no capture, or nothing was on the air in that span.
        LabError: If the record or the capture cannot be read.
    """
    ran = record.load(directory)
    zero_ns = ran.data["clock"]["epoch_ns"]
    names = {node.radio.mac: node.name for node in ran.plan.nodes if node.radio}
    begin_ns = zero_ns + span.begin_ns
    found = frames.read(_capture(directory), begin_ns, begin_ns + span.length_ns)
    if not found:
        end_s = ran.data["clock"]["end_ns"] / 1e9
        raise InputError(
            f"{directory}: nothing is on the air in the {span}",
            hint=f"the run ends at {end_s:.4g} s; choose another --at or a longer --for",
        )
    arrows = [_arrow(frame, begin_ns, names) for frame in found]
    seen = {line for arrow in arrows for line in (arrow.source, arrow.target) if line is not None}
    lines = [name for name in names.values() if name in seen]
    lines += sorted(seen.difference(lines))
    title = f"{directory.name}, from {span.begin_ns / 1e9:.12g} s on"
    return Ladder(title, tuple(lines), tuple(arrows), span.length_ns / 1e3)


def _capture(directory: Path) -> Path:
    found = sorted((directory / "raw").glob(captures.FILES))
    if not found:
        raise InputError(f"{directory} has no capture of the air", hint="run it again with --pcap air")
    if len(found) > 1:
        listed = ", ".join(path.name for path in found)
        raise InputError(f"{directory} has several channels: {listed}", hint="only runs with one channel can be drawn")
    return found[0]


def _arrow(frame: Frame, zero_ns: int, names: dict[str, str]) -> Arrow:
    source = frame.transmitter
    target = frame.receiver
    return Arrow(
        _UNKNOWN if source is None else names.get(source, source),
        None if target is None else names.get(target, target),
        (frame.begin_ns - zero_ns) / 1e3,
        (frame.end_ns - zero_ns) / 1e3,
        label(frame),
        note(frame),
        colour(frame),
        frame.collided,
    )


def label(frame: Frame) -> str:
    """Return what a frame is."""
    if frame.kind in (frames.DATA, frames.QOS_DATA):
        if frame.tcp_acks and not frame.segments:
            return "TCP ACK (native)" if frame.tcp_acks == 1 else f"{frame.tcp_acks} TCP ACKs (native)"
        return f"DATA {_numbers(frame.sequences)}".strip()
    name = _NAMES.get(frame.kind, frame.name)
    return f"{name} + {count(frame.carried, 'TCP ACK')}" if frame.carried else name


def _numbers(sequences: Sequence[int]) -> str:
    """Return sequence numbers: one, from the first to the last, or with an ellipsis if some are missing between."""
    if len(sequences) < 2:
        return "".join(map(str, sequences))
    first, last = sequences[0], sequences[-1]
    return f"{first}{_TO if (last - first) % 4096 == len(sequences) - 1 else '…'}{last}"


def note(frame: Frame) -> str:
    """Return what else is to be known about a frame."""
    notes = [
        ("collision", frame.collided),
        ("retry", frame.again),
        (f"A-MPDU of {len(frame.sequences)}", len(frame.sequences) > 1),
        ("More Data", frame.more_data),
        (f"{frame.carried_bytes} B", frame.carried > 0),
    ]
    return ", ".join(words for words, holds in notes if holds)


def colour(frame: Frame) -> Colour:
    """Return the colour of a frame: data, native TCP ACKs, link-layer ACKs that carry TCP ACKs, others."""
    if frame.carried:
        return _CARRYING
    if frame.tcp_acks and not frame.segments:
        return _NATIVE
    return _DATA if frame.kind in (frames.DATA, frames.QOS_DATA) else _OTHER


def _duration(option: str, text: str) -> int:
    try:
        return int(DURATION.parse(text, "s" if option == "--at" else "ms"))
    except UnitError as error:
        raise InputError(f"{option}: {error}") from None


def _spans(runs: Sequence[Path], at: Sequence[str], length: str) -> list[Span]:
    if len(runs) > MOST_RUNS:
        raise InputError(f"{len(runs)} runs do not fit side by side", hint=f"draw at most {MOST_RUNS}")
    if len(at) not in (1, len(runs)):
        raise InputError(f"{len(at)} times for {count(len(runs), 'run')}", hint="give --at once, or once for each run")
    length_ns = _duration("--for", length)
    if not 0 < length_ns <= LONGEST_NS:
        raise InputError(
            f"--for: {length} is not legible", hint=f"write more than 0 and at most {DURATION.format(LONGEST_NS)}"
        )
    begins_ns = [_duration("--at", text) for text in at]
    return [Span(begin_ns, length_ns) for begin_ns in (begins_ns if len(at) > 1 else begins_ns * len(runs))]


def draw(runs: Sequence[Path], at: Sequence[str], length: str, out: Path) -> list[Ladder]:
    """Draw runs side by side; return their ladders. LabError: see ``ladder``, or an option is invalid."""
    if out.suffix.removeprefix(".") not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise InputError(f"--out: {out} does not say the format", hint=f"write a name that ends in one of {endings}")
    spans = _spans(runs, at, length)
    ladders = [ladder(directory, span) for directory, span in zip(runs, spans, strict=True)]
    title = f"Ladder diagrams of frames on the air: {'; '.join(one.title for one in ladders)}"
    save(lay_out_ladders(title, ladders), out.with_suffix(""), [out.suffix.removeprefix(".")])
    return ladders


def main() -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m workloads.hack.ladder", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="directory of a run with --pcap air")
    parser.add_argument(
        "--at",
        action="append",
        required=True,
        metavar="TIME",
        help="begin, in the time of the run; or one for each run",
    )
    parser.add_argument("--for", dest="length", default="2ms", metavar="TIME", help="duration (default: 2ms)")
    parser.add_argument("--out", type=Path, default=Path("ladder.svg"), help="picture: .svg, .png or .pdf")
    options = parser.parse_args()
    try:
        ladders = draw(options.runs, options.at, options.length, options.out)
    except LabError as error:
        print(f"ladder: {error}", file=sys.stderr)
        return error.exit_status
    for one in ladders:
        print(f"{one.title}: {count(len(one.arrows), 'frame')} between {', '.join(one.lines)}")
    print(f"ladder: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
