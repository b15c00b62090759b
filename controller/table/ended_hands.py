"""A journal file's events in order, hidden fields open where their hand has ended and revealed its key.

For offline statistics: reads, folds nothing, never uses a key before its commitment has been checked (journal.hands).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.domain.events import registry
from controller.errors import TableError
from controller.journal.codec import Codec, CodecError, Registry, read_body
from controller.journal.hands import Pair, decode_hand
from controller.journal.reader import Reader
from controller.journal.records import HAND_ENDED, HAND_OPENED, Record
from controller.journal.walk import Identity, identity


def records(path: Path) -> Iterator[Record]:
    """All records, oldest first. TableError 208 where one cannot be read; the chain is `audit`'s to verify."""
    events = Registry(registry())
    with Reader(path) as reader:
        at = 1
        try:
            who = identity(next(reader.rows(0), None))
            codec = Codec(events, who.journal_id, None)
            hand: list[Pair] = []
            for row in reader.rows(0):
                at = row.seq
                body = read_body(row.body)
                if not hand and body.type != HAND_OPENED:
                    yield codec.record(body, row.hash, None)
                    continue
                hand.append((row, body))
                if body.type == HAND_ENDED:
                    yield from _opened(who, events, hand)
                    hand = []
            if hand:
                yield from _opened(who, events, hand)
        except (CodecError, msgspec.MsgspecError) as error:
            what = f"the journal does not verify: record {at}: {error}"
            raise TableError(208, what, str(path), "run `tablectl audit` on the file", exit_code=3) from None


def _opened(who: Identity, events: Registry, hand: list[Pair]) -> tuple[Record, ...]:
    return decode_hand(who, events, hand[0][1].hand or 0, hand, None)[0].records
