"""Training as the table's rules see it: when it may begin and end, who says so, what every display shows meanwhile."""

from __future__ import annotations

import msgspec
import pytest
from harness import D1, E1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.evolve import evolve, evolve_all
from controller.domain.hand.expects import Want, expects
from controller.domain.hand.setup import Setup, Training
from controller.domain.rejections import Why
from controller.domain.state import ShoeMemory, Table
from controller.table import lamps, menu, projection


def setup(training: Training) -> Setup:
    return msgspec.structs.replace(make_setup("jpoker"), training=training)


def test_a_supervisor_begins_it_at_a_closed_table() -> None:
    rig = Rig(setup=setup(Training.OFFERED))
    assert rig.act(cm.Training(), D1).waiting  # a dealer alone waits for one
    rig.refused(Why.NOT_ALLOWED, cm.Approve(id=1), E1)
    rig.do(cm.Approve(id=1), S1)
    assert rig.events(ev.TrainingStarted)[-1].session == 1
    assert (rig.table.training, rig.table.trainings, rig.table.waiting) == (1, 1, ())


def test_an_open_table_has_no_training() -> None:
    rig = Rig(setup=setup(Training.OFFERED)).open()
    rig.refused(Why.ALREADY_OPEN, cm.Training(), S1)
    rig.refused(Why.TRAINING_SO, cm.Training(on=False), S1)
    assert "training" not in rig.snapshot().allowed


def test_a_table_without_the_section_has_none() -> None:
    rig = Rig(setup=make_setup("jpoker"))
    rig.refused(Why.NO_TRAINING, cm.Training(), S1)
    rig.refused(Why.NO_TRAINING, cm.Training(on=False), S1)


def test_it_ends_out_of_any_state() -> None:
    rig = Rig(setup=setup(Training.RUNNING))
    rig.do(cm.Training(on=False), S1)
    rig.open().stake(b1=10).joker("2c").lock()
    rig.refused(Why.TRAINING_SO, cm.Training(), S1)
    rig.do(cm.Training(on=False), S1)
    rig.deal()
    rig.do(cm.Training(on=False), S1)
    assert len(rig.events(ev.TrainingLeft)) == 3


@pytest.mark.parametrize(("language", "word"), [("en", "TRAINING"), ("ru", "ОБУЧЕНИЕ")])
def test_every_display_says_so(language: str, word: str) -> None:
    rig = Rig(setup=setup(Training.RUNNING))
    assert rig.snapshot().training
    assert lamps.display(rig.table, rig.setup, language).lines[0].startswith(word)
    rig.open().stake(b1=10).joker("2c").lock().deal()
    assert lamps.display(rig.table, rig.setup, language).lines[0].startswith(word)
    assert not Rig(setup=setup(Training.OFFERED)).snapshot().training


def test_a_payment_says_so_too() -> None:
    rig = Rig(setup=setup(Training.RUNNING)).open().stake(b1=10).joker("2c")
    rig.lay("Kh Ks 8c 7d 2h", b1="9c 9d 9h 6s 3c").lock().deal()
    rig.do(cm.Bet(box=1)), rig.ok()
    assert rig.want.kind is Want.PAID
    assert lamps.display(rig.table, rig.setup, "en").lines[0] == "TRAINING BOX 1 TRIPS"


def test_the_key_switch_offers_it() -> None:
    for training, title in ((Training.OFFERED, "training"), (Training.RUNNING, "end training")):
        table = Table()
        assert title in [item.title for item in menu.items(table, setup(training))]
        assert "training" in projection.allowed(table, expects(table, setup(training)), setup(training))


def test_cards_of_a_training_are_no_news_afterwards() -> None:
    """The shoe counted on; its events of the training are neither asked for nor taken again."""
    table = msgspec.structs.replace(Table(), shoe=ShoeMemory(owner="S", serial="S", last_event=40))
    after = evolve_all(table, (ev.TrainingStarted(session=3), ev.TrainingEnded(session=3, shoe_event=99)))
    assert (after.shoe.last_event, after.shoe.recent, after.training, after.trainings) == (99, (), 0, 3)
    lost = evolve(table, ev.TrainingEnded(session=3, problem="gone"))
    assert lost.shoe.last_event == 40
