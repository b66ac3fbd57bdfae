# SPDX-License-Identifier: MIT
"""Whatever is written, what comes out is an experiment or a LabError."""

import pickle
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import LabError
from lab.experiments.file import resolve
from lab.experiments.file.points import narrow
from lab.model.document import Document


def record(required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


NAMES = st.sampled_from(["a", "b", "c", "rtt", "loss", "x"])
LABELS = st.sampled_from(["1 m", "2 m", "100 cm", "5", "5 ms", "{a}", "one", "null", "[", "", "a: b", "-3 dBm", "0"])
SCALARS = LABELS | st.integers(-3, 3) | st.booleans() | st.none() | st.floats()
KEYS = st.sampled_from(
    ["nodes.h1.roles", "links.0.delay", "links.0.loss", "nodes.h9.ip", "duration", "x", "a=b", "{a}.b"]
)
SETTINGS = st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=2), max_size=2)
RANGES = record(
    {"from": SCALARS, "to": SCALARS},
    optional={"step": SCALARS, "points": st.integers(-1, 5), "spacing": st.sampled_from(["log", "linear", "x"])},
)
AXES = st.lists(SCALARS, max_size=3) | RANGES | st.dictionaries(LABELS, SETTINGS | SCALARS, max_size=3) | SCALARS
FIGURES = record(
    {"kind": st.sampled_from(["line", "bar", "box", "cdf", "heat-map", "time-series", "pie"])},
    optional={
        "x": NAMES,
        "y": NAMES,
        "by": NAMES,
        "value": NAMES,
        "log": st.sampled_from(["x", ["x", "y"], "z"]),
        "where": st.dictionaries(NAMES, LABELS, max_size=2),
    },
)
NUMBERS = st.recursive(
    st.none() | st.floats(0, 9) | st.integers(0, 9) | st.text(max_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LABELS, inner, max_size=2),
    max_leaves=5,
)
PAPERS = record({"values": NUMBERS}, optional={"x": NAMES, "by": NAMES, "unit": LABELS})
THAT = st.sampled_from(
    ["rtt", "rtt.max", "sum(rtt)", "rtt.mx", "all(rtt[one] > 1 ms)", "rtt[a=one]", "", "1 <", "loss"]
)
REQUIRED: dict[str, Any] = {
    "name": st.just("x"),
    "topology": st.sampled_from(["wired-pair", "{a}", "none", "../x.yaml"]),
    "workload": st.sampled_from(["ping/ping", "idle", "{b}"]),
    "metrics": st.dictionaries(
        NAMES,
        st.sampled_from(["ms", "%", "x"]) | record({"that": THAT, "unit": st.just("ms")}),
        max_size=2,
    ),
}
OPTIONAL: dict[str, Any] = {
    "set": SETTINGS,
    "grid": st.dictionaries(NAMES, AXES, max_size=3),
    "zip": st.lists(st.lists(NAMES, max_size=3), max_size=2),
    "seed": st.integers(-1, 2**64),
    "repetitions": st.integers(-1, 3) | record({"ci95": st.sampled_from(["5%", "0%", "5", "200%"])}),
    "figure": FIGURES,
    "figures": st.lists(FIGURES, max_size=2),
    "paper": st.dictionaries(NAMES, PAPERS, max_size=2),
    "claims": st.lists(record({"name": LABELS, "that": THAT}), max_size=2),
    "cites": st.dictionaries(st.sampled_from(["paper", "figure", "x"]), SCALARS, max_size=1),
}
RIGHT: dict[str, Any] = {
    "name": "x",
    "topology": "wired-pair",
    "workload": "ping/ping",
    "set": {"links.0.delay": "{a}"},
    "grid": {
        "a": ["1 ms", "2 ms"],
        "b": {"one": {}, "two": {"links.0.loss": "1%"}},
        "c": {"one": {"duration": "40 s"}},
    },
    "metrics": {"rtt": "ms", "lost": {"that": "loss.max", "unit": "%"}},
    "figure": {"kind": "bar", "x": "a", "y": "rtt", "by": "b"},
    "paper": {"rtt": {"x": "a", "values": [1, None]}},
    "claims": [{"name": "n", "that": "all(rtt[two] > 1 ms)"}],
}
DELAYS = st.lists(st.integers(1, 99).map("{} ms".format) | LABELS, min_size=1, max_size=4)
GRIDS = st.builds(lambda levels: {**RIGHT["grid"], "a": levels}, DELAYS)
EXPERIMENTS = record(REQUIRED, optional=OPTIONAL) | st.permutations(list(OPTIONAL)).flatmap(
    lambda keys: record({key: (OPTIONAL | {"grid": GRIDS})[key] for key in keys[:2]})
).map(lambda changes: RIGHT | changes)


@settings(deadline=None, max_examples=300)
@given(EXPERIMENTS)
def test_any_document_is_an_experiment_or_a_lab_error(data: Any) -> None:
    try:
        found = resolve.check(Document(Path("x.yaml"), "x.yaml", data))
    except LabError as error:
        assert str(error)
        return
    assert pickle.loads(pickle.dumps(found)) == found
    assert len({tuple(point.labels.items()) for point in found.points}) == len(found.points)
    for axis in found.axes:
        part = narrow(found, [f"{axis.name}={axis.levels[0].label}"], 1)
        assert {point.labels[axis.name] for point in part.points} == {axis.levels[0].label}
