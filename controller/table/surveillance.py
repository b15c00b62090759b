"""What the surveillance overlay is told: one line for each public change, and marks to find the place in the video.

Pure: from one snapshot to the next, and snapshots have no room for a hidden card. English and ASCII only.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.table.projection import PublicBox, Snapshot
from controller.table.slips import awarded


def lines(before: Snapshot | None, now: Snapshot) -> list[str]:
    """Lines without their end. `before` None: the first look of a run."""
    head = f"{now.table}{' TRAINING' if now.training else ''} #{now.hand}"
    return [f"{head} {what}" for what in (*_changes(before, now), *_marks(before, now))]


def _changes(before: Snapshot | None, now: Snapshot) -> Iterator[str]:
    same_hand = before is not None and before.hand == now.hand
    if before is None or (before.phase, before.hand) != (now.phase, now.hand):
        yield now.phase.upper()
    yield from _ended(before, now) if before is not None else ()
    for role, who in now.signed_on.items():
        if before is None or before.signed_on.get(role) != who:
            yield f"{role.upper()} {who} ON"
    for role, who in before.signed_on.items() if before is not None else ():
        if role not in now.signed_on:
            yield f"{role.upper()} {who} OFF"
    yield from _joker(before if same_hand else None, now)
    known = {box.box: box for box in before.boxes} if before is not None and same_hand else {}
    for box in now.boxes:
        yield from _box(known.get(box.box), box)
    cards = " ".join(now.dealer.cards)
    if now.dealer.hand is not None and not (same_hand and before is not None and before.dealer.hand is not None):
        yield f"DEALER {cards} {now.dealer.hand} {'PLAYS' if now.dealer.plays else 'DOES NOT PLAY'}"


def _ended(before: Snapshot, now: Snapshot) -> Iterator[str]:
    """A hand ends with the last payment: what became of its last boxes stands in the account of it."""
    last = now.last_hand or {}
    if not last or last["hand"] == (before.last_hand or {}).get("hand"):
        return
    paid = {box.box for box in before.boxes if box.status == "paid"} if before.hand == last["hand"] else set()
    for box in last["boxes"]:
        if box["status"] == "paid" and box["box"] not in paid:
            answer = box["answer"] or {}
            yield f"BOX {box['box']} PAID {answer.get('returned', 0)} NET {answer.get('net', 0)}"
    yield f"HAND {last['hand']} {str(last['outcome']).upper()}"


def _joker(before: Snapshot | None, now: Snapshot) -> Iterator[str]:
    if now.joker is None:
        return
    old = before.joker if before is not None else None
    if now.joker.commitment and (old is None or old.commitment != now.joker.commitment):
        yield f"COMMITMENT {now.joker.commitment[:16]}"
    if now.joker.card is not None and (old is None or old.card is None):
        yield f"JOKER {now.joker.card}"


def _box(old: PublicBox | None, box: PublicBox) -> Iterator[str]:
    if box.decision is not None and (old is None or old.decision != box.decision):
        yield f"BOX {box.box} {box.decision.upper()} ANTE {box.ante}" + (f" BET {box.bet}" if box.bet else "")
    if box.count and (old is None or old.count != box.count):
        yield f"BOX {box.box} CHANGES {box.count}"
    if box.turned and (old is None or not old.turned):
        yield f"BOX {box.box} TURNED {' '.join((*box.cards, *box.drawn))}"
    if box.status == "paid" and (old is None or old.status != "paid"):
        yield f"BOX {box.box} PAID {box.returned} NET {box.net}"


def _marks(before: Snapshot | None, now: Snapshot) -> Iterator[str]:
    """Bookmarks: what somebody will want to look at."""
    if before is None:
        return
    held = {box.box for box in before.boxes if box.status == "held"} if before.hand == now.hand else set()
    for box in now.boxes:
        if box.status == "held" and box.box not in held:
            yield f"MARK {'DIFFERS' if now.call == f'felt differs at box {box.box}' else 'DISPUTE'} BOX {box.box}"
    cause = now.expects.get("cause")
    if cause and cause != before.expects.get("cause"):
        yield f"MARK {str(cause).replace('_', ' ').upper()}"
    last, old = now.last_hand or {}, before.last_hand or {}
    if last.get("hand") != old.get("hand") and last.get("outcome") == "void":
        yield f"MARK VOID HAND {last['hand']}"
    known = {(before.hand, hit["hit"]) for hit in before.meters.get("hits", ())}
    for hit in now.meters.get("hits", ()):
        if (now.hand, hit["hit"]) not in known:
            yield f"MARK JACKPOT HIT BOX {hit['box']} PRIZE {hit['prize']}"
    for hit in awarded(before, now):
        yield f"MARK JACKPOT AWARDED BOX {hit['box']} PRIZE {hit['prize']}"
    told = {alarm["id"] for alarm in before.alarms}
    for alarm in now.alarms:
        if alarm["id"] not in told:
            yield f"MARK ALARM {alarm['code']} {alarm['subject']}"
    if now.call and now.call != before.call:
        yield f"CALL {now.call}"
