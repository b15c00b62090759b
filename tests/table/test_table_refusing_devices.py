"""Why a device does nothing: in status, prompt, display and log, from its first refusal until it obeys again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness import D1, S1, Rig, make_setup
from loop_rig import LoopRig
from test_table_decks import RED, fitted
from test_table_setup import CONFIGS

from controller.cli.table_text import describe
from controller.config import load_config
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.rejections import Why
from controller.domain.remedies import remedy
from controller.domain.state import CardSource
from controller.table import lamps
from controller.table.setup import make_setup as from_config
from drivers.wire.messages import EventKind


class Log:
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []

    def info(self, what: str, **fields: Any) -> None:
        self.said.append((what, fields))

    warning = info


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[LoopRig]:
    """One card of a hand is dealt."""
    rig = LoopRig(tmp_path)
    rig.open().stake(b1=10).lock()
    rig.pass_ms(300)
    rig.card()
    yield rig
    rig.memory.close()
    rig.close()


def status(rig: Rig) -> list[str]:
    """What `tablectl status` says of devices."""
    return [line for line in describe(msgspec.to_builtins(rig.snapshot())) if line.startswith("device ")]


def shown(rig: Rig, language: str = "en") -> str:
    return " ".join(lamps.display(rig.table, rig.setup, language).lines[1:]).strip()


@pytest.mark.parametrize(
    ("kind", "word", "russian"),
    [(EventKind.JAM, "card jam", "застряла карта"), (EventKind.LID_OPEN, "lid open", "крышка открыта")],
)
def test_a_shoe_that_refuses_says_why_until_it_gives_cards_again(
    rig: LoopRig, kind: EventKind, word: str, russian: str
) -> None:
    asked, log = rig.snapshot().prompt, Log()
    assert rig.loop is not None
    rig.loop._p.log = log  # type: ignore[assignment]
    rig.shoe.happen(kind, 0, rig.now_ns)
    rig.pass_ms(5000)
    assert not rig.shoe.deal
    assert rig.snapshot().prompt.code == "TC-0861"
    assert shown(rig) == f"Shoe gives no card: {word}. Put it right"
    assert russian in shown(rig, "ru")
    reason = kind.name.lower()
    assert f"device shoe: degraded (inhibited: refused: {reason})" in status(rig)
    assert rig.codes() == ["inhibited"], "told once, however often it is asked"
    told = [fields for what, fields in log.said if what == "device troubled"]
    assert [(one["device"], one["code"], one["detail"]) for one in told] == [
        ("shoe", "inhibited", f"refused: {reason}")
    ]
    rig.shoe.happen(EventKind.LID_CLOSED, 0, rig.now_ns)
    rig.pass_ms(3000)
    assert (rig.snapshot().prompt, status(rig)) == (asked, ["device board: ready", "device shoe: ready"])
    rig.card()
    assert rig.on_record() == rig.drawn
    rig.shoe.happen(kind, 0, rig.now_ns)
    rig.pass_ms(3000)
    assert (rig.codes(), rig.snapshot().prompt.code) == (["inhibited"] * 2, "TC-0861"), "another time is news"


def test_what_a_shoe_refuses_outlives_other_complaints_and_ends_with_its_plug(rig: LoopRig) -> None:
    rig.shoe.happen(EventKind.JAM, 0, rig.now_ns)
    rig.pass_ms(3000)
    rig.to_host(b"\x05noise\x00")
    assert rig.codes() == ["inhibited", "noise"]
    assert (rig.snapshot().prompt.code, rig.snapshot().troubles["shoe"]["refuses"]) == ("TC-0861", "jam")
    rig.device(cm.DeviceOut(device="shoe", reason="device gone"))
    assert rig.snapshot().prompt.code == "TC-0823"
    assert rig.snapshot().troubles == {}


def test_a_repeated_introduction_does_not_turn_the_shoes_log_back(rig: LoopRig) -> None:
    """The log's end as it is now, not as it was when the session began: people's `reset` goes by it."""
    rig.shoe.happen(EventKind.LID_OPEN, 0, rig.now_ns)
    rig.pass_ms(3000)
    rig.shoe.happen(EventKind.LID_CLOSED, 0, rig.now_ns)
    rig.pass_ms(3000)
    assert rig.table.shoe.log_last == rig.table.shoe.last_event == rig.memory.last


def test_a_shuffler_that_refuses_is_named_in_place_of_the_wait() -> None:
    rig = fitted()
    rig.machine("deck_in", RED)
    waits = rig.snapshot().prompt
    rig.device(cm.TroubleIn(device="shuffler", code="inhibited", detail="shuffle refused: lid_open"))
    assert (rig.snapshot().prompt.code, shown(rig)) == ("TC-0863", "Shuffler does nothing: lid open. Put it right")
    assert "device shuffler: degraded (inhibited: shuffle refused: lid_open)" in status(rig)
    rig.connect("shuffler", serial="SH-7", log_last=1)
    assert rig.snapshot().prompt == waits
    rig.machine("shuffle_started", RED)


def test_a_shuffler_whose_lid_is_open_from_the_start_is_not_called_unplugged() -> None:
    rig = fitted()
    rig.device(cm.DeviceOut(device="shuffler", reason="device gone"))
    assert rig.snapshot().prompt.code == "TC-0848"
    rig.device(cm.TroubleIn(device="shuffler", code="inhibited", detail="refused: lid_open"))
    assert rig.snapshot().prompt.code == "TC-0863"
    rig.device(cm.DeviceOut(device="shuffler", reason="device gone"))
    assert rig.snapshot().prompt.code == "TC-0848"


# --- never there, never paired ---------------------------------------------------------------------------------------


def test_every_device_of_the_configuration_stands_in_the_status_before_it_has_come(tmp_path: Path) -> None:
    shutil.copy(CONFIGS / "oasis_ru.toml", tmp_path)
    text = (tmp_path / "oasis_ru.toml").read_text("utf-8")
    more = '[badge]\nport = "badge"\n\n[printer]\nport = "printer"\n\n'
    (tmp_path / "oasis_ru.toml").write_text(text + "\n" + more, "utf-8")
    rig = Rig(setup=from_config(load_config(tmp_path / "oasis_ru.toml")))
    assert rig.snapshot().devices == dict.fromkeys(("badge", "board", "printer", "shoe"), "absent")
    rig.connect()
    assert "device shoe: ready" in status(rig)
    assert "device printer: absent" in status(rig)


def without_a_shoe() -> Rig:
    """A table that opened though its shoe has never been seen."""
    rig = Rig(setup=msgspec.structs.replace(make_setup("oasis_ru"), fitted=("board", "shoe")))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    return rig


def test_a_shoe_that_was_never_there_is_asked_for_before_the_bets_close() -> None:
    rig = without_a_shoe()
    assert (rig.snapshot().prompt.code, rig.snapshot().devices["shoe"]) == ("TC-0823", "absent")
    rig.stake(b1=10)
    rig.refused(Why.DEVICE, cm.Start())
    rig.connect("shoe")
    assert rig.snapshot().prompt.code == "TC-0804"


def test_a_shoe_without_a_key_is_to_be_paired_not_plugged_in() -> None:
    rig = without_a_shoe()
    rig.stake(b1=10)
    rig.device(cm.TroubleIn(device="shoe", code="unpaired", detail="this table has no key for it: pair it"))
    assert rig.snapshot().prompt.code == "TC-0860"
    assert "device shoe: absent (unpaired: this table has no key for it: pair it)" in status(rig)
    refused = rig.refused(Why.NOT_PAIRED, cm.Start())
    assert "tablectl pair" in remedy(refused.why)
    rig.device(cm.DeviceOut(device="shoe", reason="device gone"))
    assert rig.snapshot().prompt.code == "TC-0860", "plugged in or not, it has no key"
    names = {"model": "SHOE", "serial": "S", "firmware": "1"}
    rig.device(cm.PairedIn(device="shoe", **names, key_id="ab", operators=("s1", "e1")))
    assert rig.snapshot().prompt.code == "TC-0823"
    rig.connect("shoe")
    assert rig.snapshot().prompt.code == "TC-0804"


def test_a_shuffler_without_a_key_is_to_be_paired() -> None:
    rig = fitted()
    rig.device(cm.DeviceOut(device="shuffler", reason="the key was taken back"))
    rig.device(cm.TroubleIn(device="shuffler", code="unpaired", detail="pair it"))
    assert rig.snapshot().prompt.code == "TC-0864"


def test_cards_by_hand_need_no_shoe_and_name_none() -> None:
    rig = Rig(setup=make_setup("oasis_ru", cards=CardSource.AT_TURN))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    assert rig.snapshot().prompt.code == "TC-0804"
    assert rig.events(ev.Rejected) == []
