"""The unit, users, folders and udev rules as systemd's own programs see them. F42 F43 F74 F75 of this layer."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from controller.config import load_config
from tests.deploy.unit_file import DEPLOY, UNIT, tool, unit


def runnable(tmp_path: Path, installed: Path, text: str | None = None) -> Path:
    """The unit with the launcher of an installation in a folder."""
    made = tmp_path / "tabled.service"
    text = text or UNIT.read_text("utf-8")
    made.write_text(text.replace("/usr/bin/tabled", str(installed / "usr/bin/tabled")), "utf-8")
    return made


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path, installed: Path) -> None:
    done = tool("systemd-analyze", "verify", str(runnable(tmp_path, installed)))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_systemd_would_have_found_a_wrong_key(tmp_path: Path, installed: Path) -> None:
    wrong = UNIT.read_text("utf-8").replace("KillMode=mixed", "KillMode=mixt")
    done = tool("systemd-analyze", "verify", str(runnable(tmp_path, installed, wrong)))
    assert "kill mode" in done.stderr


def security(path: Path) -> tuple[int, float]:
    done = tool("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(path))
    exposure = re.search(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert exposure, done.stderr
    return done.returncode, float(exposure[1])


def test_the_exposure_is_at_most_two() -> None:
    code, exposure = security(UNIT)
    assert code == 0
    assert exposure <= 2.0


def test_without_its_own_user_the_exposure_would_be_too_much(tmp_path: Path) -> None:
    lines = [line for line in UNIT.read_text("utf-8").splitlines() if not line.startswith(("User=", "SystemCallF"))]
    bare = tmp_path / "tabled.service"
    bare.write_text("\n".join(lines), "utf-8")
    code, exposure = security(bare)
    assert code != 0 and exposure > 2.0


def test_with_the_drop_in_for_a_printer_on_tcp_it_is_still_at_most_two(tmp_path: Path) -> None:
    wide = tmp_path / "tabled.service"
    more = "RestrictAddressFamilies=AF_INET AF_INET6\nIPAddressAllow=192.0.2.7\n"
    wide.write_text(UNIT.read_text("utf-8").replace("[Install]", f"{more}\n[Install]"), "utf-8")
    code, exposure = security(wide)
    assert code == 0 and exposure <= 2.0


EXPECTED = {
    "Type": ["notify"],
    "NotifyAccess": ["main"],  # F74
    "WatchdogSec": ["10"],  # F75
    "KillMode": ["mixed"],  # F43: children die with the unit
    "Restart": ["always"],
    "RestartPreventExitStatus": ["2 3"],
    "User": ["table-controller"],
    "LimitCORE": ["0"],
    "MemorySwapMax": ["0"],
    "DevicePolicy": ["closed"],
    "StateDirectory": ["table-controller"],
    "RuntimeDirectory": ["table-controller"],
    "LogsDirectory": ["table-controller"],
    "ExecStart": ["/usr/bin/tabled --config /etc/table-controller/table.toml"],
}


@pytest.mark.parametrize("key", EXPECTED)
def test_what_the_unit_promises(key: str) -> None:
    assert unit()[key] == EXPECTED[key]


def test_f42_lgpio_s_folders_are_ones_that_the_user_may_write() -> None:
    said = unit()
    assert said["WorkingDirectory"] == [f"%S/{said['StateDirectory'][0]}"]
    assert said["Environment"] == [f"LG_WD=%t/{said['RuntimeDirectory'][0]}"]


def test_the_credentials_are_those_that_the_examples_name() -> None:
    given = {line.split(":")[0]: line.split(":")[1] for line in unit()["LoadCredential"]}
    for example in (DEPLOY / "config").glob("*.toml"):
        config = load_config(example, {"CREDENTIALS_DIRECTORY": "/c"})
        if config.table.mode == "production":
            assert {config.keys.credential, config.keys.signing} == {f"/c/{name}" for name in given}
    assert set(given.values()) == {f"/etc/table-controller/{name}" for name in given}


def test_device_keys_lie_where_the_daemon_may_write_them() -> None:
    """Pairing writes them, and the unit sees /etc read-only. Lines that wait to be taken in are looked at too."""
    state = f"/var/lib/{unit()['StateDirectory'][0]}/"
    named = [
        path
        for example in (DEPLOY / "config").glob("*.toml")
        for path in re.findall(r'^(?:# )?key = "(/.*?)"', example.read_text("utf-8"), re.M)
    ]
    assert len(named) > len(list((DEPLOY / "config").glob("*.toml"))) and unit()["ProtectSystem"] == ["strict"]
    assert [path for path in named if not path.startswith(state)] == []


def test_users_and_folders_as_systemd_makes_them(tmp_path: Path) -> None:
    users = str(DEPLOY / "sysusers.d/table-controller.conf")
    (tmp_path / "etc").mkdir()
    dry = tool("systemd-sysusers", "--dry-run", f"--root={tmp_path}", users)
    assert dry.returncode == 0, dry.stderr
    assert list((tmp_path / "etc").iterdir()) == []
    made = tool("systemd-sysusers", f"--root={tmp_path}", users)
    assert made.returncode == 0, made.stderr
    groups = {line.split(":")[0]: line.strip().split(":") for line in (tmp_path / "etc/group").open()}
    (user,) = [line.split(":") for line in (tmp_path / "etc/passwd").read_text().splitlines()]
    assert (user[0], user[5]) == ("table-controller", "/var/lib/table-controller")
    assert user[6].endswith("nologin")
    assert [groups[name][3] for name in ("gpio", "spi")] == ["table-controller"] * 2
    kept = str(DEPLOY / "tmpfiles.d/table-controller.conf")
    folders = tool("systemd-tmpfiles", "--create", f"--root={tmp_path}", kept)
    assert folders.returncode == 0, folders.stderr
    for name, mode in (("etc", 0o750), ("var/lib", 0o700)):
        found = (tmp_path / name / "table-controller").stat()
        assert (found.st_mode & 0o7777, found.st_uid) == (mode, int(user[2]))


# --- udev

KEYS = {
    "match": {"SUBSYSTEM", "KERNEL", "ENV{DEVTYPE}", "ATTR{serial}", "ATTRS{serial}"},
    "set": {"GROUP", "MODE", "SYMLINK", "ENV{ID_MM_DEVICE_IGNORE}", "ENV{ID_MM_PORT_IGNORE}", "ENV{SYSTEMD_WANTS}"},
}


def rules_of(path: Path) -> list[list[tuple[str, str, str]]]:
    """Each rule as key, operator, value; fails at anything that udev could not read."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        parts = [re.fullmatch(r'([A-Z]+(?:\{\w+\})?)(==|\+=|=)"([^"]*)"', part) for part in line.split(", ")]
        assert all(parts), line
        found.append([(part[1], part[2], part[3]) for part in parts if part])
    return found


def rule_files(installed: Path) -> list[Path]:
    shipped = installed / "usr/lib/udev/rules.d/60-table-controller.rules"
    return [shipped, installed / "etc/udev/rules.d/99-table-controller.rules"]


def test_every_rule_matches_first_and_then_sets_what_udev_knows(installed: Path) -> None:
    for path in rule_files(installed):
        for rule in rules_of(path):
            matches = [key for key, sign, _ in rule if sign == "=="]
            assert [sign == "==" for _, sign, _ in rule] == [True] * len(matches) + [False] * (len(rule) - len(matches))
            assert set(matches) <= KEYS["match"] and matches
            assert {key for key, sign, _ in rule if sign != "=="} <= KEYS["set"]


def test_udev_itself_finds_nothing_wrong(installed: Path) -> None:
    verify = tool("udevadm", "verify", "--help")
    if verify.returncode:
        pytest.skip("this udevadm has no verify (it came with systemd 254)")
    done = tool("udevadm", "verify", *map(str, rule_files(installed)))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "serial"), [("shoe", "SHOE-0001"), ("shuffler", "SHUF-0001")])
def test_f10_a_device_is_known_by_its_serial_number_and_left_alone(installed: Path, name: str, serial: str) -> None:
    usb, tty = [
        {key: value for key, _, value in rule}
        for rule in rules_of(rule_files(installed)[1])
        if serial in {value for _, _, value in rule}
    ]
    assert usb["ENV{ID_MM_DEVICE_IGNORE}"] == tty["ENV{ID_MM_PORT_IGNORE}"] == "1"
    assert tty["SYMLINK"] == f"table-{name}"
    for rule in (usb, tty):
        assert (rule["GROUP"], rule["MODE"], rule["ENV{SYSTEMD_WANTS}"]) == ("table-controller", "0660", "")


def test_the_launchers_run_isolated(installed: Path, tmp_path: Path) -> None:
    """Neither the folder where somebody stands nor PYTHONPATH can put another module in the way."""
    (tmp_path / "controller.py").write_text("raise SystemExit(9)", "utf-8")
    for name in ("tabled", "tablectl"):
        done = subprocess.run(
            [str(installed / "usr/bin" / name), "--version"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "0.1.0" in done.stdout
