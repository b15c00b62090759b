"""Cards and joker as devices tell them: each card goes to the one place that is expected, or play is held.

Every numbered event becomes a record, wanted or not, so that it can be acknowledged; none is ever guessed.
"""

from __future__ import annotations

from controller.domain import cards
from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import by_hand, decks
from controller.domain.hand.distrust import ATTACKS, shuffler_line
from controller.domain.hand.expects import Expect, Want, expects
from controller.domain.hand.setup import Setup
from controller.domain.phases import AHEAD, HELD, Health, JokerPhase, Phase, next_joker, next_phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import (
    SHUFFLER,
    UNKNOWN,
    UNPAIRED,
    CardSource,
    Cause,
    FaceDown,
    FaceUp,
    Hand,
    ShoeMemory,
    Table,
)

Result = tuple[ev.Event, ...] | Rejection
DOUBLE_FEED = "double_feed"  # a note of the shoe


def card_in(table: Table, cmd: cm.CardIn, setup: Setup) -> Result:
    """One card from the shoe."""
    if cmd.event_no <= table.shoe.last_event:
        return _again(table, cmd.event_no, cmd.card)
    if cmd.event_no > table.shoe.last_event + 1:
        return ()  # an earlier one could not be recorded and will come again first
    want = expects(table, setup)
    if want.kind is Want.CARD and table.hand is not None:
        return _placed(table, table.hand, cmd, want, setup)
    return _unexpected(table, cmd)


def note_in(table: Table, cmd: cm.NoteIn, setup: Setup) -> Result:
    """A numbered event that is no card: recorded, so that it can be acknowledged."""
    memory, what = _memory(table, cmd.device), f"note:{cmd.kind}"
    if cmd.event_no <= memory.last_event and cmd.device == SHUFFLER:
        return decks.again(memory, cmd.event_no, what)
    if cmd.event_no <= memory.last_event:
        return _again(table, cmd.event_no, what)
    if cmd.event_no > memory.last_event + 1:
        return ()
    noted = ev.DeviceNoted(device=cmd.device, event_no=cmd.event_no, kind=cmd.kind, detail=cmd.detail)
    if cmd.device == SHUFFLER:
        return (noted,)
    wrong = decks.against_the_shoe(table, cmd.kind, cmd.detail, setup)
    if wrong:
        return (noted, *wrong)
    return (noted, *_double_fed(table, cmd.device)) if cmd.kind == DOUBLE_FEED else (noted,)


def _double_fed(table: Table, device: str) -> tuple[ev.Event, ...]:
    """Two cards left together and neither was told: both go aside, the place still waits for its card."""
    burned = ev.CardsBurned(device=device, count=2, reason=DOUBLE_FEED)
    hand = table.hand
    if hand is None or hand.phase not in HELD or table.cards is not CardSource.SHOE:
        return (burned,)
    early = hand.phase is Phase.BETTING  # as an early card: the deck was touched before the bets closed
    out = (ev.DeckQuarantined(reason=DOUBLE_FEED),) if early else ()
    return (burned, *out, *hold(hand, Cause.DOUBLE_FEED, None), ev.CallRaised(reason="double feed at the shoe"))


def _memory(table: Table, device: str) -> ShoeMemory:
    return table.shuffler if device == SHUFFLER else table.shoe


def _again(table: Table, event_no: int, what: str) -> Result:
    """A repeat: nothing where it equals the journalled event, a fault where it differs or is too old to tell."""
    known = dict(table.shoe.recent).get(event_no)
    if known in (what, ""):
        return ()
    detail = f"event {event_no} differs from the journal"
    if known is None:
        detail = f"event {event_no} is older than what is kept"
    if table.cards is not CardSource.SHOE:
        return (ev.DeviceTroubled(device="shoe", code=str(Cause.EVENT_DIFFERS), detail=detail),)
    return fault(table, Cause.EVENT_DIFFERS, detail)


def _placed(table: Table, hand: Hand, cmd: cm.CardIn, want: Expect, setup: Setup) -> Result:
    fits = cmd.card == UNKNOWN or _fits(hand, cmd.card, setup)
    dealt = ev.CardDealt(
        place=want.place,
        box=want.box,
        index=want.index,
        card=cmd.card,
        unread=cmd.card == UNKNOWN or not fits,
        reason=cmd.reason if fits else str(Cause.DECK_FAULT),
        device=cmd.device,
        event_no=cmd.event_no,
        trusted=cmd.trusted,
    )
    if not fits:  # a card twice, or one of another game: the deck is out, and nobody hears which card it was
        where = Expect(kind=Want.CARD, place=want.place, box=want.box, index=want.index)
        out = ev.DeckQuarantined(reason=str(Cause.DECK_FAULT))
        return (dealt, *decks.doubted(table, setup), out, *hold(hand, Cause.DECK_FAULT, where))
    if dealt.unread and hand.unread + 1 > setup.procedure.max_unknown:
        return (dealt, *hold(hand, Cause.TOO_MANY_UNREAD, want))
    return (dealt,)


def _fits(hand: Hand, card: str, setup: Setup) -> bool:
    """A card of this game's deck that has not been seen in this hand."""
    try:
        if cards.parse_card(card) not in cards.deck(setup.rules.deck_size):
            return False
    except cards.CardError:
        return False
    return card not in seen_cards(hand)


def seen_cards(hand: Hand) -> frozenset[str]:
    """Every card known to lie on the felt, face down or not. Inside the loop only."""
    return frozenset(s.card for s in by_hand.all_slots(hand) if isinstance(s, FaceDown | FaceUp))


def dealt(table: Table, hand: Hand, setup: Setup) -> Result:
    """The dealer affirms that the cards of the prompt lie there."""
    want = expects(table, setup)
    if want.kind is not Want.DEAL:
        return reject(Why.NOT_NOW, command="dealt", phase=hand.phase)
    return (by_hand.draws(hand.box(want.box)),) if want.place == "draw" else by_hand.stretch(hand, setup)


def _unexpected(table: Table, cmd: cm.CardIn) -> Result:
    refused = ev.CardRefused(device=cmd.device, event_no=cmd.event_no, reason=str(table.phase), trusted=cmd.trusted)
    hand = table.hand
    if hand is None or hand.phase not in HELD or table.cards is not CardSource.SHOE:
        return (refused,)
    early = hand.phase is Phase.BETTING
    if early:  # the deck was touched before the bets closed: it is not dealt any more
        return (refused, ev.DeckQuarantined(reason=str(Cause.EARLY_CARD)), *hold(hand, Cause.EARLY_CARD, None))
    return (refused, *hold(hand, Cause.EXTRA_CARD, None))


def hold(hand: Hand, cause: Cause, where: Expect | None) -> tuple[ev.Event, ...]:
    """Play holds for a supervisor."""
    assert next_phase(hand.phase, "irregularity") is Phase.IRREGULAR
    return (ev.Irregularity(cause=str(cause), place=where.place if where else "", box=where.box if where else 0),)


def fault(table: Table, cause: Cause, detail: str) -> tuple[ev.Event, ...]:
    """The table stops with a reason; once only for the same one."""
    if table.hand is not None and cause in table.hand.faults:
        return ()
    return (ev.FaultRaised(cause=str(cause), detail=detail),)


# --- lost events and devices -----------------------------------------------------------------------------------------


def lost_in(table: Table, cmd: cm.LostIn) -> Result:
    """Events that the shoe no longer has: never guessed. During a hand the table stops."""
    memory = _memory(table, cmd.device)
    if cmd.last <= memory.last_event:
        return ()
    first = max(cmd.first, memory.last_event + 1)
    missed = ev.EventsMissed(device=cmd.device, first=first, last=cmd.last)
    idle = table.cards is not CardSource.SHOE or cmd.device == SHUFFLER  # nothing of this hand comes from it any more
    if idle or table.hand is None or table.hand.phase in (Phase.DECK_CHECK, Phase.BETTING):
        return (missed,)
    return (missed, *fault(table, Cause.CARDS_LOST, f"{first}..{cmd.last}"))


CARDS_MOVE = frozenset({Phase.DEALING, Phase.DECISIONS, Phase.FAULT})


def doubt_in(table: Table, cmd: cm.DoubtIn, setup: Setup) -> Result:
    """A plain reader is not sure. Where cards may have moved, the table stops until somebody has counted them."""
    if cmd.event_no != table.shoe.last_event + 1:
        return ()
    if table.hand is None:
        return (ev.DeviceNoted(device=cmd.device, event_no=cmd.event_no, kind=cmd.reason, detail=""),)
    doubted = ev.ReadDoubted(device=cmd.device, event_no=cmd.event_no, reason=cmd.reason, raw=cmd.raw)
    expected = expects(table, setup).kind is Want.CARD
    quiet = not expected and (cmd.reason == "away" or table.hand.phase not in CARDS_MOVE)
    if quiet or table.cards is not CardSource.SHOE:
        return (doubted,)
    return (doubted, *fault(table, Cause.READS_DOUBTED, cmd.reason))


def device_in(table: Table, cmd: cm.DeviceIn) -> Result:
    """A device introduced itself. Another serial number or firmware in mid-hand is a fault (DEVICE_CHANGED)."""
    up = ev.DeviceUp(
        device=cmd.device,
        model=cmd.model,
        serial=cmd.serial,
        firmware=cmd.firmware,
        boot_id=cmd.boot_id,
        log_last=cmd.log_last,
        sealed=cmd.sealed,
    )
    if cmd.device == SHUFFLER:
        return decks.shuffler_in(table, up)
    shoe = table.shoe
    if cmd.device == "shoe" and not shoe.owner and cmd.log_last > 0:  # whatever its log holds was dealt elsewhere
        return (up, ev.ShoeAdopted(event_no=cmd.log_last))
    if cmd.device != "shoe" or table.hand is None or table.cards is not CardSource.SHOE:
        return (up,)
    if shoe.serial and (shoe.serial, shoe.firmware) != (cmd.serial, cmd.firmware):
        detail = f"{cmd.model} {cmd.serial} firmware {cmd.firmware} in place of {shoe.serial} {shoe.firmware}"
        return (up, *fault(table, Cause.DEVICE_CHANGED, detail))
    return (up,)


def paired_in(cmd: cm.PairedIn) -> Result:
    """A device has a new key."""
    who = (cmd.device, cmd.model, cmd.serial, cmd.firmware)
    named = dict(zip(("device", "model", "serial", "firmware"), who, strict=True))
    return (ev.DevicePaired(**named, key_id=cmd.key_id, operators=cmd.operators),)


def missing(table: Table, device: str) -> Why:
    """Why a device that does not serve is missing, as far as the table knows."""
    return Why.NOT_PAIRED if table.refuses(device) == UNPAIRED else Why.DEVICE


def device_out(table: Table, cmd: cm.DeviceOut) -> Result:
    """A device is gone; once. One that was never ready is gone when what it refused is no news any more."""
    refused = table.refuses(cmd.device) not in ("", UNPAIRED)
    if table.devices.get(cmd.device, Health.ABSENT) is Health.ABSENT and not refused:
        return ()
    return (ev.DeviceDown(device=cmd.device, reason=cmd.reason),)


CARD_AT_SHOE = {
    "half_drawn": "shoe: a card is half drawn, draw it out",
    "unknown": "shoe: look whether a card sticks in it",
}
"""Where a card is when the shoe introduces itself in a hand; whatever comes of it the shoe tells by its events."""

STOPPING_CODES = frozenset({"log_restarted", *ATTACKS})


def trouble_in(table: Table, cmd: cm.TroubleIn) -> Result:
    """A device misbehaves: noted; a shoe whose log cannot be trusted stops a running hand, a shuffler calls people."""
    noted = ev.DeviceTroubled(device=cmd.device, code=cmd.code, detail=cmd.detail)
    if cmd.code == AHEAD and (cmd.device != "shoe" or table.shoe.serial != table.shoe.owner):
        return (noted,)  # another shoe's numbers say nothing of this journal
    serving = table.hand is not None and table.cards is CardSource.SHOE
    if cmd.code == AHEAD and serving:
        return (noted, *fault(table, Cause.OLD_JOURNAL, cmd.detail))
    if cmd.device == "shoe" and cmd.code in STOPPING_CODES and serving:
        return (noted, *fault(table, Cause.SHOE, f"{cmd.code}: {cmd.detail}"))
    if cmd.device == "shoe" and cmd.code == "card_position" and serving and not table.call:
        return (noted, ev.CallRaised(reason=CARD_AT_SHOE[cmd.detail]))
    return (noted, *shuffler_line(table, cmd))


# --- the board -------------------------------------------------------------------------------------------------------


def board_shows(hand: Hand) -> Result:
    """The joker stands on the board and was read back: public from now on."""
    if next_joker(hand.joker, "show") is not JokerPhase.SHOWN or hand.slot is None:
        return ()
    return (ev.JokerShown(slot=str(hand.slot), by="board"),)


def board_fails(table: Table, cmd: cm.BoardFails) -> Result:
    """A wrong read-back while the joker is to be shown stops the hand; it never draws again."""
    hand = table.hand
    noted: tuple[ev.Event, ...] = ()
    if str(table.devices.get("board")) == "ready":
        noted = (ev.DeviceTroubled(device="board", code="read_back", detail=cmd.detail),)
    if hand is None or hand.joker is not JokerPhase.DRAWN:
        return noted
    return (*noted, *fault(table, Cause.BOARD, cmd.detail))


def time_out(hand: Hand) -> Result:
    """STOP was not pressed: the dealer may draw by START."""
    if hand.joker is not JokerPhase.ARMED or hand.stop_late:
        return ()
    return (ev.StopTimedOut(),)
