# SPDX-License-Identifier: MIT
"""Code of a stack that fails is one message with its file and line, never a traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lab import library, registry, report
from lab.checkout import PACKAGE
from lab.errors import RecordError
from lab.model.event import EVENTS
from lab.record import Record, build
from tests.refused import refused
from tests.unit.plan.conftest import WORKLOAD, Plans, plans

__all__ = ["plans"]

RECORDED = Path(__file__).parents[1] / "fixtures" / "recorded" / "handoff"
HASHES = {"kernel": None, "image": None, "series": None}
PROBE = """\
from lab.probes.base import Parsed, Probe, ProbeOutputError, Transfer


class Own(Probe):
    yields = (Transfer,)

    def argv(self, target, params, raw):
        {argv}

    def parse(self, raw):
        {parse}

    def found(self, raw, parsed):
        {found}
"""
METRIC = """\
from lab.metrics.base import MetricValues, Metric
from lab.metrics.transfer_time import TransferTime
from lab.probes.base import TimeSeries


class Own(TransferTime):
    def compute(self, metric, context):
        {code}
"""
VIEW = """\
from lab.views.base import View


class Own(View):
    card = "{card}"

    def {method}(self, *given):
        return [1 / 0]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    registry._found.cache_clear()


def stack(name: str, text: str) -> None:
    path = Path("workloads/mine") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    registry._found.cache_clear()


def probe(**code: str) -> None:
    given = {"argv": "return ['true']", "parse": "return Parsed()", "found": "return ()"} | code
    stack("probes/own.py", PROBE.format(**given))


def recorded(change: Callable[[str], str]) -> Record:
    """The record of a run with another probe or metric in its plan."""
    directory = Path(shutil.copytree(RECORDED, "run"))
    plan = directory / "plan.json"
    plan.write_text(change(plan.read_text()))
    return build(directory, hashes=HASHES)


def with_probe(text: str) -> str:
    plan = json.loads(text)
    for process in plan["processes"]:
        process["probe"] = "own" if process["id"] == "fetch" else process["probe"]
    return json.dumps(plan)


def with_metric(text: str) -> str:
    plan = json.loads(text)
    for metric in plan["metrics"]:
        metric["kind"] = "own" if metric["name"] == "transfer" else metric["kind"]
    return json.dumps(plan)


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("return {}['x']", "workloads/mine/probes/own.py:8  argv raised KeyError: 'x'"),
        (
            "return ['ping', 5]",
            "workloads/mine/probes/own.py  argv of the probe own gave 5 in its list; "
            "words of a command are text: write str(…)",
        ),
        (
            "return 'ping 5'",
            "workloads/mine/probes/own.py  argv of the probe own gave 'ping 5'; a command is a list of words",
        ),
    ],
)
def test_a_command_that_cannot_be_made(plans: Plans, code: str, reported: str) -> None:
    probe(argv=code)
    assert refused(plans, workload=f"{WORKLOAD}probes:\n  - {{on: client, probe: own}}\n").startswith(reported)


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("return {}['x']", "workloads/mine/probes/own.py:11  parse raised KeyError: 'x'"),
        ("assert False", "workloads/mine/probes/own.py:11  parse raised AssertionError"),
        ("return None", "workloads/mine/probes/own.py  parse gave None; return a Parsed"),
        ("raise ProbeOutputError('x.out:1: what?')", "x.out:1: what?"),
    ],
)
def test_a_parser_that_fails_is_output_that_cannot_be_read(code: str, reported: str) -> None:
    probe(parse=code)
    record = recorded(with_probe)
    assert record.data["sources"]["fetch"]["error"].startswith(reported) and not record.passed
    assert record.data["sources"]["fetch"]["error"].partition("\n")[0] == reported


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("yield 1 / 0", "workloads/mine/probes/own.py:14  found raised ZeroDivisionError: division by zero"),
        ("raise ProbeOutputError('x.out:1: what?')", "the output of fetch cannot be read: x.out:1: what?"),
    ],
)
def test_what_a_probe_found_cannot_be_reported(code: str, reported: str) -> None:
    probe(found=code)
    with pytest.raises(RecordError) as failure:
        recorded(with_probe)
    assert str(failure.value).partition("\n")[0] == reported


@pytest.mark.parametrize(
    ("code", "reported"),
    [
        ("return 1 / 0", ":8  compute raised ZeroDivisionError: division by zero"),
        ("return [1]", "  metric transfer gave [1]; compute returns MetricValues"),
        *(
            (
                f"return MetricValues({code})",
                f"  metric transfer gave {value}; a value is a finite number: leave out what has none",
            )
            for code, value in [
                ("[1, float('nan')]", "nan"),
                ("[float('inf')]", "inf"),
                ("['12']", "'12'"),
                ("[1], [{'total': float('nan')}]", "nan"),
                ("[1], [], [TimeSeries('a', 'ns', [1], [float('-inf')])]", "-inf"),
            ]
        ),
    ],
)
def test_a_metric_that_fails_is_reported(code: str, reported: str) -> None:
    stack("metrics/own.py", METRIC.format(code=code))
    with pytest.raises(RecordError) as failure:
        recorded(with_metric)
    assert str(failure.value).partition("\n")[0] == f"workloads/mine/metrics/own.py{reported}"


@pytest.mark.parametrize("method", ["tables", "figures", "pictures", "moments"])
def test_a_view_that_fails_costs_only_its_own_part(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    stack("metrics/own.py", METRIC.format(code="return super().compute(metric, context)"))
    stack("views/own.py", VIEW.format(method=method, card="mean"))
    record = recorded(with_metric)
    page = report.write(record, record.directory).read_text()
    reported = f"the view of transfer failed: {method} raised ZeroDivisionError: division by zero"
    assert record.passed and f"workloads/mine/views/own.py:8  {reported}" in page
    assert f"lab: workloads/mine/views/own.py:8  {reported}" in capsys.readouterr().err
    assert "goodput-transfers" in report.as_json(record)["tables"] and Path("run/plots/goodput.svg").exists()


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (
            VIEW.format(method="other", card="best"),
            "  the view of transfer failed: card raised KeyError: ",
        ),
        ("1 / 0\n", ":1  the view of transfer failed: cannot be imported: ZeroDivisionError: division by zero"),
    ],
)
def test_a_view_that_cannot_be_used_is_reported(text: str, reported: str) -> None:
    stack("metrics/own.py", METRIC.format(code="return super().compute(metric, context)"))
    stack("views/own.py", text)
    record = recorded(with_metric)
    assert f"workloads/mine/views/own.py{reported}" in report.write(record, record.directory).read_text()


def test_the_lab_s_own_faults_stay_visible(record_of_the_lab: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    from lab.views.goodput import Goodput

    monkeypatch.setattr(Goodput, "tables", lambda self, result, record: [1 / 0])
    with pytest.raises(ZeroDivisionError):
        report.tables(record_of_the_lab)


@pytest.fixture
def record_of_the_lab() -> Record:
    return recorded(lambda text: text)


PART = """\
from lab.report.parts import ReportPart
from lab.tables import Column, Table


class Own(ReportPart):
    def tables(self, record):
        yield Table("own", "A stack's own", [Column("seed", "seed")], [{{"seed": record.plan.seed{failing}}}])
"""


def test_a_stack_adds_a_table_to_reports(record_of_the_lab: Record) -> None:
    stack("report_parts/own.py", PART.format(failing=""))
    page = report.write(record_of_the_lab, record_of_the_lab.directory).read_text()
    assert "A stack&#39;s own" in page and not record_of_the_lab.not_shown


def test_a_part_of_a_report_that_fails_is_reported(record_of_the_lab: Record) -> None:
    stack("report_parts/own.py", PART.format(failing=" / 0"))
    page = report.write(record_of_the_lab, record_of_the_lab.directory).read_text()
    assert (
        "workloads/mine/report_parts/own.py:7  the part own of reports failed: tables raised ZeroDivisionError" in page
    )


EVENT = """\
from lab.model.base import Text
from lab.model.event import Event


class Own(Event):
    {name}: Text

    def resolve(self, scene):
        yield self.{name}, {{}}
"""


def test_an_event_with_the_name_of_another_events_key_is_reported_with_both_files(plans: Plans) -> None:
    stack("events/to/file.py", EVENT.format(name="to"))
    reported = refused(plans, workload=f"{WORKLOAD}timeline:\n  - {{at: 5 s, roam: sta1, to: ap2}}\n")
    files = f"workloads/mine/events/to/file.py), but also a key of roam ({library.shown(PACKAGE)}/events/roam/file.py)"
    assert f'timeline.0: "to" is a kind of event ({files}; rename one of them' in reported


def test_no_event_of_the_lab_or_a_stack_has_the_name_of_another_ones_key() -> None:
    keys = {name: event.described() for name, event in EVENTS.classes().items()}
    assert [(name, key) for name, own in keys.items() for key in own if key in keys and key != name] == []
