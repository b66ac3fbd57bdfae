# SPDX-License-Identifier: MIT
"""Whatever is written, what comes out is a plan or a LabError."""

import string
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import LabError
from lab.model.document import Document
from lab.plan.load import topology_source, workload_source
from lab.plan.resolve import resolve
from lab.shared.types import Plan

NAMES = st.sampled_from(["h1", "s1", "ap1", "sta1", "server", "client", "nap", "x", "h1-s1"])
TIMES = st.sampled_from(["0 s", "5 s", "40 s", "5", "1 ms"])
ADDRESSES = st.sampled_from(["10.0.0.1", "10.0.0.1/8", "10.1.0.1/16", "192.168.0.1/24", "x"])
MACS = st.sampled_from(["02:00:01:00:01:00", "02:00:01:00:02:01", "02:aa:00:00:00:01"])
SHAPES = {
    "delay": st.sampled_from(["5 ms", "1 s"]),
    "jitter": st.just("10 ms"),
    "reorder": st.just("5%"),
    "ip": st.dictionaries(NAMES, ADDRESSES, max_size=2),
    "name": NAMES,
}


def record(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


NODES = st.one_of(
    record({"kind": st.just("host")}, {"ip": ADDRESSES, "mac": MACS, "roles": st.lists(NAMES, max_size=2)}),
    record({"kind": st.just("switch")}, {}),
    record(
        {"kind": st.just("ap"), "ssid": st.sampled_from(["a", "b"])},
        {"channel": st.integers(0, 200), "mode": st.sampled_from("bgan"), "bssid": MACS},
    ),
    record(
        {"kind": st.just("sta")},
        {
            "ssid": st.sampled_from(["a", "b"]),
            "ip": ADDRESSES,
            "mac": MACS,
            "position": st.just(["5 m", "0 m", "1 m"]),
            "count": st.integers(0, 3),
        },
    ),
)
EVENTS = st.one_of(
    record({"at": TIMES, "roam": NAMES, "to": NAMES}, {}),
    record(
        {"at": TIMES, "move": NAMES, "to": st.just(["1 m", "1 m", "1 m"])},
        {"speed": st.sampled_from(["1 m/s", "3 km/h", "0 m/s"])},
    ),
    record({"at": TIMES, "link": NAMES, "to": st.sampled_from(["up", "down"])}, {}),
    record({"at": TIMES, "netem": NAMES}, {"delay": st.just("1 ms"), "jitter": st.just("5 ms")}),
    record({"at": TIMES, "exec": NAMES, "run": st.lists(st.text(max_size=5), max_size=2)}, {}),
    record({"at": TIMES, "stop": NAMES}, {}),
    record({"at": TIMES, "power": NAMES, "to": st.sampled_from(["off", "on"])}, {}),
    record({"at": TIMES, "disconnect": NAMES}, {}) | record({"at": TIMES, "connect": NAMES}, {}),
)
DECIBELS = st.sampled_from(["0 dB", "-30 dB", "300 dB", "5"])
KINDS = record(
    {"model": st.sampled_from(["friis", "ITU", "rician", "none", "x"])},
    {"k": DECIBELS, "sL": st.integers(0, 3), "lF": DECIBELS, "coherence": TIMES},
)
MEDIA = st.just("perfect") | record(
    {},
    {
        "errors": st.sampled_from(["nist", "yans", "x", {"table": "none.csv"}]),
        "propagation": KINDS,
        "fading": KINDS,
        "snr": st.lists(
            record({"between": st.lists(NAMES, min_size=2, max_size=2), "is": DECIBELS}, {})
            | record({"from": NAMES, "to": NAMES, "is": DECIBELS}, {}),
            max_size=3,
        ),
        "retries": st.integers(-1, 2),
        "step": TIMES,
    },
)
METRES = st.sampled_from(["0 m", "5 m", "-3 m", "50 m", "7"])
MOBILITY = record(
    {"nodes": NAMES | st.lists(NAMES, max_size=2)},
    {
        "model": st.sampled_from(["RandomWayPoint", "RandomWalk", "GaussMarkov", "ReferencePoint", "Waypoints", "x"]),
        **{key: METRES for key in ("min_x", "max_x", "min_y", "max_y", "radius")},
        **{key: TIMES for key in ("start", "stop", "interval", "min_pause", "max_pause")},
        "max_v": st.sampled_from(["1 m/s", "1000 m/s", "0 m/s"]),
        "path": st.lists(record({"at": TIMES, "position": st.lists(METRES, min_size=3, max_size=3)}, {}), max_size=2),
    },
)
TOPOLOGIES = record(
    {"name": st.just("t"), "nodes": st.dictionaries(NAMES, NODES, min_size=1, max_size=5)},
    {
        "links": st.lists(record({"between": st.lists(NAMES, min_size=2, max_size=2)}, SHAPES), max_size=4),
        "timeline": st.lists(EVENTS, max_size=3),
        "medium": MEDIA,
        "mobility": st.lists(MOBILITY, max_size=2),
        "subnet": st.sampled_from(["10.0.0.0/8", "10.0.0.0/30"]),
    },
)
TEXTS = st.sampled_from(["{server.ip}", "{self.mac}", "{x[2].name}", "{", "a"]) | st.text(string.printable, max_size=5)
PROBES = st.dictionaries(
    st.sampled_from(["url", "to", "every", "count", "x"]), TEXTS | TIMES | st.integers(), max_size=3
)
RUNS = st.one_of(
    st.lists(TEXTS, max_size=3),
    st.builds(lambda name, keys: {"probe": name, **keys}, st.sampled_from(["curl", "ping", "ss", "x"]), PROBES),
)
PROCESSES = record({"on": NAMES, "run": RUNS}, {"as": NAMES, "at": TIMES, "stop": TIMES})
CHECKS = st.sampled_from(["nap.exit == 0", "x.max < 5 ms", "file.sha256 == 'a'", "a b", ""])
WORKLOADS = record(
    {"name": st.just("w"), "duration": st.sampled_from(["30 s", "1 ms"])},
    {
        "roles": st.dictionaries(NAMES, st.sampled_from(["1", "1..", "0..", 2]), max_size=3),
        "processes": st.lists(PROCESSES, max_size=3),
        "files": st.dictionaries(NAMES, record({"on": NAMES, "path": st.just("/x"), "text": TEXTS}, {}), max_size=2),
        "metrics": st.dictionaries(
            st.sampled_from(["goodput", "rtt", "x"]), record({"of": NAMES, "unit": st.just("ms")}, {}), max_size=2
        ),
        "checks": st.lists(record({"that": CHECKS}, {}), max_size=2),
        "timeline": st.lists(EVENTS, max_size=2),
    },
)


@settings(deadline=None)  # other work on the machine must not fail a test
@given(TOPOLOGIES, WORKLOADS, st.integers(0, 5))
def test_any_document_is_a_plan_or_a_lab_error(topology: Any, workload: Any, seed: int) -> None:
    try:
        plan = resolve(
            topology_source(Document(Path("t.yaml"), "t.yaml", topology)),
            workload_source(Document(Path("w.yaml"), "w.yaml", workload)),
            seed,
        )
    except LabError as error:
        assert ".yaml" in str(error)
    else:
        assert Plan.from_json(plan.to_json()) == plan
