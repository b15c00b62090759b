"""The reader at the discard tray: discards named without keys, cards compared with the record, nothing told early."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import D1, PLAYS, S1, Rig, make_setup
from harness_parts import quick_folder

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.state import FaceDown, FaceUp
from controller.domain.tray import Tray, compare
from controller.table import past

BOX1, BOX2 = "9c 9d 5h 6s 3c", "Qc Qd 5c 6c 3h"
OTHER = "4h"


def opened(folder: Path | None = None, rules: str = "oasis_ru") -> Rig:
    rig = Rig(folder, make_setup(rules))
    rig.connect("shoe", "board", "tray")
    rig.do(cm.OpenTable(), D1, S1)
    return rig


def decided(folder: Path | None = None, first: str = BOX1, **how: str) -> Rig:
    """Box 1 has exchanged its last card and bets, box 2 folds."""
    rig = opened(folder, **how).stake(b1=10, b2=10)
    rig.lay(PLAYS, b1=first, b2=BOX2, draws={1: "Jh"}).lock().deal()
    rig.do(cm.Exchange(box=1, count=1)), rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2))
    return rig


def see(rig: Rig, *cards: str) -> None:
    for card in cards:
        rig.device(cm.TrayIn(device="tray", card=card))


def dealt(rig: Rig) -> list[str]:
    hand = rig.hand
    slots = [*hand.dealer, *(s for b in hand.boxes for s in (*b.dealt, *b.drawn))]
    return [slot.card for slot in slots if isinstance(slot, FaceDown | FaceUp)]


def next_lock(rig: Rig) -> tuple[list[ev.TrayDiffers], list[ev.AlarmRaised]]:
    """The hand that follows is locked: what was seen until then belongs to the last one."""
    rig.lock()
    return rig.events(ev.TrayDiffers), rig.events(ev.AlarmRaised)


def test_a_discard_in_the_tray_is_named_without_a_key() -> None:
    rig = decided()
    see(rig, "3c")  # before the box is turned it is only seen
    assert rig.hand.box(1).discards is None
    rig.ok(), rig.to(Want.DISCARDS)
    see(rig, "Qc", OTHER, "??")  # another box's, a stranger, an unread one: none of them is this box's
    assert rig.want.kind is Want.DISCARDS
    see(rig, "3c")
    assert (rig.hand.box(1).discards, rig.want.kind) == (("3c",), Want.PAID)
    see(rig, "3c")  # scanned twice: not taken back
    assert rig.hand.box(1).discards == ("3c",)
    rig.finish()


def test_all_cards_seen_once_is_no_news() -> None:
    rig = decided().to(Want.PAID)
    cards = dealt(rig)
    see(rig, *cards[:7])
    rig.finish()
    see(rig, *cards[7:])  # collected after the last payment: the next hand stands open already
    assert rig.phase is Phase.BETTING
    assert next_lock(rig) == ([], [])
    assert rig.table.tray == Tray()


@pytest.mark.parametrize(
    ("change", "told", "detail"),
    [
        (lambda cards: [OTHER, *cards], (1, 0, 0), "1 never dealt"),
        (lambda cards: [cards[0], *cards], (0, 1, 0), "1 seen twice"),
        (lambda cards: cards[1:], (0, 0, 1), "1 missing"),
        (lambda cards: [OTHER, *cards[1:]], (1, 0, 1), "1 never dealt, 1 missing"),  # swapped
        (lambda cards: ["??", *cards[1:]], None, ""),  # a read that failed
    ],
)
def test_what_differs_is_an_alarm_after_the_hand(change, told, detail) -> None:  # type: ignore[no-untyped-def]
    """T12: only counts leave; the names stand sealed in the record."""
    rig = decided().to(Want.PAID)
    cards = change(dealt(rig))
    rig.finish()
    see(rig, *cards)
    differs, alarms = next_lock(rig)
    assert [(one.never_dealt, one.twice, one.missing) for one in differs] == ([told] if told else [])
    assert [(one.code, one.subject, one.detail) for one in alarms] == (
        [("discard_tray", "hand 1", detail)] if told else []
    )
    assert rig.phase is Phase.DEALING  # it stops nothing


def test_a_card_that_nobody_knows_may_be_the_stranger() -> None:
    rig = opened().stake(b1=10)
    rig.lay(PLAYS, b1=BOX1).lock()
    rig.card(unread=True), rig.deal()
    rig.do(cm.Fold(box=1)), rig.finish()
    rig.connect("tray")  # it was away: nothing that it did not see counts
    see(rig, OTHER)
    assert next_lock(rig) == ([], [])


def test_a_tray_reader_that_sees_nothing_is_an_alarm_unless_it_was_away() -> None:
    """A dealer who passes it by hides the observation."""
    for away, alarms in ((False, 1), (True, 0)):
        rig = decided()
        if away:
            see(rig, "Qc")
            rig.device(cm.DeviceOut(device="tray", reason="device gone"))
        rig.finish()
        assert len(next_lock(rig)[1]) == alarms


def test_closing_the_table_compares_too() -> None:
    rig = decided().finish()
    see(rig, OTHER)
    rig.do(cm.CloseTable(), S1)
    assert [one.never_dealt for one in rig.events(ev.TrayDiffers)] == [1]
    see(rig, OTHER)  # a closed table: nothing to compare with
    assert len(rig.events(ev.TrayRead)) == 1


def test_tables_without_the_reader_know_nothing_of_it() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10).lay(PLAYS, b1=BOX1).lock().finish()
    assert next_lock(rig) == ([], [])


def test_what_the_tray_sees_depends_on_no_sink_before_the_hand_has_ended() -> None:
    """Rule of silence: the same facts with another hidden card, whatever the tray sees, give the same bytes."""
    shown = []
    for seen in (("Qc", "Qd"), ("Qc", "Qc"), (OTHER, "9c"), ("??", "2h")):
        rig = decided()
        see(rig, *seen)
        rig.ok(), rig.to(Want.DISCARDS)
        see(rig, "Qc", seen[0]) if seen[0] not in BOX1 else see(rig, "Qc", "Qc")
        shown.append((rig.sinks(), rig.shown))
    assert all(one == shown[0] for one in shown)


def test_what_it_saw_is_sealed_and_survives_a_restart() -> None:
    with quick_folder() as folder:
        rig = decided(folder)
        see(rig, "Qc", OTHER)
        stored = b"".join(path.read_bytes() for path in folder.glob("journal.db*"))
        assert f'"{OTHER}"'.encode() not in stored
        assert past.replay(rig.journal).table.tray.seen == ("Qc", OTHER)  # type: ignore[arg-type]
        rig.restart()
        rig.finish()
        assert next_lock(rig)[0][0].never_dealt == 1
        rig.close()


def test_no_repr_shows_a_card() -> None:
    tray = Tray(seen=("As", "As"), hand=1, dealt=("Kd",))
    found = compare(tray)
    assert (found.never_dealt, found.twice, found.missing) == (("As",), ("As",), ("Kd",))
    assert not {"As", "Kd"} & set(repr((tray, found)).replace("(", " ").replace("'", " ").split())
    assert "As" not in repr(ev.TrayRead(device="tray", card="As")) + repr(cm.TrayIn(device="tray", card="As"))
