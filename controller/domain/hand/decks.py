"""Decks: what the shuffler tells of them, who brings and checks them, when one may be dealt and when it is out of play.

A count is a claim: the shoe's own numbers are held against it. A deck that failed never comes back; a supervisor brings
another one. Knows numbers and marks, never a card.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import decks
from controller.domain import events as ev
from controller.domain.decks import GONE, MOST_DECKS, Deck, DeckPlace
from controller.domain.hand import distrust
from controller.domain.hand.setup import Setup
from controller.domain.phases import HELD, Health, Phase
from controller.domain.rejections import Rejection, Why, reject
from controller.domain.state import SHUFFLER, Cause, Hand, ShoeMemory, Table

Result = tuple[ev.Event, ...] | Rejection
Events = tuple[ev.Event, ...]
WRONG, CONTRADICTED, LIFE, CHANGE = "wrong_deck", "count_contradicted", "life", "change"


# --- what the shuffler tells -----------------------------------------------------------------------------------------


def told(table: Table, cmd: cm.DeckSaid, setup: Setup) -> Result:
    """One numbered event of the shuffler, and what it means for its deck."""
    memory = table.shuffler
    if cmd.event_no <= memory.last_event:
        return _again(memory, cmd)
    if cmd.event_no > memory.last_event + 1:
        return ()
    said = ev.ShufflerTold(
        device=cmd.device,
        event_no=cmd.event_no,
        kind=cmd.kind,
        deck=cmd.deck,
        count=cmd.count,
        doubles=cmd.doubles,
        unread=cmd.unread,
        reason=cmd.reason,
    )
    return (said, *_meaning(table, cmd, setup))


def _again(memory: ShoeMemory, cmd: cm.DeckSaid) -> Events:
    what = f"{cmd.kind}:{cmd.deck}:{cmd.count}:{cmd.doubles}:{cmd.unread}"
    return again(memory, cmd.event_no, what)


def again(memory: ShoeMemory, event_no: int, what: str) -> Events:
    """A repeat of the shuffler: nothing where it is equal, else noted; no hand hangs on it."""
    if dict(memory.recent).get(event_no) in (what, ""):
        return ()
    detail = f"event {event_no} differs from the journal, or is older than what is kept"
    return (ev.DeviceTroubled(device=SHUFFLER, code=str(Cause.EVENT_DIFFERS), detail=detail),)


def _meaning(table: Table, cmd: cm.DeckSaid, setup: Setup) -> Events:
    known = decks.find(table.decks, cmd.deck)
    match cmd.kind:
        case "deck_in":
            return _put_in(table, cmd.deck, known, setup)
        case "shuffle_done" if known is not None and known.place in decks.IN_MACHINE:
            return _counted(table, cmd, setup)
        case "shuffle_done" | "shuffle_started" if known is not None and known.place is DeckPlace.PLAY:
            return (*_out_of_play(known.mark, WRONG), *_held(table))  # it cannot be in the machine and in the shoe
        case "shuffle_failed" if known is not None and known.usable:
            return (ev.CallRaised(reason=f"shuffle of {cmd.deck} failed: {cmd.reason}"),)
        case _:
            return ()


def _put_in(table: Table, mark: str, known: Deck | None, setup: Setup) -> Events:
    if known is None:
        if sum(deck.usable for deck in table.decks) >= MOST_DECKS or not decks.is_mark(mark):
            return _out_of_play(mark, WRONG)
        return (ev.CallRaised(reason=f"deck {mark} in the shuffler: accept it?"),)
    if known.place is DeckPlace.PLAY and table.phase is not Phase.SETTLING:
        return (*_out_of_play(mark, WRONG), *_held(table))
    if known.place in GONE:
        return (ev.CallRaised(reason=f"deck {mark} is out of play: take it away"),)
    if decks.worn(known.hands, known.minutes, setup.decks):
        return _retired(known, LIFE)
    return ()


def _counted(table: Table, cmd: cm.DeckSaid, setup: Setup) -> Events:
    """All cards of the game, each once as far as the machine sees faces; else the deck leaves the table."""
    sees_none = not setup.decks.inspects and cmd.unread == cmd.count
    wrong = {
        "wrong_count": cmd.count != setup.rules.deck_size,
        "card_twice": cmd.doubles > 0,
        "card_unread": cmd.unread > 0 and not sees_none,
    }
    reasons = [reason for reason, found in wrong.items() if found]
    if reasons:
        return _out_of_play(cmd.deck, reasons[0])
    by = table.shuffler
    verified = ev.DeckVerified(
        deck=cmd.deck,
        count=cmd.count,
        model=by.model,
        serial=by.serial,
        firmware=by.firmware,
        sealed=by.sealed,
        dealer=table.signed_on.get("dealer", ""),
        inspector=table.signed_on.get("inspector", ""),
        inspected=setup.decks.inspects,
    )
    return (verified,)


def _out_of_play(mark: str, reason: str) -> Events:
    return (ev.DeckQuarantined(reason=reason, deck=mark), ev.CallRaised(reason=f"deck {mark}: {reason}"))


def _held(table: Table) -> Events:
    """The cards on the felt are not those that were counted: a supervisor decides."""
    return (ev.Irregularity(cause=str(Cause.DECK_FAULT)),) if table.phase in HELD else ()


def _retired(deck: Deck, reason: str) -> Events:
    gone = ev.DeckRetired(deck=deck.mark, hands=deck.hands, minutes=deck.minutes, reason=reason)
    return (gone, ev.CallRaised(reason=f"deck {deck.mark}: change it"))


def shuffler_in(table: Table, up: ev.DeviceUp) -> Events:
    """A machine that is new here, or another one than before: what its log holds happened elsewhere."""
    memory = table.shuffler
    new = not memory.owner and up.log_last > 0
    other = memory.owner not in ("", up.serial)
    return (up, ev.ShufflerAdopted(event_no=up.log_last)) if new or other else (up,)


def adopted(table: Table) -> Events:
    """On a supervisor's word a log that began anew goes on: nothing in the machine is taken for counted."""
    memory = table.shuffler
    doubted = bool(memory.serial) and memory.log_last < memory.last_event
    return (ev.ShufflerAdopted(event_no=memory.log_last),) if doubted else ()


# --- the shoe's numbers against the shuffler's -----------------------------------------------------------------------


def against_the_shoe(table: Table, kind: str, detail: str, setup: Setup) -> Events:
    """A note of the shoe that counts the cards of a deck which the shuffler has counted before."""
    size = setup.rules.deck_size
    if not setup.decks.shuffler:
        return ()
    if kind == "deck_loaded" and detail.isdecimal() and int(detail) != size:
        deck = decks.at(table.decks, DeckPlace.OUT, DeckPlace.PLAY)
        return _contradicted(table, deck, int(detail), size) if deck is not None else ()
    if kind == "shoe_empty" and table.given not in (None, size) and table.deck_source == SHUFFLER:
        return _contradicted(table, decks.at(table.decks, DeckPlace.PLAY), table.given or 0, size)
    return ()


def _contradicted(table: Table, deck: Deck | None, shoe: int, size: int) -> Events:
    if deck is None:
        return ()
    said = ev.DeviceTroubled(device=SHUFFLER, code=CONTRADICTED, detail=f"it counted {size} cards, the shoe {shoe}")
    return (said, *_out_of_play(deck.mark, CONTRADICTED), *_held(table))


def doubted(table: Table, setup: Setup) -> Events:
    """A card came that cannot be in a deck of which the shuffler said that each card is there once."""
    if table.deck_source != SHUFFLER or not setup.decks.inspects:
        return ()
    return (ev.DeviceTroubled(device=SHUFFLER, code=CONTRADICTED, detail="it verified a deck that is faulty"),)


# --- people ----------------------------------------------------------------------------------------------------------


def bring(table: Table, hand: Hand, cmd: cm.Deck, setup: Setup) -> Result:
    """A supervisor brings a deck, accepts the one in the machine, vouches for one, or has one changed (`out`)."""
    if not setup.decks.shuffler:
        return _named(table, hand, cmd)
    if not decks.is_mark(cmd.deck):
        return reject(Why.BAD_ARGUMENT, what="deck: its mark, 1 to 12 letters, digits or -")
    old, new = decks.find(table.decks, cmd.out), decks.find(table.decks, cmd.deck)
    if new is not None and new.place in GONE:
        return reject(Why.DECK_BARRED, deck=cmd.deck)
    if cmd.out and (old is None or not old.usable or old.place is DeckPlace.PLAY):
        return reject(Why.BAD_ARGUMENT, what=f"out: {cmd.out} is no deck of this table that lies aside")
    if new is not None and new.usable:
        return _vouched(table, hand, new)
    if sum(deck.usable for deck in table.decks if deck != old) >= MOST_DECKS:
        return reject(Why.TWO_DECKS)
    gone = _retired(old, CHANGE)[:1] if old is not None else ()
    brought = (*gone, *adopted(table), ev.DeckBrought(deck=cmd.deck), *_answered(table))
    return brought if connected(table) or not _may_take(table, hand) else (*brought, _taken(cmd.deck))


def _answered(table: Table) -> Events:
    return (ev.CallCleared(),) if table.call else ()


def connected(table: Table) -> bool:
    """Whether a shuffler counts decks now, and may be believed."""
    return not distrust.doubted(table) and table.devices.get(SHUFFLER, Health.ABSENT) in (Health.READY, Health.DEGRADED)


def _vouched(table: Table, hand: Hand, deck: Deck) -> Result:
    """Without its shuffler, or one to be believed, the table goes on with a deck that people have counted."""
    if connected(table):
        return reject(Why.SHUFFLER_COUNTS, deck=deck.mark)
    if not _may_take(table, hand):
        return reject(Why.NOT_NOW, command="deck", phase=hand.phase)
    return (*adopted(table), _taken(deck.mark), *_answered(table))


def _may_take(table: Table, hand: Hand) -> bool:
    return hand.phase is Phase.DECK_CHECK or (hand.phase is Phase.BETTING and bool(table.quarantined))


def _taken(mark: str) -> ev.DeckTaken:
    return ev.DeckTaken(deck=mark, source="supervisor")


def _named(table: Table, hand: Hand, cmd: cm.Deck) -> Result:
    """No shuffler: the supervisor answers for the deck."""
    if not _may_take(table, hand):
        return reject(Why.NOT_NOW, command="deck", phase=hand.phase)
    if not cmd.deck.strip():
        return reject(Why.BAD_ARGUMENT, what="deck: name the deck's id")
    return (_taken(cmd.deck),)


def stub_count(table: Table, hand: Hand, cmd: cm.StubCount, setup: Setup) -> Result:
    """The cards that the last hand has left; -1: another number than expected, the deck is out."""
    if hand.phase is not Phase.DECK_CHECK or not stub_due(table, setup):
        return reject(Why.NOT_NOW, command="stub_count", phase=hand.phase)
    if not -1 <= cmd.number <= setup.rules.deck_size:
        return reject(Why.BAD_ARGUMENT, what=f"number {cmd.number}: 0 to {setup.rules.deck_size} cards")
    expected = stub(table, setup)
    counted = ev.StubCounted(expected=expected, counted=cmd.number)
    if cmd.number == expected:
        return (counted,)
    return (counted, ev.DeckQuarantined(reason="stub"), ev.CallRaised(reason="stub count differs"))


# --- the next hand's deck --------------------------------------------------------------------------------------------


def stub_due(table: Table, setup: Setup) -> bool:
    """Nobody has counted for so many hands."""
    return 0 < setup.decks.stub_hands <= table.stub_hands and not table.quarantined


def stub(table: Table, setup: Setup) -> int:
    """How many cards the last hand must have left."""
    return setup.rules.deck_size - table.dealt


def next_deck(table: Table, setup: Setup) -> Events:
    """The deck of the next hand, once there is one; or why the one there was is no more."""
    if stub_due(table, setup):
        return ()
    if setup.decks.shuffler:
        if distrust.doubted(table):
            return ()
        out = decks.at(table.decks, DeckPlace.OUT)
        return (ev.DeckTaken(deck=out.mark, source=SHUFFLER),) if out is not None else ()
    if table.quarantined:
        return ()
    if decks.worn(table.deck_hands, table.deck_minutes, setup.decks):
        worn = ev.DeckRetired(deck=table.deck, hands=table.deck_hands, minutes=table.deck_minutes, reason=LIFE)
        return (worn, ev.CallRaised(reason="deck life is over"))
    return (ev.DeckTaken(deck="", source="unchecked"),)


def lies_there(table: Table, found: Events, setup: Setup) -> bool:
    """The next hand has its deck: taken now, or just before on a supervisor's word."""
    taken = setup.decks.shuffler and decks.at(table.decks, DeckPlace.PLAY) is not None
    return taken or any(isinstance(event, ev.DeckTaken) for event in found)
