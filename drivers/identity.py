"""A device that introduces itself, against the one trusted before: what differs, and whether that holds everything.

Pure; owns the words. Never decides to go on: a held device waits for people.
"""

from __future__ import annotations

from drivers.wire.messages import CardState, Hello

AHEAD = "acked_ahead"


def ahead(hello: Hello, last_event: int) -> bool:
    """Some journal had acknowledged events that this one does not know. One that knows no event yet says nothing."""
    return 0 < last_event < (hello.acked or 0)


def must_hold(hello: Hello, known: Hello | None, last_event: int) -> bool:
    """Another device, or a log that ends before the journal's last event: nothing is taken until people decide."""
    return (known is not None and hello.serial != known.serial) or hello.log_last < last_event


def differences(hello: Hello, known: Hello | None, last_event: int, excused: int) -> list[tuple[str, str]]:
    """Code and text of each fault that this introduction is. `excused`: an acknowledgement that people have judged."""
    found = []
    if known is not None and (hello.serial, hello.firmware) != (known.serial, known.firmware):
        was, now = f"{known.serial} {known.firmware}", f"{hello.serial} {hello.firmware}"
        found.append(("device_changed", f"was {was}, is {now}"))
    elif known is not None and hello.boot_id != known.boot_id:
        found.append(("rebooted", f"restarted, log ends at {hello.log_last}"))
    if hello.log_last < last_event:
        found.append(("log_restarted", f"its log ends at {hello.log_last}, the journal at {last_event}"))
    if ahead(hello, last_event) and (hello.acked or 0) > excused:
        what = f"events up to {hello.acked} were on record, this journal ends at {last_event}: an older copy?"
        found.append((AHEAD, what))
    if hello.card in (CardState.HALF_DRAWN, CardState.UNKNOWN):
        found.append(("card_position", hello.card.name.lower()))
    return found
