"""What the receipt printer prints: a jackpot's slip, a void hand's, the journal's head at the end of a shift.

Pure, from one snapshot to the next: public facts alone. English, with Russian beside it where the table speaks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from controller.table.projection import Snapshot

Head = Callable[[], tuple[int, str]]  # number and hash of the journal's last record
WIDTH = 32
RULE = "-" * WIDTH
WORDS = {
    "jackpot": ("JACKPOT AWARDED", "ДЖЕКПОТ ПОДТВЕРЖДЁН"),
    "void": ("HAND VOID, STAKES BACK", "РАЗДАЧА ОТМЕНЕНА, СТАВКИ НАЗАД"),
    "closed": ("TABLE CLOSED", "СТОЛ ЗАКРЫТ"),
    "shift": ("END OF SHIFT", "КОНЕЦ СМЕНЫ"),
    "table": ("table", "стол"),
    "hand": ("hand", "раздача"),
    "box": ("box", "бокс"),
    "prize": ("prize", "приз"),
    "record": ("record", "запись"),
    "dealer": ("dealer", "дилер"),
    "supervisor": ("supervisor", "инспектор"),
    "training": ("TRAINING, NO MONEY", "УЧЕБНЫЙ СТОЛ, БЕЗ ДЕНЕГ"),
}


def slips(before: Snapshot | None, now: Snapshot, language: str, when: str, head: Head) -> list[str]:
    """Whole slips, lines ended by newlines. `when`: a label. Nothing for what a run finds at its start."""
    if before is None:
        return []
    say = _Words(language)
    bodies = (*_jackpots(before, now, say), *_void(before, now, say), *_heads(before, now, say, head))
    return [_slip(now, body, say, when) for body in bodies]


class _Words:
    def __init__(self, language: str) -> None:
        self._at = 1 if language == "ru" else 0

    def __call__(self, key: str) -> str:
        return WORDS[key][self._at]


def _slip(now: Snapshot, body: list[str], say: _Words, when: str) -> str:
    head = [say("training")] if now.training else []
    return "\n".join([RULE, *head, f"{say('table')} {now.table}", when, *body, RULE, "", "", ""])


def awarded(before: Snapshot, now: Snapshot) -> list[dict[str, Any]]:
    """Hits that were awarded since. A hand is settled only when all of them are, and may end with the last award."""
    old = before.meters.get("hits", ())
    if before.hand == now.hand:
        known = {hit["hit"] for hit in old if hit["awarded"]}
        return [hit for hit in now.meters.get("hits", ()) if hit["awarded"] and hit["hit"] not in known]
    settled = (now.last_hand or {}).get("outcome") == "settled"
    return [hit for hit in old if not hit["awarded"]] if settled else []


def _jackpots(before: Snapshot, now: Snapshot, say: _Words) -> Iterator[list[str]]:
    for hit in awarded(before, now):
        numbers = [f"{say('hand')} {before.hand}  {say('box')} {hit['box']}", f"{say('prize')} {hit['prize']}"]
        yield [say("jackpot"), *numbers, *_signatures(say)]


def _signatures(say: _Words) -> list[str]:
    return [f"{say(who)} {'_' * (WIDTH - len(say(who)) - 1)}" for who in ("dealer", "supervisor")]


def _void(before: Snapshot, now: Snapshot, say: _Words) -> Iterator[list[str]]:
    last: dict[str, Any] = now.last_hand or {}
    if last.get("outcome") == "void" and last.get("hand") != (before.last_hand or {}).get("hand"):
        boxes = [f"{say('box')} {box['box']}  {box['ante']}" for box in last["boxes"]]
        yield [say("void"), f"{say('hand')} {last['hand']}", *boxes, *_signatures(say)]


def _heads(before: Snapshot, now: Snapshot, say: _Words, head: Head) -> Iterator[list[str]]:
    """The head of the chain, at the table's close and when a dealer leaves: an old copy put back is known by it."""
    left = before.signed_on.get("dealer")
    if before.open and not now.open:
        what = [say("closed")]
    elif left is not None and now.signed_on.get("dealer") != left:
        what = [say("shift"), f"{say('dealer')} {left}"]
    else:
        return
    seq, digest = head()
    parts = [digest[at : at + WIDTH] for at in range(0, len(digest), WIDTH)]
    yield [*what, f"{say('hand')} {now.hand}", f"{say('record')} {seq}", *parts, *_signatures(say)]
