# SPDX-License-Identifier: MIT
"""CITATION.cff is valid, and says what pyproject.toml and LICENSE say."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "CITATION.cff"


def test_the_citation_file_is_valid() -> None:
    argv = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format", str(FILE)]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_it_agrees_with_the_package_and_its_licence() -> None:
    found = YAML(typ="safe").load(FILE)
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert found["title"] == package["name"] and str(found["version"]) == package["version"]
    assert " AND ".join(found["license"]) == package["license"]
    assert [author["name"] for author in found["authors"]] == ["The hwsim-lab contributors"]
    assert f"(c) 2026 {found['authors'][0]['name']}" in (ROOT / "LICENSE").read_text()
