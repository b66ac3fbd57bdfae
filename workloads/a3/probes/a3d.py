# SPDX-License-Identifier: MIT
"""a3d: the daemon of A3 on a node, and its counters."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Samples, Target
from lab.probes.base.text import Json, documents, stamp_ns

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000
_CHOICES = {"side": ("client", "server"), "hook": ("forward", "host")}
FOLDER = "/var/lib/a3d-ib"  # of IB's journals
BLOCKS = "/var/lib/a3d-blocks"  # of TP
_COUNTS = (
    *("packets", "bytes", "thin", "copies", "copied_bytes", "alarms", "given_up", "no_room", "filtered", "errors"),
    *("connections", "not_followed", "left_middle", "left_options", "left_gap", "left_memory", "left_odd"),
    *("left_protocol", "encrypted", "signed"),
    *("far_ends", "no_far_end", "encoded", "plain_bytes", "encoded_bytes", "incompressible", "repeated", "off"),
    *("decoded", "refused", "mails", "behind", "no_table"),
)
_NEWER = (  # older ones do not print them
    *("taken", "taken_over", "resumed", "resets", "stored", "syncs", "disk_full", "not_taken"),
    *("pf_requests", "pf_later", "pf_held", "pf_overtaken", "pf_overdue", "pf_repeated", "pf_dropped", "pf_refused"),
    *("pf_notices", "pf_said", "pf_waiting"),
)
_TP_COUNTS = (  # with TP only
    *("predicted", "answered", "fetched", "served", "wasted", "oplocks", "breaks", "stale"),
    *("tp_taken", "tp_left", "tp_broken"),
)
_SERIES = {"packets": "packets", "copies": "packets", "stored": "B"}


class A3d(Probe):
    """Runs a3d until the end of the run, on a router or, with ``hook: host``, on the client's or server's own node.

    Series: ``packets`` (that it has seen), ``copies`` (that it has sent), ``stored`` (bytes that IB has put on disk),
    all so far. Values: these; ``bytes`` (of all that it has seen, with IP headers), ``thin`` (segments with thin
    messages towards the network), ``copied_bytes``, ``alarms`` (no answer to a message in time), ``given_up``,
    ``no_room`` (thin segments without copies), ``filtered`` (copies of the far end that it has dropped), ``errors``
    (packets that could not be sent); ``connections``, ``not_followed`` (for lack of room), and those left alone:
    ``left_middle`` (the beginning was not seen), ``left_options``, ``left_gap``, ``left_memory``, ``left_odd``,
    ``left_protocol``; of the last, ``encrypted`` and ``signed``. Of IB: ``taken`` (connections that it has taken
    over), ``taken_over`` (of these, those that are over), ``resumed`` (after a restart), ``resets`` (connections that
    it has reset, and packets of those that it does not know any more), ``syncs``, ``disk_full`` (times that there was
    no room), ``not_taken``.

    Of AE, at the client's side: ``far_ends`` (connections whose far end was found), ``no_far_end``, ``encoded``
    (segments that left compressed; ``plain_bytes`` and ``encoded_bytes``, with IP headers: before and after),
    ``incompressible``, ``repeated`` (of the compressed ones, by TCP), ``off`` (connections, after four of them in a
    row), ``behind`` (mails with an older table than the newest, since the far end does not have that). At the server's
    side: ``decoded``, ``refused`` (compressed packets that could not be restored, and were dropped). At both: ``mails``
    (that were added to a table), ``no_table`` (mails that were left, since there were too many at a time, and tables
    that could not be written).

    Of PF: ``pf_requests`` (of HTTP), ``pf_later`` (of them, those for objects that were not on the screen),
    ``pf_held`` (packets that had to wait), ``pf_waiting`` (that wait now), ``pf_overtaken``, ``pf_overdue`` (that had
    waited long enough), ``pf_repeated`` (that TCP repeated while the first one still waited), ``pf_dropped`` (for lack
    of room), ``pf_notices`` (packets that were sent, or came, with classes), ``pf_said`` (datagrams of monitors),
    ``pf_refused`` (of both, those that cannot be read or are not of a client).

    With TP, also ``predicted`` (blocks that it has asked for ahead), ``answered`` (reads that it has answered itself),
    ``fetched``, ``served`` and ``wasted`` (bytes: asked for ahead; given to clients; never asked for, or not to be
    used), ``oplocks`` (that it has asked for and got), ``breaks`` (of these), ``stale`` (reads that were the server's,
    since nothing had been heard of it for too long); of connections, ``tp_taken`` (that it stands in or has stood in),
    ``tp_left`` (that it leaves alone) and ``tp_broken`` (that it could not go on with).
    """

    about = "A3's daemon on this node: packets of CIFS, SMTP and HTTP, and copies of their thin messages"
    acts = True
    yields = (Samples("packets"), Samples("copies"), Samples("stored"))
    params: ClassVar[dict[str, Param]] = {
        "side": Param("str", "client or server: whom it stands next to", required=True),
        "hook": Param("str", "forward, what this node forwards; or host, its own packets", default="forward"),
        "rar": Param("bool", "redundant and aggressive retransmissions of thin messages", default=False),
        "copies": Param("int", "of a thin message, in addition to it", default=2, most=16),
        "stagger": Param("int", "a round trip divided by this is between two copies", default=10, least=1, most=1000),
        "alpha": Param(
            "duration",
            "a message goes out again if it is not answered within the mean round trip and this",
            default=20 * _MILLISECOND,
            most=60 * _SECOND,
        ),
        "pf": Param("bool", "prioritized fetching of objects of HTTP: those on the screen first", default=False),
        "pf_alone": Param("bool", "client's side: without a far end, delay requests of low priority", default=False),
        "pf_rate": Param(
            "rate", "server's side, with pf: of what it lets go; a little less than that of the line", least=1000
        ),
        "pf_limit": Param("int", "server's side: packets that wait", default=50, least=1, most=1000),
        "pf_most": Param(
            "duration",
            "how much later than in order of arrival a packet leaves at most, or a request",
            default=800 * _MILLISECOND,
            most=60 * _SECOND,
        ),
        "ae": Param("bool", "application-aware encoding of mails, with tables in /var/lib/a3d", default=False),
        "ae_key": Param(
            "str",
            "path of a file of this node with the secret of the two a3d, of 16 bytes or more, with mode 0600",
            default="/etc/a3d.key",
        ),
        "ae_tables": Param("bool", "false: AE is DEFLATE without tables", default=True),
        "ib": Param(
            "bool",
            "infinite buffering: what the near host does not take yet is stored and acknowledged; on routers only",
            default=False,
        ),
        "quota": Param("size", "what IB may store of a connection", default=64 << 20),
        "quota_all": Param("size", "what IB may store of all connections", default=256 << 20),
        "tp": Param(
            "bool",
            "transaction prediction: blocks of CIFS are asked for before the client asks; on routers only",
            default=False,
        ),
        "tp_quota": Param(
            "size", "what TP may keep of all connections; a device has a quarter of it", default=256 << 20
        ),
        "serialise": Param("bool", "one request of SMB2 at the server at a time; on routers only", default=False),
        "every": Param(
            "duration", "time between its reports", default=_SECOND, least=_MILLISECOND, most=3600 * _SECOND
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        for key, known in _CHOICES.items():
            if params[key] not in known:
                raise ParameterError(key, f'"{params[key]}" is not valid; write {" or ".join(known)}')
        self._check_pf(params)
        for key in ("ib", "tp", "serialise"):
            if params[key] and params["hook"] == "host":
                raise ParameterError(key, "needs a router; write hook: forward")
        for key in ("alpha", "every", "pf_most"):
            if params[key] % _MILLISECOND:
                raise ParameterError(key, "must be whole milliseconds")

    def _check_pf(self, params: dict[str, Any]) -> None:
        client = params["side"] == "client"
        if params["pf_alone"] and not (params["pf"] and client):
            raise ParameterError("pf_alone", "needs pf: true and side: client")
        if params["pf_rate"] is not None and client:
            raise ParameterError("pf_rate", "needs side: server")
        if params["pf"] and not client and params["pf_rate"] is None:
            raise ParameterError("pf_rate", "is missing: what waits elsewhere cannot be put in order")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        every = str(params["every"] // _MILLISECOND)
        command = ["a3d", "--side", params["side"], "--hook", params["hook"], "--every-ms", every]
        if params["rar"]:
            numbers = ("--copies", str(params["copies"]), "--stagger", str(params["stagger"]))
            command += ["--rar", *numbers, "--alpha-ms", str(params["alpha"] // _MILLISECOND)]
        if params["pf"]:
            command += ["--pf", "--pf-most-ms", str(params["pf_most"] // _MILLISECOND)]
        if params["pf_alone"]:
            command.append("--pf-alone")
        if params["pf"] and params["pf_rate"] is not None:
            command += ["--pf-rate", str(params["pf_rate"]), "--pf-limit", str(params["pf_limit"])]
        if params["ae"]:
            command += ["--ae", "/var/lib/a3d"]
            command += ["--ae-key", params["ae_key"]] if params["ae_tables"] else ["--ae-plain"]
        if params["ib"]:
            quotas = ("--ib-quota", str(params["quota"]), "--ib-quota-all", str(params["quota_all"]))
            command += ["--ib", FOLDER, *quotas]
        if params["tp"]:
            command += ["--tp", BLOCKS, "--tp-quota", str(params["tp_quota"])]
        if params["serialise"]:
            command.append("--serialise")
        return command

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each interval."""
        parsed = Parsed(values=dict.fromkeys((*_COUNTS, *_NEWER), 0))
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = _time_ns(line["t_s"]) - raw.epoch_ns
            for key, unit in _SERIES.items():
                if key in _NEWER and key not in line:
                    continue
                parsed.add(key, unit, t_ns, line[key].integer())
            parsed.values |= {key: line[key].integer() for key in _COUNTS}
            parsed.values |= {key: line[key].integer() for key in (*_NEWER, *_TP_COUNTS) if key in line}
        return parsed


def _time_ns(stamp: Json) -> int:
    try:
        return stamp_ns(stamp.text())
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None
