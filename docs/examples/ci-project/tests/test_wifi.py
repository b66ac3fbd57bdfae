# SPDX-License-Identifier: MIT
"""A sensor on a station, a collector on a host behind two access points: nothing may get lost."""

from pathlib import Path

import pytest

from lab import associated, event, listening, move, roam

PROJECT = Path(__file__).parent.parent
PORT, COUNT = "7000", 60
# the topology that comes with the lab, without the walk that it has
pytestmark = pytest.mark.lab("two-aps-handoff", set={"topology.timeline": []})


@pytest.fixture(params=["Python", "C"])
def sensor(lab, request):
    """A sensor that has begun to send."""
    lab["h1"].put(PROJECT / "collector.py", "/opt/collector.py")
    lab["h1"].popen(["python3", "/opt/collector.py", PORT, "/tmp/readings"])
    lab.wait_for(listening("h1", f"tcp/{PORT}"))
    if request.param == "C":
        lab["sta1"].put(PROJECT / "sensor", "/opt/sensor")
        return lab["sta1"].popen(["/opt/sensor", lab["h1"].ip, PORT, str(COUNT)])
    lab["sta1"].put(PROJECT / "sensor.py", "/opt/sensor.py")
    return lab["sta1"].popen(["python3", "/opt/sensor.py", "h1", PORT, str(COUNT)])


def check(lab, sensor):
    """The sensor ends, and the collector has every reading; return how often the sensor had to connect."""
    words = sensor.wait(timeout_s=40).check().stdout.split()
    assert words[:2] == ["acknowledged", str(COUNT)]
    readings = lab["h1"].get("/tmp/readings").decode().splitlines()
    assert readings == [f"{number} {20 + number % 5}" for number in range(COUNT)]
    return int(words[3])


def test_calm(lab, sensor):
    assert check(lab, sensor) == 1
    assert lab.now_s < 8


def test_loss_on_the_cable(lab, sensor):
    lab.do(event("netem", "h1-s1", loss="10%"))
    check(lab, sensor)


def test_handoff(lab, sensor):
    lab.do(move("sta1", ["21 m", "0 m", "1 m"]))
    lab.at("3 s", roam("sta1", "ap2"))
    lab.wait_for(associated("sta1", "ap2"), timeout_s=5)
    assert check(lab, sensor) == 1  # the connection survives


def test_coverage_hole(lab, sensor):
    lab.at("2 s", move("sta1", ["500 m", "0 m", "1 m"]))
    lab.at("8 s", move("sta1", ["0 m", "0 m", "1 m"]))
    assert check(lab, sensor) > 1
