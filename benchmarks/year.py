"""A long journal: how start, recall, search and audit grow with it. `make bench` and `make year` run it.

`year.py [HANDS]` writes one file and measures at a tenth of it and at its end. `year.py HANDS --files N` writes as many
hands over N files, as archiving leaves them, and measures the whole past. Each hand takes about 50 kB.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness_parts import open_journal
from long_journal import YEAR, Writer, registry

from controller.cli.audit import CHECKS
from controller.cli.find import search
from controller.journal.archive import file_of, files, latest_of
from controller.journal.auditing import Options
from controller.journal.catalogue import lacking, make
from controller.journal.hands import read_hand
from controller.journal.reader import Reader
from controller.journal.verify import audit
from controller.table import past

NOT_ASKED: dict[str, Any] = {
    "cards": set(), "joker": None, "dealer": None, "rules": None, "date": None, "outcome": None, "box": None,
    "won": None, "lost": None, "hit": False, "overridden": False,
}  # fmt: skip


def main() -> None:
    """Writes, then measures."""
    told = argparse.ArgumentParser()
    told.add_argument("hands", type=int, nargs="?", default=2000)
    told.add_argument("--files", type=int, default=1)
    told.add_argument("--folder", type=Path, help="where to write, and leave, the files (default: a temporary folder)")
    told.add_argument("--jobs", type=int, default=2)
    told.add_argument("--whole", type=int, default=YEAR, metavar="N", help="audit everything of the newest N files")
    asked = told.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        if asked.files == 1:
            one_file(folder, asked.hands)
            return
        if not (folder / "journal.db").exists():
            several_files(folder, asked.hands, asked.files)
        measure_past(folder, asked.hands, asked.jobs, asked.whole)


def one_file(folder: Path, hands: int) -> None:
    """Measured twice."""
    writer = Writer(folder)
    for many in (max(60, hands // 10), hands):
        began = time.perf_counter()
        writer.until(many)
        print(f"{many} hands, {writer.journal.seq} records written in {time.perf_counter() - began:.0f} s", flush=True)
        writer.journal.close()
        measure(folder, many)
        writer.again()


def several_files(folder: Path, hands: int, many: int) -> None:
    """A past in archived files, each of the same length."""
    folder.mkdir(exist_ok=True)
    began = time.perf_counter()
    writer = Writer(folder)
    for number in range(1, many + 1):
        writer.until(hands * number // many)
        print(f"{writer.table.hands} hands written, {time.perf_counter() - began:.0f} s", flush=True)
        if number < many:
            writer.next_file()
    writer.journal.close()


def measure(folder: Path, hands: int) -> None:
    """What a person waits for, in one file."""
    path = folder / "journal.db"
    print(f"  file {path.stat().st_size / 1e9:.2f} GB")
    show("start: verify and replay", lambda: past.replay(opened := open_journal(folder)) and opened.close())
    show("recall of a hand in the middle", lambda: recalled(path, hands // 2))
    for name, options in (
        ("audit, chain only", Options(chain_only=True)),
        ("audit, everything", Options()),
        ("audit, everything, two processes", Options(jobs=2)),
    ):
        show_audit(name, [path], options)


def measure_past(folder: Path, hands: int, jobs: int, whole: int) -> None:
    """What a person waits for, in all files together."""
    path = folder / "journal.db"
    found = list(files(path))
    print(f"{hands} hands in {len(found)} files, {sum(each.stat().st_size for each in found) / 1e9:.1f} GB")
    show("start: verify and replay", lambda: past.replay(opened := open_journal(folder)) and opened.close())
    for name, number in (("first", 1), ("middle", hands // 2), ("last", hands)):
        show(f"recall of a hand, {name}", lambda number=number: recalled(path, number))  # type: ignore[misc]
    show("list of the last fifty", lambda: latest_of(path))
    for each in lacking(path):
        show(f"catalogue of {each.name}", lambda each=each: make(each), 1)  # type: ignore[misc]
    for name, wanted in (("one day", {"date": "2024-07-14"}), ("no hand has it", {"overridden": True})):
        show(f"find over all files: {name}", lambda wanted=wanted: search(found, NOT_ASKED | wanted), 1)  # type: ignore[misc]
    show_audit("audit, chain only", found, Options(chain_only=True))
    show_audit(f"audit, everything, {jobs} processes", found[:whole], Options(jobs=jobs))


def recalled(path: Path, number: int) -> None:
    """One hand out of whichever file it is in."""
    with Reader(file_of(path, number)) as reader:
        assert read_hand(reader, registry(), number, "bench")[1] == []


def show(name: str, act: Callable[[], Any], times: int = 3) -> None:
    """The best of three, and what it took of one core."""
    took = []
    for _ in range(times):
        began, busy = time.perf_counter(), cores_s()
        act()
        took.append((time.perf_counter() - began, cores_s() - busy))
    best, busy = min(took)
    print(f"  {name}: {best * 1000:.0f} ms ({busy * 1000:.0f} ms of a core)", flush=True)


def show_audit(name: str, paths: list[Path], options: Options) -> None:
    """All these files, one after the other."""
    records = hands = 0
    began, busy, own = time.perf_counter(), cores_s(), time.process_time()
    for path in paths:
        report = audit(path, registry(), options, CHECKS)
        assert report.ok, report.findings[:3]
        records, hands = records + report.records, hands + report.hands
    spent, busy, own = time.perf_counter() - began, cores_s() - busy, time.process_time() - own
    cores = f"{busy:.1f} s of a core, {own:.1f} s of it in the first process"
    print(f"  {name}: {spent:.1f} s ({cores}), {len(paths)} files, {hands:,} hands")
    print(f"    {records / spent:,.0f} records/s, {hands / spent:,.0f} hands/s", flush=True)


def cores_s() -> float:
    """Seconds of a core that this process and its children have had: what a busy machine does not change."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
