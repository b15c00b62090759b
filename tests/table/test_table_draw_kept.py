"""The draw through power cuts and flipped bits: the same joker, or none at all; never another one."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import msgspec
import pytest
from harness import S1, Rig, make_setup
from harness_parts import open_journal

from controller.domain import commands as cm
from controller.domain import events as ev
from controller.domain.hand.expects import Want
from controller.domain.phases import Phase
from controller.domain.rejections import Why
from controller.domain.state import Cause, Secret
from controller.errors import TableError
from controller.journal import chain
from controller.table import past

STEPS = ("locked", "first card", "armed", "drawn", "shown", "decided")


def at(rig: Rig, step: str) -> Rig:
    """A hand whose joker is the seven of clubs, played up to a step of the draw."""
    rig.open().stake(b1=10).joker("7c").lay("Kh Ks 8c 7d 2h", b1="9c 9d 5h 6s 3c").lock()
    if step == "first card":
        rig.card()
    elif step == "armed":
        rig.to(Want.STOP)
    elif step in ("drawn", "shown", "decided"):
        rig.to(Want.BOARD)
    if step in ("shown", "decided"):
        rig.board_shows()
    if step == "decided":
        rig.to(Want.DECISION)
    return rig


@pytest.mark.parametrize("joker_time", ["before_deal", "during_deal", "after_deal"])
@pytest.mark.parametrize("step", STEPS)
def test_power_cut_at_each_step_leaves_the_joker(tmp_path: Path, step: str, joker_time: str) -> None:
    if step in ("first card", "armed") and joker_time == "before_deal":
        step = "locked"
    rig = at(Rig(tmp_path, make_setup("jpoker", joker_time=joker_time)), step)
    commitment, slot = rig.hand.commitment, rig.hand.slot
    for _ in range(3):
        rig.restart()
        assert (rig.hand.commitment, rig.hand.slot) == (commitment, slot)
    rig.finish()
    locked, drawn, shown = (rig.events(kind) for kind in (ev.Locked, ev.JokerDrawn, ev.JokerShown))
    assert [event.commitment for event in locked] == [commitment]
    assert [event.slot for event in (*drawn, *shown)] == ["7c", "7c"]
    rig.close()


def flipped(text: str, bit: int) -> str:
    """Hex with one bit the other way."""
    raw = bytearray(bytes.fromhex(text))
    raw[bit // 8] ^= 1 << bit % 8
    return raw.hex()


@pytest.mark.parametrize("bit", [0, 7, 100, 255])
@pytest.mark.parametrize("field", ["seed", "commitment"])
def test_a_flipped_bit_stops_the_table_and_draws_nothing(field: str, bit: int) -> None:
    rig = at(Rig(setup=make_setup("jpoker")), "armed")
    other = flipped(str(getattr(rig.hand, field)), bit)
    hand = msgspec.structs.replace(rig.hand, **{field: Secret(other) if field == "seed" else other})
    rig.service.table = msgspec.structs.replace(rig.table, hand=hand)
    rig.stop()
    assert (rig.phase, rig.hand.fault_cause, rig.hand.slot) == (Phase.FAULT, Cause.SEED, None)
    for press in (cm.Stop(), cm.Start()):
        assert rig.act(press, origin="keys").rejection is not None
    assert rig.act(cm.Reset(), S1).rejection is not None
    assert rig.events(ev.JokerDrawn) == []
    rig.do(cm.VoidHand(reason="seed"), S1, S1)
    assert rig.events(ev.HandEnded)[-1].outcome == "void"


def test_a_flip_after_the_draw_changes_nothing_that_was_drawn() -> None:
    rig = at(Rig(setup=make_setup("jpoker")), "drawn")
    hand = msgspec.structs.replace(rig.hand, commitment=flipped(rig.hand.commitment, 3))
    rig.service.table = msgspec.structs.replace(rig.table, hand=hand)
    rig.refused(Why.DRAWN_ONCE, cm.Stop(), origin="keys")
    rig.finish()
    assert [event.slot for event in rig.events(ev.JokerShown)] == ["7c"]


def forged(folder: Path, place: int, *, refit: bool) -> None:
    """One character of the lock's stored body changed; with `refit` the chain behind it is made to fit."""
    connection = sqlite3.connect(folder / "journal.db", isolation_level=None)
    connection.text_factory = bytes
    guard = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'journal_no_update'").fetchone()[0]
    connection.execute("DROP TRIGGER journal_no_update")
    rows = connection.execute("SELECT seq, prev, body FROM journal ORDER BY seq").fetchall()
    first = next(seq for seq, _, body in rows if b'"type":"Locked"' in body)
    head = b""
    for seq, prev, body in rows[first - 1 :]:
        text = bytearray(body)
        if seq == first:
            text[place] = ord("0") if text[place] != ord("0") else ord("1")
        head = chain.link(head or prev, bytes(text)) if refit else b""
        statement = "UPDATE journal SET body = CAST(? AS TEXT) WHERE seq = ?"
        connection.execute(statement, (bytes(text), seq))
        if refit:
            connection.execute("UPDATE journal SET hash = ? WHERE seq = ?", (head, seq))
            connection.execute("UPDATE journal SET prev = ? WHERE seq = ?", (head, seq + 1))
    connection.execute(guard.decode())
    connection.close()


@pytest.mark.parametrize("field", [b'"commitment":"', b'"sealed":"'])
def test_a_flip_on_the_disk_is_refused_or_stops_the_draw(tmp_path: Path, field: bytes) -> None:
    """The seed's seal does not open; a promise whose chain was made to fit does not fit its seed."""
    source = tmp_path / "table"
    source.mkdir()
    rig = at(Rig(source, make_setup("jpoker")), "armed")
    assert rig.journal is not None
    body = next(row.body for row in rig.journal._store.rows() if b'"type":"Locked"' in row.body)
    rig.close()
    start = body.index(field) + len(field)
    for place in range(start, start + 64, 9):
        for refit in (False, True):
            folder = Path(shutil.copytree(source, tmp_path / f"copy-{place}-{refit}"))
            forged(folder, place, refit=refit)
            try:
                rig.journal = open_journal(folder)
                rig._start(past.replay(rig.journal).table)
            except TableError as error:
                assert error.exit_code == 3
                continue
            assert refit and field == b'"commitment":"'  # nothing is signed yet: only the draw itself can tell
            rig.connect()
            rig.stop()
            assert (rig.phase, rig.hand.fault_cause, rig.hand.slot) == (Phase.FAULT, Cause.SEED, None)
            rig.close()
