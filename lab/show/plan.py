# SPDX-License-Identifier: MIT
"""Shows a plan as tables on a terminal."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from lab import units
from lab.fitted import Fitted
from lab.model.event import summary
from lab.model.radio_setting import described
from lab.numbers import count, plain
from lab.probes import base as probes
from lab.shared.medium_types import Medium
from lab.shared.mobility_types import Way
from lab.shared.types import (
    CONSOLE_LEVEL,
    SEARCH,
    WAYS,
    Collect,
    EdcaParameters,
    Event,
    File,
    Link,
    Node,
    Plan,
    Process,
    Radio,
)
from lab.show import medium as show_medium
from lab.show.words import position, shape, vlans
from lab.text import short_hash

_BASE = {"duration": units.DURATION, "rate": units.RATE, "size": units.SIZE}


def render(plan: Plan) -> Group:
    """Return tables of nodes, links, medium, files, processes, ways, timeline, metrics, checks; skip empty ones."""
    length = units.DURATION.format(plan.duration_ns)
    heading = f"[bold]{escape(plan.name)}[/]: {length}, seed {plan.seed}"
    parts: list[Any] = [heading]
    if plan.about:
        parts.append(escape(plan.about))
    if plan.stack:
        parts.append(f"every node has {', '.join(f'the code of {name} in /opt/{name}' for name in plan.stacks())}")
    if plan.modules:
        parts.append(f"the guest's kernel has the modules {', '.join(plan.modules)}")
    if plan.rate_control is not None:
        parts.append(f"radios choose their rates by {escape(plan.rate_control)}")
    if plan.console_level != CONSOLE_LEVEL:
        parts.append(f"console.log has the kernel's messages up to level {plan.console_level}")
    parts += [f"--set {escape(key)}={escape(value)}" for key, value in plan.overrides.items()]
    tables = (
        _table("nodes", ("name", "kind", "roles", "address", "radio", "position"), map(_node, plan.nodes)),
        _table("images", ("node", "image", "memory"), _images(plan)),
        _table("Docker images", ("node", "user", "folder", "environment"), _docker(plan)),
        _table("addresses and routes", ("node", "addresses", "routes", "serves"), _addressing(plan)),
        _table("sysctls", ("node", "name", "value"), _sysctls(plan)),
        _table("hostapd, wpa_supplicant and iw", ("node", "where", "option"), _raw_options(plan)),
        _table("links", ("name", "ends", "shape"), (_link(link, vlans(plan, link)) for link in plan.links)),
        *(_medium(plan.medium) if plan.medium else ()),
        _table("files", ("name", "node", "path", "content"), map(_file, plan.files)),
        _table("processes", ("name", "node", "from", "until", "what", "ready"), map(_process, plan.processes)),
        _table("printed values", ("process", "read from lines of", "units"), _printed(plan.processes)),
        _table("collected files", ("node", "path", "at most", ""), map(_collected, plan.collect)),
        _table(
            "mobility", ("node", "model", "from", "to", "way"), (_way(way, plan.duration_ns) for way in plan.mobility)
        ),
        _table("timeline", ("at", "event", "target", "what"), map(_event, plan.events)),
        _table(
            "metrics",
            ("name", "kind", "of", "per", "unit"),
            ((m.name, m.kind, _many(m.of), m.per or "", m.unit) for m in plan.metrics),
        ),
        _table("checks", ("that",), ((check.that,) for check in plan.checks)),
    )
    for table in tables:
        if table.row_count:
            parts += ["", table]
    return Group(*parts)


def _table(title: str, columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Fitted:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, row))
    return Fitted(table)


def _medium(medium: Medium) -> Iterator[Fitted]:
    yield _table("medium", ("what", "how"), show_medium.describe(medium))
    yield _table("SNR at the start, dB", *show_medium.levels(medium))


def _many(words: list[str]) -> str:
    """Return words as a list; of many only the first and the last."""
    return ", ".join(words) if len(words) <= 4 else f"{words[0]}, …, {words[-1]} ({len(words)})"


def _node(node: Node) -> tuple[str, ...]:
    radio = ""
    if node.radio is not None:
        networks = [one for own in node.radios() if own.radio for one in own.radio.networks()]
        radio = "\n".join(", ".join(_member(one) if one.ssid else _listener(one)) for one in networks)
    return node.name, node.kind, ", ".join(node.roles), node.ip or "", radio, position(node.position_m)


def _addressing(plan: Plan) -> Iterator[tuple[str, str, str, str]]:
    """Return the addresses of nodes in a topology of several subnets, their routes, and what they do for others."""
    for node in plan.nodes:
        given = node.addressing
        if given is None:
            continue
        radio = (
            [node.ip, node.ip6, *(one for wlan in node.wlans for one in (wlan.ip, wlan.ip6))]
            if node.radio is not None
            else []
        )
        addresses = [one for one in (*radio, *(a for i in node.interfaces for a in (i.ip, i.ip6))) if one]
        for interface, ways in given.asks.items():
            of = f"{interface} " if interface != node.first_interface else ""
            addresses += [f"{of}by {WAYS[way]}" for way in ways]
        serves = [f"DHCP on {one.interface}: {one.first} to {one.last}" for one in given.pools]
        serves += [f"router of {one.prefix} on {one.interface}" for one in given.advertisements]
        serves += [f"NAT to {name}" for name in given.nat]
        routes = [f"{route.to} via {route.via}" for route in given.routes]
        yield node.name, ", ".join(addresses), ", ".join(routes), ", ".join(serves)


def _images(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Return the images of nodes, with the memory that each of these nodes may use."""
    nodes: dict[tuple[str, int], list[str]] = {}
    for node in plan.nodes:
        if node.image:
            shown = node.docker.source if node.docker else node.image
            nodes.setdefault((shown, node.memory_bytes), []).append(node.name)
    for (image, memory_bytes), names in nodes.items():
        yield _many(names), image, units.SIZE.format(memory_bytes)


def _docker(plan: Plan) -> Iterator[tuple[str, str, str, str]]:
    """Return how programs of Docker images run; nodes where that is equal share a row."""
    nodes: dict[tuple[str, str, str], list[str]] = {}
    for node in plan.nodes:
        if node.docker is not None:
            variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in node.docker.environment.items())
            nodes.setdefault((node.docker.user or "root", node.docker.cwd, variables), []).append(node.name)
    for how, names in nodes.items():
        yield _many(names), *how


def _sysctls(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Return what is set of each node's network."""
    return _shared((node.name, one.name, one.value) for node in plan.nodes for one in node.sysctls)


def _raw_options(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Return the options of each node in the words of its program, with the key of the topology that has them."""
    given = [
        (node, key, getattr(program, key, []))
        for node in plan.nodes
        for program in (
            *([node.radius] if node.radius else []),
            *(one for own in node.radios() if own.radio for one in own.radio.networks()),
        )
        for key in ("hostapd", "wpa_supplicant", "network")
    ]
    given += [(node, "mesh_params", node.radio.mesh.params) for node in plan.nodes if node.radio and node.radio.mesh]
    return _shared((node.name, key, f"{one.name}={one.value}") for node, key, options in given for one in options)


def _shared(rows: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Return rows that begin with a node; nodes whose rows are equal share one."""
    nodes: dict[tuple[str, str], list[str]] = {}
    for node, name, value in rows:
        nodes.setdefault((name, value), []).append(node)
    for (name, value), names in nodes.items():
        yield _many(names), name, value


def _member(radio: Radio) -> Iterator[str]:
    yield f"{radio.interface}: {radio.ssid}"
    yield f"802.11{radio.mode}"
    yield f"channel {radio.channel}" if radio.channel else "scans"
    yield from _extras(radio)
    if radio.vlan:
        yield f"VLAN {radio.vlan}"
    yield radio.encrypt or "open"
    if radio.wps:
        yield "WPS"
    if radio.eap is not None and radio.eap.method is not None:
        yield f"{radio.eap.method} as {radio.eap.identity}"
    if radio.eap is not None and radio.eap.issuer != "lab":
        yield f"certificate of a {radio.eap.issuer}"
    yield radio.mac


def _listener(radio: Radio) -> Iterator[str]:
    yield f"{radio.interface}: listens to channel {radio.channel}"
    yield from _extras(radio)


def _extras(radio: Radio) -> Iterator[str]:
    """Describe settings of a radio that differ from the default."""
    if radio.mesh is not None:
        yield "mesh gate" if radio.mesh.gate else "mesh point"
    if radio.ibss_bssid is not None:
        yield "ad hoc, searches" if radio.ibss_bssid == SEARCH else f"ad hoc in {radio.ibss_bssid}"
    if radio.width_mhz != 20:
        yield f"{radio.width_mhz} MHz"
    if radio.short_gi:
        yield "short guard interval"
    if radio.wmm:
        yield "WMM"
    yield from map(_edca, radio.edca)
    if radio.bgscan is not None:
        yield f"bgscan {radio.bgscan}"
    if radio.power_save:
        yield "power save"
    if radio.mobility_domain is not None:
        yield f"fast transition in {radio.mobility_domain}"
    if radio.basic_rates:
        yield f"basic rates {', '.join(radio.basic_rates)}"
    yield from described(radio)


def _edca(given: EdcaParameters) -> str:
    """Describe what is set of an access category; what hostapd cannot set exactly for the access point itself."""
    words = []
    if given.aifsn is not None:
        words.append(f"AIFSN {given.aifsn}")
    if given.cw_min is not None:
        words.append(f"CW {given.cw_min} to {given.cw_max}")
    if given.txop_limit_ns is not None:
        own_ns = given.own_txop_limit_ns()
        words.append(f"TXOP limit {units.DURATION.format(given.txop_limit_ns)}")
        if own_ns != given.txop_limit_ns:
            words.append(f"its own {units.DURATION.format(own_ns)}")
    return f"{given.category.replace('_', ' ')} ({', '.join(words)})"


def _link(link: Link, carried: str) -> tuple[str, ...]:
    return link.name, f"{link.a} to {link.b}", ", ".join(filter(None, [shape(link.netem), carried]))


def _file(file: File) -> tuple[str, ...]:
    content = "text" if file.text is not None else "random" if file.packed_bytes is None else "binary"
    size = units.SIZE.format(file.size_bytes)
    return file.name, file.node, file.path, f"{size} {content}, SHA-256 {short_hash(file.sha256)}"


def _printed(processes: Iterable[Process]) -> Iterator[tuple[str, ...]]:
    for process in processes:
        if process.prints is not None:
            lines = [*(["JSON"] if process.prints.json else []), *process.prints.match]
            units_ = ", ".join(f"{name}: {unit}" for name, unit in process.prints.units.items())
            yield process.id, " or ".join(lines), units_


def _collected(entry: Collect) -> tuple[str, ...]:
    return entry.node, entry.path, units.SIZE.format(entry.at_most_bytes), "if there is any" if entry.optional else ""


def _process(process: Process) -> tuple[str, ...]:
    begin = "before" if process.at_ns < 0 else units.DURATION.format(process.at_ns)
    end = "end" if process.stop_ns is None else units.DURATION.format(process.stop_ns)
    what = shlex.join(process.argv) if process.probe is None else _probe(process.probe, process.params)
    ready = ""
    if process.ready is not None:
        ready = process.ready.listening or f"log: {process.ready.log}"
    elif process.health is not None:
        ready = f"healthy: {shlex.join(process.health.argv)}"
    return process.id, process.node, begin, end, what, ready


def _probe(name: str, params: dict[str, Any]) -> str:
    """Return a probe with the parameters that differ from their defaults."""
    declared = probes.load(name).params
    words = [f"probe {name}"]
    for key, value in params.items():
        default = declared[key].default
        if value == default or (isinstance(value, list) and not value):
            continue
        dimension = _BASE.get(declared[key].type)
        words.append(f"{key}={dimension.format(value) if dimension else value}")
    return " ".join(words)


def _way(way: Way, end_ns: int) -> tuple[str, ...]:
    """Describe where a node goes by itself: ends, length, number of legs, and when, unless all the time."""
    first, last = way.waypoints[0], way.waypoints[-1]
    legs = [math.dist(a[1:], b[1:]) / 1000 for a, b in pairwise(way.waypoints) if a[1:] != b[1:]]
    words = [f"{plain(sum(legs), 3)} m", count(len(legs), "leg")]
    words += [f"from {plain(first.at_ns / 1e9)} s"] if first.at_ns else []
    words += [f"until {plain(last.at_ns / 1e9)} s"] if last.at_ns < end_ns else []
    ends = (position([round(at, 1) for at in point.position_m()]) for point in (first, last))
    return way.node, way.model, *ends, ", ".join(words)


def _event(event: Event) -> tuple[str, ...]:
    return (
        units.DURATION.format(event.at_ns),
        event.kind,
        event.target,
        summary(event.kind, event.params),
    )
