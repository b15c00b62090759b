"""A person at the bench types what happens: a fault, a switch, a scan, a deck. Reads lines; the bench does it."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterable

from drivers.wire.decks import is_mark
from firmware_sim.bench import Bench
from firmware_sim.errors import BenchError
from firmware_sim.faults import WHAT, parse
from firmware_sim.world import is_card

NOW = 0


def listen(bench: Bench, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """`NAME` happens now, `NAME@HAND` in that hand; `pairing`, `scan CARD`, `deck_in MARK`, `deck_out`.

    Until the input ends. In the background a terminal gives an error, not a stopped bench: nobody types there.
    """
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        for line in lines:
            if line.strip():
                say(_typed(bench, line.strip()))


def _typed(bench: Bench, text: str) -> str:
    try:
        return f"{text}: {_happen(bench, text)}"
    except BenchError as error:
        return error.line()


def _happen(bench: Bench, text: str) -> str:
    """Does it; what that was."""
    match text.split():
        case ["pairing"]:
            bench.open_pairing()
            return "shoe and shuffler take a new key for a minute"
        case ["scan", card]:
            return f"printed at {bench.scan(_card(card)).name}"
        case ["deck_in", mark]:
            bench.put_deck(_mark(mark))
            return "in the shuffler"
        case ["deck_out"]:
            bench.take_deck()
            return "out of the shuffler"
        case _:
            return _fault(bench, text)


def _fault(bench: Bench, text: str) -> str:
    fault, hand = parse(text, NOW)
    if hand == NOW:
        bench.inject(fault)
    else:
        bench.plan_fault(fault, hand)
    return WHAT[fault]


def _card(text: str) -> str:
    if not is_card(text):
        raise BenchError(730, "no such card", text, "use As, Td, 7c ... or JK")
    return text


def _mark(text: str) -> str:
    if not is_mark(text):
        raise BenchError(731, "no mark of a deck", text, "use 1 to 12 letters, digits or -")
    return text
