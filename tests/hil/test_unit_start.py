"""The shipped unit started as systemd would: its command line, folders, environment and credentials (F42, F74, F75).

From an installed version under `python3 -I`, with a stand-in for the notify socket. The bench is the hardware.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.unit_file import PYTHON, ROOT, install, unit
from tests.hil.commands import BIN
from tests.hil.notify_socket import Systemd
from tests.hil.rig import Rig, devices_ready, until

pytestmark = pytest.mark.hil


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table's installation, and the bench's pin factory beside it: what a production table must not have."""
    root = tmp_path_factory.mktemp("root")
    assert install(root, "--python", PYTHON).returncode == 0
    home = (root / "usr/lib/table-controller/current").resolve()
    pip = [str(BIN / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    copy = root / "firmware-sim"
    shutil.copytree(ROOT / "firmware-sim", copy, ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    subprocess.run([*pip, "--target", str(home), str(copy)], check=True)
    return root


class Unit:
    """What systemd does with the unit's lines, without systemd."""

    def __init__(self, rig: Rig, root: Path) -> None:
        self.said = unit()
        self.rig = rig
        self.run = rig.folder / "run"
        credentials = rig.folder / "credentials"
        for folder in (self.run, credentials):
            folder.mkdir(mode=0o700)
        for line in self.said["LoadCredential"]:
            name = line.split(":")[0]
            kind = {"table-credential": "credential.key", "table-signing": "signing.key"}[name]
            shutil.move(rig.folder / kind, credentials / name)
            rig.config.write_text(rig.config.read_text("utf-8").replace(f'"{kind}"', f'"{name}"'), "utf-8")
        words = self.said["ExecStart"][0].replace("/etc/table-controller/table.toml", str(rig.config)).split()
        self.command = [str(root / words[0].lstrip("/")), *words[1:]]
        self.systemd = Systemd(rig.folder / "notify")
        given = dict(line.split("=", 1) for line in self.said["Environment"])
        self.environ = {name: text.replace("%t/table-controller", str(self.run)) for name, text in given.items()} | {
            "PATH": "/usr/bin:/bin",
            "CREDENTIALS_DIRECTORY": str(credentials),
            "NOTIFY_SOCKET": str(self.systemd.path),
            "WATCHDOG_USEC": str(int(self.said["WatchdogSec"][0]) * 1_000_000),
            **rig.environ(),
        }

    def start(self) -> None:
        """With the folder, the mask and the limits of the unit."""
        with (self.rig.folder / "stderr").open("ab") as err:
            self.rig.child = subprocess.Popen(
                ["prlimit", f"--core={self.said['LimitCORE'][0]}", *self.command],
                cwd=self.rig.folder,  # WorkingDirectory: the state folder
                env=self.environ,
                stderr=err,
                umask=int(self.said["UMask"][0], 8),
                start_new_session=True,
            )


@pytest.fixture
def started(installed: Path) -> Iterator[Unit]:
    with Rig(seed=3) as rig:
        one = Unit(rig, installed)
        one.start()
        try:
            yield one
        finally:
            one.systemd.close()


def test_the_unit_starts_says_ready_plays_a_hand_and_stops(started: Unit) -> None:
    rig, systemd = started.rig, started.systemd
    assert rig.child is not None
    rig.wait(devices_ready)
    assert until(lambda: systemd.said("READY=1"))
    extended = [t for t, _, text in systemd.heard if "EXTEND_TIMEOUT_USEC" in text]
    assert extended and extended[0] < systemd.said("READY=1")[0][0]  # F75: the journal is verified before READY
    rig.open_table()
    rig.play_hands(1)
    assert rig.stop()[0] == 0, rig.stderr
    assert rig.stderr == ""
    assert len(systemd.said("STOPPING=1")) == 1
    assert {pid for _, pid, _ in systemd.heard} == {rig.child.pid}  # F74: the launcher is the main process, no wrapper
    assert (rig.folder / "tabled.log").stat().st_mode & 0o077 == 0
    rig.audit()


def test_exit_codes_that_nothing_would_change_are_not_started_anew(started: Unit) -> None:
    rig = started.rig
    rig.wait(devices_ready)
    assert rig.stop()[0] == 0
    prevented = {int(code) for code in started.said["RestartPreventExitStatus"][0].split()}
    text = rig.config.read_text("utf-8")
    rig.config.write_text(text.replace("boxes", "boxs"), "utf-8")
    started.start()
    assert rig.child is not None
    assert rig.child.wait(15) in prevented
    rig.config.write_text(text, "utf-8")
    shutil.copyfile(rig.config, rig.journal)
    started.start()
    assert rig.child.wait(15) in prevented
