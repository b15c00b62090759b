"""Training at a real table: own journal and keys, shown on every display, jackpot dead; and back without a trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.hil.rig import Rig, devices_ready

pytestmark = pytest.mark.hil

SECTIONS = '[training]\nfolder = "training"\n\n[jackpot]\nstake = 100\nmeter = "5000"\n\n[log]'


@pytest.fixture
def rig() -> Iterator[Rig]:
    with Rig("jpoker", seed=4, changes={"[log]": SECTIONS}) as rig:
        rig.start()
        yield rig


def train(rig: Rig) -> None:
    """A supervisor begins a training; the table comes back as one."""
    rig.do("training", "supervisor")
    rig.wait(lambda snap: snap["training"] and devices_ready(snap))


def leave(rig: Rig) -> None:
    rig.do("training", "supervisor", on=False)
    rig.wait(lambda snap: not snap["training"] and devices_ready(snap))


def hands(rig: Rig, number: int) -> None:
    rig.bench.dealer.enabled.set()
    rig.bench.let_robot_play(True)
    rig.wait_staffed(lambda snap: (snap["last_hand"] or {}).get("hand", 0) >= number)  # some discards want a look


def rows(rig: Rig) -> list[tuple[int, bytes]]:
    with closing(sqlite3.connect(f"file:{rig.journal}?mode=ro", uri=True)) as db:
        return list(db.execute("select seq, hash from journal order by seq"))


def test_a_training_leaves_nothing_but_its_two_records(rig: Rig) -> None:
    """Hands of a training move no meter of the table, and no record but its beginning and its end (M15, T23)."""
    rig.open_table()
    assert "TC-0532" in str(rig.tablectl(
        "do", "training", "--as", "supervisor", "--config", str(rig.config), pins=["2222"]).stderr)  # fmt: skip
    rig.do("close_table", "supervisor")
    meter = rig.now["meters"]
    train(rig)
    before = rows(rig)
    assert [one["type"] for one in rig.records()[-2:]] == ["TrainingStarted", "RunEnded"]
    rig.open_table()
    hands(rig, 2)
    assert rig.bench.display.text()[0].startswith("TRAINING")
    assert rig.now["meters"] == {}
    rig.wait_staffed(lambda snap: snap["phase"] == "dealing")  # out of the middle of a hand
    rig.bench.let_robot_play(False)
    leave(rig)
    after = rig.records()
    assert rows(rig)[: len(before)] == before
    assert [one["type"] for one in after[len(before) : len(before) + 2]] == ["RunStarted", "TrainingEnded"]
    ended = after[len(before) + 1]["data"]
    assert (ended["session"], ended["hands"], ended["problem"]) == (1, 3, "")
    assert not any(one["hand"] for one in after[len(before) :])
    assert rig.now["meters"] == meter
    trained = rig.folder / "training" / "training-0001.db"
    done = rig.tablectl("audit", str(trained), "--head", ended["head"])
    assert "OK" in done.stdout, done.stdout + done.stderr
    assert rig.tablectl("verify-hand", "1", str(trained)).returncode == 0
    rig.open_table()
    rig.bench.new_deck(1)
    hands(rig, 1)
    rig.bench.let_robot_play(False)
    assert rig.stop()[0] == 0
    assert rig.tablectl("audit", str(rig.journal)).returncode == 0


def test_power_cut_in_a_training_starts_the_table_itself(rig: Rig) -> None:
    """The next training begins anew, with a journal of its own."""
    train(rig)
    rig.open_table()
    rig.kill()
    assert rig.start()["training"] is False
    ended = rig.records("TrainingEnded")
    assert [one["data"]["session"] for one in ended] == [1]
    assert ended[0]["data"]["head"]
    train(rig)
    assert rig.now["open"] is False
    code, seconds = rig.stop()
    assert (code, seconds < 5) == (0, True)
    rig.start()
    assert [one["data"]["session"] for one in rig.records("TrainingEnded")] == [1, 2]
    assert rig.tablectl("audit", str(rig.journal), "--live").returncode == 0


def test_a_folder_that_takes_no_training_leaves_the_table(rig: Rig) -> None:
    (rig.folder / "training").write_text("no folder")
    rig.do("training", "supervisor")
    rig.wait(lambda snap: not snap["training"] and devices_ready(snap) and len(rig.records("RunStarted")) == 2)
    assert rig.stderr.startswith("TC-0248 no training: its folder takes no journal (File exists): ")
    assert rig.records("TrainingEnded")[0]["data"]["problem"].startswith("TC-02")
    assert rig.stop()[0] == 0


def test_a_training_whose_journal_is_lost_says_so(rig: Rig) -> None:
    train(rig)
    rig.kill()
    (rig.folder / "training" / "training-0001.db").unlink()
    assert rig.start()["training"] is False
    assert rig.records("TrainingEnded")[0]["data"]["problem"].startswith("TC-02")
