"""`make soak`, the last part: the shuffler's plug is out for as many minutes as asked, at a real table in real time.

The hand goes on meanwhile; afterwards the same process has it back within seconds, and READY was said once. Not
collected by pytest; the short form is tests/table/test_table_shuffler_gone.py, ten minutes on a clock that skips.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from firmware_sim.demo_files import SHUFFLER  # noqa: E402 - found by the line above
from tests.hil.notify_socket import Systemd  # noqa: E402
from tests.hil.rig import Rig, Snapshot, last_hand  # noqa: E402

USABLE_S = 5.0
MOST_RECORDS, MOST_LINES = 40, 60  # while it is gone: one loss, the rest of a hand, ten-minute steps; no line a try


def health(snap: Snapshot) -> str:
    return str(snap["devices"].get("shuffler", "absent"))


def lines(rig: Rig) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in rig.folder.glob("tabled.log*"))


def run(minutes: float) -> float:
    """Seconds from the plug's return to a shuffler that is ready. AssertionError where anything does not hold."""
    with Rig("oasis_ru", 3, {"[gpio]": SHUFFLER + "[gpio]"}) as rig:
        systemd = Systemd(rig.folder / "notify")
        child = rig.spawn(environ={"NOTIFY_SOCKET": str(systemd.path)})
        try:
            rig.wait(lambda s: health(s) == "ready")
            rig.do("open_table", "dealer", "supervisor")
            rig.wait_for_keys()
            for mark in ("R-1041", "B-2207"):
                rig.do("deck", "supervisor", deck=mark)
            rig.play_until(lambda s: s["phase"] == "dealing" and s["expects"]["kind"] == "card")
            rig.bench.decks.unplug()
            rig.wait(lambda s: health(s) == "absent", USABLE_S)
            rig.play_until(lambda s: last_hand(s) == 1)
            records, logged = len(rig.records()), lines(rig)
            time.sleep(60 * minutes)
            assert child.poll() is None, "the daemon is gone"
            assert len(rig.records()) - records <= MOST_RECORDS, "records pile up"
            assert lines(rig) - logged <= MOST_LINES, "the log piles up"
            rig.bench.decks.unit.plug()
            plugged = time.monotonic()
            rig.wait(lambda s: health(s) == "ready", USABLE_S)
            took = time.monotonic() - plugged
            rig.play_hands(3)
            assert [pid for _, pid in systemd.said("READY=1")] == [child.pid], "READY once, by the process of before"
            assert rig.stop()[0] == 0
            rig.audit()
        finally:
            systemd.close()
    return took


def main() -> None:
    """`tests/soak_gone.py MINUTES`."""
    minutes = float(sys.argv[1])
    try:
        took = run(minutes)
    except BaseException:
        print("soak: FAILED shuffler gone", flush=True)
        raise
    print(f"soak: OK shuffler gone for {minutes:g} min, back within {took:.2f} s", flush=True)


if __name__ == "__main__":
    main()
