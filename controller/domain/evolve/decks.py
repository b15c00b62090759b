"""Folds of decks and of what a shuffler tells."""

from __future__ import annotations

from controller.domain import decks
from controller.domain import events as ev
from controller.domain.decks import Deck, DeckPlace
from controller.domain.evolve.folding import heard, on, replace
from controller.domain.phases import Phase
from controller.domain.state import Table

_MOVES: dict[str, dict[DeckPlace, DeckPlace]] = {
    "deck_in": dict.fromkeys((DeckPlace.ASIDE, DeckPlace.OUT, *decks.IN_MACHINE), DeckPlace.MACHINE),
    # A deck that is out cannot be shuffled: whoever says so has not counted what lies there.
    "shuffle_started": {DeckPlace.OUT: DeckPlace.ASIDE, **dict.fromkeys(decks.IN_MACHINE, DeckPlace.SHUFFLING)},
    "shuffle_done": {DeckPlace.OUT: DeckPlace.ASIDE},  # what else it means: DeckVerified, DeckQuarantined
    "shuffle_failed": {DeckPlace.OUT: DeckPlace.ASIDE, **dict.fromkeys(decks.IN_MACHINE, DeckPlace.FAILED)},
    "deck_out": {
        **dict.fromkeys(decks.IN_MACHINE, DeckPlace.ASIDE),
        DeckPlace.READY: DeckPlace.OUT,
    },
}


def moved(table: Table, mark: str, place: DeckPlace, reason: str = "") -> Table:
    """The deck of this mark at another place."""
    return replace(
        table,
        decks=tuple(replace(d, place=place, reason=reason) if d.mark == mark else d for d in table.decks),
    )


@on(ev.ShufflerTold)
def _shuffler_told(table: Table, event: ev.ShufflerTold) -> Table:
    what = f"{event.kind}:{event.deck}:{event.count}:{event.doubles}:{event.unread}"
    table = heard(table, event.device, event.event_no, what)
    known = decks.find(table.decks, event.deck)
    if known is None:
        offered = Deck(mark=event.deck, place=DeckPlace.OFFERED)
        return replace(table, decks=(*table.decks, offered)) if event.kind == "deck_in" else table
    if known.place is DeckPlace.OFFERED and event.kind == "deck_out":
        return replace(table, decks=tuple(d for d in table.decks if d != known))
    place = _MOVES.get(event.kind, {}).get(known.place)
    if (event.kind, known.place, table.phase) == ("deck_in", DeckPlace.PLAY, Phase.SETTLING):
        place = DeckPlace.MACHINE  # a quick dealer: the last boxes are being paid
    if place is DeckPlace.OUT and not table.open:
        place = DeckPlace.ASIDE  # nobody watches it
    return table if place is None else moved(table, event.deck, place)


@on(ev.ShufflerAdopted)
def _shuffler_adopted(table: Table, event: ev.ShufflerAdopted) -> Table:
    """Whatever lies in it was put there out of sight."""
    memory = table.shuffler
    table = replace(table, shuffler=replace(memory, owner=memory.serial, last_event=event.event_no, recent=()))
    return _unseen(table)


def _unseen(table: Table) -> Table:
    doubtful = {*decks.IN_MACHINE, DeckPlace.OUT}  # one that is out may have been in again
    found = tuple(replace(d, place=DeckPlace.ASIDE) if d.place in doubtful else d for d in table.decks)
    return replace(table, decks=tuple(d for d in found if d.place is not DeckPlace.OFFERED))


def shuffler_missed(table: Table) -> Table:
    """Events of the shuffler are lost for good: what it holds must be put in again."""
    return _unseen(table)


@on(ev.DeckVerified)
def _deck_verified(table: Table, event: ev.DeckVerified) -> Table:
    return moved(table, event.deck, DeckPlace.READY)


@on(ev.DeckBrought)
def _deck_brought(table: Table, event: ev.DeckBrought) -> Table:
    if decks.find(table.decks, event.deck) is not None:
        return moved(table, event.deck, DeckPlace.MACHINE)
    return replace(table, decks=(*table.decks, Deck(mark=event.deck, place=DeckPlace.ASIDE)))


@on(ev.DeckTaken)
def _deck_taken(table: Table, event: ev.DeckTaken) -> Table:
    table = replace(table, quarantined="", deck_source=event.source, given=0)
    if event.source == "supervisor":
        table = replace(table, deck_hands=0, deck_minutes=0, stub_hands=0)
    return moved(replace(table, deck=event.deck or table.deck), event.deck, DeckPlace.PLAY)


@on(ev.DeckQuarantined)
def _deck_quarantined(table: Table, event: ev.DeckQuarantined) -> Table:
    """The deck in play, where no other is named: then nothing is dealt until there is another one."""
    mark = event.deck or table.deck
    table = moved(table, mark, DeckPlace.QUARANTINED, event.reason)
    return replace(table, quarantined=event.reason) if event.deck in ("", table.deck) else table


@on(ev.DeckRetired)
def _deck_retired(table: Table, event: ev.DeckRetired) -> Table:
    if decks.find(table.decks, event.deck) is not None:
        return moved(table, event.deck, DeckPlace.RETIRED, event.reason)
    return replace(table, quarantined=event.reason)


@on(ev.DeckAged)
def _deck_aged(table: Table, event: ev.DeckAged) -> Table:
    aged = tuple(replace(d, minutes=d.minutes + event.minutes) if d.usable else d for d in table.decks)
    return replace(table, decks=aged, deck_minutes=table.deck_minutes + event.minutes)


@on(ev.StubCounted)
def _stub_counted(table: Table, event: ev.StubCounted) -> Table:
    return replace(table, stub_hands=0)


def hand_over(table: Table, dealt: int, played: bool) -> Table:
    """A hand has ended, and so many cards had left the deck: it is used, and a hand older."""
    if not dealt:
        back = DeckPlace.OUT if played else DeckPlace.ASIDE
        return _put_down(table, back, hands=0)
    stub = table.stub_hands + (table.deck_source != "shuffler")
    return _put_down(replace(table, dealt=dealt, deck_hands=table.deck_hands + 1, stub_hands=stub), DeckPlace.ASIDE, 1)


def _put_down(table: Table, place: DeckPlace, hands: int) -> Table:
    found = (
        replace(d, place=place if d.place is DeckPlace.PLAY else d.place, hands=d.hands + hands)
        if d.mark == table.deck
        else d
        for d in table.decks
    )
    return replace(table, decks=tuple(found))


def put_away(table: Table) -> Table:
    """The table is closed: a deck that stood ready to be dealt is not watched over night."""
    found = (replace(d, place=DeckPlace.ASIDE) if d.place is DeckPlace.OUT else d for d in table.decks)
    return replace(table, decks=tuple(found))
