# SPDX-License-Identifier: MIT
"""sap-stream-sink: receives the stream of a ``sap-streamer`` and compares it bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Flow, Param, Parsed, Probe, Raw, Target
from lab.probes.base.text import Json

from . import _report
from ._results import Completion, FileArrived, Gaps, Payload


class SapStreamSink(Probe):
    """Receives one stream. Give its process ``ready: {listening: udplite/5001}``.

    Values: ``complete`` (the end arrived), ``expected``, ``arrived``, ``lost`` (datagrams), ``foreign`` (of no stream),
    ``arrived_bits``, ``elapsed_ns`` (from the opening to the end), ``inter_arrival`` and libsap's counters ``sap_…``.
    For a stream, not for a file: ``damaged`` (datagrams with a wrong bit in their payload), ``wrong_bits``,
    ``ber_damaged`` (wrong share of the bits in damaged datagrams) and ``right_share`` (correct share of the bits that
    arrived); None: there are no such bits. What arrived is stored as ``<process>.received``, with its damage.
    Datagrams with damaged headers count as lost.
    """

    about = "receiver for sap-streamer: lost and damaged datagrams, wrong bits, inter-arrival times"
    acts = True
    yields = (Flow, Payload, Completion, Gaps, FileArrived)
    artefacts = ("{id}.received",)
    params: ClassVar[dict[str, Param]] = {
        "port": _report.LISTEN,
        "idle": Param(
            "duration", "give up if the sender is silent for this long", default=10_000_000_000, least=1_000_000
        ),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``sap-streamer receive``, which stores what arrives, with its damage."""
        command = ["sap-streamer", "receive", "--json", "--port", str(params["port"]), "--output", f"{raw}.received"]
        command += ["--bind", "::"] if target.ipv6 else []
        return [*command, "--idle", _report.duration(params["idle"])]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if nothing arrived."""
        parsed = Parsed()
        document = _report.report(raw, "receiver")
        if document is not None:
            parsed.values |= _values(document)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield what arrived, how much of it is correct, and when; of a file, where it is stored."""
        values = parsed.values
        if "expected" in values:
            yield Flow(raw.id, values["expected"], values["lost"])
            yield from _report.payload(raw, values)
            yield from _report.arrival(raw, values)
        if raw.path("received").is_file():
            yield FileArrived(raw.id, raw.params.get("port"), raw.path("received"), values.get("lost"))


def _values(document: Json) -> dict[str, Any]:
    datagrams, bits = document["datagrams"], document["bits"]
    values: dict[str, Any] = {"content": document["content"].text(), "complete": document["complete"].flag()}
    values |= {key: datagrams[key].integer() for key in ("expected", "arrived", "lost", "foreign")}
    values |= {"damaged": _known(datagrams["damaged"]), "wrong_bits": _known(bits["wrong"])}
    values |= {"arrived_bits": bits["arrived"].integer(), "elapsed_ns": document["elapsed_ns"].integer()}
    values |= {key: _report.share(document[key]) for key in ("ber_damaged", "right_share")}
    return values | {"inter_arrival": _report.inter_arrival(document)} | _report.counters(document)


def _known(value: Json) -> int | None:
    """Return a count; None if it is unknown, as for a file."""
    return None if value.absent() else value.integer()
