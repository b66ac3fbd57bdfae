# SPDX-License-Identifier: MIT
"""Results of two builds, compared."""

import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from scipy import stats

from lab.errors import InputError, RecordError
from lab.experiments.analysis.compare import Difference, ResultsComparison, compare, listed
from lab.experiments.analysis.statistics import summarise
from lab.experiments.output import compared
from lab.numbers import MINUS, NONE

A = [5.0, 5.2, 4.9, 5.1]


def results(
    *points: tuple[str, Sequence[float]], name: str = "handoff/outage", unit: str = "Mbit/s", that: str = "goodput"
) -> dict[str, Any]:
    """What results.json holds of one axis and one metric."""
    rows, run = [], []
    for label, values in points:
        found = summarise(values, unit)
        reported = {"mean": found.mean, "ci95": found.ci95, "n": found.n, "unit": unit}
        rows.append({"distance": label, "throughput": reported})
        settings = [f"nodes.sta1.position=[{label}, 0 m]", "duration=5 s"]
        run.append({"point": {"distance": label}, "topology": "one-ap", "workload": "udp", "overrides": settings})
    return {
        "name": name,
        "metrics": [{"name": "throughput", "that": that, "unit": unit}],
        "points": run,
        "files": {"topology": {"one-ap": {"nodes": "1", "links": "2"}}, "workload": {"udp": {"duration": "3"}}},
        "rows": rows,
        "claims": [],
        "provenance": {"seed": 1, "hashes": {"code": "4"}, "stack": {}},
    }


def differences(a: dict[str, Any], b: dict[str, Any]) -> tuple[Difference, ...]:
    return compare(a, b).differences


def test_a_difference_with_its_confidence() -> None:
    b = [6.0, 6.4, 6.2]
    (found,) = differences(results(("2 m", A)), results(("2 m", b)))
    theirs = stats.ttest_ind(b, A, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert (found.labels, found.metric, found.unit) == ({"distance": "2 m"}, "throughput", "Mbit/s")
    assert [found.a, found.b, found.n_a, found.n_b] == pytest.approx([5.05, 6.2, 4, 3])
    assert found.percent == pytest.approx(100 * 1.15 / 5.05)
    assert found.half_width_percent == pytest.approx(100 * (interval.high - interval.low) / 2 / 5.05)
    assert found.significant is True


@settings(deadline=None)
@given(
    st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=9).filter(lambda found: len(set(found)) > 1),
    st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=9).filter(lambda found: len(set(found)) > 1),
)
def test_what_is_significant_is_so_to_scipy(a: list[float], b: list[float]) -> None:
    (found,) = differences(results(("2 m", a)), results(("2 m", b)))
    (back,) = differences(results(("2 m", b)), results(("2 m", a)))
    p = float(stats.ttest_ind(b, a, equal_var=False).pvalue)
    if abs(p - 0.05) > 1e-6:
        assert found.significant is (p < 0.05)
    assert found.significant is back.significant and found.difference == -(back.difference or 0.0)


def test_what_cannot_be_judged() -> None:
    points = [("one", [5.0]), ("none", []), ("zero", [0.0, 0.0]), ("same", [4.0, 4.0]), ("other", [4.0, 4.0])]
    after = [("one", [6.0]), ("none", [1.0, 2.0]), ("zero", [1.0, 1.0]), ("same", [4.0, 4.0]), ("other", [5.0, 5.0])]
    one, none, zero, same, other = differences(results(*points), results(*after))
    assert one.percent == pytest.approx(20)
    assert (one.half_width, one.significant) == (None, None)
    assert (none.a, none.percent, none.significant) == (None, None, None)
    assert (zero.difference, zero.percent, zero.significant) == (1.0, None, True)
    assert (same.percent, same.half_width_percent, same.significant) == (0.0, 0.0, False)
    assert (other.percent, other.half_width_percent, other.significant) == (25.0, 0.0, True)


def test_points_are_matched_by_their_labels() -> None:
    a, b = results(("2 m", A), ("4 m", [1.0, 2.0])), results(("4 m", [1.0, 2.0]), ("2 m", A))
    assert [one.percent for one in differences(a, b)] == [0.0, 0.0]


def test_points_that_one_side_lacks_are_named_and_not_compared() -> None:
    a = results(("2 m", A), ("4 m", A))
    b = results(("4 m", A), *((f"{metres} m", A) for metres in range(5, 12)))
    found = compare(a, b)
    assert [one.labels for one in found.differences] == [{"distance": "4 m"}]
    assert compared.lacking(found) == [
        "Not compared: only A has distance 2 m",
        "Not compared: only B has distance 5 m and distance 6 m and distance 7 m and distance 8 m and distance 9 m "
        "and 2 more points",
    ]
    assert compared.lacking(found)[0] in shown(found)
    points = (("distance", "2 m"), ("rate", "slow")), (("distance", "4 m"), ("rate", "slow"))
    assert listed(points) == "distance 2 m, rate slow; distance 4 m, rate slow"
    reported = compared.as_json(found)
    assert reported["only_a"] == [{"distance": "2 m"}] and len(reported["only_b"]) == 7


Change = Callable[[dict[str, Any]], object]


def other(change: Change) -> dict[str, Any]:
    """Results with a change of one thing."""
    found = results(("2 m", A), ("4 m", A))
    change(found)
    return found


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (lambda b: b["provenance"].update(seed=7), "the first seed: 1 in A, 7 in B"),
        (lambda b: b["metrics"][0].update(that="max(x)"), "the metric throughput: goodput in A, max(x) in B"),
        (lambda b: b["metrics"][0].update(unit="ms"), "the metric throughput: Mbit/s in A, ms in B"),
        (lambda b: b["metrics"][0].update(unit=""), "the metric throughput: Mbit/s in A, no unit in B"),
        (lambda b: b["metrics"].append({"name": "x", "that": "x", "unit": ""}), "the metric x: only B has it"),
        (
            lambda b: b["files"]["topology"]["one-ap"].update(links="9", medium="9"),
            "the topology one-ap: links, medium",
        ),
        (lambda b: b["files"]["workload"]["udp"].pop("duration"), "the workload udp: duration"),
        (
            lambda b: (b["points"][1].update(workload="tcp"), b["files"]["workload"].update(tcp={"duration": "9"})),
            "the workload udp in A, tcp in B: duration",
        ),
        (
            lambda b: b["points"][1].update(overrides=["duration=9 s", b["points"][1]["overrides"][0]]),
            "duration: 5 s in A, 9 s in B (at distance 4 m)",
        ),
        (lambda b: [one["overrides"].pop() for one in b["points"]], "duration: 5 s in A, not set in B"),
    ],
)
def test_another_experiment_is_not_compared(change: Change, reported: str) -> None:
    for first, second, line in (
        (results(("2 m", A), ("4 m", A)), other(change), reported),
        (other(change), results(("2 m", A), ("4 m", A)), None),
    ):
        with pytest.raises(InputError) as failure:
            compare(first, second)
        said = failure.value.message.splitlines()
        assert said[0] == "A and B are not the same experiment; they differ in"
        assert line is None or said[1:] == [f"    {line}"]


def test_a_file_of_another_name_that_says_the_same_is_the_same() -> None:
    def rename(b: dict[str, Any]) -> None:
        b["files"]["topology"]["copy.yaml"] = b["files"]["topology"]["one-ap"]
        b["points"][0]["topology"] = "copy.yaml"

    assert len(differences(results(("2 m", A), ("4 m", A)), other(rename))) == 2


def test_the_first_few_differences_are_reported() -> None:
    b = other(lambda b: [one["overrides"].extend(f"key{n}=a=b" for n in range(8)) for one in b["points"]])
    with pytest.raises(InputError) as failure:
        compare(results(("2 m", A), ("4 m", A)), b)
    assert len(failure.value.message.splitlines()) == 7 and failure.value.message.endswith("\n    and 3 more")


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (results(("2 m", A), name="ping"), "A is handoff/outage, B is ping: only results of the same experiment can"),
        (results(("6 m", A)), "A and B have no point in common: A has distance 2 m and distance 4 m; B has distance 6"),
    ],
)
def test_what_has_nothing_in_common(b: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as failure:
        compare(results(("2 m", A), ("4 m", A)), b)
    assert failure.value.message.startswith(message)


@pytest.mark.parametrize("row", [5, {"distance": "2 m", "throughput": {}}, {"throughput": {"mean": "x", "n": 1}}])
def test_damaged_rows(row: Any) -> None:
    with pytest.raises(RecordError, match="the rows of B are damaged"):
        compare(results(("2 m", A)), results(("2 m", A)) | {"rows": [row]})


@pytest.mark.parametrize(
    "damage",
    [{"points": None}, {"points": [5]}, {"points": [{"point": {}}]}, {"files": {}}, {"metrics": [{}]}, {"metrics": 5}],
)
def test_results_that_do_not_say_what_was_run(damage: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="B does not record its (points|metrics): it is damaged"):
        compare(results(("2 m", A)), results(("2 m", A)) | damage)


KERNEL = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("a", "b", "lines"),
    [
        ({"hashes": {"kernel": "1", "code": "2"}}, {"hashes": {"kernel": "1", "code": "2"}},
         ["Both builds are the same: kernel, code"]),
        ({"hashes": {"kernel": KERNEL, "code": "2"}}, {"hashes": {"kernel": "1" * 64, "code": "2"}},
         ["The builds differ in", "  kernel  0123456789ab in A, 111111111111 in B", "The same: code"]),
        ({"hashes": {"code": "2"}, "stack": {"cafe.sh": "5"}}, {"hashes": {"code": None}, "stack": {"tea.sh": "6"}},
         ["The builds differ in", "  cafe.sh  5 in A, none in B", "  code     2 in A, none in B",
          "  tea.sh   none in A, 6 in B", "They have nothing in common"]),
        ({}, {}, ["A and B do not record their builds"]),
    ],
)  # fmt: skip
def test_builds(a: dict[str, Any], b: dict[str, Any], lines: list[str]) -> None:
    first, second = results(("2 m", A)), results(("2 m", A))
    first["provenance"], second["provenance"] = a, b
    found = compare(first, second)
    assert compared.describe_builds(found.builds).splitlines() == lines
    assert shown(found).splitlines()[: len(lines)] == lines
    reported = compared.as_json(found)["builds"]
    assert [reported["differing"][name] for name in found.builds.differing] == [
        {"a": ours, "b": theirs} for ours, theirs in found.builds.differing.values()
    ]


def shown(found: ResultsComparison) -> str:
    out = io.StringIO()
    Console(file=out, width=150).print(compared.rich_tables(found))
    return out.getvalue()


def test_the_table_and_the_verdict() -> None:
    a = results(("2 m", A), ("4 m", A), ("6 m", [1.0]), ("8 m", [0.0, 0.0]))
    found = compare(a, results(("2 m", [4.0, 4.1]), ("4 m", A), ("6 m", [2.0]), ("8 m", [1.0, 2.0])))
    lines = [" ".join(line.split()) for line in shown(found).splitlines()]
    assert "throughput in Mbit/s: B against A" in lines
    assert "distance A B runs difference ± 95 % CI change, % significant" in lines
    assert f"2 m 5.05 4.05 4, 2 {MINUS}1.00 ± 0.23 {MINUS}19.8 yes" in lines
    assert "4 m 5.05 5.05 4 0.00 ± 0.22 0 no" in lines
    assert f"6 m 1 2 1 +1 +100 {NONE}" in lines
    assert f"8 m 0 1.5 2 +1.5 ± 6.4 {NONE} no" in lines  # no share of 0
    verdict = compared.verdict(found.differences)
    assert lines[-1] == verdict
    assert verdict == (
        f"1 of 3 differences is significant (Welch's t, 95 %; by chance, one in twenty is); 1 cannot be tested ({NONE})"
    )
    assert compared.verdict(found.differences[1:2]) == "The difference is not significant (Welch's t, 95 %)"
    assert compared.verdict(found.differences[2:3]).startswith(
        "No difference can be tested: that takes at least two runs"
    )


def test_json_has_all_numbers() -> None:
    found = compared.as_json(compare(results(("2 m", A)), results(("2 m", [6.0, 6.1]))))
    (difference,) = json.loads(json.dumps(found))["differences"]
    assert difference["labels"] == {"distance": "2 m"} and difference["significant"] is True
    assert difference["percent"] == pytest.approx(100 * difference["difference"] / difference["a"])


def seeded(*points: tuple[str, dict[int, float]]) -> dict[str, Any]:
    """Results with their trials: values by seed."""
    found = results(*((label, list(values.values())) for label, values in points))
    found["trials"] = [
        {"point": {"distance": label}, "seed": seed, "values": {"throughput": value}}
        for label, values in points
        for seed, value in values.items()
    ]
    return found


def test_trials_of_equal_seeds_are_pairs() -> None:
    a = {seed: value for seed, value in enumerate([5.0, 9.0, 2.0, 7.0], 1)}
    b = {seed: value for seed, value in enumerate([5.3, 9.4, 2.2, 7.3], 1)}
    (found,) = differences(seeded(("2 m", a)), seeded(("2 m", dict(reversed(b.items())))))
    theirs = stats.ttest_rel(list(b.values()), list(a.values())).confidence_interval(0.95)
    assert (found.pairs, found.significant, found.identical) == (4, True, False)
    assert found.difference == pytest.approx(0.3)
    assert found.half_width == pytest.approx((theirs.high - theirs.low) / 2)
    (unpaired,) = differences(results(("2 m", list(a.values()))), results(("2 m", list(b.values()))))
    assert (unpaired.pairs, unpaired.significant) == (0, False), "seeds differ by more than the builds"
    assert (
        compared.verdict([found])
        == "The difference is significant (Student's t of pairs with equal seeds, 95 %; by chance, one in twenty is)"
    )


def test_other_seeds_are_no_pairs() -> None:
    a, b = {1: 5.0, 2: 5.2, 3: 4.9}, {3: 6.0, 4: 6.1, 5: 6.2}
    (found,) = differences(seeded(("2 m", a)), seeded(("2 m", b)))
    assert found.pairs == 0 and "Welch's t" in compared.verdict([found])
    (found,) = differences(seeded(("2 m", a)), seeded(("2 m", {1: 6.0, 3: 6.1})))
    assert found.pairs == 2, "all trials of the side with fewer of them have a pair"


def test_equal_numbers_of_every_seed_are_called_identical() -> None:
    a, b = ("2 m", {1: 5.0, 2: 5.2}), ("4 m", {1: 1.0, 2: 1.5})
    found = compare(seeded(a, b), seeded(a, ("4 m", {1: 1.0, 2: 1.6})))
    assert [one.identical for one in found.differences] == [True, False]
    rows = [" ".join(line.split()) for line in shown(found).splitlines()]
    assert "2 m 5.1 5.1 2 0 0 identical" in rows or any(row.endswith("identical") for row in rows)
    assert compared.verdict(found.differences).endswith("; 1 is identical")
    same = compare(seeded(a, b), seeded(a, b))
    assert compared.verdict(same.differences) == (
        "A and B are identical: every seed gave the same numbers, to the last digit"
    )
    assert compared.as_json(same)["differences"][0]["identical"] is True
    one = compare(seeded(("2 m", {1: 5.0})), seeded(("2 m", {1: 5.0})))
    assert compared.verdict(one.differences).startswith("A and B are identical"), "one run is enough for that"
