"""The audit of a hand from its records finds what a wrong daemon, or a forger with the keys, would have written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness import S1, Rig, make_setup

from controller.control.protocol import Refused
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.journal.hands import Hand, read_hand
from controller.table import intake, past
from controller.table.audit import check_hand
from controller.table.setup import settle_both
from drivers.events import CardRead, DeviceFault, DeviceLost, DeviceNote, DeviceReady, EventsLost

Forge = Callable[[Any], Any]
replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Hand:
    rig = Rig(tmp_path_factory.mktemp("audit"), make_setup("jpoker")).open().stake(b1=10, b2=10).joker("2c")
    rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c", b2="Ac Ad Kc Kd 3h").lock()
    rig.card(), rig.card()
    rig.card("Ah"), rig.card("Ah", lay=False)  # twice
    rig.do(cm.Resume(), S1)
    rig.finish()
    assert rig.journal is not None
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    rig.close()
    assert findings == []
    return hand


def forged(hand: Hand, kind: type[ev.Event], forge: Forge, nth: int = 0) -> Hand:
    records = list(hand.records)
    at = [i for i, r in enumerate(records) if isinstance(r.event, kind)][nth]
    records[at] = replace(records[at], event=forge(records[at].event))
    return replace(hand, records=tuple(records))


def test_an_honest_hand_has_no_findings(played: Hand) -> None:
    assert check_hand(played) == []


@pytest.mark.parametrize(
    ("kind", "forge", "words"),
    [
        (ev.PhaseEntered, lambda e: replace(e, phase="settling"), "does not lead"),
        (ev.Resumed, lambda e: replace(e, phase="closed"), "resume does not lead"),
        (ev.BoxSettled, lambda e: replace(e, answer={**e.answer, "net": 1}), "settles otherwise"),
        (ev.HandSettled, lambda e: replace(e, answer={**e.answer, "house": 5}), "recorded answer"),
        (ev.HandSettled, lambda e: replace(e, request={**e.request, "joker": "3c"}), "recorded request"),
        (ev.Locked, lambda e: replace(e, rules_hash="ab" * 32), "other rules"),
    ],
)
def test_what_does_not_hold_is_found(played: Hand, kind: type[ev.Event], forge: Forge, words: str) -> None:
    found = check_hand(forged(played, kind, forge))
    assert any(words in finding.what for finding in found), [f.what for f in found]
    assert all(finding.hand == 1 for finding in found)


def test_a_stake_changed_after_the_fact_is_found(played: Hand) -> None:
    def forge(event: ev.Locked) -> ev.Locked:
        first, *others = event.stakes
        return replace(event, stakes=({**first, "ante": 500}, *others))

    assert check_hand(forged(played, ev.Locked, forge))


def test_a_sealed_hand_is_not_judged(played: Hand) -> None:
    assert check_hand(replace(played, revealed=False)) == []


# --- intake and the past ---------------------------------------------------------------------------------------------


def test_what_devices_say_becomes_what_the_table_is_asked() -> None:
    said = [
        CardRead(device="shoe", event_no=1, card=None, reason="smudge"),
        CardRead(device="shoe", event_no=2, card="As"),
        DeviceNote(device="shoe", event_no=3, kind="lid_open"),
        EventsLost(device="shoe", first=4, last=5),
        DeviceReady(device="shoe", model="S", serial="1", firmware="2", boot_id="b", log_first=1, log_last=9),
        DeviceLost(device="shoe", reason="gone"),
        DeviceFault(device="shoe", code="noise", detail="x"),
    ]
    commands = [intake.command_of(event) for event in said]
    names = ["CardIn", "CardIn", "NoteIn", "LostIn", "DeviceIn", "DeviceOut", "TroubleIn"]
    assert [type(command).__name__ for command in commands] == names
    assert (commands[0].card, commands[1].card) == ("??", "As")  # type: ignore[attr-defined]


def test_recall_of_hands_that_have_ended(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10).finish()
    assert rig.journal is not None
    found = past.recall_hand(rig.journal, 1)
    assert found is not None
    assert found["request"]["boxes"][0]["ante"] == 10
    opened = past.recall_hand(rig.journal, 2)
    assert opened is not None
    assert (opened["outcome"], opened["request"], opened["answer"]) == ("open", None, None)
    for number, what in ((77, "no hand 77 in this journal"), (1 << 70, "no hand")):
        answer = past.answer_recall(rig.journal, number)
        assert isinstance(answer, Refused)
        assert (answer.code, what in answer.message, answer.remedy) == ("TC-0260", True, "hands count from 1")
    assert past.may_recall((S1,)) is None
    assert past.may_recall(()) is not None
    rig.close()


@pytest.fixture(scope="module")
def with_bonus(tmp_path_factory: pytest.TempPathFactory) -> Hand:
    house = {"bonus_pay_time": "at_deal", "bonus_on_draw": "initial", "bonus_on_fold": "initial"}
    rig = Rig(tmp_path_factory.mktemp("bonus"), make_setup("oasis_ru", 3, house)).open()
    rig.lay("As Kd 9c 6d 3h", b1="Jh 9h 7h 5h 2h", b2="Tc Td 7s 5c 2d")
    rig.do(cm.SetStake(box=1, ante=10, bonus=5)), rig.stake(b2=10), rig.do(cm.Count(number=1))
    rig.ok().finish()
    assert rig.journal is not None
    hand, _ = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    rig.close()
    assert check_hand(hand) == []
    return hand


@pytest.mark.parametrize(
    ("kind", "events", "words"),
    [
        (ev.BonusPaid, (ev.BonusPaid(box=1), ev.BonusPaid(box=1)), "none is due"),
        (ev.BonusPaid, (ev.BonusPaid(box=1), ev.BonusPaid(box=2)), "none is due"),
        (ev.BoxPaid, (ev.BoxPaid(box=2), ev.BoxPaid(box=2)), "nothing is due"),
    ],
)
def test_chips_that_nobody_computed_are_found(
    kind: type[ev.Event], events: tuple[Any, ...], words: str, with_bonus: Hand
) -> None:
    records = list(with_bonus.records)
    at = next(i for i, r in enumerate(records) if isinstance(r.event, kind))
    told = [records[at].event if event is kind else event for event in events]
    records[at : at + 1] = [replace(records[at], event=event, type=type(event).__name__) for event in told]
    found = check_hand(replace(with_bonus, records=tuple(records)))
    assert any(words in finding.what for finding in found), [f.what for f in found]


def test_a_box_changed_after_its_chips_is_found(with_bonus: Hand) -> None:
    """Request and answer fit the cards; what was paid before does not fit them."""
    records = list(with_bonus.records)
    at, settled = next((i, r) for i, r in enumerate(records) if isinstance(r.event, ev.HandSettled))
    asked = msgspec.json.decode(msgspec.json.encode(settled.event.request).replace(b"Tc Td", b"8s Td"))  # type: ignore[attr-defined]
    changed = ev.CardReassigned(place="box", box=2, index=0, card="8s", was="Tc")
    records[at : at + 1] = [
        replace(settled, event=changed, type="CardReassigned"),
        replace(settled, event=replace(settled.event, request=asked, answer=settle_both(asked))),
    ]
    found = check_hand(replace(with_bonus, records=tuple(records)))
    assert [finding.what.split(": ")[1] for finding in found] == ["box 2 was paid otherwise"]
