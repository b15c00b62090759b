"""kill -9 where play is held and people must decide: counted side bets differ, a deck put away, irregular, a fault."""

from __future__ import annotations

import pytest

from firmware_sim.injection import on_the_felt
from tests.hil.rig import Rig, Snapshot, devices_ready, last_hand, pause, same_table, table
from tests.hil.script import Script
from tests.hil.test_restart import GAMES, cards, joker

pytestmark = pytest.mark.hil


def finish(rig: Rig, hands: int = 1) -> None:
    """Play goes on to the end, and the record is the felt's."""
    rig.play_hands(hands)
    assert rig.now["last_hand"]["outcome"] == "settled"
    rig.bench.new_deck(99)
    assert rig.stop()[0] == 0
    rig.audit()
    rig.felt_agrees(hands)


def dealt(rig: Rig, count: int) -> Snapshot:
    return rig.play_until(lambda s: s["phase"] == "dealing" and cards(s) >= count)


def draw(rig: Rig, expects: Snapshot, card: str | None = None) -> None:
    """A card to the place that waits for one; whether the table takes it is another matter."""
    assert rig.bench.draw_card(expects["place"], expects.get("box", 0), card)


def test_kill_before_the_table_opens() -> None:
    with Rig(seed=3) as rig:
        rig.start()
        assert rig.restart_same()["phase"] == "closed"
        rig.open_table()
        finish(rig)


@pytest.mark.parametrize("game", GAMES)
def test_kill_while_side_bets_are_counted_again(game: str) -> None:
    with table(game, seed=3) as rig:
        script = Script(rig)
        rig.bench.new_deck(1)
        script.box_in(1)
        script.box_in(3)
        for key in ("EXTRA", "K2"):  # two are found on the felt, none is lit
            rig.press(key)
        script.key("OK")
        script.start("locked")
        after = rig.restart_same()
        assert (after["phase"], after["expects"]["kind"]) == ("locked", "count")
        rig.do("resume", "dealer", "supervisor")
        rig.wait(lambda s: s["phase"] == "dealing")
        script.cards()
        finish(rig)


@pytest.mark.parametrize("game", GAMES)
def test_kill_at_a_deck_fault_and_while_the_deck_is_put_away(game: str) -> None:
    with table(game, seed=3) as rig:
        before = dealt(rig, 4)
        draw(rig, before["expects"], on_the_felt(rig.bench)[0])
        rig.wait(lambda s: s["phase"] == "irregular")
        held = rig.restart_same()
        assert (held["phase"], held["expects"]["cause"]) == ("irregular", "deck_fault")
        rig.do("void_hand", "dealer", "supervisor", "witness", reason="deck fault")
        rig.wait(lambda s: last_hand(s) == 1)
        waits = rig.restart_same()
        assert (waits["phase"], waits["expects"]["kind"]) == ("deck_check", "deck")
        rig.do("deck", "dealer", "supervisor", deck="blue-2")
        finish(rig, 2)


@pytest.mark.parametrize(("game", "where"), [("jpoker", "decisions"), ("oasis_ru", "dealing")])
def test_kill_while_an_irregularity_is_declared(game: str, where: str) -> None:
    with table(game, seed=3) as rig:
        before = rig.play_until(lambda s: s["phase"] == where and cards(s) >= 3)
        rig.do("irregular", "dealer", reason="a card fell")
        rig.wait(lambda s: s["phase"] == "irregular")
        held = rig.restart_same()
        assert (held["phase"], cards(held)) == ("irregular", cards(before))
        rig.do("resume", "dealer", "supervisor")
        back = rig.wait(lambda s: s["phase"] == where)
        assert back["expects"] == before["expects"]
        finish(rig)


@pytest.mark.parametrize("game", GAMES)
def test_kill_in_a_fault_over_lost_cards(game: str) -> None:
    """The shoe dealt a card while the daemon was away, and forgot it: on the felt lies a card that nobody has read."""
    with table(game, seed=4) as rig:
        before = dealt(rig, 4)
        rig.kill()
        draw(rig, before["expects"])
        rig.bench.shoe.device.lose_log(rig.bench.shoe.device.last_event)
        rig.start()
        rig.wait(lambda s: s["phase"] == "fault")
        held = rig.restart_same()
        assert (held["phase"], held["expects"]["cause"]) == ("fault", "cards_lost")
        rig.do("reset", "supervisor")
        back = rig.wait(lambda s: s["phase"] == "dealing")
        assert cards(back) == cards(before) + 1
        finish(rig)


def test_kill_in_a_fault_of_the_board() -> None:
    """The joker is drawn and cannot be shown: also the next run draws no other and waits."""
    with table(seed=2) as rig:
        rig.play_until(lambda s: joker(s) == "armed" and cards(s) >= 2)
        rig.bench.board.power(on=False)
        rig.press("STOP")
        before = rig.wait(lambda s: s["phase"] == "fault")
        rig.kill()
        rig.spawn()
        after = rig.wait(lambda s: s["devices"].get("shoe") == "ready")
        assert same_table(before, after) == {}
        assert (joker(after), after["joker"]["card"]) == ("drawn", None)
        rig.bench.board.power(on=True)
        rig.wait(devices_ready)
        pause(0.2)
        assert rig.now["phase"] == "fault"  # nothing goes on by itself
        rig.do("reset", "supervisor")
        shown = rig.wait(lambda s: joker(s) == "shown")["joker"]
        assert shown["commitment"] == before["joker"]["commitment"]
        finish(rig)
        assert rig.recall(1)["draw"]["slot"] == shown["card"]


def test_an_old_copy_of_the_journal_is_known_by_the_shoe() -> None:
    """No mirror and no witness: the shoe has heard up to where its events were on record."""
    with table(seed=3) as rig:
        rig.play_hands(1)
        assert rig.stop()[0] == 0
        old = rig.journal.read_bytes()
        rig.start()
        rig.wait_for_keys()
        rig.play_hands(2)
        rig.bench.new_deck(99)
        assert rig.stop()[0] == 0
        rig.journal.write_bytes(old)
        rig.start()
        held = rig.wait(lambda s: s["prompt"]["code"] == "TC-0342")
        assert (held["phase"], rig.records("DeviceTroubled")[-1]["data"]["code"]) == ("fault", "acked_ahead")
        before = len(rig.records("CardDealt"))
        rig.do("reset", "supervisor")
        rig.wait(lambda s: s["phase"] == "betting")
        assert rig.stop()[0] == 0
        [adopted] = rig.records("ShoeAdopted")[-1:]
        assert (len(rig.records("CardDealt")), rig.records("CardRefused")) == (before, [])
        assert adopted["data"]["event_no"] > max(r["data"]["event_no"] for r in rig.records("CardDealt"))
        rig.audit()
