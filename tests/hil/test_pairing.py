"""A shoe and a table come to a key and to a new one; what is sealed with it; and a shoe that is another one."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator

import pytest

from firmware_sim.demo_files import SHUFFLER
from tests.hil.rig import Rig, devices_ready

pytestmark = pytest.mark.hil
TWO = ("--as", "supervisor", "--as", "witness")
PINS = ("2222", "3333")
LATE_S = 6.0


@pytest.fixture
def rig() -> Iterator[Rig]:
    """A table and a shoe that have never met."""
    rig = Rig(seed=5)
    for name in ("shoe.key", "shoe-key"):
        (rig.folder / name).unlink()
    rig.bench.shoe.device.key = None
    rig.bench.shoe.device.restart()
    with rig:
        yield rig


def pair(rig: Rig, *more: str) -> str:
    rig.bench.open_pairing()
    done = rig.tablectl("pair", "shoe", "--config", str(rig.config), *TWO, *more, pins=PINS)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def troubles(rig: Rig) -> list[str]:
    return [record["data"]["code"] for record in rig.records("DeviceTroubled")]


def test_two_people_pair_a_new_shoe_and_nobody_hears_the_key(rig: Rig) -> None:
    rig.spawn()
    rig.wait(lambda snap: snap["devices"].get("board") == "ready")
    lacking = rig.wait(lambda snap: "shoe" in snap["troubles"])
    assert (lacking["devices"]["shoe"], lacking["troubles"]["shoe"]["refuses"]) == ("absent", "unpaired")
    said = pair(rig)
    rig.wait(devices_ready)
    [paired] = [record["data"] for record in rig.records("DevicePaired")]
    assert (paired["serial"], paired["operators"]) == ("SIM-0001", ["supervisor", "witness"])
    assert paired["key_id"] in said
    assert rig.records("DeviceUp")[-1]["data"]["sealed"]
    assert "unpaired" in troubles(rig)
    ours, theirs = rig.folder / "shoe.key", rig.folder / "shoe-key"
    key = ours.read_bytes()
    assert key == theirs.read_bytes() and stat.S_IMODE(ours.stat().st_mode) == 0o600
    rig.open_table()
    rig.play_hands(1)
    assert rig.stop()[0] == 0
    rig.audit()
    for path in rig.folder.rglob("*"):
        if path.is_file() and path not in (ours, theirs):
            content = path.read_bytes()
            assert key not in content and key.hex().encode() not in content.lower(), path.name


def test_a_new_key_makes_the_old_one_worthless_and_one_taken_back_makes_the_shoe_a_stranger(rig: Rig) -> None:
    rig.spawn()
    rig.wait(lambda snap: snap["devices"].get("board") == "ready")
    pair(rig)
    rig.wait(devices_ready)
    first = (rig.folder / "shoe.key").read_bytes()
    pair(rig)
    rig.wait(devices_ready)
    assert (rig.folder / "shoe.key").read_bytes() not in (first, b"")
    ids = [record["data"]["key_id"] for record in rig.records("DevicePaired")]
    assert len(set(ids)) == 2
    pair(rig, "--revoke")
    rig.wait(lambda snap: snap["devices"]["shoe"] == "absent")
    assert not (rig.folder / "shoe.key").exists()
    assert rig.records("DeviceUnpaired")[-1]["data"]["operators"] == ["supervisor", "witness"]


def test_no_pairing_by_one_person_or_at_an_open_table(rig: Rig) -> None:
    rig.spawn()
    rig.wait(lambda snap: snap["devices"].get("board") == "ready")
    alone = rig.tablectl("pair", "--config", str(rig.config), "--as", "supervisor", pins=PINS[:1])
    assert alone.returncode == 2 and alone.stderr.startswith("TC-0334")
    pair(rig)
    rig.wait(devices_ready)
    rig.open_table()
    late = rig.tablectl("pair", "--config", str(rig.config), *TWO, pins=PINS)
    assert late.returncode == 2 and late.stderr.startswith("TC-0532")


def test_another_shoe_in_mid_deal_is_refused_and_stops_the_hand(rig: Rig) -> None:
    """A rigged shoe with the same name and another key: no card of it counts; the paired one goes on."""
    rig.spawn()
    rig.wait(lambda snap: snap["devices"].get("board") == "ready")
    pair(rig)
    rig.wait(devices_ready)
    rig.open_table()
    rig.play_until(lambda snap: snap["phase"] == "dealing")
    device, key = rig.bench.shoe.device, rig.bench.shoe.device.key
    rig.bench.unplug_shoe()
    device.key = bytes(32)
    device.restart()
    rig.bench.replug_shoe()
    rig.wait(lambda snap: snap["phase"] == "fault")
    assert "wrong_key" in troubles(rig)
    assert rig.records("FaultRaised")[-1]["data"]["cause"] == "shoe"
    rig.bench.unplug_shoe()
    device.key = key
    device.restart()
    rig.bench.replug_shoe()
    rig.wait(devices_ready)
    rig.do("reset", "supervisor")
    rig.play_hands(1)
    assert rig.stop()[0] == 0
    rig.audit()


def test_a_shuffler_on_usb_is_paired_the_same_way_though_its_switch_is_set_late() -> None:
    """Without a key it answers nothing and is reset meanwhile: neither ends the pairing, nor fills journal and log."""
    with Rig("oasis_ru", 3, {"[gpio]": SHUFFLER + "[gpio]"}) as rig:
        for name in ("shuffler.key", "shuffler-key"):
            (rig.folder / name).unlink()
        rig.bench.decks.unit.device.key = None
        rig.bench.decks.unit.restart()
        rig.spawn()
        rig.wait(devices_ready)
        assert rig.now["devices"].get("shuffler", "absent") == "absent"
        late = threading.Timer(LATE_S, rig.bench.open_pairing)
        late.start()
        done = rig.tablectl("pair", "shuffler", "--config", str(rig.config), *TWO, pins=PINS)
        late.cancel()
        assert (done.returncode, done.stderr) == (0, "")
        rig.wait(lambda snap: snap["devices"].get("shuffler") == "ready")
        assert rig.bench.decks.unit.usb.resets == 1, "it was deaf, and reset once"
        assert troubles(rig).count("unpaired") == 1
        assert rig.records("DevicePaired")[-1]["data"]["serial"] == "SIM-0002"
        assert [r["data"]["sealed"] for r in rig.records("DeviceUp") if r["data"]["device"] == "shuffler"] == [True]
        assert rig.stop()[0] == 0
        rig.audit()
