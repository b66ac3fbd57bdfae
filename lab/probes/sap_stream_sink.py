# SPDX-License-Identifier: MIT
"""sap-stream-sink: what arrives of the stream of a ``sap-streamer``, bit by bit."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.probes import _sap
from lab.probes._text import Json
from lab.probes.base import Param, Parsed, Probe, Raw, Target


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
    stack = "sap"
    artefacts = ("{id}.received",)
    params: ClassVar[dict[str, Param]] = {
        "port": _sap.LISTEN,
        "idle": Param(
            "duration", "a sender that is silent for so long is given up", default=10_000_000_000, least=1_000_000
        ),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """``sap-streamer receive``; what arrives is kept, damaged as it is."""
        command = ["sap-streamer", "receive", "--json", "--port", str(params["port"]), "--output", f"{raw}.received"]
        return [*command, "--idle", _sap.duration(params["idle"])]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if nothing came."""
        parsed = Parsed()
        told = _sap.report(raw, "receiver")
        if told is not None:
            parsed.values |= _values(told)
        return parsed


def _values(told: Json) -> dict[str, Any]:
    datagrams, bits = told["datagrams"], told["bits"]
    values: dict[str, Any] = {"content": told["content"].text(), "complete": told["complete"].flag()}
    values |= {key: datagrams[key].integer() for key in ("expected", "arrived", "lost", "foreign")}
    values |= {"damaged": _known(datagrams["damaged"]), "wrong_bits": _known(bits["wrong"])}
    values |= {"arrived_bits": bits["arrived"].integer(), "elapsed_ns": told["elapsed_ns"].integer()}
    values |= {key: _sap.share(told[key]) for key in ("ber_damaged", "right_share")}
    return values | {"inter_arrival": _sap.inter_arrival(told)} | _sap.counters(told)


def _known(value: Json) -> int | None:
    """A count, or None where nobody knows it: of a file."""
    return None if value.absent() else value.integer()


PROBE = SapStreamSink()
