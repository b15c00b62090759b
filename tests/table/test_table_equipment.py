"""Three products from one code: the whole table, board and keys, the board with START and STOP alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import D1, S1, S2, Rig, make_setup
from test_table_setup import edited

from controller import config as configuration
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import JokerPhase
from controller.domain.rejections import Why
from controller.domain.state import CardSource, Equipment
from controller.equipment import inputs_of
from controller.errors import TableError
from controller.journal.hands import read_hand
from controller.journal.recall import check_draw
from controller.table import lamps
from controller.table.audit import check_hand
from controller.table.setup import make_setup as from_config


def board_alone(folder: Path | None = None, **how: object) -> Rig:
    rig = Rig(folder, make_setup(cards=CardSource.NONE, equipment=Equipment.BOARD, **how))
    rig.connect("board")
    rig.do(cm.OpenTable(), D1, S1)
    return rig


@pytest.mark.parametrize("when", ["before_deal", "during_deal", "after_deal"])
def test_start_stop_start(when: str, tmp_path: Path) -> None:
    """START closes the bets, STOP draws, the board shows, START ends the hand; every draw can be verified."""
    rig = board_alone(tmp_path, joker_time=when)
    for number in (1, 2):
        rig.joker("7c").lock()
        assert rig.want.kind is Want.STOP
        assert rig.snapshot().joker.commitment  # type: ignore[union-attr]
        rig.stop()
        assert (rig.hand.joker, rig.want.kind) == (JokerPhase.DRAWN, Want.BOARD)
        rig.board_shows()
        assert rig.want.kind is Want.NEXT
        assert lamps.display(rig.table, rig.setup, "en").board.start
        rig.restart(connect=False)
        rig.connect("board")
        rig.do(cm.Start(), origin="keys")
        assert rig.hand.number == number + 1
    assert [e.outcome for e in rig.events(ev.HandEnded)] == ["joker_only"] * 2
    assert rig.table.jokers == ("7c", "7c")
    assert rig.table.last_hand is not None
    assert (rig.table.last_hand["outcome"], rig.table.last_hand["joker"]) == ("joker_only", "7c")
    assert rig.journal is not None
    for number in (1, 2):
        hand, findings = read_hand(rig.journal._store, rig.journal._codec.registry, number, "test")
        assert (findings, check_hand(hand), check_draw(hand)) == ([], [], [])


def test_a_second_stop_draws_nothing() -> None:
    rig = board_alone().lock().stop()
    rig.refused(Why.DRAWN_ONCE, cm.Stop())
    rig.board_shows()
    rig.refused(Why.DRAWN_ONCE, cm.Stop())


def test_start_before_the_joker_is_shown_ends_nothing() -> None:
    rig = board_alone().lock()
    rig.refused(Why.WAIT_STOP, cm.Start())
    rig.do(cm.TimeOut(), origin="timer")
    rig.do(cm.Start())  # nobody pressed STOP: the dealer draws
    assert rig.hand.joker is JokerPhase.DRAWN
    rig.refused(Why.NOT_NOW, cm.Start())


def test_such_a_hand_can_be_void_and_the_joker_announced() -> None:
    rig = board_alone().lock().stop()
    rig.device(cm.DeviceOut(device="board", reason="gone"))
    rig.do(cm.Announce(), S1)
    assert rig.want.kind is Want.NEXT
    rig.do(cm.VoidHand(reason="wrong"), S1, S2)
    assert rig.hand.number == 2


def test_with_boxes_the_same_table_leads_a_whole_hand() -> None:
    """By `tablectl do`: without keys nothing else is missing."""
    rig = board_alone().stake(b1=10).joker("2c").lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c").lock()
    assert rig.want.kind is Want.DEAL
    rig.finish()
    assert rig.events(ev.HandEnded)[0].outcome == "settled"


def test_a_whole_table_asks_for_a_box() -> None:
    rig = Rig(setup=make_setup()).open()
    rig.refused(Why.NO_STAKE, cm.Start())


PINS = {"START": 5, "STOP": 6, "K1": 13, "OK": 27, "JACKPOT_LAMP": 26}


def test_what_is_not_there_is_not_opened() -> None:
    assert inputs_of(Equipment.BOARD, PINS) == {"START": 5, "STOP": 6}
    assert inputs_of(Equipment.KEYS, PINS) == {"START": 5, "STOP": 6, "K1": 13, "OK": 27}


NO_SHOE = ('[shoe]\nport = "shoe"\n\n', "")


def configured(tmp_path: Path, equipment: str, cards: str, **sections: str) -> Path:
    path = edited(tmp_path, 'cards = "shoe"', f'cards = "{cards}"\nequipment = "{equipment}"')
    text = path.read_text("utf-8").replace("bonus_max = 500", "bonus_max = 0")
    if "shoe" not in sections:
        head, _, tail = text.partition("[shoe]")
        text = head + "[" + tail.partition("\n[")[2]
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(("equipment", "cards"), [("keys", "at_turn"), ("keys", "none"), ("board", "none")])
def test_the_three_products_start(equipment: str, cards: str, tmp_path: Path) -> None:
    setup = from_config(configuration.load_config(configured(tmp_path, equipment, cards)))
    assert (str(setup.procedure.equipment), str(setup.procedure.cards)) == (equipment, cards)


@pytest.mark.parametrize(
    ("equipment", "cards", "named"),
    [("keys", "shoe", "table.cards"), ("board", "at_turn", "table.cards"), ("board", "shoe", "table.cards")],
)
def test_what_does_not_go_together(equipment: str, cards: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        configuration.load_config(configured(tmp_path, equipment, cards, shoe="yes"))
    assert named in caught.value.line()
    assert caught.value.line().startswith("TC-0102")


def test_a_shoe_in_the_file_of_a_table_without_one(tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        configuration.load_config(configured(tmp_path, "keys", "at_turn", shoe="yes"))
    assert "section shoe" in caught.value.line()


def test_the_board_alone_needs_a_joker(tmp_path: Path) -> None:
    path = configured(tmp_path, "board", "none")
    path.write_text(path.read_text("utf-8").replace('rules = "jpoker"', 'rules = "caribbean"'), "utf-8")
    with pytest.raises(TableError) as caught:
        from_config(configuration.load_config(path))
    assert caught.value.line().startswith("TC-0127")
