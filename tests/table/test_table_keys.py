"""The twelve keys: a whole hand without a screen, counted; chord, hold, edit, count, card entry, stale presses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from harness import D1, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import BoxStatus
from controller.table import lamps, projection
from controller.table.keypad import HOLD_NS, LONG_NS, MS, Keypad, Stale
from controller.table.menu import Supervised
from drivers.events import ButtonEdge


class Fingers:
    """A dealer's fingers on the keys of a rig; time moves with every press."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.keypad = Keypad()
        self.now = 10**9
        self.presses = 0
        self.stale: list[str] = []
        self.supervised: list[Supervised] = []
        self.refusals: list[Why] = []
        shown = rig.changed

        def changed() -> None:
            shown()
            self.saw()

        rig.service._changed = changed
        self.saw()

    def saw(self) -> None:
        self.keypad.saw(self.rig.want, self.now)

    def edge(self, name: str, pressed: bool, t_ns: int | None = None) -> None:
        edge = ButtonEdge(name=name, pressed=pressed, t_ns=self.now if t_ns is None else t_ns)
        self.take(self.keypad.edge(edge, self.rig.table, self.rig.setup))

    def take(self, outputs: Iterable[Any]) -> None:
        for output in outputs:
            if isinstance(output, Stale):
                self.stale.append(output.key)
            elif isinstance(output, Supervised):
                self.supervised.append(output)
            else:
                outcome = self.rig.act(output, origin="keys")
                if outcome.rejection is not None:
                    self.refusals.append(outcome.rejection.why)

    def press(self, *names: str) -> Fingers:
        for name in names:
            self.now += 200 * MS
            self.presses += 1
            self.edge(name, True)
            self.now += 60 * MS
            self.edge(name, False)
        return self

    def hold(self, name: str, ns: int = HOLD_NS, *, late: bool = False) -> Fingers:
        """Until the keypad's time is up; `late`: the loop wakes up only for the release."""
        self.now += 200 * MS
        self.edge(name, True)
        self.now += ns
        if not late:
            self.take(self.keypad.tick(self.now, self.rig.table, self.rig.setup))
        self.now += 10 * MS
        self.edge(name, False)
        return self

    def chord(self, first: str, second: str) -> Fingers:
        self.now += 200 * MS
        for name, pressed in ((first, True), (second, True), (first, False), (second, False)):
            self.edge(name, pressed)
            self.now += 40 * MS
        return self


def fingers(rules: str = "jpoker", **how: Any) -> Fingers:
    return Fingers(Rig(setup=make_setup(rules, **how)).open())


# --- the budget of the floor -----------------------------------------------------------------------------------------


def six_boxes(dealer: str) -> Fingers:
    """1 and 2 player A, 3 shared, 4 and 5 player B, 6 B's blind; then the same stakes stand proposed."""
    keys = fingers("jpoker")
    rig = keys.rig
    keys.press("K1", "K2", "K3", "K4", "K5", "K6")
    keys.chord("K1", "K2").chord("K4", "K5").chord("K5", "K6").chord("K6", "BET")
    rig.do(cm.Backers(box=3, shares=(5, 5)))
    assert [(b.owner, b.blind) for b in rig.hand.boxes] == [
        (1, False), (1, False), (3, False), (4, False), (4, False), (4, True),
    ]  # fmt: skip
    rig.joker("2c").lay("Kh Js 8c 7d 4h")
    keys.press("START")
    rig.deal()
    for box in range(1, 6):
        rig.do(cm.Fold(box=box))
    rig.finish()
    rig.joker("2c").lay(
        dealer,
        b1="9c 9d 5h 6s 3c",
        b2="Qc Qd 5c 6c 3h",
        draws={2: "Jh", 4: "5s 3s"},
    )
    keys.presses = 0
    return keys


def play(keys: Fingers) -> None:
    rig = keys.rig
    keys.press("START")
    assert rig.phase is Phase.DEALING
    rig.deal()
    keys.press("BET")
    keys.press("CHANGE")
    rig.card()
    keys.press("BET")
    keys.press("FOLD")
    keys.press("CHANGE", "CHANGE")
    rig.card(), rig.card()
    keys.press("FOLD")
    keys.press("BET")
    assert rig.phase is Phase.REVEAL
    keys.press("OK")


def test_fifteen_presses_where_the_dealer_plays() -> None:
    keys = six_boxes("Kh Ks 8c 7d 4h")
    play(keys)
    rig = keys.rig
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 6)
    keys.press("OK")
    assert rig.want.box == 5
    keys.press("OK")
    assert (rig.want.kind, rig.want.box) == (Want.DISCARDS, 2)
    keys.press("K5", "OK")
    assert (rig.want.kind, rig.want.box) == (Want.PAID, 1)
    keys.press("OK")
    assert (rig.phase, rig.hand.number) == (Phase.BETTING, 3)
    assert keys.presses == 15
    assert keys.refusals == []
    assert keys.stale == []


def test_eleven_presses_where_he_does_not() -> None:
    keys = six_boxes("Kh Js 8c 7d 4h")
    play(keys)
    assert keys.rig.want.kind is Want.REST
    keys.press("OK")
    assert (keys.rig.phase, keys.rig.hand.number) == (Phase.BETTING, 3)
    assert keys.presses == 11
    assert keys.refusals == []


def test_the_lit_keys_are_the_ones_that_do_something() -> None:
    keys = six_boxes("Kh Ks 8c 7d 4h")
    rig = keys.rig
    assert {"K1", "K6", "BET", "EXTRA"} <= set(rig.snapshot().keys)
    keys.press("START")
    rig.deal()
    assert set(rig.snapshot().keys) == {"BET", "FOLD", "CHANGE"}
    keys.press("CHANGE")
    assert set(rig.snapshot().keys) == {"CHANGE", "BACK"}  # one more, or take it back, until the card comes
    rig.card()
    assert set(rig.snapshot().keys) == {"BET", "FOLD"}
    keys.press("BET", "BET", "BET", "BET", "FOLD")
    assert set(rig.snapshot().keys) == {"OK", "BACK"}
    keys.press("OK")
    rig.to(Want.DISCARDS)
    assert {"K1", "K5", "EXTRA"} <= set(rig.snapshot().keys)


# --- betting ---------------------------------------------------------------------------------------------------------


def test_a_box_key_puts_a_box_in_and_out() -> None:
    keys = fingers(ante_min=25)
    keys.press("K2")
    assert keys.rig.hand.box(2).ante == 25
    keys.press("K2")
    assert keys.rig.hand.box(2).ante == 0
    keys.rig.stake(b2=100)
    keys.rig.lock().finish()
    keys.press("K2", "K2")
    assert keys.rig.hand.box(2).ante == 100  # back in with the last hand's stake


def test_a_box_key_acts_on_release_and_a_chord_is_neither_press() -> None:
    keys = fingers()
    keys.edge("K1", True)
    assert keys.rig.hand.box(1).ante == 0
    keys.edge("K1", False)
    assert keys.rig.hand.box(1).ante == 10
    keys.press("K2").chord("K2", "K1")
    assert [b.owner for b in keys.rig.hand.boxes][:2] == [1, 1]
    assert [b.ante for b in keys.rig.hand.boxes][:2] == [10, 10]
    keys.chord("K2", "BET")
    assert keys.rig.hand.box(2).blind
    keys.chord("BET", "K2")
    assert not keys.rig.hand.box(2).blind


@pytest.mark.parametrize("late", [False, True])
def test_a_held_box_key_edits_its_stake(late: bool) -> None:
    keys = fingers("oasis_ru")
    keys.hold("K3", late=late)
    assert keys.keypad.edit is not None
    keys.press("K4", "K4", "K2", "EXTRA", "K2")
    assert keys.keypad.overlay(keys.rig.table, keys.rig.setup)[0] == "BOX 3 BONUS"
    assert keys.rig.hand.box(3).ante == 0  # nothing stands before OK
    keys.press("OK")
    assert (keys.rig.hand.box(3).ante, keys.rig.hand.box(3).bonus) == (55, 5)
    keys.hold("K3").press("FOLD", "K5", "OK")
    assert keys.rig.hand.box(3).ante == 100
    keys.hold("K3").press("FOLD", "BACK")
    assert keys.rig.hand.box(3).ante == 100  # BACK leaves the edit alone
    assert keys.keypad.edit is None


def test_start_leaves_an_edit_and_locks() -> None:
    keys = fingers("oasis_ru")
    keys.hold("K1").press("K4", "START")
    assert keys.rig.phase is Phase.DEALING
    assert keys.rig.hand.box(1).ante == 25


def test_another_count_of_side_bets_stops_in_locked() -> None:
    keys = fingers("oasis_ru")
    keys.press("K1", "EXTRA", "K2", "OK")
    assert keys.rig.hand.counted == 2
    keys.press("START")
    assert keys.rig.phase is Phase.LOCKED
    keys.press("START")
    assert keys.refusals == [Why.COUNT_DIFFERS]


def test_ok_is_start_where_there_is_no_board() -> None:
    keys = fingers("oasis_ru")
    keys.press("K1", "OK")
    assert keys.rig.phase is Phase.DEALING


# --- decisions and settling ------------------------------------------------------------------------------------------


def test_back_is_undo_and_a_second_long_is_call() -> None:
    keys = fingers()
    keys.press("K1", "BACK")
    assert keys.rig.hand.box(1).ante == 0
    keys.hold("BACK", LONG_NS)
    assert keys.rig.table.call == "dealer"
    assert keys.refusals == []
    keys.press("BACK")
    assert keys.refusals == [Why.NOTHING_TO_UNDO]


def test_after_all_by_keys() -> None:
    keys = fingers(draw_timing="after_all")
    keys.press("K1", "K2", "START")
    keys.rig.deal()
    keys.press("CHANGE", "CHANGE", "OK", "BET")
    assert (keys.rig.want.kind, keys.rig.want.box, keys.rig.want.count) == (Want.CARD, 1, 2)
    keys.rig.card(), keys.rig.card()
    keys.press("BET")
    assert keys.rig.phase is Phase.REVEAL
    assert keys.refusals == []


def test_a_jackpot_button_held_is_a_claim() -> None:
    keys = fingers()
    keys.press("JACKPOT")
    assert keys.rig.table.call == ""
    keys.hold("JACKPOT", LONG_NS)
    assert keys.rig.table.call == "jackpot claim"


def test_differs_by_key() -> None:
    keys = six_boxes("Kh Ks 8c 7d 4h")
    play(keys)
    keys.press("EXTRA")
    assert keys.rig.hand.box(6).status is BoxStatus.HELD
    assert keys.rig.want.box == 5 or keys.rig.want.kind is Want.TURN


def test_a_card_entered_by_keys_waits_for_the_supervisor() -> None:
    keys = fingers()
    rig = keys.rig
    keys.press("K1")
    rig.joker("2c").lay("Kh Ks 8c 7d 2h", b1="Qc Qd 5h 6s 3c")
    keys.press("START")
    rig.card(unread=True)
    rig.deal()
    keys.press("BET", "OK")
    assert rig.want.kind is Want.ENTRY
    assert {"FOLD", "BET", "K1", "K4", "OK"} <= set(rig.snapshot().keys)
    keys.press("OK")
    assert rig.table.waiting == ()  # nothing has been chosen yet
    keys.press("BET", "BET", "BET", "K1")
    assert keys.keypad.overlay(rig.table, rig.setup)[1] == "Qc"  # ace, king, queen; clubs
    keys.press("OK")
    assert [w.command["card"] for w in rig.table.waiting] == ["Qc"]
    rig.do(cm.Approve(id=1), S1)
    assert rig.want.kind is Want.PAID


def test_a_press_meant_for_what_was_before_is_stale() -> None:
    """The finger came down before the table moved on, the loop hears of it after."""
    keys = fingers()
    keys.press("K1", "K2", "START")
    keys.rig.deal()
    before = keys.now
    keys.now += 100 * MS
    keys.rig.do(cm.Bet(box=1))  # the panel was quicker
    keys.edge("BET", True, before + 50 * MS)
    keys.edge("BET", False, before + 90 * MS)
    assert keys.stale == ["BET"]
    assert keys.rig.want.box == 2
    keys.press("BET")
    assert keys.rig.phase is Phase.REVEAL


def test_ten_presses_in_a_row_do_ten_things_at_most() -> None:
    keys = fingers()
    keys.press("K1", "START")
    keys.rig.deal()
    keys.press(*["BET"] * 5)
    assert keys.rig.phase is Phase.REVEAL
    assert set(keys.refusals) <= {Why.NOT_NOW}


def test_seven_boxes_have_a_key_each() -> None:
    keys = fingers("oasis_ru", boxes=7)
    keys.press("EXTRA")
    assert keys.rig.hand.box(7).ante == 10
    assert "K7" in keys.rig.snapshot().keys
    assert len(set(keys.rig.snapshot().keys)) == len(keys.rig.snapshot().keys)


def test_the_switch_gives_no_authority() -> None:
    keys = fingers()
    keys.press("K1", "START")
    keys.rig.deal()
    keys.rig.do(cm.Irregular(reason="noise"))
    keys.edge("SWITCH", True)
    keys.press("OK", "K1", "K2", "K3", "K4", "OK")
    (act,) = keys.supervised
    assert act.pin == "1234"
    assert "1234" not in repr(act)
    assert keys.rig.phase is Phase.IRREGULAR
    keys.rig.do(act.command, S1)
    assert keys.rig.phase is Phase.DECISIONS


def test_keys_of_a_closed_table_do_nothing() -> None:
    rig = Rig(setup=make_setup())
    keys = Fingers(rig)
    keys.press("K1", "BET", "OK", "START", "STOP", "EXTRA", "CHANGE", "FOLD")
    assert rig.table.hand is None
    assert projection.lit_keys(rig.table, rig.want, rig.setup) == ()
    rig.connect(), rig.do(cm.OpenTable(), D1, S1)
    keys.press("K1", "START")
    assert rig.phase is Phase.DEALING


def test_back_held_again_says_why_the_supervisor_is_wanted() -> None:
    keys = fingers()
    said = []
    for _ in range(5):
        keys.hold("BACK", LONG_NS)
        first = [lamps.display(keys.rig.table, keys.rig.setup, language).lines[0] for language in ("en", "ru")]
        said.append((keys.rig.table.call, *first))
    assert said == [
        ("dealer", "CALL: DEALER", "ВЫЗОВ: ДИЛЕР"),
        ("fill", "CALL: FILL", "ВЫЗОВ: ФИШКИ"),
        ("cards", "CALL: CARDS", "ВЫЗОВ: КАРТЫ"),
        ("dispute", "CALL: DISPUTE", "ВЫЗОВ: СПОР"),
        ("dealer", "CALL: DEALER", "ВЫЗОВ: ДИЛЕР"),
    ]
    keys.rig.do(cm.Claim())
    keys.hold("BACK", LONG_NS)
    assert keys.rig.table.call == "dealer"
