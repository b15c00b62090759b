"""Run in a mount namespace of its own: a journal on a tmpfs that becomes full or read-only, its mirror elsewhere."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import journal_samples as samples

from controller.errors import TableError


def mount(*options: str) -> None:
    subprocess.run(["mount", *options], check=True)


def break_disk(folder: Path, how: str) -> None:
    if how == "read-only":
        mount("-o", "remount,ro", str(folder))
        return
    with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def mend_disk(folder: Path, how: str) -> None:
    if how == "read-only":
        mount("-o", "remount,rw", str(folder))
    else:
        (folder / "filler").unlink()


def main(folder: Path, how: str) -> None:
    disk, mirror = folder / "disk", folder / "mirror.db"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=4m", "none", str(disk))
    path = disk / "journal.db"
    samples.new(path).close()
    journal = samples.reopen(path, mirror)
    samples.play(journal, 2)
    journal.close()
    break_disk(disk, how)
    try:
        samples.reopen(path)
    except TableError as error:
        print("alone", error.code)
    journal = samples.reopen(path, mirror)
    print(journal.health()["durable"], journal.last_hand)
    samples.play(journal, 1, 3)
    mend_disk(disk, how)
    if any(journal.lacking() == "" for _ in range(5)):
        journal.close()
        journal = samples.reopen(path)
        print("level", journal.last_hand)
    journal.close()


main(Path(sys.argv[1]), sys.argv[2])
