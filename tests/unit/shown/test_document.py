# SPDX-License-Identifier: MIT
"""Commands, files and prose of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shown.document import Command, DocumentError, File, parse, prose

PAGE = """\
# A page

Some 12 words.

```
$ lab check a.yaml
a.yaml: a valid topology
$ lab run a.yaml b --set 'x.y=2 dB' \\
    --seed 3
one
…
```

```sh
$ not a block with output
```

## A part

It took 34 ms.

<!-- printed by: lab show a.yaml b -->
```
name: a
```

```
a message of no command
```
"""


def test_commands_have_the_lines_below_them() -> None:
    assert parse(PAGE) == [
        Command(["lab", "check", "a.yaml"], 7, ["a.yaml: a valid topology"]),
        Command(["lab", "run", "a.yaml", "b", "--set", "x.y=2 dB", "--seed", "3"], 10, ["one", "…"]),
        Command(["lab", "show", "a.yaml", "b"], 24, ["name: a"]),
    ]


def test_the_prose_of_a_section_is_without_its_blocks() -> None:
    assert [words for words in prose(PAGE, 10).values() if words] == ["# A page", "Some 12 words."]
    assert {n: words for n, words in prose(PAGE, 24).items() if words} == {18: "## A part", 20: "It took 34 ms."}


FILES = """\
<!-- file: bad.yaml from a.yaml; host -> hots; 15 ms -> 15 -->
```
$ lab check bad.yaml
```

<!-- file: a.yaml -->

```yaml
kind: host
delay: 15 ms
```

<!-- file: a.yaml, more -->
```yaml
timeline: []
```
"""


def test_files_are_blocks_parts_of_them_or_changed_copies_in_the_order_of_the_document() -> None:
    assert parse(FILES) == [
        File("bad.yaml", "kind: hots\ndelay: 15\n"),
        Command(["lab", "check", "bad.yaml"], 4, []),
        File("a.yaml", "kind: host\ndelay: 15 ms\n"),
        File("a.yaml", "kind: host\ndelay: 15 ms\ntimeline: []\n"),
    ]


def test_a_copy_of_what_is_shown_nowhere_or_without_a_change_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"1: no block shows the file b\.yaml; write <!-- file: b\.yaml -->"):
        parse("<!-- file: c.yaml from b.yaml; x -> y -->\n")
    with pytest.raises(DocumentError, match='1: "hosts -> hots" does not change a.yaml'):
        parse(FILES.replace("host -> hots", "hosts -> hots"))
    with pytest.raises(DocumentError, match='1: "host" does not change a.yaml'):
        parse(FILES.replace("host -> hots", "host"))


def test_a_file_of_the_checkout_is_copied() -> None:
    name = "tests/unit/shown/test_document.py"
    assert parse(f"<!-- file: {name} from the checkout -->\n") == [File(name, Path(__file__).read_text())]
    with pytest.raises(DocumentError, match=r"1: the checkout has no file shown/none\.py; write its path"):
        parse("<!-- file: shown/none.py from the checkout -->\n")


def test_the_last_command_of_a_block_draws_a_picture() -> None:
    page = "<!-- draws: images/a.svg -->\n```\n$ lab list\n$ python -m draw\na.svg\n```\n"
    assert parse(page) == [Command(["lab", "list"], 4), Command(["python", "-m", "draw"], 5, ["a.svg"], "images/a.svg")]


def test_a_comment_counts_for_the_block_right_below_it() -> None:
    page = "<!-- printed by: lab list -->\nWords between.\n```\ntopologies\n```\n"
    assert parse(page) == []


def test_all_files_of_a_folder_of_the_checkout_are_copied() -> None:
    twins = "grading/exercises/hidden-node/broken"
    found = parse(f"<!-- files: submissions from the checkout's {twins} -->\n")
    answers = Path(__file__).parents[3] / twins / "guessed" / "answers.yaml"
    assert File("submissions/guessed/answers.yaml", answers.read_text()) in found
    with pytest.raises(
        DocumentError, match=r'1: "the checkout\'s shown/none" is not a folder; write the checkout\'s path'
    ):
        parse("<!-- files: submissions from the checkout's shown/none -->\n")
