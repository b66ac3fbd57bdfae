# SPDX-License-Identifier: MIT
"""report.html and plots: well-formed, self-contained, the same for the same record."""

from __future__ import annotations

import html.parser
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from lab import report
from lab.drawing import WIDTH, lay_out, svg
from lab.drawing.figure import Figure, Panel
from lab.drawing.marks import Band, Line, Rule
from lab.errors import HostError
from lab.record import Record
from lab.report import plots
from lab.report.html import command, flat

from .conftest import Recorder

VOID = {"meta", "br", "path", "rect"}


class Page(html.parser.HTMLParser):
    """Checks that tags close in order; collects what would be fetched, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.contents: list[str] = []  # sections that the list of contents leads to
        self.sections: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        led = [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "data", "action")]
        self.fetched += [value for value in led if not value.startswith("#")]
        self.contents += [value[1:] for value in led if value.startswith("#")]
        self.sections += [dict(attrs).get("id") or ""] if tag == "section" else []
        if tag in ("script", "link", "iframe", "img", "object"):
            self.fetched.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_needs_nothing_else(record: Record) -> None:
    text = report.write(record, record.directory).read_text()
    page = Page(text)
    assert page.open == [] and page.fetched == []
    assert page.contents == ["topology", "checks", "figures", "tables", "timeline", "reproduce"], "in this order"
    assert [name for name in page.sections if name] == page.contents
    assert not re.search(r"url\(|@import|<script", text)
    for wanted in ("All 2 checks passed", "ap1 → ap2", "fetch.sha256 == file.sha256", "a" * 64, "curl", "--seed 1"):
        assert wanted in page.text
    assert "prefers-color-scheme:dark" in text


def test_tables_that_are_wider_than_the_page_scroll(record: Record) -> None:
    text = report.write(record, record.directory).read_text()
    assert text.count("<table") == text.count('<div class="scroll"><table') > 5
    style = text.partition("</style>")[0]
    assert ".scroll{overflow-x:auto" in style
    # these would make columns narrower than their words instead
    assert not re.search(r"break-all|overflow-wrap:\s*anywhere|table-layout:\s*fixed", style)


def test_pages_are_for_projectors_and_print_on_a4(record: Record) -> None:
    screen, _, paper = report.write(record, record.directory).read_text().partition("</style>")[0].partition("@page")
    assert re.search(r"body\{[^}]*font:17px", screen) and re.search(r"svg\{[^}]*width:100%", screen)
    assert paper.startswith("{size:A4")
    assert ",table,tr,pre{break-inside:avoid}" in paper, (
        "no table is cut unless it is longer than a page, and no row ever"
    )
    assert ".scroll{overflow:visible}" in paper and "thead{display:table-header-group}" in paper
    assert "svg{min-width:0}" in paper, "a drawing is no wider than the page"


def test_lists_of_the_record_are_words() -> None:
    assert flat({"kernel_parts": ["uml", "medium"], "s": 1.5}) == [("kernel parts", "uml, medium"), ("s", "1.5")]


def test_a_hash_is_in_full_once(record: Record) -> None:
    (file, _) = record.plan.files
    text = Page(report.write(record, record.directory).read_text()).text
    assert text.count(file.sha256) == 1
    shown = f"{file.sha256[:12]}…"
    assert text.count(shown) == 2, "of the check, and of the transfer"
    assert f"both are {shown}" in text


def test_equal_records_give_equal_reports(record: Record, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        report.write(record, tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert {path.suffix for path in files} == {".html", ".svg", ".csv"}
    for path in files:
        assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes()


def test_plots_are_files_of_their_own(record: Record) -> None:
    report.write(record, record.directory)
    drawn = sorted(path.stem for path in (record.directory / "plots").glob("*.svg"))
    assert {"goodput", "outage", "outage-around", "signal", "rtt", "cwnd"} <= set(drawn)
    for path in (record.directory / "plots").glob("*.svg"):
        root = ET.fromstring(path.read_text())
        assert root.attrib["viewBox"].startswith("-12 -12 904 ")
        assert root.find("{http://www.w3.org/2000/svg}style") is not None


def test_time_axes_line_up(record: Record) -> None:
    text = report.write(record, record.directory).read_text()
    figures = [figure for figure in re.findall(r"<svg.*?</svg>", text, re.DOTALL) if "virtual time, s" in figure]
    axis = r'<path d="M([\d.]+) [\d.]+H([\d.]+)"[^>]*stroke="#4a545e" stroke-width="1"/>'
    assert len(figures) > 2 and len({place for figure in figures for place in re.findall(axis, figure)}) == 1


def test_titles_say_what_is_to_be_seen(record: Record) -> None:
    titles = {figure.name: figure.title for figure in plots.figures(record)}
    assert titles["goodput"] == "fetch: 1 MiB in 4.42 s, 1.9 Mbit/s on average"
    assert titles["outage-around"] == "One handoff: 17.6 ms without data; 85.7 ms of silence while scanning"
    assert titles["outage"].startswith("The longest step: scan, 79")
    abouts = {figure.name: figure.about for figure in plots.figures(record)}
    assert abouts["outage"] == (
        "steps of each handoff, from wpa_supplicant's events and the capture; thin line: time without data"
    )


def test_round_trip_times_are_dots_and_windows_are_lines(record: Record) -> None:
    figures = {figure.name: figure for figure in plots.figures(record)}
    for name, dots in (("rtt", True), ("cwnd", False)):
        assert {line.dots for panel in figures[name].panels for line in panel.lines} == {dots}


def test_an_outage_without_a_capture_is_not_called_time_without_data(recorded: Recorder) -> None:
    wanted = {"of": ["wpa-events"], "per": "handoff", "source": "w.yaml:1", "unit": "ms"}
    record = recorded(metrics=[{**wanted, "name": "outage", "kind": "outage"}])
    (steps,) = [figure for figure in plots.figures(record) if figure.name.startswith("outage")]
    assert steps.about == (
        "steps of each handoff, from wpa_supplicant's events; thin line: until connected, since no capture shows when "
        "data arrived"
    )
    (thin,) = [span.label for panel in steps.panels for span in panel.spans if span.thin]
    assert re.fullmatch(r"[\d.]+ ms until connected", thin)


def test_bitrates_are_drawn_per_peer(recorded: Recorder) -> None:
    wanted = {"of": ["station-dump", "link"], "per": None, "source": "w.yaml:1", "unit": "Mbit/s"}
    metrics = [{**wanted, "name": kind, "kind": kind} for kind in ("rx-bitrate", "tx-bitrate")]
    drawn = {figure.name: figure for figure in plots.figures(recorded(metrics=metrics, checks=[]))}
    for kind, words in (("rx-bitrate", "receives from"), ("tx-bitrate", "sends to")):
        (panel,) = drawn[kind].panels
        assert panel.y_label == f"{kind}, Mbit/s"
        assert [line.label for line in panel.lines] == [
            f"sta1 {words} {peer}" for peer in ("ap1", "ap2", "its access point")
        ]
        assert max(panel.lines[0].y) <= 54


def test_data_that_were_on_their_way_are_no_tail_loss_probe(record: Record) -> None:
    """The first segment after this handoff is behind a hole, and h1 retransmits later; but its timers do not matter."""
    (row,) = record.metrics["outage"].rows
    assert row["why"] == [{"cause": "scan", "took_ns": 12_800}]


def test_every_axis_is_labelled(record: Record) -> None:
    for figure in plots.figures(record):
        for panel in figure.panels:
            assert re.search(r", \S+$", panel.x_label), "a unit at the end"
            assert panel.rows or re.search(r", \S+$", panel.y_label)
            assert panel.x_range[0] < panel.x_range[1] and panel.y_range[0] < panel.y_range[1]


@pytest.mark.parametrize(("format", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats_on_demand(record: Record, tmp_path: Path, format: str, begins: bytes) -> None:
    pictures = {}
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        report.write(record, tmp_path / name, formats=[format])
        pictures[name] = {path.name: path.read_bytes() for path in (tmp_path / name / "plots").glob(f"*.{format}")}
    assert pictures["one"] == pictures["two"] and len(pictures["one"]) == len(plots.figures(record))
    assert all(data.startswith(begins) for data in pictures["one"].values())


def test_names_are_text_not_markup(recorded: Recorder) -> None:
    record = recorded(name="<script>alert(1)</script>", about="a & b < c")
    page = Page(report.write(record, record.directory).read_text())
    assert page.fetched == [] and "<script>alert(1)</script>" in page.text and "a & b < c" in page.text


def test_names_of_programs_do_not_reorder_the_page(recorded: Recorder) -> None:
    record = recorded({"error": {"message": "known: k\u202e\x1b[31m", "culprit": None, "logs": []}})
    text = report.write(record, record.directory).read_text()
    assert r"known: k\u202e\x1b[31m" in text and "\u202e" not in text and "\x1b" not in text


def test_a_run_with_nothing_to_show_still_has_a_page(recorded: Recorder) -> None:
    record = recorded(metrics=[], checks=[], processes=[], events=[], files=[])
    assert plots.figures(record) == []
    page = Page(report.write(record, record.directory, formats=["svg", "png"]).read_text())
    assert "it has no checks" in page.text


def test_a_failed_run_shows_the_log_of_the_culprit(recorded: Recorder) -> None:
    error = {
        "message": "lighttpd ended with status 1",
        "culprit": "lighttpd",
        "logs": ["raw/lighttpd.out", "raw/lighttpd.err"],
    }
    record = recorded({"error": error})
    (record.directory / "raw" / "lighttpd.out").write_text("opening port 80\n")
    (record.directory / "raw" / "lighttpd.err").write_text("bind: Address <already> in use\n")
    shown = Page(report.write(record, record.directory).read_text()).text
    assert "opening port 80\nbind: Address <already> in use" in shown


@pytest.mark.parametrize("logs", [[], ["raw/gone.err"]])
def test_a_failed_run_without_a_log(recorded: Recorder, logs: list[str]) -> None:
    record = recorded({"error": {"message": "the guest stopped", "culprit": None, "logs": logs}})
    assert "The run failed: the guest stopped" in Page(report.write(record, record.directory).read_text()).text


def test_the_timeline_uses_the_words_of_lab_show(recorded: Recorder) -> None:
    shaping = {"delay_ns": 20_000_000, "jitter_ns": 0, "rate_bps": 5_000_000, "loss_percent": 0.0}
    fired = [
        ("roam", "sta1", {"to": "ap2"}),
        ("move", "sta1", {"position_m": [42.0, 0.0, 1.0], "speed_m_s": 3.0}),
        ("netem", "h1-s1", shaping),
        ("link", "h1-s1", {"up": False}),
        ("stop", "fetch", {}),
    ]
    events = [
        {"t_ns": at * 1_000_000_000, "kind": kind, "target": target, "params": params, "ok": True, "output": ""}
        for at, (kind, target, params) in enumerate(fired)
    ]
    record = recorded({"events": events})
    timeline = report.write(record, record.directory).read_text().partition("<h2>Timeline</h2>")[2]
    rows = re.findall(r"<td>([^<]*)</td><td></td>", timeline)
    assert [row for row in rows if "starts" not in row] == [
        "roam sta1 to ap2",
        "move sta1 to (42, 0, 1) m at 3 m/s",
        "netem h1-s1 5 Mbit/s, delay 20 ms",
        "link h1-s1 down",
        "stop fetch",
    ]


def test_how_to_have_a_run_again(recorded: Recorder) -> None:
    record = recorded(overrides={"links.0.delay": "20 ms"}, seed=7)
    expected = "lab run topologies/two-aps.yaml workloads/short-download.yaml --seed 7 --set 'links.0.delay=20 ms'"
    assert command(record.plan) == expected


def test_a_directory_that_cannot_be_written_is_reported(record: Record) -> None:
    (record.directory / "plots").write_text("in the way")
    with pytest.raises(HostError, match="cannot write .*/plots: File exists"):
        report.write(record, record.directory)


def test_drawing_survives_extremes() -> None:
    line = Line("a&b", [0.0, 1.0, 50.0], [0.0, 0.0, 0.0], step=True, area=True, gap=10)
    panel = Panel("x, s", "y, 1", (0.0, 100.0), lines=[line], bands=[Band(-5, 500, "wide")], rules=[Rule(3, "<here>")])
    text = svg(lay_out(Figure("f", "t", "a", [panel, panel], [("long label " * 9, 1), ("other " * 12, 2)])))
    ET.fromstring(text)
    coordinates = [float(number) for number in re.findall(r'x="(-?[\d.]+)"', text)]
    assert min(coordinates) >= 0 and max(coordinates) <= WIDTH
