# SPDX-License-Identifier: MIT
"""What other projects use in their CI: valid by the published schemas, with scripts that shellcheck accepts.

They are not run here: a job is a container. actionlint also looks at the expressions of a workflow; no package of
PyPI has it that can be installed without GitHub: ``go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 FILE``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML

from lab.checkout import CHECKOUT
from lab.cli.main import app

PROJECT = CHECKOUT / "docs/examples/ci-project"
EXAMPLES = PROJECT / ".github/workflows/wifi.yml", PROJECT / ".gitlab-ci.yml"
ACTION, TEMPLATE = CHECKOUT / "ci/github/action.yml", CHECKOUT / "ci/gitlab.yml"
_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"(?:^|[\s(/])lab ((?:cache|doctor|images|kernel|rootfs|run)\b[^)\n]*)")


def shown() -> tuple[str, str]:
    """The workflow and the pipeline of docs/ci.md."""
    github, gitlab = _BLOCK.findall((CHECKOUT / "docs/ci.md").read_text())
    return github, gitlab


def load(text: str) -> Any:
    return YAML(typ="safe").load(text)


def valid(schema: str, path: Path) -> None:
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    transform = ["--data-transform", "gitlab-ci"] if schema == "gitlab-ci" else []
    done = subprocess.run([*argv, *transform, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_and_the_template_are_valid() -> None:
    valid("github-actions", ACTION)
    valid("gitlab-ci", TEMPLATE)
    for schema, path in zip(("github-workflows", "gitlab-ci"), EXAMPLES, strict=True):
        valid(schema, path)


def test_the_shown_files_are_valid(tmp_path: Path) -> None:
    for schema, text in zip(("github-workflows", "gitlab-ci"), shown(), strict=True):
        path = tmp_path / f"{schema}.yml"
        path.write_text(text)
        valid(schema, path)


def test_a_mistake_is_not_valid(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yml"
    path.write_text(shown()[0].replace("steps:", "stepps:"))
    with pytest.raises(AssertionError, match="stepps"):
        valid("github-workflows", path)


def scripts() -> Iterator[tuple[str, str]]:
    """Name and text of each script: of the action, the template, and the shown files."""
    for step in load(ACTION.read_text())["runs"]["steps"]:
        if "run" in step:
            yield step["name"], step["run"]
    yield "before_script", "\n".join(load(TEMPLATE.read_text())[".hwsim-lab"]["before_script"])
    github, gitlab = map(load, shown())
    yield "GitHub", "\n".join(step["run"] for step in github["jobs"]["wifi"]["steps"] if "run" in step)
    yield "GitLab", "\n".join(gitlab["wifi"]["script"])
    yield "install", (CHECKOUT / "ci/install").read_text()


SCRIPTS = list(scripts())


@pytest.mark.parametrize("script", [text for _, text in SCRIPTS], ids=[name for name, _ in SCRIPTS])
def test_scripts_are_sound(script: str) -> None:
    done = subprocess.run(["shellcheck", "--shell=sh", "-"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_commands_of_scripts_exist() -> None:
    text = re.sub(r"^\s*#.*$", "", "\n".join(text for _, text in SCRIPTS), flags=re.MULTILINE)
    calls = [words.split() for words in _COMMAND.findall(text)]
    assert {words[0] for words in calls} == {"cache", "doctor", "images", "kernel", "rootfs", "run"}
    group = typer.main.get_command(app)
    for verb, *words in calls:
        group.commands[verb].make_context(verb, words)  # type: ignore[attr-defined] # a group


@pytest.mark.parametrize("files", [shown(), [path.read_text() for path in EXAMPLES]], ids=["shown", "example"])
def test_paths_lead_to_files(files: Iterable[str]) -> None:
    github, gitlab = map(load, files)
    (uses,) = [step["uses"] for step in github["jobs"]["wifi"]["steps"] if "hwsim-lab" in step.get("uses", "")]
    assert (CHECKOUT / uses.partition("hwsim-lab/")[2].partition("@")[0] / "action.yml") == ACTION
    assert CHECKOUT / gitlab["include"]["file"] == TEMPLATE
    assert gitlab["wifi"]["extends"] in load(TEMPLATE.read_text())
    assert os.access(CHECKOUT / "ci/install", os.X_OK)
    assert (ACTION.parent / "../install").resolve() == CHECKOUT / "ci/install"


def called(script: str, images: str, tmp_path: Path) -> tuple[list[str], str]:
    """Run a script with a ``lab`` that notes and prints its arguments; return these, and the outputs of the step."""
    tmp_path.mkdir(exist_ok=True)
    program = tmp_path / "lab"
    program.write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/calls\necho "$*"\n')
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "IMAGES": images, "HWSIM_LAB_IMAGES": images}
    environment["GITHUB_OUTPUT"] = str(tmp_path / "output")
    subprocess.run(["sh", "-eu", "-c", script], env=environment, check=True, capture_output=True)
    output = tmp_path / "output"
    return (tmp_path / "calls").read_text().splitlines(), output.read_text() if output.exists() else ""


def test_node_images_are_built_and_part_of_the_key(tmp_path: Path) -> None:
    """``images: peer browser``; without, ``lab images`` is not called, which would build all of them."""
    steps = {step["name"]: step for step in load(ACTION.read_text())["runs"]["steps"]}
    name, build = steps["Name the cache"], steps["Build what is missing"]
    assert name["env"] == build["env"] == {"IMAGES": "${{ inputs.images }}"}
    assert called(build["run"], "peer browser", tmp_path / "a")[0] == ["kernel", "rootfs", "images peer browser"]
    assert called(build["run"], "", tmp_path / "b")[0] == ["kernel", "rootfs"]
    assert "key=cache key peer browser\n" in called(name["run"], "peer browser", tmp_path / "c")[1]
    key, others = (steps["Restore kernel and images"]["with"][key] for key in ("key", "restore-keys"))
    assert key.startswith("hwsim-lab-${{") and others == key.replace("outputs.key", "outputs.without-images")
    assert steps["Keep kernel and images"]["with"]["key"] == key
    template = load(TEMPLATE.read_text())[".hwsim-lab"]
    assert template["cache"]["key"].endswith("-$HWSIM_LAB_IMAGES") and template["variables"]["HWSIM_LAB_IMAGES"] == ""
    (line,) = [line for line in template["before_script"] if "lab images" in line]
    assert called(line + "; lab", "peer browser", tmp_path / "d")[0] == ["images peer browser", ""]
    assert called(line + "; lab", "", tmp_path / "e")[0] == [""]


def test_the_cache_leaves_out_the_tree_of_the_kernel() -> None:
    paths = [step["with"]["path"] for step in load(ACTION.read_text())["runs"]["steps"] if "with" in step]
    directory = "${{ steps.cache.outputs.directory }}"
    assert paths == [f"{directory}/*\n!{directory}/kernel-tree\n"] * 2
