"""Cards that lie where the record does not say, or that somebody saw: a supervisor's remedies, each on record.

What is refused here never depends on a face-down card but for "deck fault", which names none.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.cards import CardError, card_text, deck, parse_card
from controller.domain.choices import ExposedDealer, Exposure
from controller.domain.hand import early_bonus
from controller.domain.hand.dealing import seen_cards
from controller.domain.hand.expects import current_decider, public_cards
from controller.domain.hand.setup import Setup
from controller.domain.hand.trouble import ended_void
from controller.domain.phases import Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import Box, BoxStatus, FaceUp, Hand, Slot, Table, known

Result = tuple[ev.Event, ...] | Rejection
AFTER_THE_DEAL = (Phase.DECISIONS, Phase.REVEAL, Phase.SETTLING)
UNDECIDED = (Phase.DEALING, Phase.DECISIONS)


def swap_hands(hand: Hand, cmd: cm.SwapHands) -> Result:
    """Both hands, or neither, have been turned; neither is paid."""
    if not 1 <= cmd.target <= len(hand.boxes):
        return reject(Why.NO_SUCH_BOX, box=cmd.target, boxes=len(hand.boxes))
    first, second = hand.box(cmd.box), hand.box(cmd.target)
    alike = first.turned == second.turned and len(first.dealt) == len(second.dealt)
    if (
        hand.phase not in AFTER_THE_DEAL
        or first is second
        or not alike
        or early_bonus.begun(first, second)
        or not (_open(first) and _open(second))
    ):
        return reject(Why.NOT_NOW, command="swap_hands", phase=hand.phase)
    return (ev.HandsSwapped(first=first.box, second=second.box),)


def _open(box: Box) -> bool:
    """In play, not paid; a held box waits for just this."""
    return box.playing and box.status in (BoxStatus.OPEN, BoxStatus.HELD)


def reassign(hand: Hand, cmd: cm.Reassign, setup: Setup) -> Result:
    """The felt is right: this card lies there. One that was recorded at another open place changes with it."""
    box = hand.box(cmd.box)
    slots = {"box": box.dealt, "draw": box.drawn}.get(cmd.place, ())
    slot = slots[cmd.index - 1] if 1 <= cmd.index <= len(slots) else None
    if not isinstance(slot, FaceUp) or not box.turned or not _open(box) or box.declared is not None:
        return reject(Why.NOT_NOW, command="reassign", phase=hand.phase)
    try:
        card = parse_card(cmd.card)
    except CardError:
        return reject(Why.BAD_CARD, card=cmd.card)
    text = card_text(card)
    if card not in deck(setup.rules.deck_size) or text == slot.card:
        return reject(Why.BAD_CARD, card=cmd.card)
    if text in public_cards(hand) and text not in _movable(hand):
        return reject(Why.PUBLIC_CARD, card=text)
    if text in seen_cards(hand) - public_cards(hand):
        return reject(Why.DECK_FAULT)
    if any(early_bonus.begun(b) and {text, slot.card} & {known(s) for s in b.dealt} for b in hand.boxes):
        return reject(Why.NOT_NOW, command="reassign", phase=hand.phase)
    return (ev.CardReassigned(place=cmd.place, box=box.box, index=cmd.index - 1, card=text, was=slot.card),)


def _movable(hand: Hand) -> set[str]:
    """Open cards of boxes that are not paid: the record may have taken two places for each other."""
    slots: list[Slot] = [s for b in hand.boxes if b.turned and _open(b) for s in (*b.dealt, *b.drawn)]
    return {slot.card for slot in slots if isinstance(slot, FaceUp)}


def redirect(hand: Hand, cmd: cm.Redirect, setup: Setup) -> Result:
    """The last drawn card lay at another box, and nobody looked.

    It stays there where that box waits for one too; else (draws at once) it goes to the box that it was drawn for.
    """
    if not 1 <= cmd.target <= len(hand.boxes):
        return reject(Why.NO_SUCH_BOX, box=cmd.target, boxes=len(hand.boxes))
    source, target = hand.box(cmd.box), hand.box(cmd.target)
    lit = current_decider(hand, setup)  # the last card went to the lit box; whoever has decided has looked
    served = hand.phase is Phase.DECISIONS and lit is not None and lit.box == source.box and bool(source.drawn)
    if not served or target.box == source.box:
        return reject(Why.NOT_NOW, command="redirect", phase=hand.phase)
    if target.playing and target.awaits_draw:
        return (ev.CardRedirected(source=cmd.box, target=cmd.target),)
    if setup.procedure.draw_timing != "at_once":
        return reject(Why.NOT_NOW, command="redirect", phase=hand.phase)
    return (ev.CardMovedBack(box=source.box, lay_at=target.box),)


def exposed(table: Table, hand: Hand, cmd: cm.Exposed, setup: Setup) -> Result:
    """The house's procedure for a card that was seen before its time."""
    if hand.phase not in (*UNDECIDED, Phase.REVEAL) or hand.qualifies is not None:
        return reject(Why.NOT_NOW, command="exposed", phase=hand.phase)
    if not cmd.box:
        return _dealers(table, hand, setup)
    box = hand.box(cmd.box)
    if not box.playing or not box.dealt or box.turned:
        return reject(Why.NOT_NOW, command="exposed", phase=hand.phase)
    procedure = setup.procedure.exposed_player
    told = ev.CardExposed(box=box.box, procedure=str(procedure))
    match procedure:
        case Exposure.REPLACED if hand.phase is Phase.DEALING:
            return (told, ev.CardReplaced(box=box.box))
        case Exposure.WITHDRAWS:
            return (told, ev.BoxVoided(box=box.box, reason="exposed card"))
        case _:
            return (ev.CardExposed(box=box.box, procedure=str(Exposure.PLAYS)),)


def _dealers(table: Table, hand: Hand, setup: Setup) -> Result:
    """A hidden card of the dealer: before all have decided a misdeal, unless the house plays on."""
    if not hand.dealer:
        return reject(Why.NOT_NOW, command="exposed", phase=hand.phase)
    if ends_the_hand(hand, setup):
        return (ev.CardExposed(box=0, procedure="misdeal"), *ended_void(table, hand, "dealer's card exposed"))
    return (ev.CardExposed(box=0, procedure=str(Exposure.PLAYS)),)


def ends_the_hand(hand: Hand, setup: Setup) -> bool:
    """Whether the dealer's exposed card is a misdeal now."""
    return hand.phase in UNDECIDED and setup.procedure.exposed_dealer is ExposedDealer.MISDEAL
