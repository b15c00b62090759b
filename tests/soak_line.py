"""`make soak`: the device's line, long. Lossy lines by seed, fuzzed frames, plugs pulled; prints what failed first.

Not collected by pytest; the short forms are test_lossy.py and test_replug.py of tests/sim, test_fuzz.py of tests/wire.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "sim"), str(HERE / "wire"), str(HERE.parent)]

import fuzz  # noqa: E402 - found by the line above
import lossy  # noqa: E402
import replug  # noqa: E402

FUZZ_BLOCK = 100_000


def lines(seeds: int) -> str:
    """Every tenth in clear."""
    for seed in range(seeds):
        try:
            lossy.run(seed, sealed=seed % 10 != 9)
        except BaseException:
            print(f"soak: FAILED line, seed {seed}", flush=True)
            raise
    return f"{seeds} lossy lines"


def frames(count: int) -> str:
    """Into every kind of end."""
    for seed in range(-(-count // FUZZ_BLOCK)):
        try:
            fuzz.run(FUZZ_BLOCK, seed)
        except BaseException:
            print(f"soak: FAILED fuzz, seed {seed}", flush=True)
            raise
    return f"{count} fuzzed frames"


def plugs(count: int) -> str:
    """Pulled and put back; how long a device was away, and what that cost."""
    found = replug.run(count)
    return f"{count} plugs pulled, back within {found.slowest_s:.2f} s, {found.busy_s:.0f} s busy"


def main(seeds: int, count: int, pulled: int, wanted: Sequence[str]) -> None:
    """`tests/soak_line.py SEEDS FRAMES PLUGS [PART...]`: all parts where none is named."""
    parts: dict[str, Callable[[], str]] = {
        "lines": lambda: lines(seeds),
        "frames": lambda: frames(count),
        "plugs": lambda: plugs(pulled),
    }
    for name, part in parts.items():
        if wanted and name not in wanted:
            continue
        print(f"soak: {name} begins", flush=True)
        began = time.perf_counter(), time.process_time()
        told = part()
        took, busy = time.perf_counter() - began[0], time.process_time() - began[1]
        print(f"soak: OK {name}: {told}, {took:.0f} s ({busy:.0f} s of a core)", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]), sys.argv[4:])
