# SPDX-License-Identifier: MIT
"""``associated:`` a station, at a moment, with an access point or with none.

What it looks at: the probe link or wpa-events on the station, or hostapd-events on the access point.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field, model_validator

from lab.errors import unknown
from lab.model.base import Flag, Moment, Text, refuse
from lab.model.exercise_check import Evidence, EvidenceError, ExerciseCheck, Judgement
from lab.numbers import plain
from lab.shared import types

_OF_STATION = ("link", "wpa-events")
_KNOWN = "a probe that tells: link or wpa-events on the station, or hostapd-events on the access point"


class Associated(ExerciseCheck):
    """A station that is associated with an access point, or with none.

    A program that is root on the station can forge what link and wpa-events see there; hostapd-events is out of its
    reach. A station that leaves without a word stays in the list of its access point.
    """

    associated: Text = Field(description="The station.")
    with_: Text | None = Field(None, alias="with", description="The access point, by its name.")
    nowhere: Flag = Field(False, description="Whether it is to be associated with none, instead of with:.")
    at: Moment | None = Field(None, description="When. Default: at the end of the run.")

    @model_validator(mode="after")
    def _one(self) -> Associated:
        if (self.with_ is None) != self.nowhere:
            refuse("needs either with: (an access point) or nowhere: true")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        plan = evidence.plan
        names = types.names_by_mac(plan.nodes, "ap")
        station = next(radio for radio in types.radios(plan.nodes) if radio.name == self.associated)
        end_ns = plan.duration_ns if self.at is None else self.at
        bssid = self._seen(evidence, station, end_ns)
        found = names.get(bssid, bssid) if bssid else "no access point"
        right = bssid is None if self.nowhere else found == self.with_
        when = f"at {plain(end_ns / 1e9, 3)} s"
        wanted = "" if right else f", wanted {'none' if self.nowhere else self.with_}"
        return Judgement(float(right), f"{when}, {self.associated} is associated with {found}{wanted}")

    def _seen(self, evidence: Evidence, station: types.Node, end_ns: int) -> str | None:
        """Return the BSSID of the access point; None: it is associated with none."""
        assert station.radio is not None  # validated
        probes = _probes(evidence.plan, self.associated)
        first = evidence.associations().get(self.associated)
        if listened := [one for one in probes if one.probe == "hostapd-events"]:
            return _at_access_points(evidence, listened, station.radio.mac, first, end_ns)
        bssid = None if probes[0].probe == "link" else first
        for event in evidence.source(probes[0].id)["occurrences"]:
            if event["t_ns"] <= end_ns and event["kind"] in ("bssid", "connected"):
                bssid = event["fields"]["bssid"]
            elif event["t_ns"] <= end_ns and event["kind"] == "disconnected":
                bssid = None
        return bssid

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        radios = {radio.name: radio for radio in types.radios(plan.nodes) if radio.radio is not None}
        stations = [name for name, radio in radios.items() if radio.kind == "sta"]
        points = list(types.names_by_mac(plan.nodes, "ap").values())
        if self.associated not in stations:
            yield "associated", unknown("station", self.associated, stations)
        elif not _probes(plan, self.associated):
            yield "associated", f"the workload needs {_KNOWN}"
        if self.with_ is not None and self.with_ not in points:
            yield "with", unknown("access point", self.with_, points)


def _probes(plan: types.Plan, station: str) -> list[types.Process]:
    """Return the probes that tell; those of access points only if each of them has one."""
    points = {node.name for node in plan.nodes if node.kind == "ap"}
    listened = [process for process in plan.processes if process.probe == "hostapd-events"]
    if points <= {process.node for process in listened}:
        return listened
    return [process for process in plan.processes if process.node == station and process.probe in _OF_STATION]


def _at_access_points(
    evidence: Evidence, listened: list[types.Process], mac: str, first: str | None, end_ns: int
) -> str | None:
    """Return the access point that a station was connected to last; None if that has disconnected it."""
    events = []
    for process in listened:
        radio = evidence.plan.node(process.node).radio
        if radio is None:
            raise EvidenceError(f"{process.node} has no radio")
        of = [(event["t_ns"], event, radio.mac) for event in evidence.source(process.id)["occurrences"]]
        events += [one for one in of if one[0] <= end_ns and one[1]["fields"].get("station") == mac]
    bssid = first
    for _, event, there in sorted(events, key=lambda one: one[0]):
        if event["kind"] == "station-connected":
            bssid = there
        elif event["kind"] == "station-disconnected" and bssid == there:
            bssid = None
    return bssid
