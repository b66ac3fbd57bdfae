# SPDX-License-Identifier: MIT
"""web-site: a page with pictures, made to measure, and the web server that serves it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes import _web
from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Target, program_path
from lab.probes.base.text import Json, documents

_ORDERS = ("top", "mixed")
_KEYS = ("folder", "html", "objects", "object", "on_screen", "order")


class WebSite(Probe):
    """Makes a page and its pictures, of random bytes by the seed, and runs lighttpd until the end of the run.

    Values: ``objects`` (with the page itself), ``bytes`` (of them all), ``sha256`` (of all objects and their paths; the
    probe ``web-browse`` computes the same of what arrived).
    """

    about = "serve a page with pictures, of given numbers and sizes, by lighttpd"
    acts = True
    programs: ClassVar[dict[str, str]] = _web.programs("site")
    params: ClassVar[dict[str, Param]] = {
        "html": Param("size", "bytes of the page itself", default=12 << 10, least=1 << 10, most=16 << 20),
        "objects": Param("int", "number of pictures", default=12, most=1000),
        "object": Param("size", "bytes of each picture", default=4 << 10, least=256, most=16 << 20),
        "on_screen": Param("int", "how many of the pictures fill the screen", default=4, most=1000),
        "order": Param(
            "str",
            "top: the HTML names pictures from the top of the page; mixed: those on the screen are spread over it, as "
            "in pages with tables and columns",
            default="top",
        ),
        "folder": Param("str", "where the files are put", default="/srv/www"),
        "configuration": Param("str", "path of lighttpd's configuration", default="/etc/lighttpd/lab.conf"),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if params["order"] not in _ORDERS:
            raise ParameterError("order", f'"{params["order"]}" is not valid; write {" or ".join(_ORDERS)}')
        if params["on_screen"] > params["objects"]:
            raise ParameterError("on_screen", f"must be at most objects, which is {params['objects']}")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        settings = {key: params[key] for key in _KEYS} | {"seed": target.seed}
        server = ["lighttpd", "-D", "-f", params["configuration"]]
        return ["python3", program_path(_web.file("site")), json.dumps(settings), *server]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: one line."""
        parsed = Parsed()
        for number, document in documents(raw):
            if parsed.values:
                raise ProbeOutputError(f"{raw.id}.out:{number}: only one line was expected")
            line = Json(document, f"{raw.id}.out:{number}")
            parsed.values = {key: line[key].integer() for key in ("objects", "bytes")}
            parsed.values["sha256"] = line["sha256"].text()
        return parsed
