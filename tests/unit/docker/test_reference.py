# SPDX-License-Identifier: MIT
"""References to Docker images: what they name, and what a wrong one is answered with."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.docker.reference import Reference, is_reference, parse


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("docker-daemon:web:1.2", Reference("docker-daemon", "web", "1.2")),
        ("docker-daemon:example.org:5000/team/web:1", Reference("docker-daemon", "example.org:5000/team/web", "1")),
        ("oci:images/web", Reference("oci", "images/web", None)),
        ("oci:web:new", Reference("oci", "web", "new")),
        ("docker-archive:web.tar", Reference("docker-archive", "web.tar", None)),
        ("docker-archive:web.tar:web:1", Reference("docker-archive", "web.tar", "web:1")),
    ],
)
def test_parts(text: str, found: Reference) -> None:
    assert is_reference(text)
    assert parse(text) == found
    assert str(found) == text


def test_paths_count_from_the_topology() -> None:
    assert str(parse("oci:web:1").below(Path("here"))) == "oci:here/web:1"
    assert str(parse("oci:/tmp/web").below(Path("here"))) == "oci:/tmp/web"
    assert str(parse("docker-daemon:web:1").below(Path("here"))) == "docker-daemon:web:1"
    assert not is_reference("browser")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "docker://example.org/web",
            '"docker://example.org/web" is in a registry, from which nothing is fetched; first docker pull '
            "example.org/web:latest, then write docker-daemon:example.org/web:latest",
        ),
        ("docker-daemon:web", '"docker-daemon:web" lacks the tag; write docker-daemon:web:latest'),
        (
            "docker-daemon:example.org:5000/web",
            '"docker-daemon:example.org:5000/web" lacks the tag; write docker-daemon:example.org:5000/web:latest',
        ),
        ("oci:", '"oci:" lacks the path; write oci:DIR'),
        (
            "nginx:1.25",
            '"nginx:1.25" does not begin with a known transport; of the Docker engine it is docker-daemon:nginx:1.25; '
            "known: docker-daemon:NAME:TAG, oci:DIR, docker-archive:FILE",
        ),
        (
            "docker-deamon:nginx:1",
            '"docker-deamon:nginx:1" does not begin with a known transport (did you mean docker-daemon?); known: '
            "docker-daemon:NAME:TAG, oci:DIR, docker-archive:FILE",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^") as failure:
        parse(text)
    assert str(failure.value) == message
