"""The joker: one draw a hand, whatever is pressed, breaks or restarts; public only after the board's read-back."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import CARD, S1, Rig, make_setup
from harness_parts import seed_for

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain import joker as draw
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase, Phase
from controller.domain.rejections import Why
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.table import lamps


def armed(tmp_path: Path | None = None, **how: object) -> Rig:
    rig = Rig(tmp_path, make_setup("jpoker", **how)).open().stake(b1=10).joker("7c")
    return rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c").lock()


def test_stop_counts_from_the_first_card() -> None:
    rig = armed()
    rig.refused(Why.NOT_ARMED, cm.Stop(), origin="keys")
    rig.card()
    rig.stop()
    assert rig.hand.joker is JokerPhase.DRAWN
    assert rig.want.kind is Want.CARD  # the deal goes on; only the dealer's last card is withheld
    rig.to(Want.BOARD)
    assert len(rig.hand.dealer) == 4


def test_stop_counts_at_once_before_the_deal_and_not_before_the_last_card_after_it() -> None:
    rig = armed(joker_time="before_deal")
    rig.stop()
    rig = armed(joker_time="after_deal")
    rig.card()
    rig.refused(Why.NOT_ARMED, cm.Stop(), origin="keys")
    rig.to(Want.STOP)
    rig.stop()


def test_one_draw_whatever_is_pressed(tmp_path: Path) -> None:
    rig = armed(tmp_path).to(Want.STOP)
    commitment = rig.hand.commitment
    rig.stop()
    slot = rig.hand.slot
    for _ in range(3):
        rig.refused(Why.DRAWN_ONCE, cm.Stop(), origin="keys")
        rig.refused(Why.NOT_NOW, cm.Start(), origin="keys")
    rig.do(cm.TimeOut(), origin="timer")
    rig.device(cm.BoardFails(detail="frame"))
    assert rig.phase is Phase.FAULT
    rig.refused(Why.DRAWN_ONCE, cm.Stop(), origin="keys")
    rig.restart()
    rig.do(cm.Reset(), S1)
    rig.restart()
    assert (rig.hand.slot, rig.hand.commitment, rig.want.kind) == (slot, commitment, Want.BOARD)
    rig.board_shows()
    rig.refused(Why.DRAWN_ONCE, cm.Stop(), origin="keys")
    assert rig.device(cm.BoardShows()).events == ()
    rig.finish()
    assert rig.journal is not None
    records = [r.event for r in rig.journal.replay() if r.hand == 1]
    assert sum(isinstance(event, ev.JokerDrawn) for event in records) == 1
    assert len({event.commitment for event in records if isinstance(event, ev.Locked)}) == 1
    hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, 1, "test")
    assert findings == [] == check_draw(hand)
    rig.close()


def test_the_draw_is_what_the_revealed_seed_says() -> None:
    rig = armed().finish()
    locked, ended = rig.events(ev.Locked)[-1], rig.events(ev.HandEnded)[-1]
    seed = bytes.fromhex(ended.seed)
    assert ended.seed == locked.seed == seed_for("7c", 1, 3).hex()
    assert draw.commitment("T1", 1, rig.table.rules_hash, seed).hex() == locked.commitment
    slot = draw.draw_slot(seed, None, "T1", 1, 1, draw.joker_weights(3))
    assert draw.slot_text(slot) == rig.events(ev.JokerDrawn)[-1].slot == rig.events(ev.JokerShown)[-1].slot == "7c"
    assert rig.table.jokers == ("7c",)


def test_nothing_shows_the_joker_before_the_board_does() -> None:
    rig = armed().to(Want.BOARD)
    shown, _ = rig.sinks()
    assert "7c" not in CARD.findall(shown.decode())
    snap = rig.snapshot().joker
    assert snap is not None
    assert (snap.state, snap.card) == ("drawn", None)
    display = lamps.display(rig.table, rig.setup, "en")
    assert display.joker  # the board itself carries it: that is how it becomes public
    assert display.board.rank is not None
    for text in (repr(display), repr(rig.table), repr(rig.events())):
        assert "7c" not in CARD.findall(text)


def test_the_dealer_draws_when_nobody_presses() -> None:
    rig = armed().to(Want.STOP)
    rig.refused(Why.WAIT_STOP, cm.Start(), origin="keys")
    rig.do(cm.TimeOut(), origin="timer")
    assert rig.act(cm.TimeOut(), origin="timer").events == ()
    assert rig.snapshot().prompt.code == "TC-0810"
    assert lamps.display(rig.table, rig.setup, "en").board.start
    assert "start" in rig.snapshot().allowed
    rig.do(cm.Start(), origin="keys")
    assert rig.events(ev.JokerDrawn)[-1].by == "dealer"
    rig.refused(Why.DRAWN_ONCE, cm.Stop(), origin="keys")
    rig.finish()


def test_the_player_may_still_press_after_the_time_out() -> None:
    rig = armed().to(Want.STOP)
    rig.do(cm.TimeOut(), origin="timer")
    rig.stop()
    assert rig.events(ev.JokerDrawn)[-1].by == "player"


def test_no_draw_while_play_is_held() -> None:
    rig = armed().to(Want.STOP)
    rig.do(cm.TimeOut(), origin="timer")
    rig.do(cm.Irregular(reason="noise"))
    rig.refused(Why.NOT_NOW, cm.Start(), origin="keys")
    rig.refused(Why.NOT_ARMED, cm.Stop(), origin="keys")
    rig.do(cm.Resume(), S1)
    rig.do(cm.Start(), origin="keys")


def test_a_joker_void_before_it_is_shown_is_on_record() -> None:
    rig = armed().to(Want.BOARD)
    rig.do(cm.VoidHand(reason="board dead"), S1)
    assert [e.reason for e in rig.events(ev.JokerVoided)] == ["board dead"]
    assert rig.table.jokers == ()
    assert rig.table.last_hand is not None
    assert rig.table.last_hand["joker"] is None
    assert rig.events(ev.HandEnded)[-1].seed  # revealed all the same


def test_a_board_that_works_again_shows_the_same_joker() -> None:
    rig = armed().to(Want.BOARD)
    rig.device(cm.BoardFails(detail="frame"))
    rig.board_shows()  # mended before anybody came
    assert (rig.phase, rig.hand.joker) == (Phase.FAULT, JokerPhase.SHOWN)
    rig.do(cm.Reset(), S1)
    rig.finish()
    assert rig.table.jokers == ("7c",)


@pytest.mark.parametrize("until", [Want.STOP, Want.BOARD, Want.DECISION])
def test_the_board_failing_at_another_time_stops_nothing(until: Want) -> None:
    rig = armed().to(until)
    rig.device(cm.BoardFails(detail="frame"))
    assert (rig.phase is Phase.FAULT) == (until is Want.BOARD)


def test_a_game_without_a_joker_draws_none() -> None:
    rig = Rig(setup=make_setup("oasis_ru")).open().stake(b1=10).lock()
    rig.refused(Why.NOT_ARMED, cm.Stop(), origin="keys")
    assert (rig.hand.commitment, rig.hand.seed) == ("", "")
    rig.card()
    rig.refused(Why.NOT_NOW, cm.Start(), origin="keys")
    rig.finish()
    assert rig.events(ev.JokerArmed) == []


def test_twelve_jokers_are_remembered() -> None:
    rig = Rig(setup=make_setup("jpoker")).open()
    for _ in range(14):
        rig.stake(b1=10).finish()
    assert len(rig.table.jokers) == 12
