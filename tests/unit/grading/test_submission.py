# SPDX-License-Identifier: MIT
"""Submissions are read with care: only files that the exercise names, only what it lets a student change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.expressions.values import ValueWithUnit
from lab.grading.exercise import Exercise
from lab.grading.submission import Submission, read
from lab.model.document import Document
from lab.model.exercise import ExerciseFile

FILES = {
    "settings.yaml": "nodes.sta1.rts_threshold: 1 kB\n",
    "answers.yaml": "time: 2 s\ncause: noise\nratio: 1.5\n",
    "tool.py": "print(1)\n",
}


def exercise(folder: Path) -> Exercise:
    """One that has every form of a file to hand in."""
    data = {
        "name": "A test",
        "about": "A test.",
        "minutes": 1,
        "goals": ["none"],
        "hand_in": {
            "settings.yaml": {"settings": ["nodes.*.rts_threshold"]},
            "answers.yaml": {
                "answers": {
                    "time": {"about": "How long?", "unit": "ms"},
                    "cause": {"about": "Why?", "one_of": ["noise", "collisions"]},
                    "ratio": {"about": "How many times?"},
                }
            },
            "tool.py": {"program": True},
        },
        "runs": {"only": {"topology": "one-ap", "workload": "idle"}},
        "checks": [{"name": "time", "about": "It is right.", "points": 2, "that": "answers.time == 3 ms"}],
        "broken": {"late": ["time"]},
    }
    return Exercise("a-test", folder, Document(folder, "exercise.yaml", data), ExerciseFile.model_validate(data))


def written(folder: Path, **changed: str | bytes) -> Submission:
    """Read a submission with these contents instead of ``FILES``; ``_`` in names stands for a dot."""
    for name, text in {**FILES, **{name.replace("_", "."): text for name, text in changed.items()}}.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(exercise(folder), folder)


def test_what_is_handed_in_is_read(tmp_path: Path) -> None:
    (tmp_path / "exercise.yaml").write_text("not theirs\n")
    found = written(tmp_path)
    assert found.settings == {"nodes.sta1.rts_threshold": "1 kB"}
    assert found.locations == {"nodes.sta1.rts_threshold": "settings.yaml:1"}
    assert found.answers == {"time": ValueWithUnit(2000, "ms"), "cause": "noise", "ratio": ValueWithUnit(1.5)}
    assert found.programs == {"tool.py": b"print(1)\n"}


def test_files_with_only_comments_change_nothing_and_answer_nothing(tmp_path: Path) -> None:
    found = written(tmp_path, settings_yaml="# later\n", answers_yaml="")
    assert found.settings == {} and set(found.answers.values()) == {None}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"settings_yaml": "nodes.sta1.position: [0 m, 0 m, 0 m]\n"},
            "settings.yaml:1  nodes.sta1.position: is not a key that this exercise lets you change; "
            "these are: nodes.*.rts_threshold",
        ),
        ({"settings_yaml": "nodes: {sta1: {rts_threshold: 1 kB}}\n"}, "settings.yaml:1  nodes: is not a key that"),
        (
            {"settings_yaml": "nodes.sta1.rts_threshold:\n"},
            'has no value; write one (the word null in quotes: "null"), or',
        ),
        ({"settings_yaml": "a = 1\n"}, "settings.yaml:1  must be a mapping, such as KEY: VALUE, with a colon"),
        ({"settings_yaml": "- a\n"}, "settings.yaml:1  must be a mapping, such as KEY: VALUE, with a colon"),
        ({"settings_yaml": "a: [\n"}, "settings.yaml:"),
        ({"settings_yaml": b"\xff\n"}, "settings.yaml  is not UTF-8 text (byte 0)"),
        ({"settings_yaml": "# \n" * 40_000}, "settings.yaml is too large; at most 64 KiB"),
        ({"tool_py": b"x" * ((1 << 20) + 1)}, "tool.py is too large; at most 1024 KiB"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, changed: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        written(tmp_path, **changed)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("answers", "name", "message"),
    [
        ("tame: 2 s\n", "time", 'answers.yaml:1  tame: unknown answer "tame" (did you mean time?)'),
        ("\ntime: 2\n", "time", 'answers.yaml:2  time: "2" has no unit; write 2 ms'),
        ("time: 2 dB\n", "time", "answers.yaml:1  time: "),
        ("cause: rain\n", "cause", 'answers.yaml:1  cause: "rain" is not one of noise, collisions'),
        ("ratio: much\n", "ratio", 'answers.yaml:1  ratio: "much" is not a number'),
        ("ratio: nan\n", "ratio", 'answers.yaml:1  ratio: "nan" is not a number'),
        ("ratio: 1e999\n", "ratio", 'answers.yaml:1  ratio: "1e999" is not a number'),
        ("a: [\n", "ratio", "answers.yaml:"),
    ],
)
def test_a_mistake_in_an_answer_is_kept_with_its_line(tmp_path: Path, answers: str, name: str, message: str) -> None:
    found = written(tmp_path, answers_yaml=answers)
    assert message in found.invalid[name] and found.answers[name] is None


def test_a_mistake_in_an_answer_leaves_the_others_valid(tmp_path: Path) -> None:
    found = written(tmp_path, answers_yaml="time: 2\ncause: noise\n")
    assert list(found.invalid) == ["time"] and found.answers["cause"] == "noise"


@pytest.mark.parametrize("text", ["Noise", " NOISE ", '"  noise "'])
def test_case_and_blanks_of_a_word_do_not_matter(tmp_path: Path, text: str) -> None:
    assert written(tmp_path, answers_yaml=f"cause: {text}\n").answers["cause"] == "noise"


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        written(tmp_path, settings_yaml="a: 1\nb: 2\n", tool_py=b"x" * ((1 << 20) + 1))
    assert [line.partition("  ")[0] for line in str(caught.value).splitlines() if "." in line][:3] == [
        "settings.yaml:1",
        "settings.yaml:2",
        "tool.py is too large; at most 1024 KiB",
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="settings.yaml is missing"):
        read(exercise(tmp_path), tmp_path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "device"])
def test_nothing_but_regular_files_is_opened(tmp_path: Path, name: str, kind: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("nodes.sta1.rts_threshold: 1 kB\n")
    submission = tmp_path / "submission"
    submission.mkdir()
    for other, text in FILES.items():
        if other != name:
            (submission / other).write_text(text)
    match kind:
        case "link":
            (submission / name).symlink_to(secret)
        case "fifo":
            os.mkfifo(submission / name)
        case "folder":
            (submission / name).mkdir()
        case "device":
            (submission / name).symlink_to("/dev/zero")
    if name == "answers.yaml":
        found = read(exercise(tmp_path), submission)
        assert set(found.invalid.values()) == {"answers.yaml is not a regular file"}
        assert set(found.answers.values()) == {None}
        return
    with pytest.raises(InputError, match=f"{name} is not a regular file"):
        read(exercise(tmp_path), submission)


def test_yaml_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for last, next_ in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{next_}: &{next_} [{', '.join([f'*{last}'] * 9)}]\n"
    with pytest.raises(InputError):
        written(tmp_path, settings_yaml=bomb)
