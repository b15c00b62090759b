"""Cards dealt by hand (floor: when things break): only their number is followed, what they are is entered later.

Owns how many cards the dealer gives now and what his press affirms. Never guesses a card, never asks for one that
lies face down.
"""

from __future__ import annotations

import msgspec

from controller.domain import events as ev
from controller.domain.hand.setup import Setup
from controller.domain.phases import JokerPhase
from controller.domain.state import Box, CardSource, FaceDown, Hand, Slot, Unread

HAND_CARDS = 5
LAID = Unread(by_hand=True)


def by_hand(hand: Hand) -> bool:
    """No reader tells the cards that come from now on."""
    return hand.cards is not CardSource.SHOE


def joker_only(hand: Hand) -> bool:
    """No box was ever in play: the board alone serves this hand, people do the rest."""
    return not any(box.ante for box in hand.boxes)


def all_slots(hand: Hand) -> list[Slot]:
    """Every card on the felt, burned ones left out."""
    return [*hand.dealer, *hand.dealer_drawn, *(slot for box in hand.boxes for slot in (*box.dealt, *box.drawn))]


def nothing_hidden(hand: Hand) -> bool:
    """Dealt by hand from the first card on: a refused entry can tell nothing that is not public."""
    read = any(isinstance(s, FaceDown) or (isinstance(s, Unread) and not s.by_hand) for s in all_slots(hand))
    return by_hand(hand) and not read


def open_card_next(hand: Hand, setup: Setup) -> bool:
    """The dealer's last card lies open as it is dealt: naming it is all that is asked."""
    shown = hand.joker is JokerPhase.SHOWN or not setup.joker
    return hand.cards is CardSource.AT_TURN and shown and str(setup.rules.upcard) == "last"


def _withheld(hand: Hand, setup: Setup) -> int:
    """The dealer's last card waits for the joker, or is named as it is dealt."""
    waits = setup.joker and setup.procedure.joker_time == "during_deal" and hand.joker is not JokerPhase.SHOWN
    return int(waits or open_card_next(hand, setup))


def stretch(hand: Hand, setup: Setup) -> tuple[ev.CardsByHand, ...]:
    """What the dealer deals before the next thing that is asked of anybody."""
    counts = [("burn", 0, setup.rules.burn_cards - len(hand.burns))]
    counts += [("box", box.box, HAND_CARDS - len(box.dealt)) for box in hand.boxes if box.playing]
    counts.append(("dealer", 0, HAND_CARDS - len(hand.dealer) - _withheld(hand, setup)))
    return tuple(ev.CardsByHand(place=place, box=box, count=count) for place, box, count in counts if count > 0)


def draws(box: Box) -> ev.CardsByHand:
    """The cards that the box has bought and not had yet."""
    return ev.CardsByHand(place="draw", box=box.box, count=box.draws - len(box.drawn))


def served(box: Box) -> Box:
    """The box once they lie there."""
    return msgspec.structs.replace(box, drawn=(*box.drawn, *(LAID,) * (box.draws - len(box.drawn))))


def place_by_hand(hand: Hand, place: str, box: int, index: int) -> bool:
    """Whether the card of this place was, or is to be, dealt by hand."""
    lying = {"dealer": hand.dealer, "dealer_draw": hand.dealer_drawn}.get(place)
    if lying is None:
        lying = hand.box(box).dealt if place == "box" else hand.box(box).drawn
    return index >= len(lying) or lying[index] == LAID
