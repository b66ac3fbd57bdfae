# SPDX-License-Identifier: MIT
"""What makes a record on the host, and which changes of it count."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lab.builders.data_files import data_files
from lab.builders.imports import Imports
from lab.checkout import PACKAGE
from lab.machine.uses import Uses
from lab.metrics.base import METRICS
from lab.probes.base import PROBES
from lab.runs import recording as module
from lab.runs.recording import recording

PING = Uses(("ap", "sta"), (), ("ping",), ("loss", "rtt"), None, False)


def test_a_record_is_made_by_the_probes_and_metrics_of_its_plan() -> None:
    files = recording(PING).files
    own = {"lab/probes/ping.py", "lab/metrics/rtt.py", "lab/metrics/loss.py"}
    assert own <= files.keys()
    named = {name for name in files if name.startswith(("lab/probes/", "lab/metrics/"))}
    helpers = {name for name in named if Path(name).name.startswith(("_", "base.")) or "/base/" in name}
    assert named - helpers == own
    assert {"lab/record/build.py", "lab/record/metrics.py", "lab/expressions/expression.py"} <= files.keys()


def test_what_shows_results_makes_none() -> None:
    rooms = {Path(name).parts[1] for name in recording(PING).files}
    assert rooms.isdisjoint({"cli", "report", "show", "experiments", "plan", "machine", "runs", "guest", "phy"})


def stack_file(path: str, text: str) -> Path:
    """A file of a stack in the current directory."""
    file = Path("workloads") / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_file_named_after_a_metric_counts_though_its_class_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stack_file("tea/metrics/_kind.py", "from lab.metrics.base import Metric\nclass Kind(Metric):\n    factor = 0\n")
    named = stack_file("tea/metrics/leaves.py", "from ._kind import Kind\nclass Own(Kind): pass\n")
    files = recording(replace(PING, metrics=("leaves",))).files
    assert files["tea/metrics/leaves.py"] == named.read_bytes() and "tea/metrics/_kind.py" in files


METRIC = """from lab.metrics.base import Metric
class Leaves(Metric):
    factor = 2
"""


def test_comments_and_docstrings_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    uses = replace(PING, metrics=("leaves",))
    file = stack_file("tea/metrics/leaves.py", METRIC)
    before = recording(uses)
    file.write_text("# SPDX-License-Identifier: MIT\n" + METRIC.replace(":\n", ':\n    """Of the pot."""\n\n'))
    assert recording(uses).code == before.code
    file.write_text(METRIC.replace("2", "3"))
    assert recording(uses).code != before.code


def test_docstrings_count_where_some_of_the_code_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    uses = replace(PING, metrics=("leaves",))
    stack_file("tea/metrics/leaves.py", f"import inspect\nfrom . import _pot\nABOUT = inspect.getdoc(_pot)\n{METRIC}")
    helper = stack_file("tea/metrics/_pot.py", '"""Of clay."""\n')
    before = recording(uses)
    helper.write_text('"""Of iron."""\n')
    assert recording(uses).code != before.code


@pytest.mark.parametrize(
    ("reads", "file"),
    [
        ('Path(__file__).with_name("gains.csv")', "metrics/gains.csv"),
        ('Path(__file__).parents[1] / "data" / "gains.csv"', "data/gains.csv"),
        ('Path(__file__).parent.joinpath("../data/gains.csv")', "data/gains.csv"),
        ('Path(__file__).with_name("_program.py")', "metrics/_program.py"),
    ],
)
def test_data_files_that_the_code_names_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: str, file: str
) -> None:
    monkeypatch.chdir(tmp_path)
    uses = replace(PING, metrics=("leaves",))
    stack_file("tea/metrics/leaves.py", f"from ._helper import DATA\n{METRIC}")
    stack_file("tea/metrics/_helper.py", f"from pathlib import Path\nDATA = {reads}\n")
    data, other = stack_file(f"tea/{file}", "1, 2\n"), stack_file("tea/data/unused.csv", "1, 2\n")
    stack_file("coffee/data/gains.csv", "of another stack")
    before = recording(uses)
    assert before.files[f"tea/{file}"] == data.read_bytes() and "coffee/data/gains.csv" not in before.files
    other.write_text("3\n")
    assert recording(uses) == before
    data.write_text("1,2\n")  # the same to Python, but not as data
    assert recording(uses).code != before.code


def test_the_labs_own_code_names_no_data_file() -> None:
    """Only those of stacks count; the program of the UDP probes is in plans."""
    files = [PROBES.file(name).path for name in PROBES.known()]
    files += [METRICS.file(name).path for name in METRICS.known()]
    own = [path for path in files if path.is_relative_to(PACKAGE)]
    code = Imports().closure([PACKAGE / "record/build.py", PACKAGE / "captures/split.py", *own])
    assert [path.name for path in data_files(code.values(), PACKAGE, but=code)] == ["_udp_program.py"]


def test_versions_of_what_it_imports_count_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    python = {"host python": "{}.{}".format(*sys.version_info)}
    assert recording(PING).versions == python
    stack_file("tea/metrics/_cup.py", "import absent\ndef f():\n    import numpy.fft\n    from PIL import Image\n")
    stack_file("tea/metrics/leaves.py", f"import json\nfrom ._cup import f\n{METRIC}")
    found = recording(replace(PING, metrics=("leaves",))).versions
    import numpy
    import PIL

    packages = {"host PIL": PIL.__version__, "host absent": None, "host numpy": numpy.__version__}
    assert found == python | packages


def test_the_version_of_a_package_that_has_none_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bare_package.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert module._version("bare_package") is None
