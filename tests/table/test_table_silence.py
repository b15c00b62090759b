"""The rule of silence: equal public facts with different hidden cards give equal bytes at every sink until the turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness import CARD, S1, Rig, make_setup

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.table.keypad import Keypad
from drivers.events import CardRead

Script = Callable[[Rig], None]

# Boxes 1 to 3 and the dealer's first four: a royal flush with quads against rags. What lies open is the same.
STRONG = {"b1": "As Ks Qs Js Ts", "b2": "9c 9d 9h 9s 4d", "b3": "Ac Ad 6c 6d 6h", "dealer": "Kh Kd Kc Qh 2h"}
WEAK = {"b1": "3c 5d 7h 9s Jc", "b2": "4c 6d 8h Ts Qd", "b3": "3d 5c 7s 9h Jd", "dealer": "3h 5s 7c 9d 2h"}
DRAWS = ({1: "2c", 2: "8h 8s", 3: "Ah"}, {1: "Ks", 2: "Kd Ac", 3: "4h"})


def records(rig: Rig) -> list[str]:
    """What stands in plain in the journal: of every event the fields that are not sealed."""
    plain = []
    for event in rig.events():
        sealed = event.HIDDEN | event.WRAPPED
        plain.append(
            type(event).__name__ + repr({k: v for k, v in msgspec.to_builtins(event).items() if k not in sealed})
        )
    return plain


def run(cards: dict[str, str], draws: dict[int, str], script: Script, **how: Any) -> Rig:
    rig = Rig(setup=make_setup(**how)).open().stake(b1=10, b2=10, b3=20)
    if rig.setup.joker:
        rig.joker("8d")
    rig.lay(draws=draws, **cards)
    script(rig)
    return rig


def same(script: Script, **how: Any) -> tuple[Rig, Rig]:
    """Both runs, and that nothing tells them apart."""
    one, two = run(STRONG, DRAWS[0], script, **how), run(WEAK, DRAWS[1], script, **how)
    assert one.shown == two.shown
    assert one.refusals == two.refusals
    assert one.sinks() == two.sinks()
    assert records(one) == records(two)
    assert repr(one.table) == repr(two.table)
    return one, two


def decisions(rig: Rig) -> None:
    rig.lock().deal()
    for command in (cm.Bet(box=2), cm.Exchange(box=1, count=5), cm.Insure(box=1), cm.Buy6(box=1), cm.Turned(box=1)):
        assert rig.act(command).rejection is not None
    rig.do(cm.Exchange(box=1)), rig.card(), rig.do(cm.Bet(box=1))
    rig.do(cm.Exchange(box=2)), rig.card(unread=True), rig.do(cm.Fold(box=2)), rig.do(cm.Undo()), rig.do(cm.Fold(box=2))
    rig.do(cm.Bet(box=3))


def troubles(rig: Rig) -> None:
    rig.lock()
    rig.card(unread=True), rig.card()
    rig.event_no += 1
    rig.device(cm.LostIn(device="shoe", first=rig.event_no, last=rig.event_no))
    rig.do(cm.Reset(), S1)
    rig.deal()
    rig.card("2d", lay=False), rig.do(cm.Resume(), S1)
    rig.do(cm.VoidBox(box=2, reason="dead"), S1), rig.do(cm.CorrectStake(box=3, ante=40), S1)
    rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=3))


@pytest.mark.parametrize("rules", ["jpoker", "oasis_ru"])
@pytest.mark.parametrize("script", [decisions, troubles])
def test_until_the_reveal(script: Script, rules: str) -> None:
    one, _ = same(script, rules=rules)
    assert one.phase is Phase.REVEAL


@pytest.mark.parametrize("timing", ["at_once", "after_all"])
def test_until_the_reveal_in_every_timing(timing: str) -> None:
    def script(rig: Rig) -> None:
        rig.lock().deal()
        rig.do(cm.Exchange(box=1))
        if timing == "after_all":
            rig.ok(), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3)), rig.card(), rig.do(cm.Bet(box=1))
        else:
            rig.card(), rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Fold(box=3))

    same(script, draw_timing=timing, rules="jpoker", joker_time="after_deal")


def test_a_folded_or_unturned_box_is_never_told() -> None:
    """The dealer does not play and nobody turns a box: to the end, and after it, both hands look the same."""
    no_game = {"dealer": "Ks Js 8c 7d 2h"}
    strong = {**STRONG, **no_game, "b1": "As Qs Ts 7s 3s", "b3": "Ac Ad 6c 6d 6h"}
    weak = {**WEAK, **no_game, "b1": "3c 5d 7h 9s Jc", "b3": "3d 5c 7s 9h Jd"}

    def script(rig: Rig) -> None:
        rig.lock().deal()
        rig.do(cm.Bet(box=1)), rig.do(cm.Fold(box=2)), rig.do(cm.Bet(box=3))
        rig.ok(), rig.ok()
        assert rig.hand.number == 2

    one = run(strong, {}, script, rules="oasis_ru")
    two = run(weak, {}, script, rules="oasis_ru")
    assert one.shown == two.shown
    assert records(one) == records(two)
    assert one.table.last_hand == two.table.last_hand


def test_a_void_hand_tells_nothing() -> None:
    def script(rig: Rig) -> None:
        rig.lock().to(Want.STOP)
        rig.do(cm.VoidHand(reason="misdeal"), S1)

    same(script, rules="jpoker")


def test_a_dealer_alone_cannot_ask_for_hidden_cards() -> None:
    """Whatever card he tries to enter, the answer is the same, though one of them lies face down elsewhere."""

    def script(rig: Rig) -> None:
        rig.lock()
        while rig.phase is Phase.DEALING:
            if (rig.want.place, rig.want.box, rig.want.index) == ("box", 3, 4):
                rig.card(unread=True)
            else:
                rig.step()
        rig.do(cm.Bet(box=1)), rig.do(cm.Bet(box=2)), rig.do(cm.Bet(box=3)), rig.ok()
        assert rig.want.kind is Want.ENTRY
        for card in ("As", "Js", "3c", "9s", "Jc"):
            assert rig.act(cm.EnterCard(card=card)).waiting

    game = "Kh Kd 8c Qh 2h"
    one = run({**STRONG, "dealer": game, "b3": "Ac Ad 6c 6s 6h"}, {}, script, rules="jpoker")
    two = run({**WEAK, "dealer": game, "b3": "Ac Ad 6c 6s 6h"}, {}, script, rules="jpoker")
    assert one.shown == two.shown
    assert one.refusals == two.refusals


def test_no_repr_shows_a_hidden_card() -> None:
    rig = run(STRONG, DRAWS[0], decisions, rules="jpoker")
    hidden = rig.hidden()
    assert len(hidden) > 15
    things = [rig.table, rig.hand, *rig.hand.boxes, *rig.events(), rig.snapshot(), *rig.log.values(), rig.service.want]
    things += [CardRead(device="shoe", event_no=1, card="As"), rig.entropy and rig.service._fresh(), Keypad()]
    for thing in things:
        text = f"{thing!r} {thing}"
        assert not hidden & set(CARD.findall(text)), type(thing)
        assert str(rig.hand.key) not in text
        assert str(rig.hand.seed) not in text
    try:
        raise ValueError(rig.hand)
    except ValueError as error:
        assert not hidden & set(CARD.findall(repr(error)))


def test_sealed_fields_are_not_in_the_file(tmp_path: Path) -> None:
    rig = Rig(tmp_path, make_setup("jpoker")).open().stake(b1=10, b2=10, b3=20).joker("8d")
    rig.lay(draws=DRAWS[0], **STRONG)
    decisions(rig)
    shown = {"8d", "2h"}
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("journal.db*")).decode("latin-1")
    assert not {f'"{card}"' for card in rig.hidden() - shown} & set(_quoted(stored))
    assert str(rig.hand.seed) not in stored
    assert str(rig.hand.key) not in stored
    rig.close()


def _quoted(text: str) -> list[str]:
    return [f'"{card}"' for card in CARD.findall(text) if f'"{card}"' in text]


def test_what_the_loop_may_log_of_an_act_holds_no_card() -> None:
    rig = run(STRONG, DRAWS[0], lambda rig: rig.lock() and None, rules="jpoker")
    outcome = rig.card()
    assert msgspec.structs.asdict(outcome) == {"events": ("CardDealt",), "rejection": None, "waiting": 0, "keys": ()}


def test_a_refused_card_is_not_recorded() -> None:
    rig = run(STRONG, DRAWS[0], decisions, rules="jpoker")
    rig.card("2d", lay=False)
    assert "2d" not in CARD.findall(repr([msgspec.to_builtins(e) for e in rig.events(ev.CardRefused)]))
    rig.refused(Why.NOT_NOW, cm.Reveal())


@pytest.mark.parametrize("twice", ["As", "9c"])
def test_a_card_seen_twice_names_neither_card_nor_place(twice: str) -> None:
    """The place named is the one the card came to, whichever face-down card it equals."""

    def script(rig: Rig) -> None:
        rig.lock()
        for _ in range(6):
            rig.card()
        rig.card(rig.hand.box(1).dealt[0].card if twice == "As" else rig.hand.box(2).dealt[0].card, lay=False)  # type: ignore[union-attr]
        assert rig.phase is Phase.IRREGULAR

    same(script, rules="jpoker")
