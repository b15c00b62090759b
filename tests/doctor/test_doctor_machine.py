"""Supply, clock, disk, software and services: each finding both ways, on trees of files and answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.config import Mode
from controller.doctor import board, disk, services, software
from controller.doctor.finding import Level
from controller.doctor.machine import Said, User
from tests.doctor.tree import Tree

OK, WARN, FAIL, SKIPPED = Level.OK, Level.WARN, Level.FAIL, Level.SKIPPED

# --- the Pi


def a_pi(tree: Tree) -> None:
    tree.put("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.5\0")


@pytest.mark.parametrize(
    ("answer", "level", "words"),
    [
        ("throttled=0x0", OK, "no under-voltage"),
        ("throttled=0x50000", WARN, "under-voltage at some time"),
        ("throttled=0x50005", FAIL, "under-voltage now"),
        ("throttled=0x80008", FAIL, "soft temperature limit"),
        ("nonsense", SKIPPED, "does not answer"),
    ],
)
def test_the_supply_as_the_firmware_tells_it(tree: Tree, answer: str, level: Level, words: str) -> None:
    a_pi(tree)
    tree.says("vcgencmd", "get_throttled", out=answer)
    found = tree.find(board.probe)
    assert found.level(910) is level and words in found.text(910)


def test_the_supply_without_vcgencmd(tree: Tree) -> None:
    a_pi(tree)
    assert tree.find(board.probe).level(910) is SKIPPED
    tree.put("sys/devices/platform/soc/soc:firmware/get_throttled", "1\n")
    assert "under-voltage now" in tree.find(board.probe).text(910)


def test_elsewhere_it_says_that_this_is_no_pi(tree: Tree) -> None:
    tree.says("vcgencmd", "get_throttled", out="throttled=0x50005")
    found = tree.find(board.probe)
    assert found.level(910) is SKIPPED and "not a Raspberry Pi" in found.text(910)


@pytest.mark.parametrize(("milli", "level"), [("48312", OK), ("81000", WARN), ("hot", SKIPPED)])
def test_heat(tree: Tree, milli: str, level: Level) -> None:
    tree.put("sys/class/thermal/thermal_zone0/temp", milli + "\n")
    assert tree.find(board.probe).level(911) is level


@pytest.mark.parametrize(("answer", "level"), [(Said(0, "yes"), OK), (Said(0, "no"), WARN), (Said(1, ""), SKIPPED)])
def test_is_the_clock_synchronised(tree: Tree, answer: Said, level: Level) -> None:
    tree.answers["timedatectl", "show", "--property=NTPSynchronized", "--value"] = answer
    assert tree.find(board.probe).level(912) is level


def test_a_battery_clock(tree: Tree) -> None:
    assert tree.find(board.probe).level(913) is WARN
    tree.put("sys/class/rtc/rtc0/name", "rtc-ds1307 1-0068\n")
    found = tree.find(board.probe)
    assert found.level(913) is OK and "ds1307" in found.text(913)


# --- disk

MOUNTS = """22 1 179:2 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 179:3 / {at} {options} shared:2 - {kind} /dev/mmcblk0p3 rw
31 22 0:30 / /elsewhere rw - tmpfs tmpfs rw
"""


def mounted(tree: Tree, options: str, kind: str = "ext4") -> None:
    tree.put("proc/self/mountinfo", MOUNTS.format(at=tree.folder / "var", options=options, kind=kind))


@pytest.mark.parametrize(
    ("options", "kind", "level", "words"),
    [
        ("rw,noatime", "ext4", OK, "noatime"),
        ("rw,relatime", "ext4", WARN, "noatime"),
        ("ro,noatime", "ext4", FAIL, "read-only"),
        ("rw,noatime", "tmpfs", FAIL, "gone with the power"),
        ("rw,noatime", "overlay", FAIL, "gone with the power"),
    ],
)
def test_how_the_journal_s_folder_is_mounted(tree: Tree, options: str, kind: str, level: Level, words: str) -> None:
    mounted(tree, options, kind)
    found = tree.find(disk.probe)
    assert found.level(921) is level and words in found.text(921)


def test_a_mount_that_is_not_told(tree: Tree) -> None:
    assert tree.find(disk.probe).level(921) is SKIPPED


def test_errors_and_wear_of_the_disk(tree: Tree) -> None:
    mounted(tree, "rw,noatime")
    assert tree.find(disk.probe).level(924) is SKIPPED
    part = tree.put("sys/devices/mmcblk0/mmcblk0p3/uevent").parent
    tree.link("sys/dev/block/179:3", part)
    tree.put("sys/fs/ext4/mmcblk0p3/errors_count", "0\n")
    assert tree.find(disk.probe).level(924) is OK
    tree.put("sys/devices/mmcblk0/device/life_time", "0x02 0x0b\n")
    found = tree.find(disk.probe)
    assert found.level(924) is WARN and "100 %" in found.text(924)
    tree.put("sys/fs/ext4/mmcblk0p3/errors_count", "3\n")
    assert tree.find(disk.probe).level(924) is FAIL


@pytest.mark.parametrize(("milliseconds", "level"), [(2, OK), (40, WARN), (3500, FAIL)])
def test_the_time_of_a_durable_write_is_judged(tree: Tree, milliseconds: int, level: Level) -> None:
    tree.ticks = iter(range(0, 10**15, milliseconds * 1_000_000))
    found = tree.find(disk.probe)
    assert found.level(922) is level and f"p50 {milliseconds}.0 ms, p99 {milliseconds}.0 ms" in found.text(922)
    assert list((tree.folder / "var").iterdir()) == []


def test_a_rare_long_wait_shows_in_the_p99(tree: Tree) -> None:
    steps = [0]
    for write in range(100):
        steps += [steps[-1] + (400_000_000 if write in (3, 60) else 1_000_000)] * 2
    tree.ticks = iter(steps)
    found = tree.find(disk.probe)
    assert found.level(922) is WARN and "p50 1.0 ms, p99 400.0 ms" in found.text(922)


@pytest.mark.parametrize(("free", "level"), [(50 << 30, OK), (500 << 20, WARN), (50 << 20, FAIL)])
def test_room(free: int, level: Level) -> None:
    assert disk.space(free, "/var").level is level


def test_whose_folder_it_is(tree: Tree) -> None:
    tree.user = User("table-controller", os.getuid(), frozenset())
    assert tree.find(disk.probe).level(920) is OK
    (tree.folder / "var").chmod(0o777)
    assert "others may write" in tree.find(disk.probe).text(920)
    tree.user = User("table-controller", 4711, frozenset())
    assert "does not belong to table-controller" in tree.find(disk.probe).text(920)
    (tree.folder / "var").rmdir()
    found = tree.find(disk.probe)
    assert found.level(920) is FAIL and "missing" in found.text(920) and found.of(922) == []


def test_the_second_copy(tree: Tree) -> None:
    assert tree.find(disk.probe).level(927) is WARN
    path = tree.config()
    path.write_text(path.read_text().replace('journal.db"', 'journal.db"\nmirror = "/nowhere/mirror.db"'))
    assert "folder is missing" in tree.find(disk.probe).text(927)
    (tree.folder / "stick").mkdir()
    path.write_text(path.read_text().replace("/nowhere", "stick"))
    assert "own medium" in tree.find(disk.probe).text(927)
    path.write_text(path.read_text().replace("stick", "/dev/shm"))
    found = tree.find(disk.probe)
    assert found.level(927) is OK and len(found.of(923)) == 2


def test_the_witness(tree: Tree) -> None:
    assert tree.find(disk.probe).level(928) is WARN
    path = tree.config()
    path.write_text(path.read_text().replace('journal.db"', 'journal.db"\nwitness = "/nowhere/witness.json"'))
    assert tree.find(disk.probe).level(928) is FAIL
    (tree.folder / "stick").mkdir()
    path.write_text(path.read_text().replace("/nowhere", "stick"))
    assert "own medium" in tree.find(disk.probe).text(928)
    path.write_text(path.read_text().replace("stick", "/dev/shm"))
    assert tree.find(disk.probe).level(928) is OK


SWAPS = "Filename Type Size Used Priority\n"


@pytest.mark.parametrize(
    ("lines", "level"), [("", OK), ("/dev/zram0 partition 1 0 100\n", OK), ("/var/swap f 1 0 -2\n", WARN)]
)
def test_swap(tree: Tree, lines: str, level: Level) -> None:
    tree.put("proc/swaps", SWAPS + lines)
    assert tree.find(disk.probe).level(925) is level


def test_core_files_of_the_daemon(tree: Tree) -> None:
    assert tree.find(disk.probe).level(926) is SKIPPED
    tree.daemon = 77
    for soft, level in (("0", OK), ("1", OK), ("unlimited", FAIL)):
        tree.put("proc/77/limits", f"Limit  Soft Limit  Hard Limit  Units\nMax core file size  {soft}  {soft}  bytes\n")
        assert tree.find(disk.probe).level(926) is level


# --- software

HOME = Path("/usr/lib/table-controller/1")
OURS = {"controller": HOME / "controller/__init__.py", "drivers": HOME / "drivers/__init__.py", "firmware_sim": None}


def levels(findings: object) -> set[Level]:
    return {one.level for one in findings}  # type: ignore[attr-defined]


def test_modules_of_our_own() -> None:
    owners = {"controller": ["table-controller"], "drivers": ["table_controller"]}
    assert levels(software.foreign(owners, OURS, HOME)) == {OK}


def test_other_distributions_with_our_names() -> None:
    (told, _) = software.foreign({"controller": ["table-controller", "controller"]}, OURS, HOME)
    assert (
        told.level is FAIL and "also comes from controller" in told.what and "pip uninstall controller" in told.remedy
    )
    (_, told) = software.foreign({}, OURS | {"drivers": Path("/usr/lib/python3/dist-packages/drivers.py")}, HOME)
    assert told.level is FAIL and "another one" in told.what
    (told, _) = software.foreign({}, OURS | {"controller": None}, HOME)
    assert told.level is FAIL and "not to be found" in told.what


def test_t25_no_simulated_hardware_in_production() -> None:
    place = Path("/x/firmware_sim/__init__.py")
    assert software.bench(place, Mode.PRODUCTION).level is FAIL
    assert software.bench(None, Mode.PRODUCTION).level is OK
    assert software.bench(place, Mode.BENCH).level is SKIPPED


def test_versions_against_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    assert levels(software.versions(lock, {})) == {SKIPPED}
    lock.write_text(
        "click==8.1.0 \\\n    --hash=sha256:00\nnumpy==1.0 ; python_version < '3.12' \\\nnumpy==2.0\nsix==1\n"
    )
    here = dict.fromkeys(software._needed(), "0")
    assert levels(software.versions(lock, here | {"click": "8.1.0", "NumPy": "2.0"})) == {OK}
    (told,) = software.versions(lock, here | {"click": "8.0.0"})
    assert told.level is FAIL and "click 8.0.0, pinned 8.1.0" in told.what
    here.pop("cobs")
    (told,) = software.versions(lock, here | {"click": "8.1.0"})
    assert told.level is FAIL and told.what == "cobs is missing"


def test_of_two_versions_the_one_in_front_counts() -> None:
    assert software.first_found([("Click", "8.5"), ("six", "1"), ("click", "8.0")]) == {"click": "8.5", "six": "1"}


@pytest.mark.parametrize(("version", "level"), [((3, 10), FAIL), ((3, 11), OK), ((3, 13), OK), ((3, 14), FAIL)])
def test_python(version: tuple[int, int], level: Level) -> None:
    assert software.python(version).level is level


# --- services


def systemd(tree: Tree, *active: str, **state: str) -> None:
    for unit in ("tabled", "ModemManager", "brltty"):
        tree.says("systemctl", "is-active", unit, out="active" if unit in active else "inactive", code=3)
    said = {"LoadState": "loaded", "UnitFileState": "enabled", "ActiveState": "active", "NRestarts": "0"} | state
    command = ("systemctl", "show", "tabled", "--property=LoadState,UnitFileState,ActiveState,NRestarts")
    tree.says(*command, out="\n".join(f"{key}={value}" for key, value in said.items()))


def test_nothing_is_known_without_systemd(tree: Tree) -> None:
    found = tree.find(services.probe)
    assert [found.level(number) for number in (950, 951, 952)] == [SKIPPED] * 3


@pytest.mark.parametrize(
    ("state", "level", "words"),
    [
        ({}, OK, "0 restarts"),
        ({"NRestarts": "4"}, WARN, "4 restarts"),
        ({"UnitFileState": "disabled"}, WARN, "does not start with the Pi"),
        ({"ActiveState": "failed"}, FAIL, "failed"),
        ({"LoadState": "not-found"}, FAIL, "no unit"),
    ],
)
def test_the_unit(tree: Tree, state: dict[str, str], level: Level, words: str) -> None:
    systemd(tree, "tabled", **state)
    found = tree.find(services.probe)
    assert found.level(950) is level and words in found.text(950)


def test_f10_modem_manager_without_a_rule_fails(tree: Tree) -> None:
    systemd(tree, "ModemManager")
    found = tree.find(services.probe)
    assert found.level(951) is FAIL and "systemctl mask --now ModemManager" in found.text(951)
    tree.put("rules/99-table-controller.rules", '# ENV{ID_MM_PORT_IGNORE}="1"\n')
    assert tree.find(services.probe).level(951) is FAIL, "a comment is no rule"
    tree.put("rules/99-table-controller.rules", 'SUBSYSTEM=="tty", ENV{ID_MM_PORT_IGNORE}="1"\n')
    assert tree.find(services.probe).level(951) is OK


def test_f10_nobody_grabs_ports(tree: Tree) -> None:
    systemd(tree)
    found = tree.find(services.probe)
    assert (found.level(951), found.level(952)) == (OK, OK)


def test_f10_brltty_runs(tree: Tree) -> None:
    systemd(tree, "brltty")
    assert tree.find(services.probe).level(952) is FAIL


def test_radio(tree: Tree) -> None:
    assert tree.find(services.probe).level(953) is OK
    for number, (kind, soft) in enumerate((("wlan", "0"), ("bluetooth", "1"))):
        for name, text in (("type", kind), ("soft", soft), ("hard", "0")):
            tree.put(f"sys/class/rfkill/rfkill{number}/{name}", text + "\n")
    found = tree.find(services.probe)
    assert found.level(953) is WARN and "Wi-Fi is on" in found.text(953) and "Bluetooth" not in found.text(953)
