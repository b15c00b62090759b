"""A plain reader in the shoe's place: doubtful reads stop play where cards may have moved, and people count."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from harness import D1, PLAYS, S1, Rig, make_setup
from harness_parts import quick_folder

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause, Unread
from controller.table import menu
from controller.table.statistics import Statistics, fold_all


def locked(folder: Path | None = None) -> Rig:
    """Two boxes of J-poker with a plain reader; nothing dealt yet."""
    rig = Rig(folder, setup=msgspec.structs.replace(make_setup(), source="reader"))
    rig.connect("reader", "board")
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10, b2=10).joker("2c")
    return rig.lay(PLAYS, b1="9c 9d 5h 6s 3c", b2="Qc Qd 5c 6c 3h").lock()


def doubt(rig: Rig, reason: str = "unknown_code", raw: str = "3748") -> None:
    rig.event_no += 1
    rig.device(cm.DoubtIn(device="reader", event_no=rig.event_no, reason=reason, raw=raw))


def cards(rig: Rig, count: int) -> None:
    for _ in range(count):
        rig.card()


def test_an_unknown_code_in_the_deal_stops_it_until_somebody_has_counted() -> None:
    """F49, F53: two scans glued together; the supervisor finds two cards that were not read."""
    rig = locked()
    cards(rig, 2)
    doubt(rig)
    assert (rig.phase, rig.hand.fault_cause) == (Phase.FAULT, Cause.READS_DOUBTED)
    assert rig.snapshot().prompt.code == "TC-0341"
    assert rig.refused(Why.BAD_ARGUMENT, cm.Reset(), S1).args["what"].startswith("number")
    rig.refused(Why.BAD_ARGUMENT, cm.Reset(number=-1), S1)
    rig.refused(Why.BAD_ARGUMENT, cm.Reset(number=14), S1)  # 13 places are left
    rig.do(cm.Reset(number=2), S1)
    assert (rig.phase, rig.want.kind, rig.want.box, rig.want.index) == (Phase.DEALING, Want.CARD, 2, 1)
    assert isinstance(rig.hand.dealer[0], Unread)
    assert isinstance(rig.hand.box(1).dealt[1], Unread)
    rig.finish()


def test_nothing_was_missed() -> None:
    rig = locked()
    cards(rig, 3)
    before = rig.want
    doubt(rig)
    rig.do(cm.Reset(number=0), S1)
    assert rig.want == before
    doubt(rig)  # the next one stops play again
    assert rig.phase is Phase.FAULT
    rig.do(cm.Reset(number=0), S1)
    rig.finish()


def test_cards_read_while_play_is_stopped_are_named_nowhere() -> None:
    """They lie behind the doubtful ones: where they went, only a count can tell."""
    rig = locked()
    cards(rig, 1)
    doubt(rig)
    rig.event_no += 1
    rig.device(cm.CardIn(device="reader", event_no=rig.event_no, card="Qd", trusted=False))
    refused = rig.events(ev.CardRefused)[-1]
    assert (refused.trusted, refused.reason) == (False, "fault")
    rig.do(cm.Reset(number=2), S1)
    assert rig.hand.unread == 2


def test_a_reader_that_was_away_stops_play_only_where_a_card_was_due() -> None:
    """F20: the daemon was down, or the plug was out."""
    rig = locked()
    cards(rig, 5)
    doubt(rig, "away", "")
    assert rig.phase is Phase.FAULT
    rig.do(cm.Reset(number=1), S1)
    rig.to(Want.DECISION)
    doubt(rig, "away", "")
    assert rig.phase is Phase.DECISIONS
    doubt(rig)
    assert rig.phase is Phase.FAULT
    rig.refused(Why.BAD_ARGUMENT, cm.Reset(number=1), S1)  # no card was to come
    rig.do(cm.Reset(number=0), S1)
    rig.to(Want.PAID)
    doubt(rig)  # cards are collected past the reader: on record, and nothing else
    assert rig.phase is Phase.SETTLING
    rig.finish()
    doubt(rig, "away", "")
    assert rig.phase is Phase.BETTING
    assert [e.reason for e in rig.events(ev.ReadDoubted)].count("away") == 3


def test_without_a_hand_a_doubt_is_a_note() -> None:
    rig = Rig(setup=msgspec.structs.replace(make_setup(), source="reader"))
    doubt(rig, raw="00")
    noted = rig.events(ev.DeviceNoted)[-1]
    assert (noted.kind, noted.detail, rig.table.shoe.last_event) == ("unknown_code", "", 1)


def test_a_doubt_told_twice_is_recorded_once_and_in_order() -> None:
    rig = locked()
    doubt(rig)
    rig.device(cm.DoubtIn(device="reader", event_no=rig.event_no, reason="unknown_code", raw="3748"))
    rig.device(cm.DoubtIn(device="reader", event_no=rig.event_no + 2, reason="unknown_code", raw="3748"))
    assert len(rig.events(ev.ReadDoubted)) == 1


def test_doubtful_bytes_are_sealed_and_leave_by_no_way() -> None:
    """The bytes of a glued scan are two face-down cards: equal facts with other bytes give equal sinks."""
    shown = []
    for raw in ("3748", "4b44"):
        with quick_folder() as folder:
            rig = locked(folder)
            cards(rig, 2)
            doubt(rig, raw=raw)
            shown.append((rig.sinks(), len((folder / "journal.db").read_bytes())))
            stored = b"".join(path.read_bytes() for path in folder.iterdir() if path.name.startswith("journal.db"))
            assert raw.encode() + b'"' not in stored
            rig.close()
    assert shown[0] == shown[1]


def test_lock_waits_for_the_reader() -> None:
    rig = Rig(setup=msgspec.structs.replace(make_setup(), source="reader"))
    rig.connect("shoe", "board")
    rig.do(cm.OpenTable(), D1, S1)
    rig.stake(b1=10)
    assert rig.refused(Why.DEVICE, cm.Start()).args == {"device": "reader"}
    rig.connect("reader")
    rig.lock()
    rig.device(cm.DeviceOut(device="reader", reason="device gone"))
    assert rig.snapshot().prompt.code == "TC-0840"


def test_the_count_is_given_by_keys_too() -> None:
    rig = locked()
    doubt(rig)
    listed = [item.command for item in menu.items(rig.table, rig.setup)]
    assert [cm.Reset(number=n) in listed for n in range(8)] == [True] * 7 + [False]
    assert cm.Reset() not in listed


@pytest.mark.parametrize("trusted", [True, False])
def test_every_record_says_whether_the_device_is_trusted(trusted: bool) -> None:
    rig = locked()
    rig.event_no += 1
    rig.device(cm.CardIn(device="reader", event_no=rig.event_no, card="9c", trusted=trusted))
    dealt = rig.events(ev.CardDealt)[-1]
    assert (dealt.device, dealt.trusted) == ("reader", trusted)


def test_a_reader_that_fails_in_mid_hand_gives_way_to_hands() -> None:
    """Cards by hand from there on; what it says afterwards stops nothing, and between hands it serves again."""
    rig = locked()
    cards(rig, 3)
    rig.device(cm.DeviceOut(device="reader", reason="device gone"))
    rig.do(cm.Manual(reason="reader"), S1)
    rig.connect("reader")
    doubt(rig, "away", "")
    doubt(rig)
    assert rig.phase is Phase.DEALING
    rig.do(cm.VoidHand(reason="test"), S1)
    rig.do(cm.Automatic(), S1)
    assert rig.snapshot().cards == "shoe"


def test_doubts_count_as_errors_of_the_reader() -> None:
    rig = locked()
    doubt(rig, "away", "")
    rig.do(cm.Reset(number=0), S1)
    doubt(rig)
    rig.do(cm.Reset(number=0), S1)
    rig.finish()
    counted = fold_all(Statistics(), [event for _, event in rig.recorder.events], 0.0)
    assert counted.count("unread", "reader") == 1
