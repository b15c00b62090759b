"""A person at the bench types the name of a fault, and it happens. Reads lines; knows names and nothing else."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterable

from firmware_sim.bench import Bench
from firmware_sim.errors import BenchError
from firmware_sim.faults import WHAT, parse

NOW = 0


def listen(bench: Bench, lines: Iterable[str], say: Callable[[str], None]) -> None:
    """`NAME` happens now, `NAME@HAND` in that hand; until the input ends.

    In the background a terminal gives an error, not a stopped bench: nobody types there.
    """
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        for line in lines:
            if line.strip():
                say(_happen(bench, line.strip()))


def _happen(bench: Bench, text: str) -> str:
    try:
        fault, hand = parse(text, NOW)
        if hand == NOW:
            bench.inject(fault)
        else:
            bench.plan_fault(fault, hand)
    except BenchError as error:
        return error.line()
    return f"{text}: {WHAT[fault]}"
