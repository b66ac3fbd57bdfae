# SPDX-License-Identifier: MIT
"""Folders of node images: what they say, what they depend on, and what is built from them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from lab.builders.image import tree, wheels
from lab.builders.image.debian import NoPackageError
from lab.builders.image.image import Image
from lab.builders.image.layer import AddedFile
from lab.builders.image.node_image import Folder, NodeImage, built_image, ensure_node_image
from lab.builders.step import BuildLog
from lab.errors import BuildError, InputError
from tests.kept import KeptReport
from tests.own_cache import own_cache
from tests.refused import refused
from tests.unit.machine.test_image import DAY_S, PACKAGED_S, STATUS, add, raw_tree

PACKAGES = {"python3": "3.13.5-1", "libc6": "2.41-12+deb13u5", "curl": "8.14.1-2+deb13u7"}


@pytest.fixture
def base(tmp_path: Path) -> Image:
    """A base image with two files and a link."""
    with tarfile.open(tmp_path / "base.tar", "w") as tar:
        add(tar, "./usr", None, PACKAGED_S, 0o755)
        add(tar, "./usr/old", "old", PACKAGED_S)
        add(tar, "./usr/same", "same", PACKAGED_S)
        link = tarfile.TarInfo("./bin")
        link.type, link.linkname = tarfile.SYMTYPE, "usr/bin"
        tar.addfile(link)
    path = tmp_path / "base.squashfs"
    with (tmp_path / "base.tar").open("rb") as stream:
        subprocess.run(["sqfstar", "-quiet", str(path)], stdin=stream, check=True)
    return Image(path, "b" * 64, PACKAGES, "basekey")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An image with one file."""
    made = tmp_path / "images" / "tiny"
    (made / "files" / "usr" / "bin").mkdir(parents=True)
    program = made / "files" / "usr" / "bin" / "hello"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    return made


def build(folder: Path, base: Image, root: Path, refresh: bool = False) -> NodeImage:
    with own_cache(root):
        return ensure_node_image(KeptReport(), folder, base, refresh=refresh)


def unpacked(image: NodeImage, to: Path) -> dict[str, str]:
    """The files in the layer, with their contents."""
    subprocess.run(["unsquashfs", "-quiet", "-no-progress", "-dest", str(to), str(image.path)], check=True)
    return {path.relative_to(to).as_posix(): path.read_text() for path in to.rglob("*") if path.is_file()}


def test_files_alone_make_an_image_and_equal_files_the_same_bytes(folder: Path, base: Image, tmp_path: Path) -> None:
    first, other = build(folder, base, tmp_path / "a"), build(folder, base, tmp_path / "b")
    assert (first.name, first.packages) == ("tiny", {})
    assert first.sha256 == other.sha256
    assert unpacked(first, tmp_path / "out") == {"usr/bin/hello": "#!/bin/sh\necho hello\n"}
    assert os.access(tmp_path / "out" / "usr/bin/hello", os.X_OK)
    assert build(folder, base, tmp_path / "a") == first


def test_packages_are_installed_on_top_of_the_base_which_is_made_once(
    folder: Path, base: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    own = tmp_path / "packages"
    own.write_text("bash\n")

    def fetch_tar(tar: Path, options: list[str], packages: list[str], *rest: object) -> None:
        hooks = [option.split()[1] for option in options if option.startswith("--setup-hook=tar-in ")]
        asked.append((packages, [Path(hook).is_file() for hook in hooks]))
        raw_tree(tar, 1)

    monkeypatch.setattr(tree, "fetch_tar", fetch_tar)
    monkeypatch.setattr(tree, "PACKAGES", own)
    monkeypatch.setattr("lab.builders.image.tree.time.time", lambda: PACKAGED_S + DAY_S)
    (folder / "packages").write_text("curl # why\n")
    image = build(folder, base, tmp_path / "a")
    assert asked == [(["bash"], []), (["curl"], [True])]
    assert image.packages == {"bash": "5.2.37-2+b10"}  # the base has that curl, too
    found = unpacked(image, tmp_path / "out")
    assert found["var/lib/dpkg/status"] == STATUS
    assert found["usr/bin/hello"] == "#!/bin/sh\necho hello\n"
    assert build(folder, base, tmp_path / "a", refresh=True).sha256 == image.sha256
    assert asked[2:] == [(["curl"], [True])]
    assert build(folder, base, tmp_path / "b").sha256 == image.sha256


@pytest.mark.parametrize("change", ["base", "content", "mode", "name", "packages", "requirements"])
def test_whatever_changes_the_image_changes_its_key(folder: Path, base: Image, change: str) -> None:
    before = Folder(folder).key(base)
    program = folder / "files" / "usr" / "bin" / "hello"
    if change == "base":
        base = replace(base, sha256="c" * 64)
    elif change == "content":
        program.write_text("#!/bin/sh\necho bye\n")
    elif change == "mode":
        program.chmod(0o644)
    elif change == "name":
        program.rename(program.with_name("bye"))
    elif change == "packages":
        (folder / "packages").write_text("iperf # why\n")
    else:
        (folder / "requirements.txt").write_text("six==1.16.0\n")
    assert Folder(folder).key(base) != before


def test_what_does_not_change_the_image_does_not_change_its_key(folder: Path, base: Image) -> None:
    (folder / "packages").write_text("curl # why\niw # why\n")
    before = Folder(folder).key(base)
    (folder / "packages").write_text("iw # another reason\ncurl\n")
    (folder / "image.yaml").write_text("about: something else\n")
    (folder / "Dockerfile").write_text("FROM scratch\n")
    assert Folder(folder).key(base) == before


def test_package_that_does_not_exist_is_named_with_its_line(
    folder: Path, base: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch_tar(tar: Path, options: list[str], packages: list[str], *rest: object) -> None:
        if "curll" in packages:
            raise NoPackageError("curll", tmp_path / "log")
        raw_tree(tar, 1)

    monkeypatch.setattr(tree, "fetch_tar", fetch_tar)
    (folder / "packages").write_text("iw # why\ncurll # why\n")
    with pytest.raises(BuildError, match=r'packages:2  Debian trixie has no package "curll"'):
        build(folder, base, tmp_path / "a")


def test_an_image_with_the_content_of_another_one_has_its_own_name(folder: Path, base: Image, tmp_path: Path) -> None:
    twin = folder.parent / "twin"
    shutil.copytree(folder, twin)
    first, second = (build(one, base, tmp_path / "a") for one in (folder, twin))
    assert (first.name, second.name) == ("tiny", "twin")
    assert first.path == second.path
    with own_cache(tmp_path / "a"):
        assert built_image("twin", second.sha256) == second


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("packages", "packages  is a folder; it must be a file"),
        ("requirements.txt", r"requirements\.txt  is a folder; it must be a file"),
        ("image.yaml", r"image\.yaml  is a folder; it must be a file"),
    ],
)
def test_a_folder_where_a_file_belongs(folder: Path, base: Image, tmp_path: Path, name: str, message: str) -> None:
    (folder / name).mkdir()
    with pytest.raises(InputError, match=f"images/tiny/{message}"):
        build(folder, base, tmp_path / "a")


def test_a_file_where_the_folder_of_files_belongs(folder: Path, base: Image, tmp_path: Path) -> None:
    shutil.rmtree(folder / "files")
    (folder / "files").touch()
    with pytest.raises(InputError, match="images/tiny/files  is a file; it must be a folder"):
        build(folder, base, tmp_path / "a")


def test_empty_folder_says_what_to_write(base: Image, tmp_path: Path) -> None:
    empty = tmp_path / "images" / "empty"
    empty.mkdir(parents=True)
    with pytest.raises(InputError, match="has nothing to build") as caught:
        build(empty, base, tmp_path / "a")
    assert "requirements.txt" in str(caught.value)


def test_files_do_not_replace_what_the_base_has_as_a_link_or_a_folder(
    folder: Path, base: Image, tmp_path: Path
) -> None:
    (folder / "files" / "bin").mkdir()
    own = folder / "files" / "bin" / "own"
    own.touch()
    with pytest.raises(InputError, match=r"files/bin/own  /bin is a link to usr/bin in nodes; write files/usr/bin/own"):
        build(folder, base, tmp_path / "a")
    shutil.rmtree(folder / "files")
    (folder / "files").mkdir()
    (folder / "files" / "usr").touch()
    with pytest.raises(InputError, match=r"files/usr  is a file, but /usr is a folder in nodes"):
        build(folder, base, tmp_path / "a")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("proc/version", "every node has its own /proc"),
        ("dev/shm/x", "every node has its own /dev"),
        ("sys", "every node has its own /sys"),
        ("run/lab/x", "/run/lab is the lab's"),
        ("etc/hosts", "the lab writes /etc/hosts, with the names of all nodes"),
    ],
)
def test_files_that_nobody_would_see_are_refused(
    folder: Path, base: Image, tmp_path: Path, name: str, why: str
) -> None:
    path = folder / "files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    assert refused(build, folder, base, tmp_path / "a") == f"{path}  would never be seen: {why}\n  remove it"


@pytest.mark.parametrize("name", ["run/mine", "etc/hosts.allow", "srv/proc/version", "labs"])
def test_files_next_to_those_are_taken(folder: Path, name: str) -> None:
    path = folder / "files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    Folder(folder).check()


def test_pipe_among_the_files_is_refused(folder: Path, base: Image, tmp_path: Path) -> None:
    os.mkfifo(folder / "files" / "pipe")
    with pytest.raises(BuildError, match="neither a file, a folder nor a symbolic link"):
        build(folder, base, tmp_path / "a")


def test_image_is_found_again_by_its_hash(folder: Path, base: Image, tmp_path: Path) -> None:
    image = build(folder, base, tmp_path / "a")
    with own_cache(tmp_path / "a"):
        assert built_image("tiny", image.sha256) == image
        assert built_image("tiny", "0" * 64) is None


def wheel(
    folder: Path, tag: str = "py3-none-any", name: str = "greeting", version: str = "1.2", needs: str | None = None
) -> None:
    """A wheel of a package with a module and a program."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    files = {
        f"{name}.py": "def main() -> None:\n    print('hello')\n\n\nif __name__ == '__main__':\n    main()\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{info}/entry_points.txt": f"[console_scripts]\ngreet = {name}:main\n",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-{tag}.whl", "w") as packed:
        for path, text in files.items():
            packed.writestr(path, text)
        packed.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))


def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str = "greeting==1.2\n") -> dict[str, AddedFile]:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return fetched(tmp_path, text)


def fetched(tmp_path: Path, text: str) -> dict[str, AddedFile]:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(text)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    return wheels.install(requirements, PACKAGES, scratch, BuildLog(tmp_path / "log", tmp_path))


def test_python_packages_come_where_the_guest_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(tmp_path / "wheels", "cp313-cp313-manylinux_2_28_x86_64")
    found = installed(tmp_path, monkeypatch)
    place = "usr/local/lib/python3.13/dist-packages"
    assert found[f"{place}/greeting.py"].content.startswith(b"def main")
    assert not [name for name in found if name.endswith(("RECORD", "INSTALLER", ".pyc"))]
    script = found["usr/local/bin/greet"]
    assert script.content.startswith(b"#!/usr/bin/python3\n")
    assert script.executable
    assert wheels.versions(found) == {"greeting": "1.2"}


class Index(BaseHTTPRequestHandler):
    """A package index that has the wheels of a folder, and wants a password for what is private."""

    folder: Path
    asked: ClassVar[list[str]]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        known = sorted(self.folder.glob("*.whl"))
        self.send_response(401 if "private" in self.path else 200)
        self.send_header("WWW-Authenticate", 'Basic realm="index"')
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        if self.path.endswith(".whl"):
            self.wfile.write((self.folder / Path(self.path).name).read_bytes())
        else:
            self.wfile.write("".join(f'<a href="/{path.name}">{path.name}</a>' for path in known).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What pip asks an index, which has a wheel."""
    wheel(tmp_path / "wheels", "cp313-cp313-manylinux_2_28_x86_64")
    Index.folder, Index.asked = tmp_path / "wheels", []
    with ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        serving = threading.Thread(target=server.serve_forever, args=[0.02])
        serving.start()
        for name in [name for name in os.environ if name.startswith("PIP_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
        monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))  # pip has never looked for a newer pip
        yield Index.asked
        server.shutdown()
        serving.join()


def test_the_index_is_asked_for_the_packages_only(tmp_path: Path, asked: list[str]) -> None:
    assert fetched(tmp_path, "greeting==1.2\n")
    assert {Path(path).name for path in asked} == {"greeting", "greeting-1.2-cp313-cp313-manylinux_2_28_x86_64.whl"}


def test_nobody_is_asked_for_a_password(tmp_path: Path, asked: list[str]) -> None:
    with pytest.raises(BuildError, match=r'requirements.txt:1  the package index has no Python package "private"'):
        fetched(tmp_path, "private\n")


def test_wheel_for_another_python_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(tmp_path / "wheels", "cp311-cp311-manylinux_2_28_x86_64")
    with pytest.raises(
        BuildError, match=r"the package index has no wheel of greeting==1.2 for Python 3.13 on x86-64"
    ) as caught:
        installed(tmp_path, monkeypatch)
    assert caught.value.where == f"{tmp_path}/requirements.txt:1"


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("no-such == 1", 'the package index has no Python package "no-such"'),
        (
            "Greeting==1.3",
            "the package index has no wheel of Greeting==1.3 for Python 3.13 on x86-64; it has wheels of 1.2",
        ),
        ("paho mqtt", '"paho mqtt" is not a requirement that pip can read\n  write one a line, such as numpy==2.3.1'),
        ("greeting=1.2", '"greeting=1.2" is not a requirement that pip can read\n'),
    ],
)
def test_what_is_not_a_package_is_reported_with_its_line(
    line: str, reported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path / "wheels")
    with pytest.raises(BuildError) as caught:
        installed(tmp_path, monkeypatch, f"# greets\n{line}\n")
    assert str(caught.value).startswith(f"{tmp_path}/requirements.txt:2  {reported}")


def test_packages_whose_versions_do_not_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(tmp_path / "wheels", needs="tiny<2")
    wheel(tmp_path / "wheels", name="tiny", version="2.0")
    with pytest.raises(BuildError) as caught:
        installed(tmp_path, monkeypatch, "greeting\ntiny==2.0\n")
    assert str(caught.value).startswith(
        f"{tmp_path}/requirements.txt:2  no versions of these packages go together: the list has tiny==2.0; "
        "greeting 1.2 depends on tiny<2\n  allow other versions"
    )


@pytest.mark.parametrize(
    "line",
    ["-r other.txt", "-cother.txt", "--editable .", "./x.whl", "git+https://host/x.git", "x @ file:///x.whl"],
)
def test_requirements_outside_of_the_list_are_refused(line: str, folder: Path, base: Image, tmp_path: Path) -> None:
    (folder / "requirements.txt").write_text(f"six\n{line}\n")
    with pytest.raises(BuildError, match="requirements.txt:2  .* leads to other files") as failure:
        build(folder, base, tmp_path / "cache")
    assert "write the packages themselves" in str(failure.value)


def test_options_of_pip_that_are_in_the_list_stay(tmp_path: Path) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text("# a comment\n--pre\n--index-url http://host/simple\nrequests[socks]==2.* \\\n  --hash=sha256:00\n")
    wheels.check(path)
