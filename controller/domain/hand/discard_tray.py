"""The reader at the discard tray: an observation of its own of every card, and the discards named without keys.

What it sees is recorded sealed. Of the comparison with the record only counts leave, and only after the hand's end.
"""

from __future__ import annotations

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand import settling
from controller.domain.hand.expects import Want, expects
from controller.domain.hand.setup import Setup
from controller.domain.phases import Health
from controller.domain.rejections import Rejection
from controller.domain.state import Table
from controller.domain.tray import compare

TRAY = "tray"


def tray_in(table: Table, cmd: cm.TrayIn, setup: Setup) -> tuple[ev.Event, ...]:
    """A card at the tray. Where the turned box's discards are asked for and it is one of its cards, it is named."""
    hand = table.hand
    if hand is None:  # a closed table: there is no key to seal it with, and nothing to compare
        return ()
    read = ev.TrayRead(device=cmd.device, card=cmd.card)
    want = expects(table, setup)
    box = hand.box(want.box) if want.kind is Want.DISCARDS else None
    if box is None or cmd.card in (box.discards or ()) or cmd.card not in settling.discardable(box, setup):
        return (read,)
    named = settling.discarded(hand, cm.NameDiscards(box=box.box, cards=cmd.card), setup)
    return (read,) if isinstance(named, Rejection) else (read, *named)


def compared(table: Table) -> tuple[ev.Event, ...]:
    """Before the next LOCK, and at the table's close: tray against record of the hand that ended."""
    tray = table.tray
    here = table.devices.get(TRAY, Health.ABSENT) is not Health.ABSENT
    if not tray.hand or not (here or tray.seen) or table.hand is None:
        return ()
    found = compare(tray)
    if not found.any:
        return ()
    names = {"never dealt": found.never_dealt, "twice": found.twice, "missing": found.missing}
    counts = {"never dealt": found.strangers, "seen twice": len(found.twice), "missing": found.lost}
    detail = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return (
        ev.TrayDiffers(
            hand=tray.hand,
            never_dealt=found.strangers,
            twice=len(found.twice),
            missing=found.lost,
            cards="; ".join(f"{what}: {' '.join(cards)}" for what, cards in names.items() if cards),
        ),
        ev.AlarmRaised(id=table.next_alarm, code="discard_tray", subject=f"hand {tray.hand}", detail=detail),
    )
