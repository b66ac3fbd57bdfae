# SPDX-License-Identifier: MIT
"""smb-get: fetches one file from a file server with a client of Samba, or puts one there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from lab.errors import ParameterError, suggestion
from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Target, Transfer, program_path
from lab.probes.base.text import Json, documents
from lab.probes.base.watched import rate, received_ns, watched

_SECOND = 1_000_000_000
_PROGRAM = "smb-get.py"
_CLIENTS = ("smbclient", "smbget")
_PROTOCOLS = ("NT1", "SMB2_02", "SMB2_10", "SMB3_00", "SMB3_02", "SMB3_11")  # as in smb.conf(5)
_PROTECTION = ("off", "sign", "encrypt")  # as smbclient(1) knows it
_QUOTED = '";'  # characters that end a word, or a command, of smbclient


class SmbGet(Probe):
    """Fetches a file from a share, or puts one there, and ends.

    smbclient has many requests of a file under way at a time. smbget waits for each block before it asks for the next
    one, as clients of the 2000s did.

    Series: ``received`` (B, cumulative; of a fetch). Values: ``bytes``, ``sha256`` (of what arrived; of what was put),
    ``time_total_s`` (from the start of the client to its end, with session set-up and tear-down). A client that fails
    ends the run, with the reason.
    """

    about = "fetch a file over SMB (CIFS), or put one there: bytes over time, completion time, SHA-256 of what arrived"
    acts = True
    programs: ClassVar[dict[str, str]] = {
        _PROGRAM: Path(__file__).with_name("_smb_get_program.py").read_text(encoding="utf-8")
    }
    yields = (Transfer,)
    params: ClassVar[dict[str, Param]] = {
        "server": Param("str", "address of the server", required=True),
        "share": Param("str", "name of the share", default="share"),
        "file": Param("str", "the file, by its path in the share", required=True),
        "put": Param("str", "path in this node of the file to put there, by smbclient; default: fetch it"),
        "client": Param("str", "smbclient, or smbget, which has one request under way at a time", default="smbclient"),
        "block": Param(
            "size", "bytes that smbget asks for in a request; default: its own, 64000", least=1 << 10, most=8 << 20
        ),
        "protocol": Param("str", f"highest version of the protocol: {', '.join(_PROTOCOLS)}; default: the newest"),
        "user": Param("str", "user who logs in; default: nobody, the session is anonymous"),
        "password": Param("str", "the password of the user", default=""),
        "protection": Param(
            "str",
            "what a session of a user must be, or the client ends: sign, encrypt; off: what the server demands; "
            "default: the client's own",
        ),
        "every": Param("duration", "interval between samples of the received bytes", default=_SECOND, least=1_000_000),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        for key, known in (("client", _CLIENTS), ("protocol", _PROTOCOLS), ("protection", _PROTECTION)):
            if params[key] is not None and params[key] not in known:
                hint = suggestion(params[key], known)
                raise ParameterError(key, f'"{params[key]}" is not valid{hint}; known: {", ".join(known)}')
        if params["block"] is not None and params["client"] != "smbget":
            raise ParameterError("block", "needs client: smbget")
        if params["put"] is not None and params["client"] != "smbclient":
            raise ParameterError("put", "needs client: smbclient")
        for key in ("password", "protection"):
            if params[key] and params["user"] is None:
                raise ParameterError(key, "needs a user: an anonymous session has no key")
        if params["client"] == "smbget" and ":" in params["server"]:
            raise ParameterError("server", "smbget knows no addresses of IPv6; write the name of the node")
        for key in ("share", "file", "put"):
            found = params[key] or ""
            if any(character in _QUOTED or not character.isprintable() for character in found):
                raise ParameterError(key, f"must not have the characters {' '.join(_QUOTED)}, or line breaks")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = self._smbget(params, raw) if params["client"] == "smbget" else self._smbclient(params, raw)
        if params["protocol"] is not None:
            least = "NT1" if params["protocol"] == "NT1" else "SMB2_02"
            command += [
                f"--option=client max protocol={params['protocol']}",
                f"--option=client min protocol={least}",
            ]
        if params["protection"] is not None:
            command.append(f"--client-protection={params['protection']}")
        settings = {"command": command, **{key: params[key] for key in ("server", "share", "file")}}
        return ["python3", program_path(_PROGRAM), json.dumps(settings)]

    def _smbclient(self, params: dict[str, Any], raw: str) -> list[str]:
        words = ["put", params["put"], params["file"]]
        if params["put"] is None:
            words = ["get", params["file"], self._arrives(raw)]
        do = " ".join([words[0], *(f'"{word}"' for word in words[1:])])
        return [
            "smbclient",
            f"//{params['server']}/{params['share']}",
            *self._user(params, "--no-pass"),
            "--command",
            do,
        ]

    def _smbget(self, params: dict[str, Any], raw: str) -> list[str]:
        url = f"smb://{params['server']}/{params['share']}/{params['file']}"
        block = [] if params["block"] is None else [f"--blocksize={params['block']}"]
        who = self._user(params, "--guest")
        return ["smbget", url, *who, "--quiet", f"--outputfile={self._arrives(raw)}", *block]

    def _user(self, params: dict[str, Any], nobody: str) -> list[str]:
        return [nobody] if params["user"] is None else [f"--user={params['user']}%{params['password']}"]

    def watched_file(self, params: dict[str, Any], raw: str) -> str | None:
        return self._arrives(raw) if params["put"] is None else params["put"]

    def _arrives(self, raw: str) -> str:
        return f"/tmp/{PurePosixPath(raw).name}.file"

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.size`` (bytes over time, hash) and ``.out`` (the client's time; empty if it failed)."""
        parsed = Parsed()
        watched(raw, parsed)
        if raw.params.get("put") is not None:
            parsed.series.clear()  # the file was there from the beginning
        for line, document in documents(raw):
            if "time_total_s" in parsed.values:
                raise ProbeOutputError(f"{raw.id}.out:{line}: only one line was expected")
            summary = Json(document, f"{raw.id}.out:{line}")
            took_ns = summary["took_ns"].integer()
            if took_ns < 0:
                raise ProbeOutputError(f"{summary.where}: took_ns: must not be negative")
            parsed.values["time_total_s"] = took_ns / _SECOND
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Transfer]:
        """Yield one transfer; if it did not complete, what arrived and when."""
        size, total_s = parsed.values.get("bytes", 0), parsed.values.get("time_total_s")
        over_time = rate(raw, parsed) if parsed.series else None
        if total_s is None:
            yield Transfer(raw.id, size, received_ns(parsed), over_time)
        else:
            yield Transfer(raw.id, size, round(total_s * _SECOND), over_time, complete=True)
