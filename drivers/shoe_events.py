"""What an EVENT of the shoe's protocol means to the table: a card as text, or a named note.

Owns the words; knows no session and no order. A kind that it does not know is a note `kind_<n>`, never a card, and what
such a note holds is not passed on: nobody here can tell what it is.
"""

from __future__ import annotations

from drivers.events import CardRead, DeviceNote
from drivers.wire.cards import CARD_TEXT
from drivers.wire.messages import COUNT_UNKNOWN, Event, EventKind, UnreadReason

_NOTES: dict[int, str] = {
    EventKind.DECK_LOADED: "deck_loaded",
    EventKind.LID_OPEN: "lid_open",
    EventKind.LID_CLOSED: "lid_closed",
    EventKind.JAM: "jam",
    EventKind.DOUBLE_FEED: "double_feed",
    EventKind.EMPTY: "shoe_empty",
    EventKind.CUT_CARD: "cut_card",
}


def told(device: str, event: Event, *, sealed: bool) -> CardRead | DeviceNote:
    """One numbered event, in the table's words. `sealed`: the shoe has proved who it is."""
    match event.kind:
        case EventKind.CARD:
            return CardRead(device, event.event_no, CARD_TEXT[event.value], trusted=sealed)
        case EventKind.CARD_UNREAD:
            return CardRead(device, event.event_no, None, UnreadReason(event.value).name.lower(), sealed)
        case _:
            return note(device, event)


def note(device: str, event: Event) -> DeviceNote:
    """An event that is no card."""
    match event.kind:
        case EventKind.DECK_LOADED:
            count = "unknown" if event.value == COUNT_UNKNOWN else str(event.value)
            return DeviceNote(device, event.event_no, _NOTES[event.kind], count)
        case kind if kind in _NOTES:
            return DeviceNote(device, event.event_no, _NOTES[kind])
        case kind:
            return DeviceNote(device, event.event_no, f"kind_{kind:02x}", f"unknown kind {kind:02x}")
