# SPDX-License-Identifier: MIT
"""sap-stream-sink: what arrives of the stream of a ``sap-streamer``, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes._text import Json
from lab.probes.base import Flow, Param, Parsed, Probe, Raw, Target

from . import _report
from ._kinds import Completion, FileArrived, Gaps, Payload


class SapStreamSink(Probe):
    """Receives one stream. Give its process ``ready: {listening: udplite/5001}``.

    Values: ``complete`` (the end came), ``expected``, ``arrived``, ``lost`` (datagrams), ``foreign`` (of no stream),
    ``arrived_bits``, ``elapsed_ns`` (from the opening to the end), ``inter_arrival`` and libsap's counters ``sap_…``.
    Of a stream, not of a file: ``damaged`` (datagrams with a wrong bit in their payload), ``wrong_bits``,
    ``ber_damaged`` (wrong bits of all in damaged datagrams) and ``right_share`` (of the bits that arrived); None is a
    share of nothing. What arrived, damaged as it is, is kept as ``<process>.received``.
    Damage in headers is not seen here: such datagrams are lost.
    """

    about = "what arrives of a sap-streamer: datagrams lost and damaged, wrong bits, inter-arrival times"
    acts = True
    yields = (Flow, Payload, Completion, Gaps, FileArrived)
    artefacts = ("{id}.received",)
    params: ClassVar[dict[str, Param]] = {
        "port": _report.LISTEN,
        "idle": Param(
            "duration", "a sender that is silent for so long is given up", default=10_000_000_000, least=1_000_000
        ),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """``sap-streamer receive``; what arrives is kept, damaged as it is."""
        command = ["sap-streamer", "receive", "--json", "--port", str(params["port"]), "--output", f"{raw}.received"]
        return [*command, "--idle", _report.duration(params["idle"])]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if nothing came."""
        parsed = Parsed()
        told = _report.report(raw, "receiver")
        if told is not None:
            parsed.values |= _values(told)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """What arrived, how much of it right, and when; of a file, where it is kept."""
        values = parsed.values
        if "expected" in values:
            yield Flow(raw.id, values["expected"], values["lost"])
            yield from _report.payload(raw, values)
            yield from _report.arrival(raw, values)
        if raw.path("received").is_file():
            yield FileArrived(raw.id, raw.params.get("port"), raw.path("received"), values.get("lost"))


def _values(told: Json) -> dict[str, Any]:
    datagrams, bits = told["datagrams"], told["bits"]
    values: dict[str, Any] = {"content": told["content"].text(), "complete": told["complete"].flag()}
    values |= {key: datagrams[key].integer() for key in ("expected", "arrived", "lost", "foreign")}
    values |= {"damaged": _known(datagrams["damaged"]), "wrong_bits": _known(bits["wrong"])}
    values |= {"arrived_bits": bits["arrived"].integer(), "elapsed_ns": told["elapsed_ns"].integer()}
    values |= {key: _report.share(told[key]) for key in ("ber_damaged", "right_share")}
    return values | {"inter_arrival": _report.inter_arrival(told)} | _report.counters(told)


def _known(value: Json) -> int | None:
    """A count, or None where nobody knows it: of a file."""
    return None if value.absent() else value.integer()


PROBE = SapStreamSink()
