# SPDX-License-Identifier: MIT
"""The plugin for pytest: the fixtures ``lab`` and ``lab_module``, and the marker that says which lab a test wants.

    @pytest.mark.lab(topology="two-aps-handoff")
    def test_survives_a_handoff(lab):
        lab.at(2, roam("sta1", "ap2"))
        lab["sta1"].run(["ping", "-c", "3", "h1"]).check()

docs/testing.md describes it. pytest loads this module in every project that has the lab, so it imports nothing that
takes time before a test uses the fixture.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from lab import Lab

_MARKER = (
    "lab(topology, workload='idle', *, seed=1, medium=None, duration=None, set=None, pcap='auto'): "
    "the lab that the fixture lab starts; parameters are those of lab.Lab"
)
_BY_POSITION = ("topology", "workload")
_TAIL_LINES = 5  # of each log in the report of a test that failed
# What daemons write in every run, since nodes have no DNS, no rfkill and no psample; it would only hide the rest.
_ALWAYS_WRITTEN = re.compile(
    r"\|dns_resolve\|WARN\|Failed to read /etc/resolv\.conf|\|dpif\|WARN\|.* psample flow probe failed"
    r"|rfkill: Cannot open RFKILL"
)


class Labs:
    """The labs of a test. The fixture is this object if the test has no marker: ``net = lab.start("one-ap")``."""

    def __init__(self, directory: Path) -> None:
        """Take ``directory``, for the directories of their runs."""
        self.all: list[Lab] = []
        self._directory = directory

    def start(self, topology: str | Path, workload: str | Path = "idle", **options: Any) -> Lab:
        """Start a lab, which ends with the test; parameters as those of ``lab.Lab``, and ``pcap="auto"``.

        Raises:
            LabError: If there is a mistake in them, or it did not start.
        """
        __tracebackhide__ = True
        from lab import Lab
        from lab.lockstep.words import caller

        number = f"-{len(self.all) + 1}" if self.all else ""
        defaults = {"pcap": "auto", "directory": self._directory / f"lab{number}", "location": caller()}
        made = Lab(topology, workload, **{**defaults, **options})
        self.all.append(made)
        return made.start()

    def close(self) -> None:
        """End all of them at once."""
        for one in self.all:
            one.close()

    def __getitem__(self, name: str) -> NoReturn:
        """Refuse: the test has no lab yet."""
        __tracebackhide__ = True
        self._refuse(f'lab["{name}"]')

    def __getattr__(self, name: str) -> NoReturn:
        __tracebackhide__ = True
        self._refuse(f"lab.{name}")

    def _refuse(self, what: str) -> NoReturn:
        __tracebackhide__ = True
        raise AttributeError(
            f"{what}: the test has no lab yet; write @pytest.mark.lab(topology=…) above it, "
            "or net = lab.start(topology=…) in it"
        )


_LABS = pytest.StashKey[Labs]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, for --strict-markers."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Start the lab of the test's marker; without one, provide ``lab.start(topology=…)``."""
    node: pytest.Item = request.node
    yield from _labs(node, tmp_path, *node.reportinfo()[:2])


@pytest.fixture(scope="module")
def lab_module(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Do as ``lab``, once for all tests of a module, with the markers of the module: ``pytestmark``."""
    module: pytest.Module = request.node
    yield from _labs(module, tmp_path_factory.mktemp(Path(module.path).stem), module.path, 0)


def _labs(node: pytest.Item | pytest.Module, directory: Path, path: Any, line: int | None) -> Iterator[Any]:
    labs = node.stash[_LABS] = Labs(directory)
    markers = list(node.iter_markers("lab"))
    try:
        yield _marked(labs, markers, f"{Path(path).name}:{(line or 0) + 1}") if markers else labs
    finally:
        labs.close()


def _marked(labs: Labs, markers: Sequence[pytest.Mark], location: str) -> Lab:
    """Start the lab of markers, the closest first; a mistake in them, or a lab that does not start, is one message."""
    from lab.errors import InputError, InputErrors, LabError

    options: dict[str, Any] = {}
    for marker in reversed(markers):
        options |= {**dict(zip(_BY_POSITION, marker.args, strict=False)), **marker.kwargs}
    _check(options, location)
    try:
        return labs.start(**{"location": location, **options})
    except LabError as error:
        named = isinstance(error, InputError) and not isinstance(error, InputErrors) and error.where is None
        message = f"{location}  {error}" if named else str(error)  # the mistake is a name in the marker
    pytest.fail(message, pytrace=False)


def _check(options: dict[str, Any], location: str) -> None:
    """Fail if markers have other parameters than a lab."""
    import inspect

    from lab import Lab
    from lab.errors import unknown

    known = [name for name in inspect.signature(Lab).parameters if name not in ("directory", "location")]
    for name in options:
        if name not in known:
            pytest.fail(f"{location}  @pytest.mark.lab: {unknown('parameter', name, known)}", pytrace=False)
    if "topology" not in options:
        pytest.fail(f'{location}  @pytest.mark.lab: write which topology: topology="one-ap"', pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """End the labs of a test that failed, so that their captures are whole, and report where their files are."""
    report = yield
    if report.failed and call.when != "teardown":
        module = item.getparent(pytest.Module) if "lab_module" in getattr(item, "fixturenames", ()) else None
        for node, ends in ((item, True), (module, False)):
            labs = node.stash.get(_LABS, None) if node else None
            report.sections += [section for one in (labs.all if labs else ()) for section in _sections(one, ends)]
    return report


def _sections(one: Lab, ends: bool) -> Iterator[tuple[str, str]]:
    """Yield what the report of a test says of a lab: where its files are, and the last lines of its logs.

    ``ends``: with the test; otherwise, the next ones use it.
    """
    from contextlib import suppress

    from lab.errors import LabError
    from lab.printable import printable
    from lab.text import last_lines

    if ends:
        with suppress(LabError):  # it has failed: the test's own error says so
            one.stop()
        one.close()
    if not one.has_directory:
        return
    plan = one.plan
    lines = [
        f"{plan.name}, seed {plan.seed}, {'stopped' if ends else 'continues'} at {one.now_s:.3f} s of virtual time",
        *([] if one.epoch_ns is None else [f"0 s is {one.epoch_ns / 1e9:.6f} in logs and captures"]),
        f"directory: {one.directory}",
        *one.remarks,
        *(f"capture: {capture.path}" for capture in one.captures),
        *(f"event: {event['t_ns'] / 1e9:.3f} s  {event['kind']} {event['target']}" for event in one.events),
    ]
    yield "lab", "\n".join(lines)
    logs = []
    for log in one.all_logs():
        lines = last_lines(log, _TAIL_LINES, _ALWAYS_WRITTEN)
        logs += [str(log), *(f"    {printable(line)}" for line in lines)] if lines else []
    if logs:
        yield "lab: last lines of logs", "\n".join(logs)
