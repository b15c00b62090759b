"""Journals of real hands for auditors to look at: J-poker with its draw, Oasis with a progressive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness import D1, S1, Rig, make_setup
from harness_parts import TABLE, Clock, Entropy, open_journal, registry

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.journal import keys as key_files
from controller.journal.journal import Journal
from controller.journal.records import Record

ROYAL = "Ac Kc Qc Jc Tc"
NOTHING = "Qh 7d 5s 3s 2c"


def ended(rig: Rig) -> Path:
    """The table closes, the run ends in order."""
    assert rig.folder is not None
    rig.do(cm.CloseTable(), D1, S1)
    rig.service.end_run("stop")
    rig.close()
    return rig.folder / "journal.db"


def jpoker(folder: Path, records: int) -> Path:
    """At least so many records of whole hands with a joker, one of them void."""
    folder.mkdir(parents=True, exist_ok=True)
    rig = Rig(folder, make_setup("jpoker")).open()
    rig.taint = False
    while rig.journal is not None and rig.journal.seq < records:
        rig.stake(b1=10, b2=20).finish()
        if rig.table.hands == 3:
            rig.stake(b1=10).lock()
            rig.do(cm.VoidHand(reason="deck"), S1, S1)
    return ended(rig)


def progressive(folder: Path) -> Path:
    """Hands that feed a meter, and one whose royal wins it."""
    folder.mkdir(parents=True, exist_ok=True)
    rig = Rig(folder, make_setup("oasis_ru", jackpot_stake=1, meter="25000", award_limit=100)).open()
    rig.taint = False
    for cards in (NOTHING, ROYAL, NOTHING, NOTHING):
        rig.stake(b1=10, b2=10)
        rig.do(cm.SetStake(box=1, jackpot=1))
        rig.lay("As Kd 9c 6d 3h", b1=cards, b2="9d 9h 7s 5c 4s").ok().finish()
    assert rig.want.kind is Want.START
    return ended(rig)


def retold(source: Path, target: Path, lie: Callable[[Record], ev.Event], without: int = 0) -> Path:
    """As a table with the keys would write it that tells one thing otherwise: chain and signatures are right."""
    (target / "journal.db").parent.mkdir(parents=True)
    keys = key_files.load(source.parent)
    old = open_journal(source.parent)
    stamp = Clock().stamp
    new = Journal.create(
        target / "journal.db", table=TABLE, keys=keys, registry=registry(), entropy=Entropy(), stamp=stamp()
    )
    for record in list(old.replay()):
        if record.type not in ("JournalOpened", "Checkpoint") and (record.hand is None or record.hand != without):
            new.append([lie(record)], hand=record.hand, stamp=stamp())
    old.close()
    new.close()
    return target / "journal.db"
