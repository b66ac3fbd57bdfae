# SPDX-License-Identifier: MIT
"""What the files of an experiment say, as hashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.experiments.types import Contents

from .files import EXPERIMENT, TOPOLOGY, WORKLOAD, loaded

WITH_FILES = (
    WORKLOAD.replace("processes:", "files:\n  conf: {on: server, path: /etc/x, from: x.conf}\nprocesses:")
    + "checks: []\n"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.conf").write_text("one\n")
    (tmp_path / "y.conf").write_text("other\n")
    return tmp_path


def contents(experiment: str = EXPERIMENT, topology: str = TOPOLOGY, workload: str = WITH_FILES) -> Contents:
    return loaded(experiment, topology=topology, workload=workload).contents


def test_the_files_of_all_points_by_key() -> None:
    found = contents()
    assert {kind: list(keys) for kind, keys in found.files.items()} == {
        "topology": ["place.yaml"],
        "workload": ["load.yaml"],
    }
    assert list(found.files["topology"]["place.yaml"]) == ["nodes", "links", "medium"]
    assert list(found.texts) == ["x.conf"]


def test_words_and_layout_do_not_count() -> None:
    other = TOPOLOGY.replace("name: place", "# changed\nabout: words\nname: place").replace(
        "channel: 6", "channel:   6"
    )
    assert contents(topology=other) == contents()


def test_what_a_file_says_counts_for_its_key() -> None:
    before, after = (
        contents(topology=text).files["topology"]["place.yaml"]
        for text in (TOPOLOGY, TOPOLOGY.replace("channel: 6", "channel: 11"))
    )
    assert [key for key in before if before[key] != after[key]] == ["nodes"]


def test_text_files_are_distinguished_from_what_names_them(here: Path) -> None:
    before = contents()
    (here / "x.conf").write_text("two\n")
    after = contents()
    assert before.files == after.files
    assert before.texts.keys() == after.texts.keys() and before.texts != after.texts


@pytest.mark.parametrize(
    "setting", ["files.conf.from: y.conf", "files.conf: {on: server, path: /etc/x, from: y.conf}"], ids=["key", "entry"]
)
def test_settings_may_name_other_text_files(setting: str) -> None:
    varied = EXPERIMENT.replace("quick: {nodes", f"quick: {{{setting}, nodes")
    assert list(contents(varied).texts) == ["x.conf", "y.conf"]
