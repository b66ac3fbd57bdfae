# SPDX-License-Identifier: MIT
"""Record the corpus again, with the programs of today's image: python -m workloads.a3.tests.observe.record [NAME].

Two nodes, a line without losses, and a workload for each capture: files, signed, dialects, mail, web. Servers are
configured as in the stacks smb and smtp. Expectations of tests (numbers of connections and bytes) may have to change
with a capture.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..sessions import FIXTURES

HERE = Path(__file__).parent
STACKS = HERE.parents[3]
IMAGES = {"files": "samba", "signed": "samba", "dialects": "samba", "mail": "mail", "web": "mail"}
PLACE = """\
name: place
nodes:
  h1: {kind: host, roles: [server], image: IMAGE}
  h2: {kind: host, roles: [client], image: IMAGE}
links:
  - {between: [h1, h2], rate: 10 Mbit/s, delay: 10 ms}
"""
CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9000", "-subj", "/CN=server.lab"]


def prepare(name: str, folder: Path) -> None:
    """Put everything that a workload names next to it."""
    for path in HERE.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    for path in (STACKS / "smb" / "smb.conf", STACKS / "smb" / "signed.conf", STACKS / "smb" / "users"):
        shutil.copy(path, folder)
    (folder / "place.yaml").write_text(PLACE.replace("IMAGE", IMAGES[name]))
    if name == "mail":
        keys = folder / "keys.pem"
        made = subprocess.run([*CERTIFICATE, "-keyout", "-"], check=True, capture_output=True)
        keys.write_bytes(made.stdout)
        settings = (STACKS / "smtp" / "main.cf").read_text().replace("security_level = none", "security_level = may")
        (folder / "main.cf").write_text(f"{settings}smtpd_tls_chain_files = /etc/postfix/keys.pem\nnotify_classes =\n")


def record(name: str) -> None:
    """Run a workload, and keep its capture."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        prepare(name, folder)
        run = folder / "run"
        words = ["run", str(folder / "place.yaml"), str(folder / f"{name}.yaml"), "--out", str(run)]
        subprocess.run([str(Path(sys.executable).with_name("lab")), *words], check=True)
        shutil.copy(run / "raw" / "tcpdump.pcap", FIXTURES / f"{name}.pcap")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or IMAGES:
        record(wanted)
