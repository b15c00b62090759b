"""`make soak`: the device's line, long. Lossy lines by seed, fuzzed frames, plugs pulled; prints what failed first.

Not collected by pytest; the short forms are test_lossy.py and test_replug.py of tests/sim, test_fuzz.py of tests/wire.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "sim"), str(HERE / "wire"), str(HERE.parent)]

import fuzz  # noqa: E402 - found by the line above
import lossy  # noqa: E402
import replug  # noqa: E402

FUZZ_BLOCK = 100_000


def lines(seeds: int) -> None:
    """Every tenth in clear."""
    for seed in range(seeds):
        try:
            lossy.run(seed, sealed=seed % 10 != 9)
        except BaseException:
            print(f"soak: FAILED line, seed {seed}", flush=True)
            raise


def frames(count: int) -> None:
    """Into every kind of end."""
    for seed in range(-(-count // FUZZ_BLOCK)):
        try:
            fuzz.run(FUZZ_BLOCK, seed)
        except BaseException:
            print(f"soak: FAILED fuzz, seed {seed}", flush=True)
            raise


def main() -> None:
    """`tests/soak_line.py SEEDS FRAMES PLUGS`."""
    seeds, count, plugs = (int(word) for word in sys.argv[1:4])
    start = time.perf_counter()
    lines(seeds)
    print(f"soak: OK {seeds} lossy lines, {time.perf_counter() - start:.0f} s", flush=True)
    frames(count)
    print(f"soak: OK {count} fuzzed frames, {time.perf_counter() - start:.0f} s", flush=True)
    found = replug.run(plugs)
    cost = f"back within {found.slowest_s:.2f} s, {found.busy_s:.0f} s busy"
    print(f"soak: OK {plugs} plugs pulled, {cost}, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
