"""From what devices say to what the table is asked. Pure: one table of translations, no state, no decision."""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain.state import UNKNOWN
from drivers.events import (
    BadgeRead,
    CardRead,
    DeckTold,
    DeviceEvent,
    DeviceFault,
    DeviceLost,
    DeviceNote,
    DevicePaired,
    DeviceReady,
    DoubtfulRead,
    EventsLost,
    TrayRead,
)


def command_of(event: DeviceEvent) -> cm.Command:
    """The command that a device event amounts to."""
    match event:
        case CardRead():
            return cm.CardIn(
                device=event.device,
                event_no=event.event_no,
                card=event.card or UNKNOWN,
                reason=event.reason,
                trusted=event.trusted,
            )
        case DoubtfulRead():
            return cm.DoubtIn(device=event.device, event_no=event.event_no, reason=event.reason, raw=event.raw)
        case DeviceNote():
            return cm.NoteIn(device=event.device, event_no=event.event_no, kind=event.kind, detail=event.detail)
        case DeckTold():
            return cm.DeckSaid(
                device=event.device,
                event_no=event.event_no,
                kind=event.kind,
                deck=event.deck,
                count=event.count,
                doubles=event.doubles,
                unread=event.unread,
                reason=event.reason,
            )
        case EventsLost():
            return cm.LostIn(device=event.device, first=event.first, last=event.last)
        case DeviceReady():
            return cm.DeviceIn(
                device=event.device,
                model=event.model,
                serial=event.serial,
                firmware=event.firmware,
                boot_id=event.boot_id,
                log_last=event.log_last,
                sealed=event.sealed,
            )
        case TrayRead():
            return cm.TrayIn(device=event.device, card=event.card)
        case BadgeRead():
            raise ValueError("a badge is shown to the PIN desk, not to the table")
        case DevicePaired():
            raise ValueError("a new key goes to disk before the table hears of it")
        case DeviceLost():
            return cm.DeviceOut(device=event.device, reason=event.reason)
        case DeviceFault():
            return cm.TroubleIn(device=event.device, code=event.code, detail=event.detail)
