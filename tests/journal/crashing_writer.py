"""A writer that is killed: plays hands and says on stdout which record is on disk, after each append."""

from __future__ import annotations

import sys
from pathlib import Path

import journal_samples as samples


def main(path: Path) -> None:
    journal = samples.reopen(path)
    journal.append([samples.RunStarted()], hand=None, stamp=samples.stamp())
    number = journal.last_hand
    done = len(journal.replay_hand(number)) if journal.open_hand else 0
    while True:
        if not done:
            number += 1
        for event in samples.hand_events(number)[done:]:
            record = journal.append([event], hand=number, stamp=samples.stamp())[0]
            print(record.seq, record.hash.hex(), flush=True)
        done = 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
